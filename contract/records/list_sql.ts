// The verb of a list (spec 4.0). It has one statement without a filter, one for each equality filter, and one for any
// other combination of filters.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import type { Filter } from "../../supabase/functions/_shared/contract/record_fields.ts";
import { comment } from "./sql_text.ts";

/** Conditions of the range filters that every list has. */
const RANGES: Readonly<Record<string, string>> = {
  since: "t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz)",
  updated_since: "t.updated_at >= (p_args ->> 'updated_since')::timestamptz",
};

/**
 * The indexes of the list: one for each equality filter, and one for `updated_since`. Each index begins with the
 * workspace and the required filters, and ends with the id, so that it returns a page in order.
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

/** `api.<name>_list`, and `crm.<name>_list_by` for range filters and combinations of filters. */
export function listSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  const filters = Object.entries(record.filters);
  const equalities = filters.filter(([, { condition }]) => condition === undefined);
  const required = equalities.filter(([, filter]) => filter.required);
  const optional = equalities.filter(([, filter]) => !filter.required);
  const branch = (given: typeof equalities) =>
    `    when '{${given.map(([filter]) => filter).sort().join(",")}}' then
${pageSql(record, given.map(([filter, declared]) => equality(record, filter, declared)))}`;

  const conditions = [
    ...equalities.map(([filter, declared]) => ifPresent(filter, equality(record, filter, declared))),
    ...filters.flatMap(([filter, { condition }]) => rangeConditions(filter, condition)),
    ...Object.entries(RANGES).map(([filter, condition]) => ifPresent(filter, condition)),
  ];

  return `create function crm.${name}_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
language plpgsql stable
set search_path = ''
-- A plan for the values of each call omits the absent filters, and chooses an index for the given bounds.
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
      `Returns the ids and records of a page of api.${name}_list, for any combination of its filters.`,
    )
  }

create function api.${name}_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner overestimates the rows of a page with an unknown limit. It would find a generic plan too costly, and so
-- plan every call.
set plan_cache_mode = 'force_generic_plan'
-- The index of an equality filter ends with the id, so that it returns a page in order. The planner has statistics of
-- all workspaces together but of no single one, and would otherwise collect and sort every matching row.
set enable_bitmapscan = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids uuid[];
  v_records json[];
begin
  -- Each filter has its own statement with a cached plan: one cached plan for all filters could not use their indexes.
  case crm.filters_of(p_args)
${[branch(required), ...optional.map((filter) => branch([...required, filter]))].join("\n")}
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
  const sent = `p_args ->> '${name}'`;
  if (through !== undefined) return `t.${column} = ${through}(${sent})`;
  return `t.${column} = ${sql === "text" ? sent : `(${sent})::${sql}`}`;
}

function rangeConditions(filter: string, condition: Filter["condition"]): string[] {
  if (condition === undefined) return [];
  if (typeof condition === "string") return [ifPresent(filter, condition)];
  return Object.entries(condition).map(([value, sql]) =>
    `(p_args ->> '${filter}' is distinct from '${value}' or ${sql})`
  );
}

const ifPresent = (filter: string, condition: string) => `(not p_args ? '${filter}' or ${condition})`;
