import { type Check, fine, type Remedy, wrong } from "../check.ts";

/** As many as are counted, because a count of a long queue would read all of it. */
const COUNTED = 10_000;

/** What mends a queue that stands still. */
export const WAKE_DISPATCHER: Remedy = {
  advice:
    "Mend first what this report says of functions, Vault and jobs. If it says nothing of them, read the log of " +
    "webhook-dispatcher in the dashboard; deno task crm job run webhook-dispatch wakes it at once",
};

/**
 * A delivery that is due is claimed within 10 seconds, unless nothing wakes the dispatcher or it cannot run, or the places
 * of its subscription (4) or workspace (8) are taken. The condition is that of crm.check_health(): with an attempt under
 * way in the workspace the dispatcher works, and the rest waits for a slow receiver.
 */
export const deliveries: Check = {
  name: "deliveries",
  needsDatabase: true,
  async look({ sql }) {
    const [stuck] = await sql<{ count: number; seconds: number; subscription: string }[]>`
      with stuck as (
        select q.subscription_id, coalesce(q.lease_until, q.due_at) as due_at
        from crm.webhook_queue q
        where q.state <> 'held' and coalesce(q.lease_until, q.due_at) <= statement_timestamp() - interval '1 minute'
          and crm.may_send(q.workspace_id, q.subscription_id)
          and not exists (
            select from crm.webhook_queue l
            where l.shard = q.shard and l.workspace_id = q.workspace_id and l.state = 'leased'
              and l.lease_until > statement_timestamp()
          )
        limit ${COUNTED}
      )
      select count(*)::int as count, extract(epoch from now() - min(due_at))::int as seconds,
        mode() within group (order by subscription_id)::text as subscription
      from stuck
      having count(*) > 0
    `;
    if (stuck === undefined) return fine();
    const { count, seconds, subscription } = stuck;
    if (count === 1) {
      return wrong(
        `1 delivery has been due for ${seconds} s, of subscription ${subscription}`,
        WAKE_DISPATCHER,
      );
    }
    const counted = count === COUNTED ? `${COUNTED} deliveries or more` : `${count} deliveries`;
    return wrong(
      `${counted} have been due for over a minute, the oldest for ${seconds} s, most of subscription ${subscription}`,
      WAKE_DISPATCHER,
    );
  },
};
