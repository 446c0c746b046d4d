/** The person's second factor: an app on their phone that shows a new code every 30 seconds (TOTP). */
import { askAuth } from "./ask_auth.ts";
import { adoptSession, renewSession } from "./session.ts";

/** A factor that is not yet on, with the secret that the phone must store. */
export interface NewFactor {
  id: string;
  /** `qr_code` is an SVG document. */
  totp: { qr_code: string; secret: string };
}

interface Factor {
  id: string;
  status: "verified" | "unverified";
}

/** The id of the factor that is on; null if none is. */
export async function activeFactor(): Promise<string | null> {
  return (await factors()).find(({ status }) => status === "verified")?.id ?? null;
}

/** Begins a factor, which `typeCode` then turns on. Removes factors that the person began but never turned on. */
export async function beginFactor(): Promise<NewFactor> {
  const begun = (await factors()).filter(({ status }) => status === "unverified");
  await Promise.all(begun.map(({ id }) => askAuth("DELETE", `factors/${id}`)));
  return await askAuth("POST", "factors", { factor_type: "totp", friendly_name: "app" });
}

/**
 * Verifies a code for this session, and turns the factor on if it is not on yet. Supabase Auth then ends the person's
 * sessions in which no code was verified. Rejects with a Failure `mfa_verification_failed` for a wrong code.
 */
export async function typeCode(id: string, code: string): Promise<void> {
  const { id: challenge_id } = await askAuth<{ id: string }>("POST", `factors/${id}/challenge`, {});
  const typed = code.replace(/\s/g, "");
  await adoptSession(await askAuth("POST", `factors/${id}/verify`, { challenge_id, code: typed }));
}

/** Turns the factor off; allowed only in a session in which a code was verified. */
export async function removeFactor(id: string): Promise<void> {
  await askAuth("DELETE", `factors/${id}`);
  // Renew the stored session, which still says that the person has a factor.
  await renewSession(true);
}

async function factors(): Promise<Factor[]> {
  return (await askAuth<{ factors?: Factor[] }>("GET", "user")).factors ?? [];
}
