// The ids of a page for the filters that no index serves in the order of a list: ranges, and several filters at once.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import {
  always,
  bound,
  columnOf,
  conditions,
  declarations,
  hiding,
  matchedColumns,
  matches,
  type NamedFilter,
  ranges,
  required,
} from "./filters.ts";
import { comment, indent } from "./sql_text.ts";
import { type Way, ways } from "./walks.ts";

/** `crm.<name>_list_by`. docs/decisions/0016-bounded-lists.md says how it works, and why. */
export function listBySql(record: CrmRecord): string {
  const { name } = record;
  return `create function crm.${name}_list_by(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.${name}_list. The few sorts that are left would count as expensive enough to compile.
set enable_sort = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
${variables(record).map((line) => `  ${line}`).join("\n")}
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that ${
    always(record).length > 0 ? "nearly all" : "all"
  } rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
${chooseWay(record, { before: "p_before", from: "p_from", step: "p_step" })}
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where ${matches(record).join("\n        and ")}
    )
    into v_walked, v_matches
    from (
${[...walks(record, ways(record)), walkOfRange(record)].join("\n      union all\n")}
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
${rangeIds(record).join("\n")}
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
${alone(record)}
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;
${
    comment(
      `function crm.${name}_list_by(jsonb, uuid, uuid, integer)`,
      `The ids of a page of api.${name}_list, more than its limit if there are as many, for any combination of its ` +
        "filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.",
    )
  }`;
}

/** The arguments as variables, and the ranges that were sent. */
export const variables = (record: CrmRecord): string[] => [...declarations(record), sentRanges(record)];

/** The ranges that were sent, by their column or, if the column has an index for a condition, by the filter of that. */
function sentRanges(record: CrmRecord): string {
  const sent = [
    ...conditions(record).filter(({ indexed }) => indexed).map(({ name, indexed }) =>
      `case when v_${name} = '${indexed!.value}' then '${name}' end`
    ),
    ...[...ranges(record)].map(([column, filters]) => {
      const names = filters.map(({ name }) => `'${name}'`).join(", ");
      return `case when p_args ?| array[${names}] then '${column}' end`;
    }),
  ];
  return `v_ranges text[] := array_remove(array[\n    ${sent.join(",\n    ")}\n  ], null);`;
}

/** Chooses the way with the fewest rows as far as a step goes, or that of all rows, as `v_by`. */
export function chooseWay(
  record: CrmRecord,
  { before, from, step }: Record<"before" | "from" | "step", string>,
) {
  const steps = { columns: [], before, from, offset: step, limit: "1" };
  const reaches = ways(record).filter(({ sent }) => sent !== null).map(({ name, sent, rows }) =>
    `    select '${name}' as name, (
${indent(rows(steps), 6)}
    ) as reach
    where ${sent}`
  );
  return `  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
${reaches.join("\n    union all\n")}
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');`;
}

/** What is done with a range that is the only filter. */
function alone(record: CrmRecord): string {
  const all = `          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;`;
  if (always(record).length === 0) return `        if v_alone then\n${all}\n        end if;`;
  const none = hiding(record).map(({ name, all }) => `v_${name} = '${all}'`).join(" and ");
  // The rows have to be looked at for what holds for every list, but hardly more of them than the page has.
  return `        if v_alone and ${none} then
${all}
        elsif v_alone then
          v_rows := least(v_rows, v_limit + 51);
        end if;`;
}

/** The walks of some ways, of which a step takes that of `v_by`. */
export function walks(record: CrmRecord, some: Way[], columns = matchedColumns(record)): string[] {
  return some.map(({ name, rows }) =>
    branch(rows({ columns, before: "v_before", from: "p_from", only: `v_by = '${name}'`, limit: "v_rows" }))
  );
}

/** The walk of the rows in the range that was chosen. */
function walkOfRange(record: CrmRecord): string {
  const columns = matchedColumns(record);
  return branch(`select t.id, ${columns.map((column) => `t.${column}`).join(", ")}
from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
join crm.${record.about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
where v_by = 'range'
order by chosen.position`);
}

const branch = (sql: string) => `      (\n${indent(sql, 8)}\n      )`;

/** The ids in each range, in its own order, from the index of its column. */
function rangeIds(record: CrmRecord): string[] {
  const leading = required(record).map((filter) => ` and t.${columnOf(filter)} = v_${filter.name}`).join("");
  const ids = (name: string, column: string, conditions: string[], filters: NamedFilter[]) => {
    const names = [...required(record), ...filters, ...hiding(record)].map(({ name }) => name);
    const served = ["limit", "cursor", "since", "until", ...names];
    const often = hiding(record).map(({ name, only }) => ` and v_${name} <> '${only}'`).join("");
    return `        when '${name}' then
          v_alone := p_args - '{${served.join(",")}}'::text[] = '{}'${often};
          v_in_range := array(
            select t.id from crm.${record.about.table} t
            where t.workspace_id = crm.current_workspace_id()${leading}
              ${conditions.map((condition) => `and ${condition}`).join("\n              ")}
            order by t.${column} desc
            limit 10 * p_step + 1
          );`;
  };
  const bounds = ranges(record);
  const indexed = conditions(record).filter(({ indexed }) => indexed).map((filter) => {
    const { value, column } = filter.indexed!;
    const within = bounds.get(column) ?? [];
    return ids(filter.name, column, [filter.condition![value]!, ...within.map(bound)], [filter, ...within]);
  });
  return [
    ...indexed,
    ...[...bounds].map(([column, filters]) => ids(column, column, filters.map(bound), filters)),
  ];
}
