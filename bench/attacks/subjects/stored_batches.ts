import type { Subject } from "../../harness/subject.ts";
import { attackNeighbours, ISOLATE, openAttackWorld } from "../world.ts";

const BATCHES = 70;
const ITEMS = 100;
const UNKNOWN_FIELDS = 99;
const ERASERS = 2;

/** Replies with thousands of details, stored under their Idempotency-Keys, through which each erasure must look. */
export const storedBatches: Subject = {
  name: "stored-batches",
  title: `${ERASERS} keys erase contacts of a workspace that has stored ${BATCHES} refused batches`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { keys, contactIds } = world.workspaces[1]!;
    await using server = await world.serve(ISOLATE);
    const data = Object.fromEntries(Array.from({ length: UNKNOWN_FIELDS }, (_, i) => [`unknown_${i}`, i]));
    const body = JSON.stringify({ items: Array.from({ length: ITEMS }, () => ({ op: "create", data })) });
    for (let batch = 0; batch < (conditions.short ? BATCHES / 7 : BATCHES); batch++) {
      const reply = await fetch(`${server.baseUrl}/api-v1-contacts/batch`, {
        method: "POST",
        headers: {
          "X-API-Key": keys[0]!,
          "Content-Type": "application/json",
          "Prefer": "handling=strict",
          "Idempotency-Key": crypto.randomUUID(),
        },
        body,
      });
      await reply.body?.cancel();
    }
    const requests = contactIds.map((id, i) => ({
      method: "POST",
      path: `/api-v1-contacts/${id}/erase`,
      headers: { "X-API-Key": keys[1 + i % ERASERS]! },
    }));
    const order = { connections: ERASERS * 2, requests };
    return await attackNeighbours("Stored batches", world, server, order, conditions);
  },
};
