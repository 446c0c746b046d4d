// What an attacker would try who can run SQL as the role of the verbs that members call.
import assert from "node:assert/strict";
import { makeKey, makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { refusalOf } from "../../support/rights.ts";
import { rolledBack } from "../../support/transactions.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";

test("crm_app reads and changes nothing of another workspace, in any table that it may use", async ({ sql, workspace: mine }) => {
  const { workspace: theirs } = await makeWorkspaceWithDeal(sql);
  const tables = await sql<{ name: string; column: string }[]>`
    select c.oid::regclass::text as name, case c.relname when 'workspaces' then 'id' else 'workspace_id' end as column
    from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('event_types', 'rate_limits')
      and has_any_column_privilege('crm_app', c.oid, 'select')`;
  assert.ok(tables.length >= 5);
  const { id: ownKey } = await makeKey(sql, mine.id);
  const { id: theirKey } = await makeKey(sql, theirs.id);
  const { memberId } = await signIn(sql, mine.id, "admin");
  await sql`
    insert into crm.rate_limits (key_id, hits)
    select id, array[now()] from unnest(${[ownKey, theirKey, memberId]}::uuid[]) id`;
  await rolledBack(sql, async (sql) => {
    await sql`set local role crm_app`;
    await sql`select set_config('app.workspace_id', ${mine.id}, true)`;
    for (const { name, column } of tables) {
      const [row] = await sql.unsafe(
        `select count(*)::int as n from ${name} where ${column} = '${theirs.id}'`,
      );
      assert.equal(row!["n"], 0, name);
    }
    // Rate limits have no workspace_id, but the role must see only those of its workspace's keys.
    const limits = await sql`
      select key_id from crm.rate_limits where key_id = any (${[ownKey, theirKey, memberId]}::uuid[])`;
    assert.deepEqual(limits.map((row) => row["key_id"]), [ownKey]);
  });
});

test("crm_app reads no hash or secret, forges no event or delivery, and calls no verb of the operator", async ({ sql, workspace }) => {
  const { deal } = await makeWorkspaceWithDeal(sql);
  await rolledBack(sql, async (sql) => {
    await sql`set local role crm_app`;
    await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
    for (
      const statement of [
        "select hash from crm.key_secrets",
        "select secret from crm.webhook_secrets",
        "select * from crm.idempotency_keys",
        "update crm.rate_limits set hits = '{}'",
        "delete from crm.rate_limits",
        "insert into crm.key_calls (workspace_id, key_id, hour, calls) select workspace_id, id, now(), 1 from crm.api_keys",
        "update crm.key_secrets set hash = '\\x00'",
        "update crm.api_keys set scopes = '{}'",
        "select crm.drain_calls()",
        "select * from crm.proposal_links",
        `select crm.emit('${workspace.id}', 'deal.won', '${deal.id}')`,
        `insert into crm.events (workspace_id, event, object_id, facts)
         values ('${workspace.id}', 'deal.won', '${deal.id}', '{}')`,
        `insert into crm.webhook_deliveries (workspace_id, event_id, subscription_id)
         values ('${workspace.id}', '${deal.id}', '${deal.id}')`,
        "delete from crm.audit_log",
        "update crm.audit_log set action = 'x'",
        "delete from crm.api_keys",
        `update crm.workspaces set rate_limit_per_minute = 1000000`,
        `update crm.workspaces set suspended = false`,
        `select app.workspace_list('{}')`,
        `select app.workspace_find('{}')`,
        `select app.subscription_read_secret('{}')`,
        "select app.job_run('{}')",
        `select app.call(null, null, null, null, null, null)`,
        "select * from auth.users",
      ]
    ) {
      const refusal = await refusalOf(sql, statement);
      assert.match(refusal?.message ?? "executed", /^permission denied/, statement);
    }
  });
});
