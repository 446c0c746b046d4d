import { functionsUrl } from "../runtime/service.ts";
import { log } from "../runtime/log.ts";

const POKE_TIMEOUT_MS = 2_000;

/**
 * Wakes the dispatcher, so that a first attempt is made at once (spec 6.5). Never fails: a poke that is lost is made up
 * for by the schedule, seconds later.
 */
export async function pokeDispatcher(): Promise<void> {
  try {
    const response = await fetch(`${functionsUrl()}/webhook-dispatcher`, {
      method: "POST",
      headers: { Authorization: `Bearer ${Deno.env.get("WEBHOOK_DISPATCHER_SECRET") ?? ""}` },
      signal: AbortSignal.timeout(POKE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (!response.ok) log("poke_refused", { status: response.status });
  } catch (error) {
    log("poke_failed", { error: String(error) });
  }
}
