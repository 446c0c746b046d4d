// A list by tags and custom fields uses an index that a job writes later. The pages together must be the contacts that
// have the values now, for any filters and limit, and while the job has not seen some changes.
import fc from "fast-check";
import assert from "node:assert/strict";
import { makeWorkspace } from "../support/fixtures.ts";
import { holdFeed } from "../support/hold_feed.ts";
import { indexTexts } from "../support/jobs.ts";
import { sql } from "../support/scenario.ts";
import { asCrmApi } from "../support/transactions.ts";
import { FIRST, type Page, readAllPages } from "./pages.ts";

const ROWS = 200;

interface Values {
  tags: string[];
  custom_fields: Record<string, unknown> | null;
}

interface Filters {
  tag?: string[];
  custom?: Record<string, Record<string, string>>;
  company_id?: string;
}

const NUMBERS = [-2, -1.5, 0, 0.1, 3, 10, 1e9];
const DATES = ["2026-01-31", "2026-02-01", "2027-12-31"];
const TEXTS = ["Padaria", "PADARIA", "São João", ""];

const values = fc.record<Values>({
  tags: fc.uniqueArray(fc.constantFrom("VIP", "Feira", "Ímpar", "x")),
  custom_fields: fc.option(fc.record({
    lojas: fc.option(fc.constantFrom<unknown>(...NUMBERS, "3")),
    desde: fc.option(fc.constantFrom(...DATES)),
    nota: fc.option(fc.constantFrom(...TEXTS)),
    areas: fc.option(fc.subarray(["a", "b", "c"])),
    ativo: fc.option(fc.boolean()),
    livre: fc.constantFrom(1, "a"),
  }, { requiredKeys: [] })),
});

const bounds = (choices: (string | number)[]) => {
  const value = fc.constantFrom(...choices).map(String);
  return fc.oneof(
    fc.record({ eq: value }),
    fc.record({ gte: value, lte: value }, { requiredKeys: [] }).filter((bound) =>
      Object.keys(bound).length > 0
    ),
  );
};
const equal = (...choices: string[]) => fc.constantFrom(...choices).map((eq) => ({ eq }));

const filters = (companies: string[]) =>
  fc.record<Filters>({
    tag: fc.uniqueArray(fc.constantFrom("vip", "FEIRA", "ímpar", "nada"), { minLength: 1, maxLength: 2 }),
    custom: fc.record({
      lojas: bounds(NUMBERS.filter((number) => number < 1e9)),
      desde: bounds(DATES),
      nota: equal("padaria", "SÃO JOÃO", "nada"),
      areas: equal("a", "b"),
      ativo: equal("true", "false"),
    }, { requiredKeys: [] }).map((custom) =>
      Object.fromEntries(Object.entries(custom).filter(([, bound]) => bound).slice(0, 2))
    ).filter((custom) => Object.keys(custom).length > 0),
    company_id: fc.constantFrom(...companies),
  }, { requiredKeys: [] }).filter(({ tag, custom }) => (tag ?? custom) !== undefined);

/** Whether the record has every value, computed without the database. */
function has({ tags, custom_fields }: Values, { tag = [], custom = {} }: Filters): boolean {
  const lower = tags.map((one) => one.toLowerCase());
  return tag.every((one) => lower.includes(one.toLowerCase())) &&
    Object.entries(custom).every(([key, { eq, gte, lte }]) => {
      const value = custom_fields?.[key];
      if (value === undefined || value === null) return false;
      if (Array.isArray(value)) return value.includes(eq);
      if (typeof value === "boolean") return String(value) === eq;
      if (key === "lojas") {
        if (typeof value !== "number") return false;
        return eq === undefined
          ? value >= Number(gte ?? -Infinity) && value <= Number(lte ?? Infinity)
          : value === Number(eq);
      }
      const text = String(value).toLowerCase();
      return eq === undefined ? text >= (gte ?? "") && text <= (lte ?? "z") : text === eq.toLowerCase();
    });
}

