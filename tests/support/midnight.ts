import { pause } from "../../bench/harness/waiting.ts";

const DAY_MS = 86_400_000;
/** Midnight in UTC, where partitions begin, and in São Paulo, where the days of a workspace begin, in UTC. */
const MIDNIGHTS_MS = [0, 3 * 3_600_000];

/** Waits for the next of these midnights if it comes within `seconds`, for tests that compare days. */
export async function passMidnight(seconds = 60): Promise<void> {
  const left = Math.min(
    ...MIDNIGHTS_MS.map((midnight) => (midnight + DAY_MS - Date.now() % DAY_MS) % DAY_MS),
  );
  if (left < seconds * 1000) await pause(left + 1_000);
}
