// crm.contact_search looks through few rows for a page, finds others by the index, and then continues by cursor. Whatever
// the words and however few rows it looks through, its pages together are the contacts whose text has every word.
import fc from "fast-check";
import assert from "node:assert/strict";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase } from "../support/stack.ts";

const ROWS = 200;
const FIRST = "00000000-0000-0000-0000-000000000000";
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const HALF_A_YEAR = 182 * 86_400_000;
/** Seconds from one row to the next. */
const STEP = Math.floor(HALF_A_YEAR / 1000 / ROWS);

const WORDS = [
  "Ana",
  "ANANÁS",
  "João",
  "joana",
  "bo",
  "Bóia",
  "7-7",
  "77",
  "177",
  "a%",
  "_",
  "x\\y",
  "Σοφίας",
  "São",
];
const SEARCHED = [
  ...WORDS,
  "na",
  "ÃO",
  "oa",
  "xyz",
  "nan",
  "7",
  "σοφιασ",
  "nás joa",
  "%",
  "(77)",
  "ana ana",
  "jo bo 7",
];

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((chosen) =>
  chosen.join(" ")
);

const fold = (text: string) =>
  text.toLowerCase().normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "").replaceAll("ς", "σ").replaceAll(
    /[’‘´`ʼ]/g,
    "'",
  );

/** What the words say, computed without the database. */
function isFound(name: string, q: string): boolean {
  return fold(q).split(" ").every((word) =>
    /^[0-9\p{P}]*[0-9][0-9\p{P}]*$/u.test(word)
      ? name.replaceAll(/[^0-9]/g, "").includes(word.replaceAll(/[^0-9]/g, ""))
      : fold(name).includes(word)
  );
}

Deno.test("the pages of a search are together the contacts that have its words, however few rows a page looks through", async () => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  const names = fc.sample(words, { numRuns: ROWS, seed: 1 });
  const start = Date.now() - HALF_A_YEAR;
  const companies = await sql<{ id: string }[]>`
    insert into crm.companies (workspace_id, name, owner_id)
    select ${workspace.id}, n::text, ${workspace.memberId} from generate_series(1, 2) n returning id`;
  await sql`
    insert into crm.contacts (workspace_id, id, name, owner_id, company_id)
    select
      ${workspace.id}, crm.uuid_v7(to_timestamp(${
    Math.floor(start / 1000)
  }::bigint + n * ${STEP}::bigint)), name,
      ${workspace.memberId}, (${companies.map(({ id }) => id)}::uuid[])[1 + n % 3]
    from unnest(${names}::text[]) with ordinality r (name, n)`;
  const rows = await sql<{ id: string; name: string; company_id: string | null }[]>`
    select id, name, company_id from crm.contacts where workspace_id = ${workspace.id} order by id desc`;
  const page = async (args: Record<string, unknown>, before: string, from: string, step: number) =>
    await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      const [found] = await sql<[{ ids: string[]; next_id: string | null }]>`
        select * from crm.contact_search(
          ${sql.json(args as Record<string, string>)}::jsonb, ${before}::uuid, ${from}::uuid, ${step}::integer
        )`;
      return found;
    });
  let early = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(...SEARCHED), words),
      fc.constantFrom({}, {}, { company_id: companies[0]!.id }),
      fc.constantFrom(FIRST, rows[ROWS / 2]!.id),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 12 }),
      async (q, filter: { company_id?: string }, from, limit, step) => {
        const seen: string[] = [];
        for (let before: string | null = LAST; before !== null;) {
          const { ids, next_id } = await page({ q, limit, ...filter }, before, from, step);
          const shown = ids.slice(0, limit);
          const next = ids.length > limit ? shown.at(-1)! : next_id;
          if (ids.length <= limit && next !== null) early++;
          assert.ok(next === null || next < before, "each page continues after the one before");
          seen.push(...shown);
          before = next;
        }
        const expected = rows.filter(({ id, name, company_id }) =>
          id >= from && isFound(name, q) && (filter.company_id ?? company_id) === company_id
        );
        assert.deepEqual(seen, expected.map(({ id }) => id));
      },
    ),
    { numRuns: 150, seed: 1 },
  );
  assert.ok(early > 30, `only ${early} pages ended early`);
});

Deno.test("the text of a record is folded as its search is: a part of any name finds it", async () => {
  await using sql = openDatabase();
  const part = fc.tuple(fc.string({ unit: "grapheme", minLength: 2, maxLength: 20 }), fc.nat(), fc.nat());
  const cases = fc.sample(part, { numRuns: 3000, seed: 1 }).map(([name, from, length]) => {
    const characters = Array.from(name.normalize("NFC").replaceAll(/\s/g, ""));
    const start = from % Math.max(characters.length - 1, 1);
    return { name: characters.join(""), q: characters.slice(start, start + 2 + length % 8).join("") };
  }).filter(({ name, q }) => q !== "" && !name.includes("\0"));
  const missed = await sql`
    select c.name, c.q from jsonb_to_recordset(${sql.json(cases)}) c (name text, q text)
    where exists (
      select from unnest(crm.search_words(c.q)) w (word)
      where strpos(crm.search_text(array[c.name], '{}'), w.word) = 0
    )`;
  assert.deepEqual([...missed], []);
});
