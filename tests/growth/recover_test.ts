// A recovery of more events than one call can queue.
import assert from "node:assert/strict";
import { makeEvents } from "../support/feed_rows.ts";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { subscribe, WEBHOOKS } from "../support/webhooks.ts";

test("POST …/recover queues at most 20,000 events and returns where to continue, and repeated calls queue all of them", async ({ sql, workspace: { id: workspace, key }, api }) => {
  await sql`update crm.workspaces set max_waiting_deliveries = 100000 where id = ${workspace}`;
  const { id } = await subscribe(key, openMailbox().url, ["deal.won"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  await makeEvents(sql, workspace, 25_000, { event: "deal.won" });
  // A slow subscription gets one attempt at a time, so few attempts run during the test.
  await sql`update crm.webhook_subscriptions set is_active = true, slow_since = now() where id = ${id}`;
  // Collects statistics as autovacuum may. With them, the planner prefers a scan of all deliveries to an index.
  await sql`analyze crm.webhook_deliveries`;
  let since: string | null = new Date(Date.now() - 3_600_000).toISOString();
  const counts: number[] = [];
  while (since !== null) {
    const { status, body, text } = await api.post(`${WEBHOOKS}/${id}/recover`, {
      since,
      before_creation: true,
    });
    assert.equal(status, 202, text);
    assert.equal(body.has_more, body.next_since !== null);
    counts.push(body.count);
    since = body.next_since;
  }
  assert.ok(counts.length >= 2 && counts.every((count) => count <= 20_000), counts.join());
  assert.equal(counts.reduce((sum, count) => sum + count), 25_000);
  await api.delete(`${WEBHOOKS}/${id}`);
});
