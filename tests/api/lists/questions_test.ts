// Filters of lists: a period, several states, archived records.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, memberClient } from "../../support/client.ts";
import { create, ids, makeMember } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openWithoutTriggers } from "../../support/stack.ts";
import { runJob } from "../../support/jobs.ts";
import { signIn } from "../../support/sessions.ts";

const DEALS = "/api-v1-deals";

/** Archives records, or restores them where `at` is null. */
async function archive(sql: Sql, table: string, records: string[], at: Date | null = new Date()) {
  await sql`update ${sql(`crm.${table}`)} set archived_at = ${at} where id in ${sql(records)}`;
}

test("GET … with until lists records created before that moment, so that since and until make adjacent periods", async ({ workspace: { key }, api, newDeal }) => {
  const deal = await newDeal();
  const bodies: Record<string, Record<string, unknown>> = {
    contacts: { name: "Ana" },
    companies: { name: "Sol" },
    deals: { title: "A" },
    activities: { deal_id: deal.id },
    notes: { deal_id: deal.id, body: "A" },
  };
  for (const [table, body] of Object.entries(bodies)) {
    const path = `/api-v1-${table}`;
    const [first, second, third] = [
      await create(key, path, body),
      await create(key, path, body),
      await create(key, path, body),
    ];
    const mine = [first, second, third].map(({ id }) => id);
    // `list` returns only these three records: the workspace also has those that newDeal() created.
    const all = table === "activities" || table === "notes" ? `${path}?deal_id=${deal.id}&` : `${path}?`;
    const list = async (query: string) => ids(await api.get(all + query)).filter((id) => mine.includes(id));
    assert.deepEqual(await list(`until=${third["created_at"]}`), [second.id, first.id], table);
    assert.deepEqual(
      await list(`until=${third["created_at"]}&limit=1&cursor=${second.id}`),
      [first.id],
      table,
    );
    assert.deepEqual(
      await list(`since=${second["created_at"]}&until=${third["created_at"]}`),
      [second.id],
      table,
    );
    assert.deepEqual(
      await list(`until=${third["created_at"]}&updated_since=2000-01-01`),
      [second.id, first.id],
      table,
    );
    assert.deepEqual(await list(`since=${third["created_at"]}&until=${second["created_at"]}`), [], table);
    assertError(await api.get(`${all}until=ontem`), "validation_error", ["until"]);
  }
});

