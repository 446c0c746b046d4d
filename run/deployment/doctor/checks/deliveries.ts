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
 * of its subscription (4) or workspace (8) are taken. The condition is that of crm.check_health().
 */
export const deliveries: Check = {
  name: "deliveries",
  needsDatabase: true,
  async look({ sql }) {
    const [stuck] = await sql<{ count: number; seconds: number; subscription: string }[]>`
      select count(*)::int as count, extract(epoch from now() - min(due_at))::int as seconds,
        mode() within group (order by subscription_id)::text as subscription
      from (select * from crm.stuck_deliveries(${COUNTED}) limit ${COUNTED}) stuck
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
