import { z } from "zod";
import type { KeyEndpoint, Method } from "../../../supabase/functions/_shared/contract/endpoint.ts";
import { ApiError } from "../../../supabase/functions/_shared/contract/errors.ts";
import { type CrmRecord, sortWords } from "../../../supabase/functions/_shared/contract/record.ts";
import { type Filter, isEquality } from "../../../supabase/functions/_shared/contract/record_fields.ts";
import { validateInput } from "../../../supabase/functions/_shared/http/valid_input.ts";
import { isUuid } from "../../../supabase/functions/_shared/runtime/uuid.ts";
import { records } from "../../../tools/records/records.ts";
import { deal } from "../../../supabase/functions/api-v1-deals/record.ts";
import { keyEndpoints } from "../../../tools/resources.ts";
import { exampleBody } from "../../../tools/openapi/example_body.ts";

export interface Probe {
  resource: string;
  endpoint: KeyEndpoint;
  method: Method;
  /** The endpoint, such as `GET /api-v1-contacts`. */
  title: string;
  /** The endpoint with the filters that the call uses. */
  operation: string;
  /**
   * SQL expression of the arguments (jsonb) for call number `r`. The workspace has `total` records of the resource and
   * `others` records of every other kind. seed.sql defines the rows.
   */
  args: string;
  /** For a list: `full` if the page must be full, `any` if it may end early. */
  page?: "full" | "any";
  /** The call is measured only among at least this many records. */
  least?: number;
}

/** Resources with few records in every workspace, except the deliveries of a subscription. */
const FEW_RECORDS = /^\S+ \/api-v1-(me|operations|pipelines|webhooks|workspace)(?!\/:id\/deliveries)\b/;
/** Not measured, because its time is bounded: a call searches a fixed number of replies and texts, a job the rest. */
const ERASE = "POST /api-v1-contacts/:id/erase";
/** Among so many records, a list with few matches reads its maximum of rows, so its page ends before it is full. */
const MANY_RECORDS = 100_000;

/**
 * SQL of row numbers. `any` and `own` each choose one of twelve rows by `r`. No other row has the values of row `own`.
 * The oldest 120 rows have the values of row `few`, and every tenth later row has the values of row `many`.
 */
const ROWS = { any: "bench.anywhere(r, others)", own: "bench.own(r, total)", few: "1", many: "10" };
const idOf = (row: string) => `bench.id(0, ${row})`;
/** SQL of row numbers by age: the oldest row, the middle row, the hundredth newest row. */
const AGES = ["1", "total / 2", "total - 99"];
/** Parameters of every list, which record.ts does not declare. */
const COMMON = ["cursor", "since", "until", "updated_since"];

/** Values for the parameters of events, changes and deliveries. */
const PARTICULAR: Record<string, string[]> = {
  "api-v1-events cursor": ["bench.cursor_at(total / 2, total)", "bench.cursor_at(total - 60, total)"],
  "api-v1-changes cursor": ["bench.event_at(total / 2, total)", "bench.event_at(60, total)"],
  "api-v1-webhooks cursor": ["bench.delivery_at(total / 2, total)", "bench.delivery_at(60, total)"],
  since: AGES.map((row) => `bench.happened_at(${row}, total)`),
  until: AGES.map((row) => `bench.happened_at(${row}, total)`),
  object_id: [idOf(ROWS.few), idOf(ROWS.many)],
  event_types: [`'["contact.created"]'::jsonb`, `'["deal.won"]'::jsonb`],
  cursor: [idOf("total / 2")],
  "api-v1-search q": ["bench.own(r, total)", "'nada'"],
  types: ["'[\"contact\"]'::jsonb"],
  actor: [idOf(ROWS.few)],
  not_actor: [idOf(ROWS.few)],
  event: ["'contact.created'", "'deal.won'"],
  object_type: ["'contact'", "'deal'"],
  state: ["'delivered'", "'held'"],
};

