import { atMost, count, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { attack, openAttackWorld } from "../world.ts";

const CONNECTIONS = 500;
/** The time that a body may take, and some for the machine. */
const LONGEST_SECONDS = 17;
const BODY = JSON.stringify({ name: "Ana", notes: "x".repeat(8_000) });

/** Bodies that arrive byte by byte, and would occupy memory and connections for as long as the sender likes. */
export const slowBodies: Subject = {
  name: "slow-bodies",
  title: `${CONNECTIONS} connections send a body of 8 KB at 10 bytes a second`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    await using server = await world.serve({});
    const order = {
      connections: CONNECTIONS,
      bytesPerSecond: 10,
      requests: [{
        method: "POST",
        path: "/api-v1-contacts",
        headers: { "X-API-Key": "{key}" },
        body: BODY,
      }],
    };
    const { quiet, attacked, memoryMb, flood } = await attack(world, server, order, conditions);
    return [
      ratio("Slow bodies: a read's p90 ÷ its quiet value", attacked.p90 / quiet.p90, "lower", 3),
      count("Slow bodies: reads that failed", attacked.failed, "reads"),
      atMost("Slow bodies: memory of the process", memoryMb, "MB", 256),
      atMost(
        "Slow bodies: how long one lasts",
        Math.round(flood.longestSeconds * 10) / 10,
        "s",
        LONGEST_SECONDS,
      ),
    ];
  },
};
