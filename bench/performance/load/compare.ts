import { measureInTurns } from "../../harness/figures.ts";
import type { Server } from "../../harness/functions.ts";
import type { Conditions } from "../../harness/subject.ts";
import type { LoadPlan } from "./generator_process.ts";
import { describePaces, measurePace, type Pace } from "./pace.ts";
import { type MakeRequest, requestsOf } from "./requests.ts";
import { countAnswers, type LoadWorld } from "./world.ts";
import { giveHistory } from "./workspaces.ts";

const CONNECTIONS = 16;
/** Enough keys that none reaches its 120 calls a minute, even on a machine many times faster. */
const SIZES = { workspaces: 200, keysEach: 20, contactsEach: 60 };
/** A short run sends a fifth as many requests. */
const SHORT_SIZES = { ...SIZES, workspaces: 40 };

/** The workspaces of a comparison. */
export function sizesOf({ short }: Conditions) {
  return short ? SHORT_SIZES : SIZES;
}

/**
 * Measures functions that do the same in turns, in five rounds.
 * @param makers how each is asked, by the name that the notes give it
 * @returns the paces of each, by round
 * @throws Error if a request was not answered as expected, because the rate would be that of other work
 */
export async function comparePaces<Name extends string>(
  name: string,
  makers: Record<Name, MakeRequest>,
  { sql, workspaces, send, dataDir }: LoadWorld,
  { baseUrl, pid }: Server,
  { short, note }: Conditions,
): Promise<Record<Name, Pace[]>> {
  await giveHistory(sql);
  const entries = Object.entries<MakeRequest>(makers);
  const paces = await measureInTurns(
    entries.map(([, make]) => {
      const plan = {
        baseUrl,
        connections: CONNECTIONS,
        seconds: short ? 0.4 : 1.2,
        requests: requestsOf(workspaces, make),
      };
      return () => measurePace(pid, dataDir, () => sendFlawlessly(send, plan));
    }),
    5,
  );
  for (const [index, [who]] of entries.entries()) note(`${name}, ${who}: ${describePaces(paces[index]!)}`);
  return Object.fromEntries(entries.map(([who], index) => [who, paces[index]!])) as Record<Name, Pace[]>;
}

/**
 * Sends requests, and returns how many were answered, and the seconds.
 * @throws Error if one was not answered as expected, because the rate would be that of other work
 */
export async function sendFlawlessly(send: LoadWorld["send"], plan: LoadPlan) {
  const result = await send(plan);
  const { unexpected, unanswered, example, seconds } = result;
  const count = countAnswers(result);
  if (unexpected + unanswered === 0) return { count, seconds };
  throw new Error(
    `Of ${count} answers ${unexpected} were not as expected, ${unanswered} had none: ${example}`,
  );
}