/** Rows in the state that an action requires: the oldest 60 are archived, the next 60 are open. */
const ROW_OF_ACTION: Record<string, string> = {
  "/:id/restore": "1 + r % 60",
  "/:id/win": "61 + r % 60",
  "/:id/lose": "61 + r % 60",
};

/** A timeline has at most 250 deals. It is measured only when it is full: among MANY_RECORDS. */
const TIMELINE = "/:id/timeline";
/** Lists of duplicates have no probe with a cursor, because no cursor exists before a call has stored one. */
const DUPLICATES = "/duplicates";

function pathOf(resource: string, path: string): Record<string, string> {
  const row = ROW_OF_ACTION[path] ?? (path === TIMELINE ? ROWS.many : ROWS.own);
  const id = idOf(resource === "api-v1-webhooks" ? ROWS.few : row);
  return {
    ...(path.includes(":id") && { id }),
    ...(path.includes(":delivery_id") && {
      delivery_id: "bench.delivery_at(bench.anywhere(r, total), total)",
    }),
    ...(path.includes(":contact_id") && { contact_id: idOf("2") }),
  };
}

/**
 * Builds the probes from the tables of endpoints, the filters of the records and the examples of the OpenAPI document.
 * A new endpoint, filter or field thus gets its probes without further code. Reads come first, because a write leaves
 * dead rows even if it is rolled back.
 */
export async function makeProbes(): Promise<Probe[]> {
  const probes: Probe[] = [];
  for (const { resource: { name: resource }, route: { method, path, endpoint }, title } of keyEndpoints) {
    if (FEW_RECORDS.test(title) || title === ERASE) continue;
    const probe = { resource, endpoint, method, title, operation: title };
    const ids = pathOf(resource, path);
    if (method === "GET") probes.push(...reads(probe, path, ids));
    else {
      const all = await bodies(probe, path);
      probes.push(...all.map((args) => ({ ...probe, args: `${args} || ${object(ids)}` })));
    }
  }
  return probes.sort((a, b) => Number(a.method !== "GET") - Number(b.method !== "GET"));
}

const object = (fields: Record<string, string>) =>
  `jsonb_build_object(${Object.entries(fields).map(([name, value]) => `'${name}', ${value}`).join(", ")})`;

