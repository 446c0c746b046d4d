import { atMost, count, waitRatio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import type { HostileRequest } from "../flood.ts";
import { attack, costOf, openAttackWorld } from "../world.ts";

const CONNECTIONS = 64;
const KEYS = 100_000;
/** 0.93 MB of JSON that is expensive to parse, and to validate. */
const BODY = JSON.stringify({
  name: "Ana",
  custom_fields: Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [`k${n.toString(36)}`, 1])),
});

const ATTACKS: { name: string; request: HostileRequest }[] = [
  {
    name: "an unknown key",
    request: { method: "POST", path: "/api-v1-contacts", headers: { "X-API-Key": "{key}" }, body: BODY },
  },
  {
    name: "no key",
    request: { method: "POST", path: "/api-v1-contacts", body: BODY },
  },
  {
    name: "an unknown proposal link",
    request: { method: "POST", path: "/proposals/{token}/reject", body: BODY },
  },
];

/** Bodies that cost much before the caller is known. */
export const largeBodies: Subject = {
  name: "large-bodies",
  title: `${CONNECTIONS} connections send ${
    (BODY.length / 1e6).toFixed(2)
  } MB of JSON without a valid credential`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const measurements = [];
    for (const { name, request } of ATTACKS) {
      await using server = await world.serve({});
      conditions.note(name);
      const { quiet, attacked, cost, memoryMb } = await attack(
        world,
        server,
        { connections: CONNECTIONS, requests: [request] },
        conditions,
      );
      measurements.push(
        ...costOf(`Bodies with ${name}`, cost, 3),
        waitRatio(`Bodies with ${name}: a read's p90 ÷ its quiet value`, attacked.p90 / quiet.p90, 5),
        count(`Bodies with ${name}: reads that failed`, attacked.failed, "reads"),
        atMost(`Bodies with ${name}: memory of the process`, memoryMb, "MB", 256),
      );
    }
    return measurements;
  },
};
