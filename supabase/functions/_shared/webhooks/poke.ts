import { internalFunctionsUrl } from "../runtime/service.ts";
import { log } from "../runtime/log.ts";

const POKE_TIMEOUT_MS = 2_000;

/**
 * Wakes the dispatcher, so that it makes the first attempt at once (spec 6.5). Never throws, because after a lost poke
 * the schedule wakes the dispatcher within 10 seconds. Environment: FUNCTIONS_REGION, the database's region. Without
 * it, Supabase runs the dispatcher in the caller's region, which may be far from the database.
 */
export async function pokeDispatcher(): Promise<void> {
  const region = Deno.env.get("FUNCTIONS_REGION");
  try {
    const response = await fetch(`${internalFunctionsUrl()}/webhook-dispatcher`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${Deno.env.get("WEBHOOK_DISPATCHER_SECRET") ?? ""}`,
        ...(region && { "x-region": region }),
      },
      signal: AbortSignal.timeout(POKE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (!response.ok) log("poke_refused", { status: response.status });
  } catch (error) {
    log("poke_failed", { error: String(error) });
  }
}
