// What crm.list_by, crm.search_page and crm.sum_deals need to know about the records: their filters as data, and static
// statements for common calls. Postgres caches the plans of static statements.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import {
  always,
  argument,
  byDeal,
  columnOf,
  conditions,
  hiding,
  type NamedFilter,
  optional,
  ranges,
  required,
  valueType,
} from "./filters.ts";
import { commented, conjunction, literal } from "./sql_text.ts";
import { walk } from "./walks.ts";

/** The functions of lists that have a branch for each record. */
export function listFiltersSql(records: readonly CrmRecord[]): string {
  const listed = records.filter(({ about }) => about.sql?.includes("list"));
  return [
    filtersSql(listed),
    keptWalkSql(listed),
    updatedIdsSql(listed),
    restOfPageSql(listed),
    boundedRecordsSql(listed),
  ].join("\n\n");
}

function filtersSql(listed: readonly CrmRecord[]): string {
  const rows = listed.flatMap(rowsOf).map((row) =>
    `      (${row.map((value) => value === null ? "null" : literal(value)).join(", ")})`
  );
  return commented(
    `create function crm.list_filters(p_record text)
returns table (kind text, name text, target text, given text, sql text)
language sql immutable as $$
  select f.kind, f.name, f.target, f.given, f.sql
  from (
    values
${rows.join(",\n")}
  ) f (record, kind, name, target, given, sql)
  where f.record = p_record
$$;`,
    "How a record can be listed. Kind list: target is the table, sql the searched text. Kind sort: the list can be " +
      "sorted by the column target, and sql is its type. Every other row is a filter. If given is a value, sql is the " +
      "condition on row t when the call sends this value. If given is null, the column target is compared with sql, in " +
      "which %L is the value sent. Kind range: an index has the column target. Kind shown: the condition also holds if " +
      "the filter is absent. Kind hidden: few rows match. Kind deal: the column sql of the row's deal must equal the " +
      "value.",
  );
}

type Row = (string | null)[];

function rowsOf(record: CrmRecord): Row[] {
  const { name, about } = record;
  const compared = (kind: string, filter: NamedFilter, column = columnOf(filter)): Row => [
    name,
    kind,
    filter.name,
    column,
    null,
    placeholder(record, filter),
  ];
  return [
    [name, "list", null, `crm.${about.table}`, null, about.search ? `crm.${name}_text(t)` : null],
    ...required(record).map((filter) => compared("required", filter)),
    ...optional(record).map((filter) =>
      compared(filter.unique ? "unique" : filter.several ? "several" : "equality", filter)
    ),
    ...byDeal(record).map(({ name: filter, ofDeal }): Row => [
      name,
      "deal",
      filter,
      "deal_id",
      null,
      ofDeal!,
    ]),
    ...conditions(record).flatMap((filter) =>
      Object.entries(filter.condition!).map(([value, sql]): Row => {
        const kind = kindOf(filter, value);
        return [name, kind, filter.name, kind === "range" ? filter.indexed!.column : null, value, sql];
      })
    ),
    ...[...ranges(record)].flatMap(([column, filters]) =>
      filters.map((filter) => compared(filter.range!.operator, filter, column))
    ),
    ...Object.entries(record.sorts).map(([sort, column]): Row => [
      name,
      "sort",
      sort,
      column,
      null,
      record.fields[column]?.sql ?? "timestamptz",
    ]),
  ];
}

function kindOf({ hides, indexed }: NamedFilter, value: string): string {
  if (hides !== undefined) return value === hides.only ? "hidden" : "shown";
  return indexed?.value === value ? "range" : "condition";
}

/** SQL of a filter's value, with %L in place of the value that a call sends. */
function placeholder(record: CrmRecord, filter: NamedFilter): string {
  // A text for which the function returns null matches no row.
  if (filter.through !== undefined) return `coalesce(${filter.through}(%L), '')`;
  return `%L::${valueType(record, filter)}`;
}

