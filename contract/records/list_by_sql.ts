// The ids of a page for the filters that no index serves in the order of a list: ranges, and several filters at once.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import {
  argument,
  columnOf,
  conditions,
  equalities,
  type NamedFilter,
  optional,
  ranges,
  required,
  typeOf,
  walk,
} from "./filters.ts";
import { comment } from "./sql_text.ts";

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
  -- Whether no other filter was sent, so that all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
${chooseEquality(record)}
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where ${matches(record).join("\n        and ")}
    )
    into v_walked, v_matches
    from (
${walks(record).join("\n      union all\n")}
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
        if v_alone then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        end if;
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

/** The rows of a walk by an equality, or of the whole list. */
function walkSql(record: CrmRecord, before: string, filter?: NamedFilter) {
  return walk([...required(record), ...(filter ? [filter] : [])], {
    value: ({ name }) => `v_${name}`,
    before,
    from: "p_from",
  });
}

/** The arguments as variables, because a parameter costs less in a condition than a function of one. */
function variables(record: CrmRecord): string[] {
  const bounds = [...ranges(record)];
  const sent = [
    ...conditions(record).filter(({ indexed }) => indexed).map(({ name, indexed }) =>
      `case when v_${name} = '${indexed!.value}' then '${name}' end`
    ),
    ...bounds.map(([column, filters]) => {
      const names = filters.map(({ name }) => `'${name}'`).join(", ");
      return `case when p_args ?| array[${names}] then '${column}' end`;
    }),
  ];
  return [
    ...equalities(record).map((filter) =>
      `v_${filter.name} ${typeOf(record, filter)} := ${argument(record, filter)};`
    ),
    ...conditions(record).map(({ name }) => `v_${name} text := p_args ->> '${name}';`),
    ...bounds.flatMap(([, filters]) =>
      filters.map((filter) =>
        `v_${filter.name} timestamptz := coalesce(${argument(record, filter)}, '${unbounded(filter)}');`
      )
    ),
    `v_ranges text[] := array_remove(array[\n    ${sent.join(",\n    ")}\n  ], null);`,
  ];
}

const unbounded = ({ range }: NamedFilter) => range!.operator === "<" ? "infinity" : "-infinity";

const bound = ({ name, range }: NamedFilter) => `t.${range!.column} ${range!.operator} v_${name}`;

/** The equality by which the rows are walked. */
function chooseEquality(record: CrmRecord): string {
  const reaches = optional(record).map((filter) => {
    const { conditions, order } = walkSql(record, "p_before", filter);
    return `    select '${filter.name}' as name, (
      select t.id from crm.${record.about.table} t
      where ${conditions.join("\n        and ")}
      order by ${order}
      offset p_step limit 1
    ) as reach
    where v_${filter.name} is not null`;
  });
  return `  -- By the equality with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
${reaches.join("\n    union all\n")}
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');`;
}

/** The conditions of all filters that are not required: each is true where the filter is absent. */
function matches(record: CrmRecord): string[] {
  return [
    ...optional(record).map((filter) =>
      `(v_${filter.name} is null or t.${columnOf(filter)} = v_${filter.name})`
    ),
    ...conditions(record).flatMap(({ name, condition }) =>
      Object.entries(condition!).map(([value, sql]) => `(v_${name} is distinct from '${value}' or ${sql})`)
    ),
    ...[...ranges(record).values()].flat().map((filter) =>
      `(v_${filter.name} = '${unbounded(filter)}' or ${bound(filter)})`
    ),
  ];
}

/** The ways to walk, of which a step takes one. */
function walks(record: CrmRecord): string[] {
  const columns = [
    ...new Set([...optional(record).map(columnOf), ...ranges(record).keys()]),
  ].map((column) => `t.${column}`).join(", ");
  const rows = (name: string, { conditions, order }: ReturnType<typeof walk>) =>
    `      (
        select t.id, ${columns} from crm.${record.about.table} t
        where v_by = '${name}' and ${conditions.join("\n          and ")}
        order by ${order}
        limit v_rows
      )`;
  const inRange = `      (
        select t.id, ${columns}
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.${record.about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )`;
  return [
    rows("all", walkSql(record, "v_before")),
    ...optional(record).map((filter) => rows(filter.name, walkSql(record, "v_before", filter))),
    inRange,
  ];
}

/** The ids in each range, in its own order, from the index of its column. */
function rangeIds(record: CrmRecord): string[] {
  const leading = required(record).map((filter) => ` and t.${columnOf(filter)} = v_${filter.name}`).join("");
  const ids = (name: string, column: string, conditions: string[], filters: NamedFilter[]) => {
    const served = ["limit", "cursor", "since", ...[...required(record), ...filters].map(({ name }) => name)];
    return `        when '${name}' then
          v_alone := p_args - '{${served.join(",")}}'::text[] = '{}';
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