test("GET /api-v1-deals lists what was won or lost in a period, by closed_since and closed_until", async ({ sql, api, newDeal }) => {
  const [early, middle, late, open] = [await newDeal(), await newDeal(), await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${early.id}/win`);
  await api.post(`${DEALS}/${middle.id}/lose`);
  await api.post(`${DEALS}/${late.id}/win`);
  for (const [{ id }, day] of [[early, "10"], [middle, "11"], [late, "12"]] as const) {
    await sql`update crm.deals set closed_at = ${`2026-10-${day}T12:00:00Z`} where id = ${id}`;
  }
  const list = async (query: string) => ids(await api.get(`${DEALS}?${query}`));
  assert.deepEqual(await list("closed_since=2026-10-11"), [late.id, middle.id]);
  assert.deepEqual(await list("closed_until=2026-10-11"), [early.id]);
  assert.deepEqual(
    await list("closed_until=2026-10-11T12:00:00Z"),
    [early.id],
    "the end is not of the period",
  );
  assert.deepEqual(await list("closed_since=2026-10-11T12:00:00Z"), [late.id, middle.id], "the beginning is");
  assert.deepEqual(await list("closed_since=2026-10-11&closed_until=2026-10-12"), [middle.id]);
  assert.deepEqual(await list("closed_since=2026-10-01&status=ganho"), [late.id, early.id]);
  assert.deepEqual(await list("status=aberto"), [open.id]);
  assert.deepEqual(await list("closed_since=2026-10-01&status=aberto"), []);
});

test("A filter by a state or a type takes several values, separated by commas, and names the unknown one", async ({ workspace, api, newDeal }) => {
  const [open, won, lost] = [await newDeal(), await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${won.id}/win`);
  await api.post(`${DEALS}/${lost.id}/lose`);
  const list = async (path: string) => ids(await api.get(path));
  assert.deepEqual(await list(`${DEALS}?status=ganho,perdido`), [lost.id, won.id], "newest first");
  assert.deepEqual(await list(`${DEALS}?status=perdido%2Caberto`), [lost.id, open.id]);
  assert.deepEqual(await list(`${DEALS}?status=ganho,ganho`), [won.id], "a repeated value counts once");
  assert.deepEqual(await list(`${DEALS}?status=ganho,%20perdido`), [lost.id, won.id]);
  assert.deepEqual(await list(`${DEALS}?status=aberto,ganho,perdido&limit=1&cursor=${lost.id}`), [won.id]);
  assert.deepEqual(await list(`${DEALS}?status=aberto,ganho&owner_id=${workspace.memberId}`), [
    won.id,
    open.id,
  ]);
  for (
    const [value, unknown] of [["ganho,vencido", "vencido"], ["ganho,", ""], [",", ""], ["Ganho", "Ganho"]]
  ) {
    const details = assertError(await api.get(`${DEALS}?status=${value}`), "validation_error");
    assert.deepEqual(details, { status: `"${unknown}" não é um de "aberto", "ganho", "perdido"` });
  }

  const activities = [];
  for (const type of ["visita", "ligacao", "Almoço"]) {
    activities.push(await create(workspace.key, "/api-v1-activities", { deal_id: open.id, type }));
  }
  const [visit, call, lunch] = activities.map(({ id }) => id);
  assert.deepEqual(await list(`/api-v1-activities?type=visita,ligacao`), [call, visit]);
  assert.deepEqual(await list(`/api-v1-activities?type=Almo%C3%A7o,nenhum`), [lunch]);
  assert.deepEqual(await list(`/api-v1-activities?status=pendente,cancelada`), [lunch, call, visit]);
  const many = Array.from({ length: 11 }, (_, n) => `tipo ${n}`).join();
  assert.deepEqual(
    Object.keys(assertError(await api.get(`/api-v1-activities?type=${many}`), "validation_error")),
    ["type"],
  );
  const note = await create(workspace.key, "/api-v1-notes", {
    deal_id: open.id,
    body: "A",
    kind: "observation",
  });
  assert.deepEqual(await list(`/api-v1-notes?deal_id=${open.id}&kind=note,observation`), [note.id]);
});

