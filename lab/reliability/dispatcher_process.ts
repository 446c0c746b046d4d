/**
 * One dispatcher in a process of its own, which never stops by itself. Its argument is its character, as JSON. Prints
 * `ready`, then what the dispatcher logs.
 */
import { pause } from "../harness/waiting.ts";
import type { Character } from "./dispatcher.ts";

const PAUSE_MS = 100;

const { clockErrorMs = 0, death }: Character = JSON.parse(Deno.args[0]!);
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...args: unknown[]) {
    super(...(args.length === 0 ? [RightDate.now() + clockErrorMs] : args) as [number]);
  }
  static override now(): number {
    return RightDate.now() + clockErrorMs;
  }
} as DateConstructor;

// After the clock: nothing must have kept the right one.
if (death) {
  const { dieAt } = await import("./die_at.ts");
  dieAt(death);
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
  await pause(PAUSE_MS);
}
