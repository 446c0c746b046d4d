// For each page, crm.search_page reads a limited number of rows and finds others by the index. The next page continues
// by cursor. The pages together must be the contacts whose text has every word. This must hold for any words and any
// limit, and while the index job has not seen some changes.
import fc from "fast-check";
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { makeWorkspace } from "../support/fixtures.ts";
import { indexTexts } from "../support/jobs.ts";
import { sql } from "../support/scenario.ts";
import { holdFeed } from "../support/hold_feed.ts";
import { FIRST, type Page, readAllPages } from "./pages.ts";

const ROWS = 200;
const HALF_A_YEAR = 182 * 86_400_000;
/** Seconds from one row to the next. */
const STEP = Math.floor(HALF_A_YEAR / 1000 / ROWS);

const WORDS = "Ana ANANÁS João joana bo Bóia 7-7 77 177 a% _ x\\y Σοφίας São".split(" ");
const SEARCHED = [...WORDS, ..."na ÃO oa xyz nan 7 σοφιασ % (77)".split(" ")].concat(
  "nás joa",
  "ana ana",
  "jo bo 7",
);

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((chosen) =>
  chosen.join(" ")
);

const fold = (text: string) =>
  text.toLowerCase().normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "").replaceAll("ς", "σ").replaceAll(
    /[’‘´`ʼ]/g,
    "'",
  );

/** Whether the name has every word, computed without the database. */
function isFound(name: string, q: string): boolean {
  return fold(q).split(" ").every((word) =>
    /^[0-9\p{P}]*[0-9][0-9\p{P}]*$/u.test(word)
      ? name.replaceAll(/[^0-9]/g, "").includes(word.replaceAll(/[^0-9]/g, ""))
      : fold(name).includes(word)
  );
}

/** How a search is read: the length of its pages, and the number of rows that each page reads. */
interface Pages {
  q: string;
  filter: { company_id?: string };
  from: string;
  limit: number;
  step: number;
}

/** Reads all pages. */
function search(sql: Sql, workspaceId: string, { q, filter, from, limit, step }: Pages) {
  const args = { q, limit, ...filter };
  const isUnfiltered = Object.keys(filter).length === 0;
  return readAllPages(sql, workspaceId, limit, async (sql, before) => {
    const [page] = await sql<[Page]>`
      select * from crm.search_page(
        'contact', ${sql.json(args)}::jsonb, ${before}::uuid, ${from}::uuid, ${step}::integer, ${isUnfiltered}
      )`;
    return page;
  });
}

Deno.test("the pages of a search together have exactly the matching contacts, however few rows a page reads and whatever is indexed", async (t) => {
  const workspace = await makeWorkspace(sql);
  const names = fc.sample(words, { numRuns: ROWS, seed: 1 });
  const start = Date.now() - HALF_A_YEAR;
  const companies = await sql<{ id: string }[]>`
    insert into crm.companies (workspace_id, name, owner_id)
    select ${workspace.id}, n::text, ${workspace.memberId} from generate_series(1, 2) n returning id`;
  /** Makes the contacts whose number, divided by 4, has one of these remainders. */
  const make = async (...remainders: number[]) => {
    await sql`
      insert into crm.contacts (workspace_id, id, name, owner_id, company_id)
      select
        ${workspace.id}, crm.uuid_v7(to_timestamp(${
      Math.floor(start / 1000)
    }::bigint + n * ${STEP}::bigint)), name,
        ${workspace.memberId}, (${companies.map(({ id }) => id)}::uuid[])[1 + n % 3]
      from unnest(${names}::text[]) with ordinality r (name, n)
      where n % 4 = any (${remainders}::integer[])`;
  };
  const check = async (numRuns: number) => {
    const rows = await sql<{ id: string; name: string; company_id: string | null }[]>`
      select id, name, company_id from crm.contacts where workspace_id = ${workspace.id} order by id desc`;
    let ended = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record<Pages>({
          q: fc.oneof(fc.constantFrom(...SEARCHED), words),
          filter: fc.constantFrom({}, {}, { company_id: companies[0]!.id }),
          from: fc.constantFrom(FIRST, rows[rows.length / 2 | 0]!.id),
          limit: fc.integer({ min: 1, max: 9 }),
          step: fc.integer({ min: 1, max: 12 }),
        }),
        async (pages) => {
          const { seen, early } = await search(sql, workspace.id, pages);
          ended += early;
          const expected = rows.filter(({ id, name, company_id }) =>
            id >= pages.from && isFound(name, pages.q) &&
            (pages.filter.company_id ?? company_id) === company_id
          );
          assert.deepEqual(seen, expected.map(({ id }) => id));
        },
      ),
      { numRuns, seed: 1 },
    );
    assert.ok(ended > numRuns / 5, `only ${ended} pages ended early`);
  };
  const countPending = async (step: number) => {
    const [row] = await sql.begin(async (sql) => {
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      return await sql<[{ pending: number | null }]>`
        select cardinality(crm.pending_texts('contact', 16 * ${step}::integer)) as pending`;
    });
    return row.pending;
  };

  await make(0, 1, 2);
  await indexTexts(sql);
  await t.step("the index has all contacts", async () => {
    assert.equal(await countPending(12), 0);
    await check(20);
  });
  {
    await using _held = await holdFeed();
    await make(3);
    await t.step("some contacts were created since", async () => {
      assert.equal(await countPending(12), ROWS / 4);
      await check(20);
    });
    await sql`
      update crm.contacts c set name = (${names}::text[])[1 + get_byte(uuid_send(c.id), 15) % ${ROWS}::integer]
      where c.workspace_id = ${workspace.id} and get_byte(uuid_send(c.id), 15) % 3 = 0`;
    await sql`
      delete from crm.contacts c where c.workspace_id = ${workspace.id} and get_byte(uuid_send(c.id), 15) % 9 = 0`;
    await t.step(
      "more contacts were changed or deleted since than a short page can compare",
      async () => {
        assert.ok(await countPending(12) !== null);
        assert.equal(await countPending(3), null);
        await check(30);
      },
    );
  }
  await sql`select crm.index_texts('0 seconds')`;
  await t.step("a run of the job stopped at once", async () => await check(6));
  await indexTexts(sql);
  await t.step("the index has all contacts again", async () => {
    assert.equal(await countPending(1), 0);
    await check(15);
  });
});

Deno.test("a record and a search are normalized alike: a part of any name finds the record", async () => {
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
