import { type Check, fine, wrong } from "../check.ts";

/** As many as are counted, because a count of a long queue would read all of it. */
const COUNTED = 10_000;

/** A delivery that is due is claimed within 10 seconds, unless nothing wakes the dispatcher or it cannot keep up. */
export const deliveries: Check = {
  name: "deliveries",
  needsDatabase: true,
  async look({ sql }) {
    const [stuck] = await sql<{ count: number; seconds: number; subscription: string }[]>`
      with stuck as (
        select d.subscription_id, d.next_attempt_at
        from crm.webhook_deliveries d
        join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
        join crm.workspaces w on w.id = d.workspace_id
        where d.state = 'pending' and s.is_active and not w.suspended and w.public_api
          and d.next_attempt_at < now() - interval '1 minute' and (d.lease_until is null or d.lease_until < now())
        limit ${COUNTED}
      )
      select count(*)::int as count, extract(epoch from now() - min(next_attempt_at))::int as seconds,
        mode() within group (order by subscription_id)::text as subscription
      from stuck
      having count(*) > 0
    `;
    if (stuck === undefined) return fine();
    const count = stuck.count === COUNTED ? `${COUNTED} deliveries or more` : `${stuck.count} deliveries`;
    return wrong(
      `${count} waited for over a minute, the oldest for ${stuck.seconds} s, most of subscription ${stuck.subscription}`,
      { command: "deno task crm job run webhook-dispatch" },
    );
  },
};
