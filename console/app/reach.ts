import { Failure } from "./failure.ts";
import { supabaseUrl } from "./settings.ts";

/** Longer than the slowest reply of a function, so that a timeout means a lost connection. */
const TIMEOUT_MS = 20_000;

/** Sends a request to the project, with `body` as JSON. Rejects with the Failure "away" if no reply comes in time. */
export async function reach(
  method: string,
  path: string,
  headers: Headers,
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<Response> {
  if (body !== undefined) headers.set("content-type", "application/json");
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(`${supabaseUrl}/${path}`, {
      method,
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Failure({ kind: "away", writing: method !== "GET" });
  }
}
