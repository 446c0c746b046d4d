import { atMost, ratio } from "../../harness/figures.ts";
import { startCountingProxy } from "../../harness/counting_proxy.ts";
import type { Subject } from "../../harness/subject.ts";
import { attack, openAttackWorld } from "../world.ts";

const CONNECTIONS = 64;
const PAUSE_MS = 50;

/** Health checks need no key. */
export const healthChecks: Subject = {
  name: "health-checks",
  title: `${CONNECTIONS} connections ask for the health of the service`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    await using counted = startCountingProxy(world.functionsDatabaseUrl);
    const order = {
      connections: CONNECTIONS,
      pauseMs: PAUSE_MS,
      requests: [{ method: "GET", path: "/api-v1-health" }],
    };
    await using server = await world.serve({});
    const { quiet, attacked } = await attack(world, server, order, conditions);
    await using watched = await world.serve({ DATABASE_URL: counted.url });
    const seconds = 5;
    await world.attacker.flood({ ...order, baseUrl: watched.baseUrl, seconds: 1 });
    counted.takeCount();
    await world.attacker.flood({ ...order, baseUrl: watched.baseUrl, seconds });
    const statements = Math.round(counted.takeCount() / seconds * 10) / 10;
    return [
      ratio("Health checks: a read's p50 ÷ its quiet value", attacked.p50 / quiet.p50, "lower", 3),
      atMost("Health checks: statements", statements, "a second", 2),
    ];
  },
};
