/**
 * One dispatcher in a process of its own, which never stops by itself. Prints `ready`, then what the dispatcher logs.
 * Its argument is by how many milliseconds its clock is wrong.
 */
const PAUSE_MS = 100;

const error = Number(Deno.args[0] ?? 0);
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
const { dispatch } = await import("../supabase/functions/webhook-dispatcher/dispatch.ts");
console.log("ready");
for (;;) {
  await dispatch();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
