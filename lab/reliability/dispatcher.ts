/**
 * One dispatcher in a process of its own, which never stops by itself. Prints `ready`, then what the dispatcher logs.
 *
 *     --clock-error <ms>    by how much its clock is wrong
 *     --death <json>        when it kills itself with SIGKILL (stages.ts)
 */
import { parseArgs } from "node:util";

const PAUSE_MS = 100;

const { values } = parseArgs({
  args: Deno.args,
  options: { "clock-error": { type: "string", default: "0" }, death: { type: "string" } },
});
const error = Number(values["clock-error"]);
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...args: unknown[]) {
    super(...(args.length === 0 ? [RightDate.now() + error] : args) as [number]);
  }
  static override now(): number {
    return RightDate.now() + error;
  }
} as DateConstructor;

// After the clock: nothing must have kept the right one.
if (values.death) {
  const { dieAt } = await import("./die_at.ts");
  dieAt(JSON.parse(values.death));
}
const { dispatch } = await import("../../supabase/functions/webhook-dispatcher/dispatch.ts");
const { handlePoke } = await import("../../supabase/functions/webhook-dispatcher/handler.ts");

// It pokes itself where a run hands over, as it would through the gateway.
Deno.env.set("WEBHOOK_DISPATCHER_SECRET", crypto.randomUUID());
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handlePoke);
Deno.env.set("SUPABASE_URL", `http://127.0.0.1:${server.addr.port}`);

console.log("ready");
for (;;) {
  await dispatch();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