function reads(probe: Omit<Probe, "args">, path: string, ids: Record<string, string>): Probe[] {
  const { endpoint: { query }, resource, operation } = probe;
  const names = Object.keys(query.shape)
    .filter((name) => name !== "limit" && !(name === "cursor" && path === DUPLICATES));
  if (names.length === 0) return [{ ...probe, args: object(ids) }];
  const record = path === "/" || path === "/summary" ? recordOf(resource) : undefined;
  const isList = "cursor" in query.shape;
  // Pages of a timeline and of duplicates need not be full, because there may be no more to show.
  const isFull = isList && path !== TIMELINE && path !== DUPLICATES;
  const valuesOf = (name: string) => {
    // The longest `expand`, and every `sort` and `group_by`.
    if (name === "expand") return [`'${JSON.stringify(Object.keys(recordOf(resource)!.expansions))}'::jsonb`];
    if (name === "sort") return sortWords(recordOf(resource)!.sorts).map((word) => `'${word}'::text`);
    if (name === "group_by") return record!.about.summary!.map((word) => `'${word}'::text`);
    return record ? valuesOfRecord(record, name) : valuesOfFeed(resource, name, query.shape[name]!);
  };
  const pick = (some: string[]) => Object.fromEntries(some.map((name) => [name, valuesOf(name)[1]!]));
  const isOfDeal = (name: string) => record?.filters[name]?.ofDeal !== undefined;
  const required = pick(
    names.filter((name) => !query.shape[name]!.isOptional() || record?.filters[name]?.required),
  );
  const call = (filters: Record<string, string>, more: Partial<Probe> = {}): Probe => {
    // A summary is measured over the newest 900 rows, because the API refuses to sum too many.
    const newest = record ? "bench.made_at(total - 900)" : "bench.happened_at(total - 900, total)";
    const bound = isList || !("since" in query.shape) ? {} : { since: newest };
    const all = { ...bound, ...(Object.keys(filters).some(isOfDeal) ? {} : required), ...filters };
    const used = names.filter((name) => name in all && (isList || name in filters));
    const limit = "limit" in query.shape ? { limit: "50" } : {};
    return {
      ...probe,
      operation: operation + (used.length > 0 ? `?${used.join("&")}` : ""),
      args: object({ ...ids, ...limit, ...all }),
      // Not compared with a full page if it has `expand`: looking up the names takes longer than reading the page.
      ...(isFull && !("expand" in filters) && { page: "any" }),
      ...more,
    };
  };
  const whole = path === TIMELINE || path === DUPLICATES ? { least: MANY_RECORDS } : {};
  const full = call({}, isFull ? { page: "full" } : whole);
  const filters = names.filter((name) => !(name in required) && (isList || name !== "since"));
  // In a feed, every event matches a parameter's first value. No event matches a later value, so its page ends early.
  const isOther = (name: string, index: number) =>
    !record && index > 0 && !COMMON.includes(name) && name !== "object_id";
  const single = filters.flatMap((name) =>
    valuesOf(name).map((value, index) =>
      call({ [name]: value }, isOther(name, index) ? { least: MANY_RECORDS } : whole)
    )
  );
  const paired = filters.filter((name) => !["expand", "sort", "group_by"].includes(name));
  const pairs = paired.flatMap((first, index) =>
    paired.slice(index + 1)
      .filter((second) => !COMMON.includes(first) || !COMMON.includes(second))
      .map((second) => call(pick([first, second]), { least: MANY_RECORDS }))
  );
  return isList ? [full, ...single, ...pairs] : [full, ...single];
}

const recordOf = (resource: string) => records.find(({ about }) => resource === `api-v1-${about.table}`);

/** SQL of a column's value in some row, or `otherwise` where the column is empty. */
function cell({ about }: CrmRecord, column: string, row: string, otherwise: string): string {
  return `coalesce((select to_jsonb(t.${column}) from crm.${about.table} t
    where t.workspace_id = bench.workspace_id(0) and t.id = ${idOf(row)}), to_jsonb(${otherwise}))`;
}

function valuesOfRecord(record: CrmRecord, name: string): string[] {
  const time = (column: string) => AGES.map((row) => cell(record, column, row, `bench.made_at(${row})`));
  if (name === "cursor") return [idOf("120"), idOf("total / 2")];
  if (COMMON.includes(name)) return time(name === "updated_since" ? "updated_at" : "created_at");
  const filter = record.filters[name]!;
  if (filter.range) return time(filter.range.column);
  if (filter.condition) return wordsOf(filter);
  if (name === "tag") {
    return ["few", "many", "nothing"].map((tag) => `'["${tag}"]'::jsonb`);
  }
  if (name === "custom") {
    return [
      { plano: { eq: "few" } },
      { plano: { eq: "many" } },
      { plano: { eq: "nothing" } },
      { lojas: { gte: "1", lte: "60" } },
      { lojas: { gte: "100" } },
    ].map((custom) => `'${JSON.stringify(custom)}'::jsonb`);
  }
  if (filter.ofDeal) {
    return [ROWS.few, ROWS.many, ROWS.own].map((row) => cell(deal, filter.ofDeal!, row, "gen_random_uuid()"));
  }
  if (!isEquality(filter)) {
    const text = cell(record, record.about.search!.texts[0]!, ROWS.own, "'nothing'::text");
    return [text, `split_part(${text} #>> '{}', ' ', 1)`];
  }
  const nothing = record.fields[name]!.sql === "uuid" ? "gen_random_uuid()" : "'a value of no record'::text";
  return [ROWS.few, ROWS.many, ROWS.own].map((row) => cell(record, name, row, nothing))
    .map((value) => filter.several ? `jsonb_build_array(${value})` : value);
}

