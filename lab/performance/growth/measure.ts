import type { EndpointProbe } from "./coverage.ts";
import type { Door } from "./door.ts";

/** The number of different rows of a probe (seed.sql), so that each row has been read once before it is measured. */
const WARM_UP = 12;
/** How often each row is measured. */
const ROUNDS = 4;
const SHORT_ROUNDS = 2;
/** For one probe at one size. A slow probe needs few calls. */
const BUDGET_MS = 1_000;
const FEWEST_CALLS = 4;

/**
 * Calls every size in turns, so that other work of the machine affects all alike. Each record has been read before, so that
 * the time of the disk does not count.
 * @param doors the smallest size first
 * @param again how often the probe was measured on these doors before; its creates need new values each time
 * @returns milliseconds of a call at the smallest size, and the ratios of the other sizes
 */
export async function measure(
  probe: EndpointProbe,
  doors: Door[],
  short: boolean,
  again = 0,
): Promise<[milliseconds: number, ratios: number[]]> {
  const count = WARM_UP * (1 + (short ? SHORT_ROUNDS : ROUNDS));
  const calls = await Promise.all(doors.map((door) => door.argumentsOf(probe, again * count, count)));
  const taken: number[][] = doors.map(() => []);
  for (let call = 0; call < count; call++) {
    for (const [index, door] of doors.entries()) {
      const times = taken[index]!;
      if (times.length < FEWEST_CALLS || times.reduce((sum, time) => sum + time) < BUDGET_MS) {
        times.push(await door.call(probe, calls[index]![call]!));
      }
    }
  }
  const [smallest, ...others] = taken.map((times) =>
    lowerQuartile(times.slice(times.length > WARM_UP ? WARM_UP : 1))
  ) as [number, ...number[]];
  return [smallest, others.map((time) => time / smallest)];
}

/** Growth slows every call, other work of the machine only some, so the lower quartile shows growth alone. */
function lowerQuartile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)]!;
}
