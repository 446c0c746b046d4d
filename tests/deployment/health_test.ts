// What the health check reports about webhooks, on a database without a dispatcher or a scheduler.
import assert from "node:assert/strict";
import { openWorld } from "../../bench/harness/world.ts";
import { checkHealth } from "../../supabase/functions/api-v1-health/check.ts";
import { Health } from "../../supabase/functions/api-v1-health/schema.ts";
import { withEnvironment } from "../support/environment.ts";
import { makeWorkspace } from "../support/fixtures.ts";

/** Checks the health as the endpoint does, on a new connection pool. */
async function healthOf(databaseUrl: string) {
  let report: Awaited<ReturnType<typeof checkHealth>> | undefined;
  await withEnvironment({ DATABASE_URL: databaseUrl }, async () => {
    report = await checkHealth();
  });
  return { status: report!.status, body: Health.parse(report!.body) };
}

Deno.test("api-v1-health says that webhooks are degraded while a delivery has been due for over a minute and nothing sends it", async () => {
  await using world = await openWorld();
  const { sql, functionsDatabaseUrl } = world;
  const workspace = await makeWorkspace(sql);
  const [subscription] = await sql`
    insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
    values (${workspace.id}, '{contact.created}', 'https://hooks.example.com/') returning id`;
  const [event] = await sql`
    insert into crm.events (workspace_id, event, object_id, facts)
    values (${workspace.id}, 'contact.created', gen_random_uuid(), '{}') returning id`;
  const [delivery] = await sql`
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select ${workspace.id}, crm.delivery_id(e.id, s.id), e.id, s.id
    from (values (${event!["id"]}::uuid)) e (id), (values (${subscription!["id"]}::uuid)) s (id)
    returning id`;

  /** The health after a change to the delivery's due time or lease, or to its subscription or workspace. */
  async function webhooksAfter(change: {
    dueSince?: number;
    leasedFor?: number;
    active?: boolean;
    suspended?: boolean;
  }) {
    const { dueSince = 61, leasedFor = null, active = true, suspended = false } = change;
    await sql`
      update crm.webhook_deliveries set next_attempt_at = now() - ${dueSince} * interval '1 s'
      where id = ${delivery!["id"]}`;
    await sql`
      update crm.webhook_queue
      set state = case when ${leasedFor}::int is null then 'ready' else 'leased' end,
        lease_until = now() + ${leasedFor}::int * interval '1 s'
      where delivery_id = ${delivery!["id"]}`;
    await sql`update crm.webhook_subscriptions set is_active = ${active} where id = ${subscription!["id"]}`;
    await sql`update crm.workspaces set suspended = ${suspended} where id = ${workspace.id}`;
    const { status, body } = await healthOf(functionsDatabaseUrl);
    assert.deepEqual([status, body.status, body.database.status], [200, "ok", "up"]);
    return body.webhooks;
  }

  assert.equal(await webhooksAfter({ dueSince: 61 }), "degraded");
  assert.equal(await webhooksAfter({ dueSince: 30 }), "ok");
  assert.equal(await webhooksAfter({ leasedFor: 30 }), "ok", "an attempt is in progress");
  assert.equal(await webhooksAfter({ leasedFor: -1 }), "degraded", "the dispatcher with the lease has died");
  assert.equal(await webhooksAfter({ active: false }), "ok", "nothing is sent to an inactive subscription");
  assert.equal(await webhooksAfter({ suspended: true }), "ok", "a suspended workspace sends nothing");
  await sql`update crm.webhook_deliveries set state = 'delivered' where id = ${delivery!["id"]}`;
  assert.equal(await webhooksAfter({}), "ok");
});

Deno.test("api-v1-health says nothing about webhooks without its database", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const { status, body } = await healthOf(`postgresql://u:p@127.0.0.1:${port}/postgres`);
  assert.deepEqual([status, body.status, body.database.status], [503, "unavailable", "down"]);
  assert.equal(body.webhooks, null);
});