/** The values that the filter's condition accepts, as the verb gets them. */
function wordsOf({ condition, hides, rule }: Filter): string[] {
  const words = [...Object.keys(condition!), ...(hides ? [hides.all] : [])];
  return words.map((word) => rule.parse(word)).filter((value) => value !== undefined)
    .map((value) => `'${JSON.stringify(value)}'::jsonb`);
}

function valuesOfFeed(resource: string, name: string, schema: z.ZodType): string[] {
  const known = PARTICULAR[`${resource} ${name}`] ?? PARTICULAR[name];
  if (known) return known;
  const { enum: words } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return (words ?? ["a value of no record", "a value of no record"]).map((word) => `'${word}'`);
}

/** Ids that stand for rows of the seeded workspace. They pass validation, and SQL replaces them with the rows' ids. */
const STAND_INS: Record<string, string> = {
  "00000000-0000-7000-8000-00000000000a": idOf(ROWS.any),
  "00000000-0000-7000-8000-00000000000b": idOf(ROWS.own),
  "00000000-0000-7000-8000-00000000000c": idOf("131 + r % 12 * 10"),
  "00000000-0000-7000-8000-00000000000d": idOf("1"),
  "00000000-0000-7000-8000-00000000000e": idOf("2"),
};
const [ANY, OWN, MERGED, FIRST, SECOND] = Object.keys(STAND_INS) as [string, string, string, string, string];

/**
 * SQL of the arguments that the function makes from the example body. For each field by which an upsert matches, there
 * is a call that creates a record and a call that finds a record.
 */
async function bodies(
  { resource, endpoint, method, operation }: Omit<Probe, "args">,
  path: string,
): Promise<string[]> {
  // With optional references, because the verb checks that the records exist. A verb without such a field ignores it.
  const example: Record<string, unknown> = {
    contact_id: ANY,
    company_id: ANY,
    ...exampleBody(method, resource, path),
  };
  const record = recordOf(resource);
  const fields = path === "/upsert" ? record!.about.upsert!.by : [undefined];
  const all: string[] = [];
  for (const field of fields) {
    const query = new URLSearchParams(field && { match_by: field });
    const value = withStandIns(
      field ? { ...example, [field]: example[field] ?? `novo ${field}` } : example,
    ) as Record<string, never>;
    const ids = { id: OWN, delivery_id: OWN, contact_id: OWN };
    const input = await validateInput(endpoint, { value, fieldErrors: [] }, query, {
      strict: false,
      ids,
      findWorkspace: () => Promise.resolve(OWN),
    });
    if (input instanceof ApiError) throw new Error(`${operation}: ${JSON.stringify(input)}`);
    const text = `'${JSON.stringify(input.args).replaceAll("'", "''")}'`;
    const used = Object.entries(STAND_INS).filter(([id]) => text.includes(id));
    const args = used.reduce((sql, [id, row]) => `replace(${sql}, '${id}', ${row}::text)`, text);
    all.push(`(${args})::jsonb`);
    // A second probe: a lead whose contact and company exist.
    if (resource === "api-v1-leads") {
      all.push(
        `(${args})::jsonb || ${
          object({ email: "bench.own(r, total) || '@contato.com'", company_name: "'Empresa many'" })
        }`,
      );
    }
    if (field) {
      all.push(`(${args})::jsonb || ${object({ [field]: cell(record!, field, ROWS.own, "'novo'::text") })}`);
    }
  }
  return all;
}

function withStandIns(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withStandIns(item, name));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withStandIns(part, name)]));
  }
  if (!isUuid(String(value))) return value;
  if (name === "merge_id") return MERGED;
  if (name === "id") return OWN;
  if (name === "to_owner_id") return SECOND;
  return /^(stage|pipeline|(from_)?owner)_id$/.test(name) ? FIRST : ANY;
}
