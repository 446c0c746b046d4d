// Runs the sample receivers of the site's receivers page, unchanged, with deliveries that the dispatcher sent.
import assert from "node:assert/strict";
import { client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import { openPage } from "./claims.ts";
import {
  type Delivery,
  type Language,
  LANGUAGES,
  type Secrets,
  sign,
  withSample,
} from "./sample_receivers.ts";

/** The fields of a body that a receiver reads. */
const EXAMPLE = { delivery_id: "1", event: "deal.won" };

const { blocks } = await openPage("receivers", { ts: 1, js: 1, python: 1, php: 1, sh: 1 });

Deno.test("Each sample on the receivers page is run", () => {
  assert.deepEqual(LANGUAGES.map(({ fence }) => fence), Object.keys(blocks));
});

for (const language of LANGUAGES) {
  const { heading, programs } = language;
  const test = (title: string, fn: () => Promise<void>) =>
    Deno.test(needing(programs, { name: `The receivers page: ${heading} ${title}`, fn }));

  test("accepts a genuine delivery and refuses forged deliveries (spec 6.4)", async () => {
    const { before: delivery, secret } = await receiveRotation();
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
  });

  test("accepts each delivery of a rotation with an overlap", async () => {
    const rotation = await receiveRotation();
    const { secret, next } = rotation;
    assert.deepEqual(await acceptedBy(language, { secret }, rotation), [true, true, false]);
    assert.deepEqual(await acceptedBy(language, { secret: next }, rotation), [false, true, true]);
    assert.deepEqual(await acceptedBy(language, { secret, next }, rotation), [true, true, true]);
  });

  test("refuses every delivery if its secret is empty", async () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const forged = signed({ raw: new TextEncoder().encode("{}"), timestamp }, "");
    await withSample(language, async (file) => {
      // A sample may refuse to start without a secret; a sample that cannot start at all fails other tests.
      await using verifier = await language.start(file, { secret: "" }).catch(() => null);
      assert.ok(verifier === null || !await verifier.accepts(forged));
    });
  });
}

/** Deliveries of one subscription while its secret is replaced. */
interface Rotation {
  secret: string;
  next: string;
  before: Delivery;
  during: Delivery;
  after: Delivery;
}

/** Receives deliveries from before, during and after the overlap of two secrets, each with characters outside ASCII. */
async function receiveRotation(): Promise<Rotation> {
  await using sql = openDatabase();
  const { key } = await makeWorkspace(sql);
  const api = client(key);
  const mailbox = openMailbox();
  const { id, secret } = await subscribe(key, mailbox.url, ["contact.created"]);
  const receive = async (count: number): Promise<Delivery> => {
    await api.post("/api-v1-contacts", { name: 'João "Zé" & Filhos 🥖 <b>\\/' });
    const { raw, headers } = (await mailbox.waitFor(count))[count - 1]!;
    const nextSignature = headers.get("X-Service-Signature-Next");
    return {
      raw,
      timestamp: headers.get("X-Service-Timestamp")!,
      signature: headers.get("X-Service-Signature")!,
      ...(nextSignature !== null && { nextSignature }),
    };
  };
  const before = await receive(1);
  const { body } = await api.post(`/api-v1-webhooks/${id}/rotate-secret`, { overlap_seconds: 3600 });
  const during = await receive(2);
  await sql`update crm.webhook_secrets set next_from = now() where subscription_id = ${id}`;
  return { secret, next: body.secret, before, during, after: await receive(3) };
}

/**
 * Whether a receiver with these secrets accepts the deliveries from before, during and after the overlap. Also asserts
 * that it refuses a delivery with forged signatures in both headers.
 */
async function acceptedBy(
  language: Language,
  secrets: Secrets,
  { secret, next, before, during, after }: Rotation,
): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  await withSample(language, async (file) => {
    await using verifier = await language.start(file, secrets);
    for (const delivery of [before, during, after]) outcomes.push(await verifier.accepts(delivery));
    const stale = { ...during, timestamp: String(Number(during.timestamp) - 301) };
    const forged: Record<string, Delivery> = {
      "both headers signed with other secrets": signed(during, `${secret}x`, `${next}x`),
      "both headers signed with an empty secret": signed(during, "", ""),
      "empty headers": { ...during, signature: "", nextSignature: "" },
      "a changed body": { ...during, raw: new TextEncoder().encode(JSON.stringify(EXAMPLE)) },
      "an old delivery with two valid signatures": signed(stale, secret, next),
      "the headers of another timestamp": { ...during, timestamp: String(Number(during.timestamp) + 1) },
    };
    for (const [what, delivery] of Object.entries(forged)) assert.ok(!await verifier.accepts(delivery), what);
  });
  return outcomes;
}

function forgeries(real: Delivery, secret: string): Record<string, Delivery> {
  const text = new TextDecoder().decode(real.raw);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const old = String(Number(real.timestamp) - 301);
  const early = String(Number(real.timestamp) + 900);
  return {
    "a changed body": { ...real, raw: bytes(text.replace("Filhos", "filhos")) },
    "a body with a byte more": { ...real, raw: bytes(`${text}\n`) },
    "no body": { ...real, raw: new Uint8Array() },
    "the parsed body, written again": { ...real, raw: bytes(JSON.stringify(JSON.parse(text))) },
    "another timestamp": { ...real, timestamp: String(Number(real.timestamp) + 1) },
    "an old delivery with a valid signature": signed({ ...real, timestamp: old }, secret),
    "a delivery from the future with a valid signature": signed({ ...real, timestamp: early }, secret),
    "a delivery signed with another secret": signed(real, `${secret}x`),
    "a delivery signed with an empty secret": signed(real, ""),
    "an invalid timestamp": signed({ ...real, timestamp: `${real.timestamp}.0` }, secret),
    "a timestamp with very many digits": signed({ ...real, timestamp: "1".repeat(400) }, secret),
    "no timestamp": { ...real, timestamp: "" },
    "no signature": { ...real, signature: "" },
    "half a signature": { ...real, signature: real.signature.slice(0, 40) },
    "a signature without its prefix": { ...real, signature: real.signature.replace("sha256=", "") },
  };
}

/** The content with a signature by `secret`, and by `next` if a rotation is under way. */
function signed({ raw, timestamp }: Omit<Delivery, "signature">, secret: string, next?: string): Delivery {
  return {
    raw,
    timestamp,
    signature: sign(raw, timestamp, secret),
    ...(next !== undefined && { nextSignature: sign(raw, timestamp, next) }),
  };
}
