import { join } from "node:path";
import { readPolicy, type TargetPolicy } from "../../supabase/functions/_shared/webhooks/target_policy.ts";
import {
  type AttemptOutcome,
  sendAttempt,
} from "../../supabase/functions/webhook-dispatcher/send_attempt.ts";
import {
  type Authority,
  issueCertificate,
  type ServerCertificate,
} from "../../bench/harness/certificates.ts";
import { type Behaviour, startHostile } from "./hostile.ts";

const folder = Deno.env.get("TEST_AUTHORITY_FOLDER")!;

/** The authority that this process trusts (DENO_CERT). */
export const trusted: Authority = {
  certificate: await Deno.readTextFile(join(folder, "ca.pem")),
  key: await Deno.readTextFile(join(folder, "ca.key")),
};

export const certificate = await issueCertificate(trusted, ["localhost"]);

/** The body of each delivery. */
export const body = new TextEncoder().encode('{"event":"deal.won"}');

/** Answers with these parts, each in a separate write, and closes the connection. */
export const answers = (...parts: string[]): Behaviour => async (connection) => {
  await connection.readRequest();
  for (const part of parts) await connection.write(part);
};

/** A policy for targets on loopback that allows only these `host:port` pairs. */
export function exempting(...devTargets: string[]): TargetPolicy {
  return readPolicy(devTargets.join(), "http://127.0.0.1:54321");
}

/** Sends one attempt to a receiver with this behaviour; over plain http if `tls` is null. */
export async function deliverTo(
  behaviour: Behaviour,
  tls: ServerCertificate | null = certificate,
): Promise<AttemptOutcome> {
  await using receiver = startHostile(behaviour, tls);
  const policy = exempting(`localhost:${receiver.port}`);
  const scheme = tls === null ? "http" : "https";
  return await sendAttempt(`${scheme}://localhost:${receiver.port}/hook`, {}, body, { policy });
}
