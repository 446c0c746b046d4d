/** Runs a dispatcher until it is killed. The argument is its options, as JSON. Prints `ready`, then its log. */
import { pause } from "../harness/waiting.ts";
import type { DispatcherOptions } from "./dispatcher.ts";

const PAUSE_MS = 100;

const { clockErrorMs = 0, killPoint }: DispatcherOptions = JSON.parse(Deno.args[0]!);
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...args: unknown[]) {
    super(...(args.length === 0 ? [RightDate.now() + clockErrorMs] : args) as [number]);
  }
  static override now(): number {
    return RightDate.now() + clockErrorMs;
  }
} as DateConstructor;

// Imported after Date is replaced, so that no module keeps the right clock.
if (killPoint) {
  const { killAt } = await import("./kill_at.ts");
  killAt(killPoint);
}
const { dispatch } = await import("../../supabase/functions/webhook-dispatcher/dispatch.ts");
const { handlePoke } = await import("../../supabase/functions/webhook-dispatcher/handler.ts");

// A run that hands over pokes this server, as it would poke the function through the gateway.
Deno.env.set("WEBHOOK_DISPATCHER_SECRET", crypto.randomUUID());
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handlePoke);
Deno.env.set("SUPABASE_URL", `http://127.0.0.1:${server.addr.port}`);

console.log("ready");
for (;;) {
  // Not awaited: a run waits until the next delivery is due, but trials make deliveries due sooner by SQL.
  void dispatch();
  await pause(PAUSE_MS);
}
