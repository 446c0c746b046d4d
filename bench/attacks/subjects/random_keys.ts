import { count, waitRatio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { attack, costOf, openAttackWorld } from "../world.ts";

const CONNECTIONS = 3_000;

/** Keys that nobody has, another with each request, so that a limit for each key limits nothing. */
export const randomKeys: Subject = {
  name: "random-keys",
  title: `${CONNECTIONS} connections call with a random key each time`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const measurements = [];
    for (
      const [name, request] of [
        ["keys", { method: "GET", path: "/api-v1-contacts", headers: { "X-API-Key": "{key}" } }],
        ["links", { method: "GET", path: "/proposals/{token}" }],
      ] as const
    ) {
      await using server = await world.serve({});
      const order = {
        connections: conditions.short ? CONNECTIONS / 10 : CONNECTIONS,
        requests: [request],
      };
      conditions.note(name);
      const { quiet, attacked, cost } = await attack(world, server, order, conditions);
      measurements.push(
        ...costOf(`Random ${name}`, cost, 2),
        waitRatio(`Random ${name}: a read's p50 ÷ its quiet value`, attacked.p50 / quiet.p50, 3),
        count(`Random ${name}: reads that failed`, attacked.failed, "reads"),
      );
    }
    return measurements;
  },
};