Deno.test("the pages of a list by tags and custom fields together have exactly the matching contacts, whatever is indexed", async (t) => {
  const { id: workspaceId, memberId } = await makeWorkspace(sql);
  const companies = (await sql<{ id: string }[]>`
    insert into crm.companies (workspace_id, name, owner_id)
    select ${workspaceId}, n::text, ${memberId} from generate_series(1, 2) n returning id`).map(({ id }) =>
    id
  );
  const made = fc.sample(values, { numRuns: 2 * ROWS, seed: 1 });
  const define = (key: string, type: string, choices: string[] | null = null) =>
    asCrmApi(
      sql,
      workspaceId,
      async (sql) =>
        await sql`select api.custom_field_create(${
          sql.json({ object_type: "contact", key, type, ...(choices && { choices }) })
        }::jsonb)`,
    );
  const check = async (numRuns: number) => {
    const rows = await sql<({ id: string; company_id: string } & Values)[]>`
      select id, company_id, coalesce(tags, '{}') as tags, custom_fields from crm.contacts
      where workspace_id = ${workspaceId} order by id desc`;
    await fc.assert(
      fc.asyncProperty(
        filters(companies),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 2, max: 12 }),
        async (sent, limit, step) => {
          const expected = rows.filter((row) =>
            (sent.company_id ?? row.company_id) === row.company_id && has(row, sent)
          );
          const { seen } = await readAllPages(sql, workspaceId, limit, async (sql, before) => {
            const [page] = await sql<[Page]>`
              select * from crm.list_by(
                'contact', ${sql.json({ ...sent, limit } as never)}::jsonb, ${before}::uuid, ${FIRST}::uuid,
                ${step}::integer
              )`;
            return page;
          });
          assert.deepEqual(seen, expected.map(({ id }) => id));
        },
      ),
      { numRuns, seed: 1 },
    );
  };
  const countIndexed = async () => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::integer from crm.record_values where workspace_id = ${workspaceId} and record = 'contact'`;
    return count;
  };

  await define("lojas", "number");
  await define("desde", "date");
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id, company_id, tags, custom_fields)
    select ${workspaceId}, n::text, ${memberId}, (${companies}::uuid[])[1 + n % 2],
      nullif(array(select jsonb_array_elements_text(v.value -> 'tags')), '{}'),
      nullif(v.value -> 'custom_fields', 'null')
    from jsonb_array_elements(${sql.json(made.slice(0, ROWS) as never)}::jsonb) with ordinality v (value, n)`;
  await define("nota", "text");
  await define("areas", "choices", ["a", "b", "c"]);
  await define("ativo", "boolean");
  await t.step("nothing is indexed yet", async () => await check(6));
  await indexTexts(sql);
  await t.step("everything is indexed, also the values from before their fields were defined", async () => {
    const [{ left }] = await sql<[{ left: number }]>`
      select count(*)::integer as left from crm.custom_fields
      where workspace_id = ${workspaceId} and index_below is not null`;
    assert.equal(left, 0);
    assert.ok(await countIndexed() > ROWS);
    await check(30);
  });
  {
    await using _held = await holdFeed();
    await sql`
      update crm.contacts c
      set tags = nullif(array(select jsonb_array_elements_text(v.value -> 'tags')), '{}'),
        custom_fields = nullif(v.value -> 'custom_fields', 'null')
      from jsonb_array_elements(${sql.json(made.slice(ROWS) as never)}::jsonb) with ordinality v (value, n)
      where c.workspace_id = ${workspaceId} and c.name = v.n::text and v.n % 2 = 0`;
    await sql`delete from crm.contacts c where c.workspace_id = ${workspaceId} and c.name like '%5'`;
    await t.step("some contacts were changed or deleted since", async () => await check(10));
    for (let round = 0; round < 12; round++) {
      await sql`
        update crm.contacts c set tags = array['x', 'VIP', ${String(round)}]
        where c.workspace_id = ${workspaceId} and c.name like '%1'`;
      await sql`update crm.contacts c set job_title = ${String(round)} where c.workspace_id = ${workspaceId}`;
    }
    await t.step("so many contacts were changed that the index is not used", async () => {
      const [{ pending }] = await asCrmApi(
        sql,
        workspaceId,
        async (sql) =>
          await sql<[{ pending: string[] | null }]>`select crm.pending_texts('contact', 1000) as pending`,
      );
      assert.equal(pending, null);
      await check(6);
    });
  }
  await indexTexts(sql);
  await t.step("everything is indexed again", async () => await check(10));
});
