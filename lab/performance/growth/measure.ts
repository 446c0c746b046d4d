import type { EndpointProbe } from "./coverage.ts";
import type { Door } from "./door.ts";

/** As many as a probe has different rows (seed.sql): each row has been touched once before it is measured. */
const WARM_UP = 12;
/** Times that each of them is measured. */
const ROUNDS = 4;
const SHORT_ROUNDS = 2;
/** Of one probe at one size, in milliseconds: what is this slow needs few calls to be seen. */
const PATIENCE = 1_000;
const FEWEST_CALLS = 4;

/**
 * Calls every size in turns, so that a machine that has other work to do is slow to all of them alike. What is compared
 * is the way to a record, so each has been touched before: how far away the disk is, is another question.
 * @param doors the smallest size first
 * @param again how often these doors have seen the probe before: what it creates is new each time
 * @returns what a call takes at the smallest size, in milliseconds, and its ratio at each of the others
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
      if (times.length < FEWEST_CALLS || times.reduce((sum, time) => sum + time) < PATIENCE) {
        times.push(await door.call(probe, calls[index]![call]!));
      }
    }
  }
  const [smallest, ...others] = taken.map((times) =>
    lowerQuartile(times.slice(times.length > WARM_UP ? WARM_UP : 1))
  ) as [number, ...number[]];
  return [smallest, others.map((time) => time / smallest)];
}

/** More records are in the way of every call; what else the machine does, of some: the upper half shows that. */
function lowerQuartile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)]!;
}
