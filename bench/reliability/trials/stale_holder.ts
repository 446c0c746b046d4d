import type { Sql } from "postgres";
import {
  claimDeliveries,
  type ClaimedDelivery,
  type RecordedOutcome,
  recordOutcomes,
} from "../../../supabase/functions/webhook-dispatcher/queue.ts";
import type { AttemptOutcome } from "../../../supabase/functions/webhook-dispatcher/send_attempt.ts";
import type { Trial } from "../world.ts";
import { createSubscribers, enqueue } from "../queue.ts";

/** Trial 3: a dispatcher records after another took over its lease, and again after the other has recorded. */
export const staleHolder: Trial = {
  number: 3,
  target: "A stale holder changes 0 rows, 1,000 of 1,000 times",
  async run({ sql, receiver }, { short }) {
    const times = short ? 25 : 1_000;
    const workspaces = await createSubscribers(sql, receiver.okUrl, 1);
    let changedNothing = 0;
    for (let time = 1; time <= times; time++) {
      await enqueue(sql, workspaces, 1);
      const stale = await claimOne();
      await sql`
        update crm.webhook_queue set lease_until = clock_timestamp()
        where workspace_id = ${stale.workspace_id} and delivery_id = ${stale.delivery_id}`;
      const holder = await claimOne();
      if (holder.delivery_id !== stale.delivery_id) throw new Error("Another delivery was claimed");

      const early = await changesNothing(sql, stale);
      const { attempt } = await record(holder, { ok: true, status: 200 });
      const late = await changesNothing(sql, stale);
      if (early && late && attempt === 1) changedNothing++;
      if (time % 250 === 0) console.log(`  ${time} of ${times}`);
    }
    return { ok: changedNothing === times, measured: `0 rows in ${changedNothing} of ${times}` };
  },
};

async function claimOne(): Promise<ClaimedDelivery> {
  const [delivery] = await claimDeliveries(1);
  if (!delivery) throw new Error("Nothing was claimed");
  return delivery;
}

async function record(delivery: ClaimedDelivery, outcome: AttemptOutcome): Promise<RecordedOutcome> {
  const [recorded] = await recordOutcomes([{ delivery, outcome, ms: 1 }]) as [RecordedOutcome];
  return recorded;
}

/** Whether all row versions stay the same when the stale holder records a failure. */
async function changesNothing(sql: Sql, stale: ClaimedDelivery): Promise<boolean> {
  const before = await versions(sql, stale);
  const { attempt } = await record(stale, { ok: false, status: 500, reason: "http_500" });
  return attempt === null && await versions(sql, stale) === before;
}

async function versions(sql: Sql, { workspace_id, delivery_id }: ClaimedDelivery): Promise<string> {
  const rows = await sql`
    select xmin::text, ctid::text from crm.webhook_deliveries
    where workspace_id = ${workspace_id} and id = ${delivery_id}
    union all
    select xmin::text, ctid::text from crm.webhook_queue
    where workspace_id = ${workspace_id} and delivery_id = ${delivery_id}
    union all
    select xmin::text, ctid::text from crm.webhook_attempts
    where workspace_id = ${workspace_id} and delivery_id = ${delivery_id}
    union all
    select xmin::text, ctid::text from crm.webhook_subscriptions where workspace_id = ${workspace_id}
    order by 1, 2`;
  return JSON.stringify(rows);
}