for (const table of ["contacts", "companies", "deals"]) {
  const path = `/api-v1-${table}`;

  test(`GET ${path} leaves archived records out; archived=true lists them alone, any lists both`, async ({ sql, workspace, api }) => {
    const owner_id = await makeMember(sql, workspace);
    const made: string[] = [];
    for (let n = 0; n < 6; n++) {
      const body = table === "deals" ? { title: "A", external_id: "1" } : { name: "A" };
      made.unshift((await create(workspace.key, path, { ...body, owner_id })).id);
    }
    const archived = [made[0]!, made[2]!, made[3]!, made[5]!];
    const inUse = [made[1]!, made[4]!];
    await archive(sql, table, archived);
    const filters = table === "contacts" ? [""] : ["", `&owner_id=${owner_id}`];
    for (const filter of [...filters, "&since=2000-01-01", "&updated_since=2000-01-01"]) {
      for (const limit of [1, 2, 3, 50]) {
        const walk = async (query: string) => {
          const found: string[] = [];
          for (let cursor = ""; found.length < 10;) {
            const { body } = await api.get(`${path}?limit=${limit}${query}${filter}${cursor}`);
            assert.ok(body.data.length <= limit);
            found.push(...body.data.map(({ id }: { id: string }) => id));
            if (!body.meta.has_more) break;
            cursor = `&cursor=${body.meta.next_cursor}`;
          }
          return found;
        };
        assert.deepEqual(await walk(""), inUse, `${filter}, ${limit}`);
        assert.deepEqual(await walk("&archived=false"), inUse, `${filter}, ${limit}`);
        assert.deepEqual(await walk("&archived=true"), archived, `${filter}, ${limit}`);
        assert.deepEqual(await walk("&archived=any"), made, `${filter}, ${limit}`);
      }
    }
    const { body } = await api.get(`${path}/${made[0]}`);
    assert.notEqual(body.archived_at, null, "an archived record is still shown by its id");
    assertError(await api.get(`${path}?archived=1`), "validation_error", ["archived"]);
  });

  test(`GET ${path} finds every record in use, also where nearly all are archived`, async ({ workspace, api }) => {
    await using admin = await openWithoutTriggers();
    const own = table === "deals" ? admin`title, pipeline_id, stage_id,` : admin`name,`;
    const values = table === "deals"
      ? admin`'A', ${workspace.pipelineId}::uuid, ${workspace.stages[0].id}::uuid,`
      : admin`'A',`;
    await admin`
      insert into ${admin(`crm.${table}`)} (workspace_id, id, ${own} owner_id, archived_at)
      select ${workspace.id}::uuid, crm.uuid_v7(timestamptz '2025-01-01' + n * interval '1 second'), ${values}
        ${workspace.memberId}::uuid, case when n % 1000 <> 7 then now() end
      from generate_series(1, 5000) n`;
    const expected = await admin`
      select id from ${admin(`crm.${table}`)} where workspace_id = ${workspace.id} and archived_at is null
      order by id desc`;
    const found: string[] = [];
    let calls = 0;
    for (let cursor = ""; calls < 20; calls++) {
      const page = await api.get(`${path}?limit=2${cursor}`);
      found.push(...ids(page));
      if (!page.body.meta.has_more) break;
      cursor = `&cursor=${page.body.meta.next_cursor}`;
    }
    assert.deepEqual(found, expected.map(({ id }) => id));
    assert.equal(found.length, 5);
    assert.ok(calls > 2, "the pages end early");
  });
}

test("An archived deal is in no funnel, is not stale, and none of its activities becomes overdue", async ({ sql, workspace, api, newDeal }) => {
  const [kept, archived, won] = [await newDeal(), await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${won.id}/win`);
  for (const deal of [kept, archived]) {
    await api.post("/api-v1-activities", { deal_id: deal.id, due_at: "2026-01-01" });
  }
  await archive(sql, "deals", [archived.id, won.id]);
  {
    await using admin = await openWithoutTriggers();
    await admin`update crm.deals set moved_at = now() - interval '90 days' where workspace_id = ${workspace.id}`;
  }
  const emitted = async () => {
    await runJob(sql, "deals-stale");
    await runJob(sql, "activities-overdue");
    const rows = await sql<{ event: string; deal: string }[]>`
      select e.event::text as event, coalesce(a.deal_id, e.object_id) as deal
      from crm.events e
      left join crm.activities a on a.workspace_id = e.workspace_id and a.id = e.object_id
      where e.workspace_id = ${workspace.id} and e.event in ('deal.stale', 'activity.overdue')
      order by e.id`;
    return rows.map(({ event, deal }) => `${event} ${deal}`);
  };
  const ofKept = [`deal.stale ${kept.id}`, `activity.overdue ${kept.id}`];
  assert.deepEqual(await emitted(), ofKept);
  const { session } = await signIn(sql, workspace.id, "vendedor");
  const funnel = await memberClient(session).get("/app-v1-funnel");
  const shown = (funnel.body.stages as { deals: { id: string }[] }[]).flatMap(({ deals }) => deals);
  assert.deepEqual(shown.map(({ id }) => id), [kept.id]);

  await archive(sql, "deals", [archived.id], null);
  assert.deepEqual(await emitted(), [...ofKept, `activity.overdue ${archived.id}`], "restored");
});
