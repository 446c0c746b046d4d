/**
 * Makes delivery attempts in a process that does nothing else. Arguments: the target and the number of simultaneous
 * attempts. Prints by how many bytes each attempt raised the peak memory.
 */
import { sendAttempt } from "../../supabase/functions/webhook-dispatcher/send_attempt.ts";

const [target, count] = [Deno.args[0]!, Number(Deno.args[1])];
const attempts = () => Array.from({ length: count }, () => sendAttempt(target, {}, new Uint8Array(1024)));
const collect = (globalThis as { gc?: () => void }).gc!;

// The first attempts load modules and leave garbage, which must not count.
const outcomes = await Promise.all(attempts());
// An attempt that never reached the receiver uses no memory, so the figure would be too low.
const unreached = outcomes.find(({ reason }) => /^(target_|connection_refused|tls_)/.test(reason ?? ""));
if (unreached) throw new Error(`The receiver was not reached: ${unreached.reason}`);
collect();
const before = Deno.memoryUsage().rss;
let peak = before;
const watching = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 20);
await Promise.all(attempts());
clearInterval(watching);
console.log(Math.round((peak - before) / count));
Deno.exit();
