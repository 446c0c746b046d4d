// Starts the sample receivers of the site's receivers page, unchanged.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { freePort } from "../../run/local/free_port.ts";
import { withPrograms } from "../../site/markdown.ts";
import { openFolder } from "../support/folder.ts";
import { killIfRunning } from "../support/kill.ts";
import { eventually } from "../support/mailbox.ts";
import { outcomeOf } from "../support/run.ts";
import { blocksOf } from "./claims.ts";

const PAGE = join(import.meta.dirname!, "../../site/src/content/docs/receivers.md");

/** What a receiver gets. */
export interface Delivery {
  raw: Uint8Array;
  timestamp: string;
  signature: string;
  /** The header X-Service-Signature-Next; absent if the delivery does not have it. */
  nextSignature?: string;
}

/** What the operator of a receiver sets: the secret, and the new secret during a rotation. */
export interface Secrets {
  secret: string;
  next?: string;
}

/** A running sample. */
export interface Verifier extends AsyncDisposable {
  accepts(delivery: Delivery): Promise<boolean>;
}

/** One sample of the page. */
export interface Language {
  heading: string;
  fence: string;
  /** The file to write the sample to. */
  file: string;
  /** The programs that it needs besides Deno. */
  programs: string[];
  start(file: string, secrets: Secrets): Promise<Verifier>;
}

export const LANGUAGES: Language[] = [
  {
    heading: "TypeScript",
    fence: "ts",
    file: "receiver.ts",
    programs: [],
    start: serverOf((file) => [
      Deno.execPath(),
      // tests/docs/sdk_page_test.ts checks its types.
      ...["run", "--no-check", "--quiet", "--no-config", "--allow-env", "--allow-net", file],
    ]),
  },
  {
    heading: "Node",
    fence: "js",
    file: "receiver.mjs",
    programs: ["node"],
    start: serverOf((file) => ["node", file]),
  },
  {
    heading: "Python",
    fence: "python",
    file: "receiver.py",
    programs: ["python3"],
    start: serverOf((file) => ["python3", file]),
  },
  {
    heading: "PHP",
    fence: "php",
    file: "receiver.php",
    programs: ["php"],
    start: serverOf((file, port) => ["php", "-S", `127.0.0.1:${port}`, file]),
  },
  { heading: "Shell", fence: "sh", file: "verify.sh", programs: ["sh", "openssl"], start: command },
];

/** Reads the page's sample in a language; the page has one for each language. */
export async function readSample(fence: string): Promise<string> {
  const found = blocksOf(withPrograms(await Deno.readTextFile(PAGE))).filter(({ language }) =>
    language === fence
  );
  assert.equal(found.length, 1, `the ${fence} blocks of the page of receivers`);
  return found[0]!.content;
}

/** Writes the sample of the page to a file, and removes the file after `use`. */
export async function withSample(
  { fence, file }: Language,
  use: (file: string) => Promise<void>,
): Promise<void> {
  await using folder = await openFolder();
  const path = join(folder.path, file);
  await Deno.writeTextFile(path, await readSample(fence));
  await use(path);
}

/** The text of a signature header, as spec 6.4 describes it. */
export function sign(raw: Uint8Array, timestamp: string, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest("hex")}`;
}

/** Runs a sample that is a server: it answers 204 to a genuine delivery, 401 to others, 500 without a secret. */
export function serverOf(command: (file: string, port: number) => string[]): Language["start"] {
  return async (file, secrets) => {
    const port = freePort();
    const [program, ...args] = command(file, port);
    const log = `${file}.log`;
    const child = new Deno.Command("sh", {
      args: ["-c", 'exec "$@" 2>"$LOG"', "sh", program!, ...args],
      env: { ...variables(secrets), PORT: String(port), LOG: log },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = false;
    child.status.then(() => ended = true);
    const post = async (delivery: Delivery) => {
      const response = await fetch(`http://127.0.0.1:${port}/hooks/crm`, {
        method: "POST",
        headers: headersOf(delivery),
        body: delivery.raw as BodyInit,
      });
      await response.body?.cancel();
      return response.status;
    };
    const nothing = { raw: new Uint8Array(), timestamp: "", signature: "" };
    await eventually(
      async () => {
        if (ended) throw new Error(`${program} has ended: ${await Deno.readTextFile(log)}`);
        return post(nothing).catch(() => false as const);
      },
      file,
    );
    const refusal = secrets.secret === "" ? 500 : 401;
    return {
      async accepts(delivery) {
        const status = await post(delivery);
        // Any other status is an error: a receiver that crashed has not refused the delivery.
        assert.ok(status === 204 || status === refusal, `status ${status}: ${await Deno.readTextFile(log)}`);
        return status === 204;
      },
      async [Symbol.asyncDispose]() {
        killIfRunning(child);
        await child.status;
      },
    };
  };
}

function headersOf({ timestamp, signature, nextSignature }: Delivery): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "X-Service-Timestamp": timestamp,
    "X-Service-Signature": signature,
    ...(nextSignature !== undefined && { "X-Service-Signature-Next": nextSignature }),
  };
}

/** Runs a sample that is a command: it exits with 0 if the delivery in a file is genuine. */
function command(file: string, secrets: Secrets): Promise<Verifier> {
  return Promise.resolve({
    async accepts({ raw, timestamp, signature, nextSignature }) {
      const body = `${file}.body.json`;
      await Deno.writeFile(body, raw);
      const args = [file, body, timestamp, signature].concat(nextSignature ?? []);
      const { code, stdout, stderr } = await outcomeOf("sh", args, { env: variables(secrets) });
      // A command that failed for another reason has not refused the delivery.
      const said = /^It is genuine$|^It is not genuine$|^It is -?\d+ s old$|no timestamp$|is not set$/m;
      assert.match(code === 0 ? stdout : stderr, said);
      return code === 0;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

function variables({ secret, next }: Secrets): Record<string, string> {
  return { CRM_WEBHOOK_SECRET: secret, CRM_WEBHOOK_SECRET_NEXT: next ?? "" };
}
