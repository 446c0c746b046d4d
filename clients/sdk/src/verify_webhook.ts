import { CrmError } from "./error.ts";
import type { WebhookDelivery } from "./types.ts";

/** The headers of a `Request`, or of Node's `IncomingMessage`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** Maximum difference between now and the time of the signature, in seconds; 300 by default. */
  tolerance?: number | undefined;
}

const SIGNATURES = ["X-Service-Signature", "X-Service-Signature-Next"];

const utf8 = new TextEncoder();

/**
 * Verifies a delivery and parses it. `event` says what happened, and determines the type of `data`.
 *
 * ```ts
 * const delivery = await verifyWebhook(await request.text(), request.headers, secret);
 * if (delivery.event === "deal.won") console.log(delivery.data.value);
 * ```
 *
 * @param raw the body as it arrived, before any JSON.parse
 * @param secrets the subscription's secret, `whsec_…`, or both secrets during a rotation; empty strings are ignored
 * @throws CrmError `invalid_signature` or `stale_delivery`: answer the request with 401
 */
export async function verifyWebhook(
  raw: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | undefined | readonly (string | undefined)[],
  { tolerance = 300 }: VerifyOptions = {},
): Promise<WebhookDelivery> {
  const body = bytesOf(raw);
  // Drops empty secrets, with which anybody can sign.
  const known = [secrets].flat().filter((secret): secret is string => Boolean(secret));
  if (known.length === 0) throw new TypeError("verifyWebhook: there is no secret");
  const timestamp = valueOf(headers, "X-Service-Timestamp");
  const signed = concat(utf8.encode(`${timestamp}.`), body);
  const signatures = SIGNATURES.map((name) => digestOf(valueOf(headers, name)));
  if (!/^\d{1,12}$/.test(timestamp) || !(await isSigned(signed, signatures, known))) {
    throw new CrmError({
      code: "invalid_signature",
      message: "The delivery is not signed with a known secret",
    });
  }
  const age = Date.now() / 1000 - Number(timestamp);
  // Not written with `>`, because a tolerance of NaN would then accept a delivery of any age.
  if (!(Math.abs(age) <= tolerance)) {
    throw new CrmError({
      code: "stale_delivery",
      message: `The delivery was signed ${Math.round(age)} seconds ago`,
    });
  }
  return JSON.parse(new TextDecoder().decode(body));
}

function bytesOf(raw: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof raw === "string") return utf8.encode(raw);
  if (raw instanceof Uint8Array) return raw;
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw);
  throw new TypeError(
    "verifyWebhook takes the raw body, as text or bytes: what was parsed cannot be verified",
  );
}

function valueOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const wanted = name.toLowerCase();
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === wanted) ?? [];
  return [value].flat()[0] ?? "";
}

/** Reads the bytes of `sha256=<hex>`; null for anything else. */
function digestOf(signature: string): Uint8Array<ArrayBuffer> | null {
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? [];
  return hex ? Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16)) : null;
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: (Uint8Array<ArrayBuffer> | null)[],
  secrets: string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["verify"]);
    for (const signature of signatures) {
      // `verify` compares in constant time, so that a forger learns nothing from the duration.
      if (signature && await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
    }
  }
  return false;
}

function concat(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(start.length + end.length);
  bytes.set(start);
  bytes.set(end, start.length);
  return bytes;
}
