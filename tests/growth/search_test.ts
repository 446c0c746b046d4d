// Counts the blocks that a search among many contacts reads, with words that are in old, new or no contacts.
import assert from "node:assert/strict";
import { callVerb } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const [SMALL, LARGE] = [1_000, 12_000];
/** A page reads the texts of at most 1,250 contacts, and searches the index once for every 50 days. */
const MAX_BLOCKS = 1_500;

Deno.test("a search among 12,000 contacts reads few of them, for words that are rare, everywhere, only in the older half, or in another workspace", async (t) => {
  await using sql = openDatabase();
  const workspaces = [await makeWorkspace(sql), await makeWorkspace(sql), await makeWorkspace(sql)] as const;
  const [small, large, other] = workspaces;
  {
    await using admin = await openWithoutTriggers();
    for (const { id, memberId } of workspaces) {
      const rows = id === small.id ? SMALL : LARGE;
      await admin`
        insert into crm.contacts (workspace_id, id, name, owner_id)
        select ${id}, crm.uuid_v7(now() - n * interval '6 minutes'),
          'Contato ' || md5(n::text)
            || case when n % ${rows / 20} = 0 then ' raridade' else '' end
            || case when n > ${rows / 2} then ' antigamente' else '' end
            || case when ${id} = ${other.id} then ' alhures' else '' end,
          ${memberId}
        from generate_series(1, ${rows}::integer) n`;
      await admin`
        insert into crm.search_texts (workspace_id, record, id, text)
        select workspace_id, 'contact', id, crm.contact_text(c) from crm.contacts c
        where workspace_id = ${id}`;
    }
    await admin`vacuum analyze crm.contacts`;
    await admin`vacuum analyze crm.search_texts`;
  }

  async function read(workspaceId: string, q: string) {
    const { reply: page, blocks } = await callVerb(sql, workspaceId, "api.contact_list", { limit: 50, q });
    return { blocks, found: page.data.length, more: page.meta.has_more };
  }

  const cases: [title: string, q: string, found: number | null][] = [
    ["20 contacts", "raridade", 20],
    ["every contact", "contato", 50],
    ["two letters of every contact", "co", 50],
    ["none", "inexistente", 0],
    ["contacts of another workspace", "alhures", 0],
    ["the older half", "antigamente", null],
  ];
  for (const [title, q, found] of cases) {
    await t.step(title, async () => {
      const [few, many] = [await read(small.id, q), await read(large.id, q)];
      if (found !== null) assert.deepEqual([few.found, many.found], [found, found]);
      else assert.ok(many.found > 0 || many.more);
      assert.ok(many.blocks <= MAX_BLOCKS, `${many.blocks} blocks`);
    });
  }
  await t.step("words of another workspace cost no more than words that nobody has", async () => {
    const [elsewhere, nowhere] = [await read(large.id, "alhures"), await read(large.id, "qwzykjx")];
    assert.ok(elsewhere.blocks <= 1.5 * nowhere.blocks, `${elsewhere.blocks} blocks, not ${nowhere.blocks}`);
  });
});
