import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { makeLossReason, makeMember, makePipeline } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

const WORKSPACE = "/api-v1-workspace";

test("GET /api-v1-workspace shows all members and event types, and the active loss reasons, pipelines and stages, but nothing of another workspace (spec 5)", async ({ sql, workspace, api }) => {
  const other = await makeWorkspace(sql);
  await makeLossReason(sql, other);
  await makePipeline(sql, other);
  const seller = await makeMember(sql, workspace);
  const former = await makeMember(sql, workspace);
  await sql`update crm.members set is_active = false where id = ${former}`;
  const reason = await makeLossReason(sql, workspace);
  await makeLossReason(sql, workspace, false);
  const second = await makePipeline(sql, workspace);
  const hidden = await makePipeline(sql, workspace);
  await sql`update crm.pipelines set is_active = false where id = ${hidden.id}`;
  const [first, , ...others] = workspace.stages;
  await sql`update crm.stages set is_active = false where id = ${workspace.stages[1].id}`;
  await sql`update crm.stages set position = 10 where id = ${first.id}`;

  const { status, body } = await api.get(WORKSPACE);
  assert.equal(status, 200);
  const ids = [workspace.memberId, seller, former];
  const members = await sql`
    select id, name, email, role, is_active from crm.members where id = any (${ids}) order by id`;
  const [main] = await sql<[{ name: string }]>`
    select name from crm.pipelines where id = ${workspace.pipelineId}`;
  assert.deepEqual(body, {
    id: workspace.id,
    name: "Teste",
    members: members.map((member) => ({ ...member })),
    loss_reasons: [{ id: reason, name: "Preço" }],
    pipelines: [
      {
        id: workspace.pipelineId,
        name: main.name,
        is_default: true,
        stages: [...others, first].map(({ id, name, type }) => ({ id, name, type })),
      },
      {
        id: second.id,
        name: "Outro",
        is_default: false,
        stages: ["Um", "Dois"].map((name, index) => ({ id: second.stages[index], name, type: "venda" })),
      },
    ],
    event_types: [...EVENT_TYPES],
    custom_fields: [],
  });
});
