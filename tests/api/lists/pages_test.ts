// A page of a list ends at its limit, at 500,000 bytes of data, or at the maximum number of rows read per call.
import assert from "node:assert/strict";
import type { Reply } from "../../support/client.ts";
import { ids, readPages } from "../../support/record_fixtures.ts";
import { sql, test } from "../../support/scenario.ts";
import { openWithoutTriggers } from "../../support/stack.ts";

const MAX_BYTES = 500_000;
const LAST_PAGE = { next_cursor: null, has_more: false };

/** The number of bytes of the array `data` as it was sent. */
function bytesOfData({ text }: Reply): number {
  const [start, end] = [text.indexOf("["), text.lastIndexOf('],"meta":')];
  assert.ok(start > 0 && end > start);
  return new TextEncoder().encode(text.slice(start, end + 1)).length;
}

// The largest values: four-byte characters, characters that JSON escapes to six bytes, and custom_fields of 10 KB.
const EMOJI = "😀".repeat(10_000);
const CONTROL = "\u0001".repeat(10_000);
const CUSTOM_FIELDS = { list: Array(5_000).fill(1) };

const LONGEST: Record<string, Record<string, unknown>[]> = {
  contacts: [
    { name: "A", notes: EMOJI, custom_fields: CUSTOM_FIELDS },
    { name: "B", notes: CONTROL },
    { name: "C" },
  ],
  companies: [{ name: "A", notes: CONTROL, custom_fields: CUSTOM_FIELDS }, { name: "B", notes: EMOJI }],
  deals: [{ title: "A", custom_fields: CUSTOM_FIELDS }],
  // The description is short as stored, and six times as long in JSON.
  activities: [{ title: "A", description: CONTROL.slice(0, 4_000) }],
  notes: [{ body: EMOJI }, { body: CONTROL, kind: "observation" }],
};

for (const [table, samples] of Object.entries(LONGEST)) {
  test(`GET /api-v1-${table}: a page of long records ends before 500,000 bytes, and every record is listed once (spec 4.0)`, async ({ workspace, api, newDeal }) => {
    const path = `/api-v1-${table}`;
    const deal = ["activities", "notes"].includes(table) ? { deal_id: (await newDeal()).id } : {};
    const items = Array.from({ length: 6 }, (_, n) => ({
      op: "create",
      data: { ...samples[n % samples.length], ...deal },
    }));
    for (let made = 0; made < 60; made += 6) {
      assert.equal((await api.post(`${path}/batch`, { items })).body.summary.created, 6);
    }
    const expected = await listedIds(workspace.id, table);
    const query = table === "notes" ? `deal_id=${deal.deal_id}&` : "";
    const pages = await readPages(api, `${path}?${query}limit=200`);
    assert.deepEqual(pages.flatMap(ids), expected);
    for (const [index, page] of pages.entries()) {
      const bytes = bytesOfData(page);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
      if (index === pages.length - 1) {
        assert.deepEqual(page.body.meta, LAST_PAGE);
      } else {
        assert.deepEqual(page.body.meta, { next_cursor: ids(page).at(-1), has_more: true });
        const next = new TextEncoder().encode(JSON.stringify(pages[index + 1]!.body.data[0])).length;
        // The service also counts the spaces after commas, which `next` lacks: 5,000 in custom_fields.
        assert.ok(bytes + next > MAX_BYTES - 12_000, `${bytes} bytes, then a record of ${next} bytes`);
      }
    }
    assert.ok(pages.length > 1);
  });
}

async function listedIds(workspaceId: string, table: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(`crm.${table}`)} where workspace_id = ${workspaceId} order by id desc`;
  return rows.map(({ id }) => id);
}

test("GET /api-v1-contacts: a page ends early if its filters match none of the newest rows, and the pages together are complete (spec 4.0)", async ({ workspace, api }) => {
  const [NEW, OLD] = [4_000, 2_600];
  const at = "2026-01-01T00:00:00Z";
  await using admin = await openWithoutTriggers();
  await admin`
      insert into crm.contacts (workspace_id, id, name, email, owner_id, created_at, updated_at)
      select ${workspace.id}, crm.uuid_v7(made), 'C', case when n % 2 = 0 then 'a@x.com' end, ${workspace.memberId},
        made, case when n <= ${OLD}::integer then ${at}::timestamptz else made end
      from generate_series(1, ${NEW + OLD}::integer) n
      cross join lateral (select timestamptz '2025-01-01' + n * interval '1 second' as made) m`;
  const rows = await listedIds(workspace.id, "contacts");
  for (
    const [query, expected] of [
      // 2,600 changed rows are more than the list reads from the index on updated_at.
      [`updated_since=${at}`, rows.slice(NEW)],
      [`updated_since=${at}&email=a@x.com`, rows.slice(NEW).filter((_, index) => index % 2 === OLD % 2)],
      [`updated_since=${at}&since=2025-01-01T00:40:00Z`, rows.slice(NEW, NEW + OLD - 2_399)],
    ] as const
  ) {
    const pages = await readPages(api, `/api-v1-contacts?limit=200&${query}`);
    assert.deepEqual(pages.flatMap(ids), expected, query);
    const [first] = pages;
    assert.deepEqual(ids(first!), []);
    assert.equal(first!.body.meta.has_more, true);
    assert.ok(rows.includes(first!.body.meta.next_cursor), "the cursor is the last record looked at");
  }
});
