import { count, waitRatio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { attack, costOf, openAttackWorld } from "../world.ts";

const CONNECTIONS = 64;
/** Quotes that a backslash opens and nothing closes: a pattern that looks for their end may look from each of them. */
const OPEN_QUOTES = '\\"';

/** The longest header that is read, and the longest that an HTTP server commonly takes. */
const HEADERS = [
  { name: "Open quotes in Prefer", length: 1_000 },
  { name: "16 kB in Prefer", length: 16_000 },
];

/** Headers that are read before the caller is known. */
export const hostileHeaders: Subject = {
  name: "hostile-headers",
  title: `${CONNECTIONS} connections send Prefer with quotes that are not closed, and a key that nobody has`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const measurements = [];
    for (const { name, length } of HEADERS) {
      await using server = await world.serve({});
      conditions.note(name);
      const request = {
        method: "POST",
        path: "/api-v1-contacts",
        headers: { "X-API-Key": "{key}", "Prefer": OPEN_QUOTES.repeat(length / OPEN_QUOTES.length) },
        body: JSON.stringify({ name: "Ana" }),
      };
      const { quiet, attacked, cost } = await attack(
        world,
        server,
        { connections: CONNECTIONS, requests: [request] },
        conditions,
      );
      measurements.push(
        ...costOf(name, cost, 3),
        waitRatio(`${name}: a read's p90 ÷ its quiet value`, attacked.p90 / quiet.p90, 5),
        count(`${name}: reads that failed`, attacked.failed, "reads"),
      );
    }
    return measurements;
  },
};
