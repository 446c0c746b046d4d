// Runs the receivers of docs/receivers.md, unchanged, against a delivery that the dispatcher sent.
import assert from "node:assert/strict";
import { client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import {
  type Delivery,
  type Language,
  LANGUAGES,
  type Secrets,
  sign,
  withSample,
} from "./sample_receivers.ts";

const OLD = "whsec_of_before_the_rotation";
const NEW = "whsec_of_after_the_rotation";
/** What a receiver reads of a delivery. */
const EXAMPLE = { delivery_id: "1", event: "deal.won" };

for (const language of LANGUAGES) {
  const { heading, programs } = language;

  Deno.test(needing(programs, {
    name: `docs/receivers.md: ${heading} accepts a genuine delivery and refuses every other`,
    fn: async () => {
      const { delivery, secret } = await receiveOne();
      await withSample(language, async (file) => {
        await using verifier = await language.start(file, { secret });
        assert.ok(await verifier.accepts(delivery), "the real one");
        for (const [what, forged] of Object.entries(forgeries(delivery, secret))) {
          assert.ok(!await verifier.accepts(forged), what);
        }
        const large = new TextEncoder().encode(JSON.stringify({ ...EXAMPLE, data: "ã".repeat(500_000) }));
        assert.ok(await verifier.accepts(signed({ ...delivery, raw: large }, secret)), "one of 1 MB");
        assert.ok(await verifier.accepts(delivery), "the real one, once more");
      });
    },
  }));

  Deno.test(needing(programs, {
    name: `docs/receivers.md: ${heading} accepts each delivery of a rotation with an overlap`,
    fn: async () => {
      assert.deepEqual(await rotation(language, { secret: OLD }), [true, true, false]);
      assert.deepEqual(await rotation(language, { secret: NEW }), [false, true, true]);
      assert.deepEqual(await rotation(language, { secret: OLD, next: NEW }), [true, true, true]);
    },
  }));

  Deno.test(needing(programs, {
    name: `docs/receivers.md: ${heading} refuses every delivery if its secret is empty`,
    fn: async () => {
      const forged = signed({ raw: new TextEncoder().encode("{}"), timestamp: now() }, "");
      await withSample(language, async (file) => {
        // A sample that does not start would also refuse.
        await using verifier = await language.start(file, { secret: "" }).catch(() => null);
        assert.ok(verifier === null || !await verifier.accepts(forged));
      });
    },
  }));
}

/**
 * Whether a receiver with these secrets accepts a delivery from before the overlap, one during it, and one after it. It
 * must refuse what is forged under two headers as well.
 */
async function rotation(language: Language, secrets: Secrets): Promise<boolean[]> {
  const content = {
    raw: new TextEncoder().encode(JSON.stringify(EXAMPLE)),
    timestamp: now(),
  };
  const outcomes: boolean[] = [];
  await withSample(language, async (file) => {
    await using verifier = await language.start(file, secrets);
    const during = signed(content, OLD, NEW);
    for (const delivery of [signed(content, OLD), during, signed(content, NEW)]) {
      outcomes.push(await verifier.accepts(delivery));
    }
    const stale = { ...content, timestamp: String(Number(content.timestamp) - 301) };
    const forged: Record<string, Delivery> = {
      "both headers of other secrets": signed(content, `${OLD}x`, `${NEW}x`),
      "both headers of an empty secret": signed(content, "", ""),
      "empty headers": { ...content, signature: "", nextSignature: "" },
      "a changed body": {
        ...during,
        raw: new TextEncoder().encode(JSON.stringify({ ...EXAMPLE, event: "deal.lost" })),
      },
      "an old one, rightly signed twice": signed(stale, OLD, NEW),
      "the headers of another timestamp": { ...during, timestamp: String(Number(content.timestamp) + 1) },
    };
    for (const [what, delivery] of Object.entries(forged)) assert.ok(!await verifier.accepts(delivery), what);
  });
  return outcomes;
}

const now = () => String(Math.floor(Date.now() / 1000));

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

/** The content with a signature by `secret`, and a second one if a rotation is under way. */
function signed({ raw, timestamp }: Omit<Delivery, "signature">, secret: string, next?: string): Delivery {
  return {
    raw,
    timestamp,
    signature: sign(raw, timestamp, secret),
    ...(next !== undefined && { nextSignature: sign(raw, timestamp, next) }),
  };
}
