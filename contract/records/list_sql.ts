// The verb of a list (spec 4.0): one statement without a filter, one for each equality, one for everything else.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import type { Filter } from "../../supabase/functions/_shared/contract/record_fields.ts";
import { comment } from "./sql_text.ts";

/** The conditions of the range filters that every list has. */
const RANGES: Readonly<Record<string, string>> = {
  since: "t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz)",
  updated_since: "t.updated_at >= (p_args ->> 'updated_since')::timestamptz",
};

/**
 * The indexes that serve the list: one for each equality, and one for `updated_since`. Each begins with the workspace,
 * then with the required filters; each ends with the id, so that a page is read in its order.
 */
export function indexesSql({ about, filters }: CrmRecord): string {
  const equalities = Object.entries(filters).filter(([, { condition }]) => condition === undefined);
  const columns = equalities.map(([filter, { column = filter }]) => column);
  const required = equalities.filter(([, filter]) => filter.required).map(([filter, { column = filter }]) =>
    column
  );
  return [...columns, "updated_at"].map((column) => {
    const leading = required.filter((name) => name !== column).map((name) => `${name}, `).join("");
    return `create index ${about.table}_${column} on crm.${about.table} (workspace_id, ${leading}${column}, id);`;
  }).join("\n");
}

/** `api.<name>_list`, and `crm.<name>_list_by` for filters that are combined, or are ranges. */
export function listSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  const filters = Object.entries(record.filters);
  const equalities = filters.filter(([, { condition }]) => condition === undefined);
  const required = equalities.filter(([, filter]) => filter.required);
  // Next to a required filter the planner cannot choose between two indexes for a cached plan, so that combination is
  // planned for its values.
  const alone = required.length === 0 ? equalities : [];
  const branch = (sent: typeof equalities) =>
    `    when '{${sent.map(([filter]) => filter).sort().join(",")}}' then
${pageSql(record, sent.map(([filter, declared]) => equality(record, filter, declared)))}`;

  const conditions = [
    ...equalities.map(([filter, declared]) => whenSent(filter, equality(record, filter, declared))),
    ...filters.flatMap(([filter, { condition }]) => rangeConditions(filter, condition)),
    ...Object.entries(RANGES).map(([filter, condition]) => whenSent(filter, condition)),
  ];

  return `create function crm.${name}_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
language plpgsql stable
set search_path = ''
-- Planned for the values of each call: conditions of absent filters are removed, and the bound of a range decides the
-- index.
set plan_cache_mode = 'force_custom_plan'
set enable_bitmapscan = off
as $$
begin
  select array_agg(page.id), array_agg(page.record) into ids, records
  from (
    select t.id, crm.${name}_json(t) as record from ${table} t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      ${conditions.map((condition) => `and ${condition}`).join("\n      ")}
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
${
    comment(
      `function crm.${name}_list_by(jsonb, uuid)`,
      `The ids and records of a page of api.${name}_list, for any combination of its filters.`,
    )
  }

create function api.${name}_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner estimates more rows for an unknown limit than any page has, and would therefore plan at every call.
set plan_cache_mode = 'force_generic_plan'
-- The index of an equality ends with the id, so that a page is read in its order. The planner has statistics only of
-- all workspaces together, and would often read and sort all rows of a workspace instead.
set enable_bitmapscan = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids uuid[];
  v_records json[];
begin
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  case crm.filters_of(p_args)
${[branch(required), ...alone.map((filter) => branch([filter]))].join("\n")}
    else
      select page.ids, page.records into v_ids, v_records from crm.${name}_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
${comment(`function api.${name}_list(jsonb)`, "Returns a page of the list, newest first (spec 4.0).")}`;
}

function pageSql({ name, about }: CrmRecord, conditions: string[]): string {
  return `      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.${name}_json(t) as record from crm.${about.table} t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before${
    conditions.map((condition) => `\n          and ${condition}`).join("")
  }
        order by t.id desc
        limit v_limit + 1
      ) page;`;
}

function equality({ fields }: CrmRecord, name: string, { column = name, through }: Filter): string {
  const sql = fields[name]?.sql ?? "text";
  const value = `p_args ->> '${name}'`;
  if (through !== undefined) return `t.${column} = ${through}(${value})`;
  return `t.${column} = ${sql === "text" ? value : `(${value})::${sql}`}`;
}

function rangeConditions(filter: string, condition: Filter["condition"]): string[] {
  if (condition === undefined) return [];
  if (typeof condition === "string") return [whenSent(filter, condition)];
  return Object.entries(condition).map(([value, sql]) =>
    `(\n        p_args ->> '${filter}' is distinct from '${value}'\n        or ${sql}\n      )`
  );
}

const whenSent = (filter: string, condition: string) => `(not p_args ? '${filter}' or ${condition})`;
