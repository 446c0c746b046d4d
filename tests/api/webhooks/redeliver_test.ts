// Sending several deliveries again in one call.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";
import { addDeliveries, subscribe, WEBHOOKS } from "../../support/webhooks.ts";

/** The number of each delivery's current series of attempts. */
async function seriesOf(sql: Sql, ids: string[]): Promise<number[]> {
  const rows = await sql<{ series: number }[]>`
    select series from crm.webhook_deliveries where id in ${sql(ids)} order by id`;
  return rows.map(({ series }) => series);
}

const events = ["deal.won"];

for (const [caller, path] of [["A key", WEBHOOKS], ["A member", "/app-v1-webhooks"]] as const) {
  test(`${caller} sends several deliveries again, each once, and learns which are not queued and why`, async ({ sql, workspace: { id, key }, api }) => {
    const { client: gestor } = await signIn(sql, id, "gestor");
    const people = path === WEBHOOKS ? api : gestor;
    const mailbox = openMailbox();
    const { id: subscription } = await subscribe(key, mailbox.url, events);
    const { id: sibling } = await subscribe(key, openMailbox().url, events);
    const states = ["delivered", "failed", "cancelled"];
    const made = await addDeliveries(sql, id, subscription, { count: 6, states, events });
    const [foreign] = await addDeliveries(sql, id, sibling, { count: 1, states, events });
    const redeliver = (ids: unknown) => people.post(`${path}/${subscription}/deliveries/redeliver`, { ids });

    const chosen = made.slice(0, 5);
    const sent = await redeliver([foreign!, ...chosen, chosen[0]!.toUpperCase(), UNKNOWN_ID]);
    const not_queued = [foreign, UNKNOWN_ID].map((id) => ({ id, reason: "not_found" }));
    assert.deepEqual([sent.status, sent.body], [200, { count: 5, not_queued, held: false }]);
    const messages = await mailbox.waitFor(5);
    assert.deepEqual(messages.map(({ body }) => body.delivery_id).sort(), chosen);
    assert.deepEqual(await seriesOf(sql, [made[5]!, foreign!]), [1, 1]);

    for (const wrong of [[], ["x"], [7], null, made[0], Array(101).fill(made[0])]) {
      assertError(await redeliver(wrong), "validation_error");
    }
    const gone = made[5]!;
    await sql`
      delete from crm.events e using crm.webhook_deliveries d
      where d.id = ${gone} and e.workspace_id = d.workspace_id and e.id = d.event_id`;
    const dropped = { count: 0, not_queued: [{ id: gone, reason: "not_found" }], held: false };
    assert.deepEqual((await redeliver([gone])).body, dropped, "its event was dropped");
    assert.deepEqual(await seriesOf(sql, [gone]), [1]);

    await sql`update crm.webhook_subscriptions set is_active = false where id = ${subscription}`;
    assertError(await redeliver(made), "subscription_inactive");
    if (people === api) return;
    const lines = await sql`
      select details from crm.audit_log where action = 'deliveries_redelivered' and object_id = ${subscription}
      order by id`;
    assert.deepEqual(lines.map(({ details }) => details), [{ count: 5 }, { count: 0 }]);
  });
}

test("Several deliveries are sent again while the queue has room, oldest first; deliveries in flight get no further attempt", async ({ sql, workspace: { id, key }, api }) => {
  const mailbox = openMailbox("delay=700");
  const { id: subscription } = await subscribe(key, mailbox.url, events);
  const made = await addDeliveries(sql, id, subscription, { count: 4, states: ["failed"], events });
  await sql`update crm.workspaces set max_waiting_deliveries = 3 where id = ${id}`;
  const redeliver = async (ids: string[]) =>
    await api.post(`${WEBHOOKS}/${subscription}/deliveries/redeliver`, { ids });
  const first = await redeliver([made[3]!, ...made.slice(0, 3)]);
  const not_queued = [{ id: made[3], reason: "queue_full" }];
  assert.deepEqual(first.body, { count: 3, not_queued, held: false });
  assertError(await redeliver([made[3]!]), "queue_full");
  const again = await redeliver(made);
  assert.deepEqual([again.body.count, again.body.not_queued.length], [3, 1]);
  await mailbox.waitFor(3);
  assert.deepEqual(await seriesOf(sql, made), [2, 2, 2, 1]);
});
