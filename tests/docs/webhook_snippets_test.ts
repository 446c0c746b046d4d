// Runs the receivers of docs/webhooks.md, unchanged, against a delivery that the dispatcher sent.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { freePort } from "../../local/free_port.ts";
import { client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import { readSnippet } from "./page.ts";

/** The input of a receiver. */
interface Delivery {
  raw: Uint8Array;
  timestamp: string;
  signature: string;
}

/** One snippet, running: whether it takes a delivery as genuine. */
interface Verifier extends AsyncDisposable {
  accepts(delivery: Delivery): Promise<boolean>;
}

interface Language {
  heading: string;
  fence: string;
  /** Its name says what runs it. */
  file: string;
  /** The programs that it needs besides Deno. */
  programs: string[];
  start(file: string, secret: string): Promise<Verifier>;
}

const LANGUAGES: Language[] = [
  {
    heading: "TypeScript",
    fence: "ts",
    file: "receiver.ts",
    programs: [],
    start: server((file) => [
      Deno.execPath(),
      ...["run", "--check", "--quiet", "--no-config", "--allow-env", "--allow-net", file],
    ]),
  },
  {
    heading: "Python",
    fence: "python",
    file: "receiver.py",
    programs: ["python3"],
    start: server((file) => ["python3", file]),
  },
  {
    heading: "PHP",
    fence: "php",
    file: "receiver.php",
    programs: ["php"],
    start: server((file, port) => ["php", "-S", `127.0.0.1:${port}`, file]),
  },
  { heading: "Shell", fence: "sh", file: "verify.sh", programs: ["sh", "openssl"], start: command },
];

for (const language of LANGUAGES) {
  const { heading, programs } = language;

  Deno.test(needing(programs, {
    name: `docs/webhooks.md: ${heading} accepts a genuine delivery and refuses every other`,
    fn: async () => {
      const { delivery, secret } = await receiveOne();
      await withSnippet(language, async (file) => {
        await using verifier = await language.start(file, secret);
        assert.ok(await verifier.accepts(delivery), "the real one");
        for (const [what, forged] of Object.entries(forgeries(delivery, secret))) {
          assert.ok(!await verifier.accepts(forged), what);
        }
        assert.ok(await verifier.accepts(delivery), "the real one, once more");
      });
    },
  }));

  Deno.test(needing(programs, {
    name: `docs/webhooks.md: ${heading} refuses every delivery if its secret is empty`,
    fn: async () => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const forged = signed({ raw: new TextEncoder().encode("{}"), timestamp }, "");
      await withSnippet(language, async (file) => {
        // A snippet that does not start would also refuse.
        await using verifier = await language.start(file, "").catch(() => null);
        assert.ok(verifier === null || !await verifier.accepts(forged));
      });
    },
  }));
}

/** Writes the snippet of the page to a file, and removes the file after `use`. */
async function withSnippet(
  { heading, fence, file }: Language,
  use: (file: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, file);
    await Deno.writeTextFile(path, await readSnippet("webhooks.md", heading, fence));
    await use(path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Receives a delivery whose body has characters outside ASCII. */
async function receiveOne(): Promise<{ delivery: Delivery; secret: string }> {
  await using sql = openDatabase();
  const { key } = await makeWorkspace(sql);
  const mailbox = openMailbox();
  const { secret } = await subscribe(key, mailbox.url, ["contact.created"]);
  await client(key).post("/api-v1-contacts", { name: 'João "Zé" & Filhos 🥖 <b>\\/' });
  const [message] = await mailbox.waitFor(1);
  const { raw, headers } = message!;
  return {
    delivery: {
      raw,
      timestamp: headers.get("X-Service-Timestamp")!,
      signature: headers.get("X-Service-Signature")!,
    },
    secret,
  };
}

function forgeries(real: Delivery, secret: string): Record<string, Delivery> {
  const text = new TextDecoder().decode(real.raw);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const old = String(Number(real.timestamp) - 301);
  const early = String(Number(real.timestamp) + 330);
  return {
    "a changed body": { ...real, raw: bytes(text.replace("Filhos", "filhos")) },
    "a body with a byte more": { ...real, raw: bytes(`${text}\n`) },
    "no body": { ...real, raw: new Uint8Array() },
    "the parsed body, written again": { ...real, raw: bytes(JSON.stringify(JSON.parse(text))) },
    "another timestamp": { ...real, timestamp: String(Number(real.timestamp) + 1) },
    "an old one, rightly signed": signed({ ...real, timestamp: old }, secret),
    "one from the future, rightly signed": signed({ ...real, timestamp: early }, secret),
    "one of another secret": signed(real, `${secret}x`),
    "one of an empty secret": signed(real, ""),
    "a timestamp that is none": signed({ ...real, timestamp: `${real.timestamp}.0` }, secret),
    "a timestamp of very many digits": signed({ ...real, timestamp: "1".repeat(400) }, secret),
    "no timestamp": { ...real, timestamp: "" },
    "no signature": { ...real, signature: "" },
    "half a signature": { ...real, signature: real.signature.slice(0, 40) },
    "a signature without its prefix": { ...real, signature: real.signature.replace("sha256=", "") },
  };
}

function signed({ raw, timestamp }: Omit<Delivery, "signature">, secret: string): Delivery {
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest("hex");
  return { raw, timestamp, signature: `sha256=${digest}` };
}

/** A snippet that listens: it answers 204 to a genuine delivery, 401 to others, 500 without a secret. */
function server(command: (file: string, port: number) => string[]): Language["start"] {
  return async (file, secret) => {
    const port = freePort();
    const [program, ...args] = command(file, port);
    const child = new Deno.Command(program!, {
      args,
      env: { CRM_WEBHOOK_SECRET: secret, PORT: String(port) },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = false;
    child.status.then(() => ended = true);
    const post = async ({ raw, timestamp, signature }: Delivery) => {
      const response = await fetch(`http://127.0.0.1:${port}/hooks/crm`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Service-Timestamp": timestamp,
          "X-Service-Signature": signature,
        },
        body: raw as BodyInit,
      });
      await response.body?.cancel();
      return response.status;
    };
    const noSecret = secret === "";
    const nothing = { raw: new Uint8Array(), timestamp: "", signature: "" };
    await eventually(
      () => {
        if (ended) throw new Error(`${program} has ended`);
        return post(nothing).catch(() => false as const);
      },
      file,
      30,
    );
    return {
      async accepts(delivery) {
        const status = await post(delivery);
        // Only these statuses: a receiver that crashed has not refused the delivery.
        assert.ok(status === 204 || status === (noSecret ? 500 : 401), `status ${status}`);
        return status === 204;
      },
      async [Symbol.asyncDispose]() {
        child.kill("SIGTERM");
        await child.status;
      },
    };
  };
}

/** A snippet that reads the body from standard input and exits with 0 if it is genuine. */
function command(file: string, secret: string): Promise<Verifier> {
  return Promise.resolve({
    async accepts({ raw, timestamp, signature }) {
      const child = new Deno.Command("sh", {
        args: [file, timestamp, signature],
        env: { CRM_WEBHOOK_SECRET: secret },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      // A snippet that refuses by the timestamp does not read the body.
      await writer.write(raw).then(() => writer.close()).catch(() => {});
      const { success } = await child.output();
      return success;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