function keptWalkSql(listed: readonly CrmRecord[]): string {
  const branches = listed.map((record) => {
    const table = `crm.${record.about.table} t`;
    const { conditions, order } = walk(required(record), {
      value: (filter) => argument(record, filter),
      before: "p_before",
      from: "p_from",
    });
    const hidden = hiding(record).flatMap(({ shown }) =>
      [...shown.matchAll(/\bt\.(\w+)/g)].map(([column]) => column)
    );
    const columns = ["t.id", "t.updated_at", ...hidden].join(", ");
    return `    when '${record.name}' then
      select array_agg(t.id), array_agg(t.id) filter (where ${
      ["t.updated_at >= v_since", ...always(record)].join(" and ")
    })
      into walked, matches
      from (
        (
          select ${columns} from ${table}
          where p_ids is null
            and ${conjunction(conditions, 12)}
          order by ${order} limit p_rows
        )
        union all
        (
          select ${columns} from unnest(p_ids) with ordinality chosen (id, position)
          join ${table} on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;`;
  });
  return commented(
    `create function crm.kept_walk(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_rows integer, p_ids uuid[],
  out walked uuid[], out matches uuid[]
)
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
begin
  case p_record
${branches.join("\n")}
  end case;
end
$$;`,
    "Reads the newest rows of a list, or the rows of p_ids in their order. matches has the ids that the list shows " +
      "without a filter, or with only updated_since.",
  );
}

function updatedIdsSql(listed: readonly CrmRecord[]): string {
  const branches = listed.map((record) => {
    const leading = required(record).map((filter) =>
      ` and t.${columnOf(filter)} = ${argument(record, filter)}`
    );
    return `    when '${record.name}' then
      return array(
        select t.id from crm.${record.about.table} t
        where t.workspace_id = crm.current_workspace_id()${leading.join("")} and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );`;
  });
  return commented(
    `create function crm.updated_ids(p_record text, p_args jsonb, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := p_args ->> 'updated_since';
begin
  case p_record
${branches.join("\n")}
  end case;
end
$$;`,
    "The ids of a list's rows that changed since updated_since, last changed first.",
  );
}

function restOfPageSql(listed: readonly CrmRecord[]): string {
  const branches = listed.map(({ name, about }) =>
    `    when '${name}' then
      v_records := array(
        select crm.${name}_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.${about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );`
  );
  return commented(
    `create function crm.rest_of_page(
  p_record text, p_args jsonb, p_filters jsonb, p_before uuid, p_from uuid, inout ids uuid[], inout records json[],
  inout is_complete boolean, out next_id uuid
)
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_listed uuid[];
  v_ids uuid[];
  v_records json[];
begin
  if not is_complete then
    -- A record without JSON is either long or hidden.
    p_before := ids[v_limit + 1];
    select w.matches into v_listed from crm.kept_walk(p_record, '{}', null, null, null, array(
      select r.id from unnest(ids, records) r (id, record) where r.record is null
    )) w;
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into ids, records, is_complete
    from unnest(ids, records) with ordinality r (id, record, position)
    where r.record is not null or r.id = any (v_listed);
    v_limit := v_limit - coalesce(cardinality(ids), 0);
    if p_before is null or v_limit < 0 then return; end if;
  end if;
  if p_args ? 'q' then
    select page.ids, page.next_id into v_ids, next_id from crm.search_page(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from, p_kept => p_filters - 'q' = '{}'
    ) page;
  else
    select page.ids, page.next_id into v_ids, next_id from crm.list_by(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from,
      p_kept => p_filters - 'updated_since' = '{}'
    ) page;
  end if;
  case p_record
${branches.join("\n")}
  end case;
  is_complete := coalesce(is_complete, true) and num_nulls(variadic v_records) = 0;
  ids := ids || v_ids;
  records := records || v_records;
end
$$;`,
    "Completes a page whose statement found hidden or long records: drops the hidden ones, and finds as many later " +
      "records. If ids is null, finds the whole page, for filters that have no statement of their own.",
  );
}

function boundedRecordsSql(listed: readonly CrmRecord[]): string {
  const branches = listed.map(({ name, about }) =>
    `        when '${name}' then
          select crm.${name}_json(t) into v_record from crm.${about.table} t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];`
  );
  return commented(
    `create function crm.bounded_records(p_record text, p_ids uuid[], p_records json[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      case p_record
${branches.join("\n")}
      end case;
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- Show the first record however long it is: otherwise the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;`,
    "The first records of a page, as many as its maximum of bytes allows. Builds those that are null in p_records.",
  );
}
