// A page of a list ends at its limit, or at 500,000 bytes of data. tests/sql/list_walks_test.ts reads pages that end
// because few rows may be read.
import assert from "node:assert/strict";
import type { Reply } from "../../support/client.ts";
import { ids, readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const MAX_BYTES = 500_000;

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
  test(`GET /api-v1-${table}: a page of long records ends before 500,000 bytes, and every record is listed once (spec 4.0)`, async ({ sql, workspace, api, newDeal }) => {
    const path = `/api-v1-${table}`;
    const deal = ["activities", "notes"].includes(table) ? { deal_id: (await newDeal()).id } : {};
    const items = Array.from({ length: 6 }, (_, n) => ({
      op: "create",
      data: { ...samples[n % samples.length], ...deal },
    }));
    for (let made = 0; made < 60; made += 6) {
      assert.equal((await api.post(`${path}/batch`, { items })).body.summary.created, 6);
    }
    const expected = await sql`
      select id from ${sql(`crm.${table}`)} where workspace_id = ${workspace.id} order by id desc`;
    const query = table === "notes" ? `deal_id=${deal.deal_id}&` : "";
    const pages = await readPages(api, `${path}?${query}limit=200`);
    assert.deepEqual(pages.flatMap(ids), expected.map((row) => row["id"]));
    for (const [index, page] of pages.entries()) {
      const bytes = bytesOfData(page);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
      if (index === pages.length - 1) {
        assert.deepEqual(page.body.meta, { next_cursor: null, has_more: false });
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
