/** Calls routes of Supabase Auth directly. The build removes their methods from Supabase's client, to save bytes. */
import { reach } from "./reach.ts";
import { accessToken, dropSession, failureOf } from "./session.ts";
import { publishableKey } from "./settings.ts";

/** Calls Supabase Auth with the session; rejects with a Failure that has Supabase Auth's error code. */
export async function askAuth<T>(method: string, path: string, body?: unknown): Promise<T> {
  const authorization = `Bearer ${await accessToken(method !== "GET")}`;
  const headers = new Headers({ authorization, apikey: publishableKey });
  const reply = await reach(method, `auth/v1/${path}`, headers, { body });
  const read = await reply.json().catch(() => ({}));
  if (reply.ok) return read;
  if (reply.status === 401 || reply.status === 403) await dropSession();
  throw failureOf({ name: "", status: reply.status, code: read.error_code });
}
