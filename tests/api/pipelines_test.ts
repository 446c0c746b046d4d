import assert from "node:assert/strict";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";

test("GET /api-v1-pipelines lists the active pipelines, oldest first, with every stage by position (spec 2.5, 4.4)", async ({ sql, workspace, api }) => {
  await makeWorkspace(sql);
  await sql`
    insert into crm.pipelines (workspace_id, name, is_active, created_at) values
      (${workspace.id}, 'antigo', true, now() - interval '1 day'),
      (${workspace.id}, 'inativo', false, now())`;
  await sql`update crm.stages set position = 10 where id = ${workspace.stages[0]!.id}`;
  await sql`update crm.stages set is_active = false where id = ${workspace.stages[1]!.id}`;
  const { status, body } = await api.get("/api-v1-pipelines");
  assert.equal(status, 200);
  assert.deepEqual(body.data.map(({ name }: { name: string }) => name).slice(0, 1), ["antigo"]);
  assert.equal(body.data.length, 2);
  assert.deepEqual(body.data[0].stages, []);
  const [, main] = body.data;
  assert.equal(main.id, workspace.pipelineId);
  assert.equal(main.is_default, true);
  const [first, second, third, fourth] = workspace.stages.map(({ id }) => id);
  assert.deepEqual(
    main.stages.map(({ id, is_active }: { id: string; is_active: boolean }) => [id, is_active]),
    [[second, false], [third, true], [fourth, true], [first, true]],
  );
  assert.ok(!("meta" in body), "the list is not paginated");
});
