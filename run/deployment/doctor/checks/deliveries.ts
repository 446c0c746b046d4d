import { type Check, fine, type Remedy, wrong } from "../check.ts";

/** Counting stops at this number, because counting a longer queue would read all of it. */
const COUNTED = 10_000;

export const WAKE_DISPATCHER: Remedy = {
  advice: "First fix the findings about functions, Vault and jobs. If there are none, read the log of " +
    "webhook-dispatcher in the dashboard, and wake it: deno task crm job run webhook-dispatch",
};

/**
 * Finds deliveries that have been due for over a minute while their workspace has no attempt in progress. They show
 * that nothing wakes the dispatcher, or that it cannot run. crm.check_health() uses the same condition.
 */
export const deliveries: Check = {
  name: "deliveries",
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
        `1 delivery has been due for ${seconds} s, for subscription ${subscription}`,
        WAKE_DISPATCHER,
      );
    }
    const counted = count === COUNTED ? `${COUNTED} deliveries or more` : `${count} deliveries`;
    return wrong(
      `${counted} have been due for over a minute, the oldest for ${seconds} s, most for subscription ${subscription}`,
      WAKE_DISPATCHER,
    );
  },
};
