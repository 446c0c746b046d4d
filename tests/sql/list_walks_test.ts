// crm.list_by reads a limited number of rows for each page, and the next page continues by cursor. For any filters and
// any limit, the pages together must have exactly the rows that match.
import fc from "fast-check";
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { byDeal, equalities, ranges, required } from "../../tools/records/filters.ts";
import { records } from "../../tools/records/records.ts";
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { client } from "../support/client.ts";
import { makeWorkspace, type TestWorkspace } from "../support/fixtures.ts";
import { makeMember } from "../support/record_fixtures.ts";
import { sql } from "../support/scenario.ts";
import { FIRST, LAST, type Page, readAllPages } from "./pages.ts";

const ROWS = 100;
const DAY = 86_400_000;
/** The time of the first row: half of the rows are in the past and half in the future, for is_overdue. */
const START = Date.now() - 15 * DAY;

type Row = Record<string, string | null>;
type Args = Record<string, string | string[]>;

/** A few values for each column, so that many rows share them; null where the column allows it. */
function valuesOf(workspace: TestWorkspace, other: { member: string; samples: Record<string, string> }) {
  const { company, contact, deal } = other.samples;
  return {
    contact: {
      name: ["A"],
      email: [null, "a@x.com", "b@x.com"],
      phone: [null, "11 97777-1234", "+1 555 123 4567"],
      company_id: [null, company!],
    },
    company: { name: ["Sol", "SOL", "Mar"], domain: [null, "x.com"], tax_id: [null, "1", "2"] },
    deal: {
      title: ["A"],
      status: ["aberto", "ganho"],
      pipeline_id: [workspace.pipelineId],
      stage_id: workspace.stages.slice(0, 2).map(({ id }) => id),
      contact_id: [null, contact!],
      company_id: [null, company!],
      external_id: [null, "1"],
      expected_close_date: [null, "2026-12-01", "2026-12-02"],
    },
    activity: {
      title: ["A"],
      created_by_id: [workspace.memberId],
      deal_id: [deal!],
      contact_id: [null, contact!],
      type: ["tarefa", "visita"],
      status: ["pendente", "cancelada"],
    },
    note: {
      author_id: [workspace.memberId],
      deal_id: [deal!],
      body: ["A"],
      kind: ["note", "observation"],
      source: ["integration"],
    },
  } as Record<string, Record<string, (string | null)[]>>;
}

/** Values for the text columns of a record that `valuesOf` leaves out. */
function textsOf({ fields }: CrmRecord): Record<string, (string | null)[]> {
  const texts = Object.entries(fields).filter(([, { sql, written }]) =>
    sql === "text" && ["always", "on create"].includes(written)
  );
  return Object.fromEntries(
    texts.map(([name, { presence }]) => [name, presence === "optional" ? [null, "A", "B"] : ["A"]]),
  );
}

/** Writes rows by SQL, because the API sets their times. */
async function makeRows(sql: Sql, workspace: TestWorkspace, record: CrmRecord): Promise<Row[]> {
  const member = await makeMember(sql, workspace);
  const lead = { first_name: "Ana", company_name: "Padaria Sol" };
  const { body: { lead: made } } = await client(workspace.key).post("/api-v1-leads", lead);
  const samples = { company: made.company_id, deal: made.deal_id, contact: made.contact_id };
  const columns = {
    ...("owner_id" in record.fields && { owner_id: [workspace.memberId, member] }),
    ...(valuesOf(workspace, { member, samples })[record.name] ?? textsOf(record)),
  };
  const random = fc.sample(fc.array(fc.nat(), { minLength: 13, maxLength: 13 }), { numRuns: ROWS, seed: 1 });
  const at = (day: number) => new Date(START + day % 30 * DAY).toISOString();
  const rows = random.map((numbers, index) => ({
    ...Object.fromEntries(
      Object.entries(columns).map(([name, values], n) => [name, values[numbers[n]! % values.length]!]),
    ),
    workspace_id: workspace.id,
    created_at: new Date(START + index).toISOString(),
    updated_at: at(numbers[10]!),
    ...(record.name === "activity" && { due_at: numbers[11]! % 3 === 0 ? null : at(numbers[11]!) }),
    ...(record.name === "deal" && { closed_at: numbers[11]! % 3 === 0 ? null : at(numbers[11]!) }),
    ...("archived" in record.filters && { archived_at: numbers[12]! % 3 === 0 ? at(numbers[12]!) : null }),
  }));
  const table = sql(`crm.${record.about.table}`);
  const times = rows.map(({ created_at }) => created_at);
  const newIds = await sql`select crm.uuid_v7(at) as id from unnest(${times}::timestamptz[]) at`;
  await sql`insert into ${table} ${sql(rows.map((row, index) => ({ ...row, id: newIds[index]!["id"] })))}`;
  const found = await sql<{ row: Row }[]>`
    select to_jsonb(t) || jsonb_build_object(
      'deal.company_id', (select d.company_id from crm.deals d where d.id::text = to_jsonb(t) ->> 'deal_id'),
      'deal.contact_id', (select d.contact_id from crm.deals d where d.id::text = to_jsonb(t) ->> 'deal_id')
    ) as row
    from ${table} t where workspace_id = ${workspace.id} order by id desc`;
  return found.map(({ row }) => row);
}

