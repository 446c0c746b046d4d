// The verbs of schema app run with the operator's rights, so only their own conditions separate workspaces.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { OperatorError } from "../../../run/operator/errors.ts";
import { operate } from "../../../run/operator/operator.ts";
import { createProposal } from "../../../run/operator/proposals.ts";
import type { RecordKind, VerbName } from "../../../run/operator/verbs.ts";
import { makeApp } from "../../support/apps.ts";
import { client } from "../../support/client.ts";
import { makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { makeLossReason, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { rolledBack } from "../../support/transactions.ts";
import { readVerbs } from "../../support/verbs.ts";
import { subscribe, waitForDelivery } from "../../support/webhooks.ts";

/** The verbs that belong to no workspace, and so must never be offered to members. */
const OPERATOR_ALONE = ["job_list", "job_run", "workspace_create", "workspace_find", "workspace_list"];
/** The verbs for the signed-in person's own workspaces, sessions, invitations and apps, not for the operator. */
const OF_PERSON = [
  "workspace_choices",
  "session_list",
  "grant_create",
  "invitation_accept",
  "invitation_decline",
  "member_leave",
];

/** A valid value for each argument that names no record. */
const VALUES: Record<string, unknown> = {
  name: "Outro",
  client_name: "Claude",
  title: "Outra",
  email: "outra@exemplo.com.br",
  role: "vendedor",
  scopes: ["leads:write"],
  stages: [{ name: "Um", type: "venda" }],
  prefix: "svc_00000000",
  hash: "0".repeat(64),
  overlap_seconds: 3600,
  webhook_name: "ERP",
  ids: ["ffffffff-ffff-7fff-bfff-ffffffffffff"],
  before_creation: true,
  items: [{
    op: "upsert",
    args: { match_by: "email", name: "Outro", email: "outra@exemplo.com.br", company: "Outra" },
  }],
  atomic: false,
  dry_run: false,
  object_type: "deal",
  key: "porte",
  label: "Porte",
  choices: ["b"],
  token_hash: "0".repeat(64),
  secret: "AAAA",
  event_types: ["deal.won"],
  target_url: "https://127.0.0.1:9443/hooks",
  filters: { changed_fields: ["value"] },
  payload: "ids",
  header: { name: "X-Api-Key" },
  encrypted_header: "AAAA",
  cursor: "ffffffff-ffff-7fff-bfff-ffffffffffff",
  limit: 200,
  state: "delivered",
  event: "deal.won",
  event_type: "deal.won",
  since: "2020-01-01T00:00:00Z",
  until: "2199-01-01T00:00:00Z",
  is_active: true,
  is_default: true,
  keep_webhooks: false,
  suspended: false,
  public_api: true,
  rate_limit_per_minute: 1,
  stale_after_days: 1,
  time_zone: "America/Manaus",
  refuses_undefined_fields: true,
  value: 1,
  recurring_value: 1,
  expires_at: "2199-01-01T00:00:00Z",
  status: "4xx",
  code: "validation_error",
  path: "/api-v1-contacts",
  allowed_networks: ["203.0.113.0/24"],
};

test("no verb of schema app reaches a record of another workspace", async ({ sql, workspace: { id: mine } }) => {
  const { workspace_id: theirs, ...records } = await makeRecords(sql);
  // Writes the search texts now, so that the job index-texts does not write them between the two readings.
  await sql`select crm.index_texts()`;
  const before = await everythingOf(sql, theirs);
  const verbs = (await readVerbs(sql)).map(({ name, required, optional }) => ({
    name,
    args: [...required, ...optional],
    /** Calls the verb in the given workspace, with the ids of the other workspace's records. */
    call: (sql: Sql, workspace_id: string) =>
      operate(
        sql,
        name as VerbName,
        argsOf(name, [...required, ...optional], workspace_id, records) as never,
      ),
  }));
  const inWorkspace = verbs.filter(({ name, args }) =>
    args.includes("workspace_id") && !OF_PERSON.includes(name)
  );
  assert.deepEqual(
    verbs.filter((verb) => !inWorkspace.includes(verb)).map(({ name }) => name),
    [...OPERATOR_ALONE, ...OF_PERSON].sort(),
  );

  for (const { name, args, call } of inWorkspace) {
    assert.deepEqual((await refusalOf(call(sql, UNKNOWN_ID)))?.[0], "not_found", `${name} in no workspace`);
    const reference = args.find((field) => field === "member_id" || field === "deal_id");
    const filter = args.find((field) => field === "subscription_id" || field === "pipeline_id");
    if (filter) assert.deepEqual(await refusalOf(call(sql, mine)), ["not_found", filter], name);
    else if (args.includes("id")) {
      // The verbs for field definitions are the API's, whose not_found names no field.
      const named = name.startsWith("custom_field_") ? undefined : "id";
      assert.deepEqual(await refusalOf(call(sql, mine)), ["not_found", named], name);
    } else if (reference) {
      assert.deepEqual(await refusalOf(call(sql, mine)), ["invalid_reference", reference], name);
    } else {
      const shown = JSON.stringify(await call(sql, mine));
      assert.deepEqual(Object.values(records).filter((id) => shown.includes(id)), [], name);
    }
  }
  assert.deepEqual(await everythingOf(sql, theirs), before);

  // The right workspace accepts the same arguments, so only the workspace was wrong before.
  for (const { name, call } of inWorkspace) {
    // Each call is undone at once, because a revoked key, for example, could not be rotated afterwards.
    const undone = rolledBack(sql, async (sql) => void await call(sql as unknown as Sql, theirs));
    await assert.doesNotReject(undone, name);
  }
});

/** Creates a workspace with a record of every kind; returns their ids. */
async function makeRecords(
  sql: Sql,
): Promise<Record<RecordKind | "custom_field" | "grant" | "client" | "workspace_id", string>> {
  const { workspace, deal } = await makeWorkspaceWithDeal(sql);
  const { id: workspace_id, key } = workspace;
  const subscription = await subscribe(key, openMailbox().url, ["deal.won"]);
  await operate(sql, "subscription_test", { workspace_id, id: subscription.id });
  const delivery = await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");
  const { data: [first] } = await operate(sql, "key_list", { workspace_id });
  const field = await client(key).post("/api-v1-workspace/custom-fields", {
    object_type: "deal",
    key: "area",
    type: "choice",
    choices: ["a"],
  });
  const app = await makeApp(sql, workspace_id, "vendedor", ["deals:read"]);
  return {
    workspace_id,
    grant: app.grant.id,
    client: app.clientId,
    member: workspace.memberId,
    key: first!.id,
    pipeline: workspace.pipelineId,
    stage: workspace.stages[0].id,
    loss_reason: await makeLossReason(sql, workspace),
    deal: deal.id,
    proposal: (await createProposal(sql, { dealId: deal.id, title: "Plano" })).id,
    subscription: subscription.id,
    delivery: delivery.id,
    custom_field: field.body.id,
  };
}

function argsOf(verb: string, fields: string[], workspace_id: string, records: Record<string, string>) {
  return Object.fromEntries(fields.map((field) => {
    if (field === "workspace_id") return [field, workspace_id];
    if (verb === "custom_field_create" && field === "type") return [field, "choice"];
    if (field === "new_id") return [field, crypto.randomUUID()];
    const object = verb === "funnel_deal" && field === "id"
      ? "deal"
      : field === "id"
      ? /^(loss_reason|custom_field|[a-z]+)_/.exec(verb)![1]!
      : field.replace(/_id$/, "");
    const value = field === "object_id" || field === "q"
      ? records["deal"]
      : field.endsWith("id")
      ? records[object]
      : VALUES[field];
    assert.notEqual(value, undefined, `${verb} takes ${field}, which this test has no value for`);
    return [field, value];
  }));
}

/** Returns the error's code and the argument that it names; null if the call succeeded. */
async function refusalOf(call: Promise<unknown>): Promise<[string, string | undefined] | null> {
  const error = await call.then(() => null, (error) => error);
  if (error === null) return null;
  assert.ok(error instanceof OperatorError, `${error}`);
  return [error.code, error.details[0]?.field];
}

/** Reads every row of a workspace, by table, as text. */
async function everythingOf(sql: Sql, workspaceId: string): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')
      -- A job writes the first two at any time, and functions write the log of requests after their replies.
      and c.relname not in ('key_calls', 'key_counters') and c.relname not like 'requests%'
    order by 1`;
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await sql<{ row: string }[]>`
      select t::text as row from crm.${sql(name)} t where t.workspace_id = ${workspaceId} order by 1`;
    rows[name] = found.map(({ row }) => row);
  }
  rows["workspaces"] = (await sql<{ row: string }[]>`
    select w::text as row from crm.workspaces w where w.id = ${workspaceId}`).map(({ row }) => row);
  return rows;
}
