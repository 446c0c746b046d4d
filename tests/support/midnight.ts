import { pause } from "../../bench/harness/waiting.ts";

const DAY_MS = 86_400_000;

/** Waits for midnight (UTC) if it comes within `seconds`, for tests that compare days. */
export async function passMidnight(seconds = 60): Promise<void> {
  const left = DAY_MS - Date.now() % DAY_MS;
  if (left < seconds * 1000) await pause(left + 1_000);
}
