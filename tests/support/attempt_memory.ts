/**
 * A process that makes attempts and nothing else, so that what they add to its memory can be seen. Arguments: the target
 * and how many at once. Prints by how many bytes each raised the process at most.
 */
import { deliver } from "../../supabase/functions/webhook-dispatcher/deliver.ts";

const [target, count] = [Deno.args[0]!, Number(Deno.args[1])];
const attempts = () => Array.from({ length: count }, () => deliver(target, {}, new Uint8Array(1024)));
const collect = (globalThis as { gc?: () => void }).gc!;

// What the first ones load and what is garbage is not what an attempt adds.
const outcomes = await Promise.all(attempts());
// One that never reached the receiver would add nothing.
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
