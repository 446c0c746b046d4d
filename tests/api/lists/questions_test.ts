// List filters with several values, and archived records. tests/sql/list_walks_test.ts combines all filters.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { create, ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openWithoutTriggers } from "../../support/stack.ts";
import { runJob } from "../../support/jobs.ts";
import { signIn } from "../../support/sessions.ts";

const DEALS = "/api-v1-deals";

test("A filter by state or type takes several values, separated by commas, and names an unknown value", async ({ workspace, api, newDeal }) => {
  const [open, won, lost] = [await newDeal(), await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${won.id}/win`);
  await api.post(`${DEALS}/${lost.id}/lose`);
  const list = async (path: string) => ids(await api.get(path));
  assert.deepEqual(await list(`${DEALS}?status=ganho,perdido`), [lost.id, won.id], "newest first");
  assert.deepEqual(await list(`${DEALS}?status=perdido%2Caberto`), [lost.id, open.id]);
  assert.deepEqual(await list(`${DEALS}?status=ganho,ganho`), [won.id], "a repeated value counts once");
  assert.deepEqual(await list(`${DEALS}?status=ganho,%20perdido`), [lost.id, won.id]);
  assert.deepEqual(await list(`${DEALS}?status=aberto,ganho,perdido&limit=1&cursor=${lost.id}`), [won.id]);
  const owned = `${DEALS}?status=aberto,ganho&owner_id=${workspace.memberId}`;
  assert.deepEqual(await list(owned), [won.id, open.id]);
  for (
    const [value, unknown] of [["ganho,vencido", "vencido"], ["ganho,", ""], [",", ""], ["Ganho", "Ganho"]]
  ) {
    const details = assertError(await api.get(`${DEALS}?status=${value}`), "validation_error");
    assert.deepEqual(details, { status: `"${unknown}" não é um de "aberto", "ganho", "perdido"` });
  }

  const { id: lunch } = await create(workspace.key, "/api-v1-activities", {
    deal_id: open.id,
    type: "Almoço",
  });
  assert.deepEqual(await list(`/api-v1-activities?type=Almo%C3%A7o,nenhum`), [lunch]);
  const many = Array.from({ length: 11 }, (_, n) => `tipo ${n}`).join();
  assertError(await api.get(`/api-v1-activities?type=${many}`), "validation_error", ["type"]);
});

test("An archived deal is not in the funnel, is never stale, and its activities never become overdue", async ({ sql, workspace, api, newDeal }) => {
  const [kept, archived, won] = [await newDeal(), await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${won.id}/win`);
  for (const deal of [kept, archived]) {
    await api.post("/api-v1-activities", { deal_id: deal.id, due_at: "2026-01-01" });
  }
  await sql`update crm.deals set archived_at = now() where id in (${archived.id}, ${won.id})`;
  {
    await using admin = await openWithoutTriggers();
    await admin`update crm.deals set moved_at = now() - interval '90 days' where workspace_id = ${workspace.id}`;
  }
  // Sorted, because another test may run the second job before this test runs the first.
  const emitted = async () => {
    await runJob(sql, "deals-stale");
    await runJob(sql, "activities-overdue");
    const rows = await sql<{ event: string; deal: string }[]>`
      select e.event::text as event, coalesce(a.deal_id, e.object_id) as deal
      from crm.events e
      left join crm.activities a on a.workspace_id = e.workspace_id and a.id = e.object_id
      where e.workspace_id = ${workspace.id} and e.event in ('deal.stale', 'activity.overdue')`;
    return rows.map(({ event, deal }) => `${event} ${deal}`).sort();
  };
  const ofKept = [`activity.overdue ${kept.id}`, `deal.stale ${kept.id}`];
  assert.deepEqual(await emitted(), ofKept);
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const funnel = await vendedor.get("/app-v1-funnel");
  const shown = (funnel.body.stages as { deals: { id: string }[] }[]).flatMap(({ deals }) => deals);
  assert.deepEqual(shown.map(({ id }) => id), [kept.id]);

  await sql`update crm.deals set archived_at = null where id = ${archived.id}`;
  assert.deepEqual(await emitted(), [...ofKept, `activity.overdue ${archived.id}`].sort(), "restored");
});
