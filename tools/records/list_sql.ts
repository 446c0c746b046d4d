// The verb of a list (spec 4.0). It has one statement for calls without a filter, and one for each equality. For all
// other calls, and for the rest of a page, it calls crm.rest_of_page (list_filters_sql.ts).
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { always, argument, columnOf, hiding, type NamedFilter, optional, required } from "./filters.ts";
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
  const served = [[], ...optional(record).map((filter) => [filter])];
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
${optional(record).some(isMade) ? "  v_value text;\n" : ""}  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_shown integer;
  v_complete boolean;
begin
  if p_args ? 'sort' then
${requireKnown(record).replace(/^ /, "   ")}    return crm.sorted_list('${name}', p_args);
  end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
${served.map((filters, index) => `  ${index === 0 ? "if" : "elsif"} ${branch(record, filters)}`).join("\n")}
  end if;
  -- Null if none of the statements above is for these filters.
  v_complete := v_shown = coalesce(cardinality(v_ids), 0);
  if v_complete is ${always(record).length === 0 ? "null" : "not true"} then
    select page.ids, page.records, page.is_complete, page.next_id into v_ids, v_records, v_complete, v_next_id
    from crm.rest_of_page('${name}', p_args, v_filters, v_before, v_from, v_ids, v_records, v_complete) page;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
    v_records := v_records[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.bounded_records('${name}', v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then v_next_id := v_ids[cardinality(v_records)]; end if;
  end if;
${
      requireKnown(record, "coalesce(cardinality(v_records), 0) = 0")
    }  if p_args ? 'expand' then v_records := crm.expanded(v_records, p_args -> 'expand'); end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then return crm.synced_page(v_records, v_next_id); end if;
  return crm.page(v_records, v_next_id);
end
$$;`,
    "Returns a page of the list, newest first (spec 4.0).",
  );
  return [...(search ? [searchSql(record, search)] : []), jsonIfShortSql(record), list].join("\n\n");
}

/** Filters by members, pipelines and stages: an unknown id must be an error, not an empty list. */
const SET_UP = ["owner_id", "pipeline_id", "stage_id"];

/** SQL that refuses filters by unknown ids. @param isEmpty SQL for "nothing was found"; ids are checked only then */
export function requireKnown({ filters }: CrmRecord, isEmpty?: string): string {
  const names = SET_UP.filter((name) => Object.hasOwn(filters, name));
  if (names.length === 0) return "";
  const condition = isEmpty === undefined ? "" : `${isEmpty} and `;
  return `  if ${condition}p_args ?| '{${
    names.join(",")
  }}' then perform crm.require_known_filters(p_args); end if;
`;
}

function branch(record: CrmRecord, filters: NamedFilter[]): string {
  const sent = ["v_filters", ...filters.map(({ name }) => `- '${name}'`)].join(" ") + " = '{}'";
  const single = filters.filter(({ several }) => several).map(({ name }) =>
    ` and jsonb_array_length(p_args -> '${name}') = 1`
  );
  const json = `crm.${record.name}_json_if_short(t)`;
  const listed = always(record);
  const shown = listed.length === 0 ? json : `case when ${listed.join(" and ")} then ${json} end`;
  // A value that needs a function call is computed once, before the statement.
  const made = filters.filter(isMade).map((filter) => `    v_value := ${argument(record, filter)};\n`).join(
    "",
  );
  const { conditions, order } = walk([...required(record), ...filters], {
    value: (filter) => isMade(filter) ? "v_value" : argument(record, filter),
    before: "v_before",
    from: "v_from",
  });
  return `${sent}${single.join("")} then
${made}    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, ${shown} as record from crm.${record.about.table} t
      where ${conjunction(conditions, 8)}
      order by ${order} limit v_limit + 1
    ) page;`;
}

const isMade = ({ through }: NamedFilter) => through !== undefined;

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
