// The verb of a list (spec 4.0). It has one statement for calls without a filter, and one for each equality.
// crm.list_reply (21_lists.sql) finds the page of any other call, and makes the reply.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import {
  always,
  argument,
  columnOf,
  equalities,
  hiding,
  type NamedFilter,
  optional,
  required,
  valueType,
} from "./filters.ts";
import { searchSql } from "./search_sql.ts";
import { commented, conjunction } from "./sql_text.ts";
import { walk } from "./walks.ts";

/**
 * The indexes of the list: one for each equality, for `updated_since`, for each value of `sort`, and for each condition
 * of few rows. Each begins with the workspace and the required filters, and ends with the id, so that a page is read in
 * order. The index of a filter by a unique value is in the table's schema file.
 */
export function indexesSql(record: CrmRecord): string {
  const { table } = record.about;
  const leading = required(record).map(columnOf);
  const filtered = optional(record).filter(({ unique }) => !unique);
  const sparse = filtered.filter(({ sparse }) => sparse).map(columnOf);
  const indexes = [...leading, ...filtered.map(columnOf), "updated_at", ...record.about.sorts ?? []].map(
    (column) => {
      const columns = [...new Set(["workspace_id", ...leading, column, "id"])].join(", ");
      const rows = sparse.includes(column) ? ` where ${column} is not null` : "";
      return `create index ${table}_${column} on crm.${table} (${columns})${rows};`;
    },
  );
  const ofHidden = hiding(record).map(({ name, hidden }) => {
    const columns = ["workspace_id", ...leading, "id"].join(", ");
    return `create index ${table}_${name} on crm.${table} (${columns}) where ${hidden.replaceAll("t.", "")};`;
  });
  return [...indexes, ...ofHidden].join("\n");
}

/** `api.<name>_list`, the function that leaves out long rows, and for a searched record the functions of its search. */
export function listSql(record: CrmRecord): string {
  const { name, about } = record;
  const { search } = about;
  const branches = [undefined, ...optional(record)].map((filter) => branch(record, filter));
  const list = commented(
    `create function api.${name}_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- 21_lists.sql explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{${
      ["limit", "cursor", "since", "until", "expand", ...required(record).map(({ name }) => name)].join(",")
    }}'::text[];
${types(record).map((type) => `  v_${type} ${type};\n`).join("")}  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('${name}', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
${branches.map((branch, index) => `  ${index === 0 ? "if" : "elsif"} ${branch}`).join("\n")}
  end if;
  return crm.list_reply('${name}', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;`,
    "Returns a page of the list, newest first (spec 4.0).",
  );
  return [...(search ? [searchSql(record, search)] : []), jsonIfShortSql(record), list].join("\n\n");
}

/** The statement for calls with this filter, or without a filter. */
function branch(record: CrmRecord, filter?: NamedFilter): string {
  const sent = filter === undefined ? "v_filters" : `v_filters - '${filter.name}'`;
  const single = filter?.several ? ` and jsonb_array_length(p_args -> '${filter.name}') = 1` : "";
  const json = `crm.${record.name}_json_if_short(t)`;
  const listed = always(record);
  const shown = listed.length === 0 ? json : `case when ${listed.join(" and ")} then ${json} end`;
  const filters = [...required(record), ...filter === undefined ? [] : [filter]];
  // The value in which the statement walks is computed once, before the statement.
  const last = filters.at(-1);
  const made = last === undefined ? "" : `    ${variable(record, last)} := ${argument(record, last)};\n`;
  const { conditions, order } = walk(filters, {
    value: (filter) => filter === last ? variable(record, filter) : argument(record, filter),
    before: "v_before",
    from: "v_from",
  });
  return `${sent} = '{}'${single} then
${made}    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, ${shown} as record from crm.${record.about.table} t
      where ${conjunction(conditions, 8)}
      order by ${order} limit v_limit + 1
    ) page;`;
}

/** The variable with a filter's value; there is one for each type. */
const variable = (record: CrmRecord, filter: NamedFilter) => `v_${valueType(record, filter)}`;

const types = (record: CrmRecord) =>
  [...new Set(equalities(record).map((filter) => valueType(record, filter)))].sort();

function jsonIfShortSql({ name, about, fields }: CrmRecord): string {
  const long = Object.entries(fields).filter(([, field]) => field.long);
  const sizes = long.map(([field, { sql }]) =>
    `coalesce(${sql === "text" ? "octet_length" : "pg_column_size"}(t.${field}), 0)`
  );
  // The size of a compressed value does not show the length of its JSON.
  const compressed = long.filter(([, { sql }]) => sql !== "text").map(([field]) =>
    `\n    and pg_column_compression(t.${field}) is null`
  );
  return commented(
    `create function crm.${name}_json_if_short(t crm.${about.table}) returns json
language sql stable as $$
  select case when ${sizes.join(" + ") || "0"} <= 4000${compressed.join("")}
    then crm.${name}_json(t)
  end
$$;`,
    `crm.${name}_json, or null if the row may be long: crm.bounded_records builds long rows.`,
  );
}
