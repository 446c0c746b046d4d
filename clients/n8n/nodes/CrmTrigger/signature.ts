import { createHmac, timingSafeEqual } from "node:crypto";
import type { IDataObject } from "n8n-workflow";

const SIGNATURES = ["x-service-signature", "x-service-signature-next"];
const TOLERANCE_SECONDS = 300;

/** Whether a delivery has a valid, recent signature. The age limit stops replays of a recorded delivery. */
export function isSigned(rawBody: Buffer, headers: IDataObject, secret: string): boolean {
  const timestamp = String(headers["x-service-timestamp"]);
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  const isKnown = SIGNATURES.map((name) => Buffer.from(String(headers[name]))).some((given) =>
    given.length === expected.length && timingSafeEqual(given, expected)
  );
  return isKnown && Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}