/** The key of a row for the column that a filter compares. */
const nameOf = (name: string, ofDeal?: string) => ofDeal === undefined ? name : `deal.${ofDeal}`;

/** The rows that match the filters, computed without the database. */
function matching(record: CrmRecord, rows: Row[], args: Args): string[] {
  const bounds = [...ranges(record).values()].flat();
  const isOverdue = (row: Row) =>
    row["status"] === "pendente" && row["due_at"] != null && Date.parse(row["due_at"]) < Date.now();
  const { archived = "false", is_overdue } = args;
  return rows.filter((row) =>
    [...equalities(record), ...byDeal(record)].every(
      ({ name, ofDeal, column = nameOf(name, ofDeal), several }) => {
        const value = args[name];
        return value === undefined || (several ? value.includes(row[column]!) : row[column] === value);
      },
    ) &&
    bounds.every(({ name, range }) => {
      if (args[name] === undefined) return true;
      const value = row[range!.column];
      if (value == null) return false;
      const [own, bound] = [Date.parse(value), Date.parse(args[name] as string)];
      return range!.operator === "<" ? own < bound : own >= bound;
    }) &&
    (is_overdue === undefined || is_overdue === String(isOverdue(row))) &&
    (!("archived" in record.filters) || archived === record.filters["archived"]!.hides!.all ||
      archived === String(row["archived_at"] !== null))
  ).map(({ id }) => id!);
}

/** Any combination of the record's filters, with values that some rows have and values that no row has. */
function anyFilters(record: CrmRecord, rows: Row[]): fc.Arbitrary<Args> {
  const one = (
    { name, ofDeal, column = nameOf(name, ofDeal), range, condition, several, hides }: ReturnType<
      typeof equalities
    >[number],
  ) => {
    if (condition) {
      return fc.constantFrom(
        ...Object.keys(condition).filter((value) => value !== hides?.without),
        ...hides ? [hides.all] : [],
      );
    }
    const values = rows.map((row) => row[range?.column ?? column]).filter((value) => value != null);
    // If no row has a value in the column, filters by a value that no row has.
    const found = values.length > 0 ? [...new Set(values as string[])] : [LAST];
    return several ? fc.subarray([...found, "none"], { minLength: 1 }) : fc.constantFrom(...found);
  };
  // search_walks_test.ts tests the search parameter, value_walks_test.ts tags and custom fields.
  const filters = Object.entries(record.filters).map(([name, filter]) => ({ name, ...filter }))
    .filter(({ searches, inValues }) => (searches ?? inValues) === undefined);
  const updated = [...ranges(record).values()].flat().filter(({ name }) => name === "updated_since");
  const required = filters.filter(({ required }) => required);
  const others = [...filters.filter(({ required }) => !required), ...updated];
  // With more filters at once, hardly any row matches.
  return fc.subarray(others, { maxLength: 2 }).chain((chosen) =>
    fc.record(Object.fromEntries([...required, ...chosen].map((filter) => [filter.name, one(filter)])))
  ) as fc.Arbitrary<Args>;
}

/** Whether `api.<name>_list` answers these arguments with a static statement, whose plan Postgres keeps. */
function isKept(record: CrmRecord, args: object): boolean {
  const others = ["updated_since", "limit", ...required(record).map(({ name }) => name)];
  return Object.keys(args).every((name) => others.includes(name));
}

for (const record of records.filter(({ about }) => about.sql?.includes("list"))) {
  Deno.test(`the pages of ${record.about.table} together have exactly the matching records, however few rows a page reads (spec 4.0)`, async () => {
    const workspace = await makeWorkspace(sql);
    const rows = await makeRows(sql, workspace, record);
    let ended = 0;
    await fc.assert(
      fc.asyncProperty(
        anyFilters(record, rows),
        fc.constantFrom(FIRST, rows[ROWS / 2]!["id"]!),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        async (filters, from, limit, step) => {
          const args = { ...filters, limit };
          const { seen, early } = await readAllPages(sql, workspace.id, limit, async (sql, before) => {
            const [page] = await sql<[Page]>`
              select * from crm.list_by(
                ${record.name}, ${sql.json(args)}::jsonb, ${before}::uuid, ${from}::uuid, ${step}::integer,
                ${isKept(record, args)}
              )`;
            return page;
          });
          ended += early;
          assert.deepEqual(seen, matching(record, rows.filter(({ id }) => id! >= from), filters));
        },
      ),
      { numRuns: 40, seed: 1 },
    );
    assert.ok(ended > 20, `only ${ended} pages ended early`);
  });
}
