// A copy synchronized by updated_since and meta.synced_until misses no change.
import assert from "node:assert/strict";
import { nextMillisecond } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";
import type { client } from "../../support/client.ts";

type Api = ReturnType<typeof client>;
type Copy = Map<string, string>;

/**
 * One run of a synchronisation: reads what changed since the mark into the copy.
 *
 * @param between called before each page except the first
 * @returns the mark for the next run
 */
async function run(api: Api, copy: Copy, mark: string, between = () => Promise.resolve()): Promise<string> {
  let next: string | undefined;
  for (let cursor = "";; await between()) {
    const { status, body, text } = await api.get(
      `/api-v1-contacts?archived=any&limit=2&updated_since=${mark}${cursor}`,
    );
    assert.equal(status, 200, text);
    next ??= body.meta.synced_until;
    for (const { id, job_title } of body.data) copy.set(id, job_title);
    if (!body.meta.has_more) return next!;
    assert.ok(cursor === "" || !("synced_until" in body.meta), "only the first page has synced_until");
    cursor = `&cursor=${body.meta.next_cursor}`;
  }
}

test("Synchronizing from one synced_until to the next misses no change made between pages or in open transactions", async ({ sql, workspace, api }) => {
  const made: string[] = [];
  for (let n = 0; n < 6; n++) {
    await nextMillisecond();
    made.push((await api.post("/api-v1-contacts", { name: `C${n}`, job_title: "0" })).body.id);
  }
  const write = (id: string, title: string) => api.patch(`/api-v1-contacts/${id}`, { job_title: title });
  const stored = async () => {
    const rows = await sql`select id, job_title from crm.contacts where workspace_id = ${workspace.id}`;
    return new Map(rows.map(({ id, job_title }) => [id, job_title]));
  };

  const copy: Copy = new Map();
  let greatest = "";
  // This transaction updates the newest contact, which is on the first page, and creates a contact. It commits after
  // the first page was read.
  await using other = openDatabase(1);
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = other.begin(async (held) => {
    await held`update crm.contacts set job_title = 'held' where id = ${made[5]!}`;
    await held`insert into crm.contacts (workspace_id, name, owner_id, job_title)
      values (${workspace.id}, 'Z', ${workspace.memberId}, 'new')`;
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  let pages = 0;
  const mark = await run(api, copy, "2000-01-01", async () => {
    pages++;
    if (pages === 1) {
      ended.resolve();
      await transaction;
      // Changes one contact of the page that was read, and one of the next page.
      await write(made[4]!, "between");
      await write(made[2]!, "between");
    }
    const [row] = await sql`
      select crm.iso(max(updated_at)) as at from crm.contacts where workspace_id = ${workspace.id}`;
    greatest = row!["at"];
  });
  assert.equal(pages, 2);
  assert.notDeepEqual(copy, await stored(), "the first run alone has missed changes");
  assert.ok(mark < greatest);

  await run(api, copy, mark);
  assert.deepEqual(copy, await stored());
});

test("meta.synced_until is a minute before the call, and only replies to updated_since without a cursor have it", async ({ api, newDeal }) => {
  const deal = await newDeal();
  for (const list of ["contacts?", "companies?", "deals?", "activities?", `notes?deal_id=${deal.id}&`]) {
    const path = `/api-v1-${list}limit=1`;
    const before = Date.now();
    const { body } = await api.get(`${path}&updated_since=2000-01-01`);
    const mark = Date.parse(body.meta.synced_until) + 60_000;
    assert.ok(before - 1_000 <= mark && mark <= Date.now() + 1_000, body.meta.synced_until);
    assert.match(body.meta.synced_until, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const query of ["", `&cursor=${deal.id}&updated_since=2000-01-01`, "&since=2000-01-01"]) {
      const page = await api.get(path + query);
      assert.deepEqual(Object.keys(page.body.meta).sort(), ["has_more", "next_cursor"], query);
    }
  }
});
