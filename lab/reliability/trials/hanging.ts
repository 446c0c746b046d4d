import type { Sql } from "postgres";
import type { Trial } from "../trial.ts";
import { describe, timeFirstAttempts } from "../first_attempts.ts";
import { countDeliveries, createSubscribers, enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";
import { eventually } from "../../harness/waiting.ts";

const ALLOWED_S = 1;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const OTHERS = 10;
/** Of a workspace; then the hanging one has them all to itself. */
const PLACES = 8;

/** Trial 5: what a workspace whose receiver hangs costs the others. Each attempt at it takes its whole 10 s. */
export const hanging: Trial = {
  number: 5,
  asked:
    `A workspace with 5,000 deliveries to a receiver that hangs: the others' p99 grows by ≤ ${ALLOWED_S} s`,
  async run(world, { short }) {
    const { receiver } = world;
    const [events, waiting] = short ? [30, 200] : [600, 5_000];
    const stack = await openStack(world);
    const { sql, encryptionKey } = stack;
    try {
      const others = await createSubscribers(sql, receiver.okUrl, OTHERS, encryptionKey);
      const makeContact = await stack.contactMaker(others);
      const measure = () => timeFirstAttempts(sql, receiver, others, events, makeContact);
      // The first requests of a new stack are slower than any later ones.
      await timeFirstAttempts(sql, receiver, others, OTHERS, makeContact);
      const before = await measure();
      console.log(`  alone: ${describe(before)}`);

      const hung = await createSubscribers(sql, receiver.hangingUrl, 1, encryptionKey);
      await subscribeAgain(sql, hung);
      const fillsItsPlaces = async () => {
        const leased = await countDeliveries(sql, hung, sql`lease_until > clock_timestamp()`);
        return leased >= PLACES;
      };
      await enqueue(sql, hung, waiting / 2);
      await eventually(fillsItsPlaces, "the hanging workspace to fill its places", 30);
      const beside = await measure();
      console.log(`  beside it: ${describe(beside)}`);

      // Still hanging at the end, or it was not beside it that the others were measured.
      await eventually(fillsItsPlaces, "its places to be full again", 5);
      const due = sql`state = 'pending' and next_attempt_at <= clock_timestamp()`;
      const left = await countDeliveries(sql, hung, due);
      const growth = beside.p99 - before.p99;
      return {
        ok: growth <= ALLOWED_S && left > waiting / 2,
        measured: `p99 grows by ${growth.toFixed(3)} s: alone ${describe(before)}, beside ${waiting} ` +
          `deliveries that hang ${describe(beside)}`,
      };
    } finally {
      await stack.close();
    }
  },
};

/** A second subscription to the same: with the places of one alone, the workspace could take only half of its own. */
async function subscribeAgain(sql: Sql, workspaces: string[]): Promise<void> {
  await sql`
    with s as (
      insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
      select workspace_id, event_types, target_url from crm.webhook_subscriptions
      where workspace_id = any (${workspaces})
      returning workspace_id, id
    )
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret)
    select s.workspace_id, s.id, k.secret from s join crm.webhook_secrets k using (workspace_id)`;
}
