import { pause } from "../../bench/harness/waiting.ts";

const DAY_MS = 86_400_000;
/** When partitions begin (midnight UTC) and a workspace's days begin (midnight in São Paulo), as UTC times of day. */
const MIDNIGHTS_MS = [0, 3 * 3_600_000];

/** Waits for the next of these midnights if it comes within `seconds`. For tests that compare days. */
export async function passMidnight(seconds = 60): Promise<void> {
  const left = Math.min(
    ...MIDNIGHTS_MS.map((midnight) => (midnight + DAY_MS - Date.now() % DAY_MS) % DAY_MS),
  );
  if (left < seconds * 1000) await pause(left + 1_000);
}
