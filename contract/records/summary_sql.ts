// The sums of the records that a list would have (docs/decisions/0030-lists-that-answer.md).
import type { CrmRecord, RecordSummary } from "../../supabase/functions/_shared/contract/record.ts";
import { bound, matchedColumns, matches, ranges } from "./filters.ts";
import { chooseWay, variables } from "./list_by_sql.ts";
import { requireKnown } from "./list_sql.ts";
import { comment, indent } from "./sql_text.ts";
import { ways } from "./walks.ts";

/** `api.<name>_summary`. */
export function summarySql(record: CrmRecord, { groups, sums, most }: RecordSummary): string {
  const { name, about } = record;
  const columns = [...new Set([...matchedColumns(record), ...groups, ...sums])];
  const steps = { columns, before: "v_before", from: "v_from", limit: "c_most + 1" };
  const walks = ways(record).map(({ name, rows }) => rows({ ...steps, only: `v_by = '${name}'` }));
  const ofRanges = [...ranges(record)].map(([column, filters]) =>
    `select ${["id", ...columns].map((column) => `t.${column}`).join(", ")} from crm.${about.table} t
where v_by = '${column}'
  and t.workspace_id = crm.current_workspace_id()
  and ${filters.map(bound).join("\n  and ")}
order by t.${column} desc
limit c_most + 1`
  );
  const group = groups.map((column) => `t.${column}`).join(", ");
  const keys = [...groups, "count", ...sums];
  return `create function api.${name}_summary(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.${name}_list.
set enable_sort = off
set jit = off
as $$
declare
  c_most constant integer := ${most};
${variables(record).map((line) => `  ${line}`).join("\n")}
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_by text;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz);
  end if;
${chooseWay(record, { before: "v_before", from: "v_from", step: "250" })}
  -- By a range that was sent, if it has few enough rows.
  foreach v_by in array v_ranges || v_by loop
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object(${keys.map((key) => `'${key}', g.${key}`).join(", ")})
          order by ${groups.map((column) => `g.${column}`).join(", ")}
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
        ${["count", ...sums].map((key) => `'${key}', coalesce(sum(g.${key}), 0)`).join(",\n        ")}
      )
    )
    into v_looked, v_summary
    from (
      select
        ${group},
        count(*) as looked,
        count(*) filter (where t.is_match) as count,
        ${
    sums.map((sum) => `coalesce(sum(t.${sum}) filter (where t.is_match), 0) as ${sum}`).join(",\n        ")
  }
      from (
        select
          ${[...groups, ...sums].map((column) => `t.${column}`).join(", ")},
          (t.id < v_before and t.id >= v_from
            and ${matches(record).join("\n            and ")}) as is_match
        from (
${
    [...walks, ...ofRanges].map((sql) => `          (\n${indent(sql, 12)}\n          )`).join(
      "\n          union all\n",
    )
  }
        ) t
      ) t
      group by ${group}
    ) g;
    if coalesce(v_looked, 0) <= c_most then
${
    requireKnown(record, "v_summary #>> '{totals,count}' = '0'").replaceAll(/^(?=.)/gm, "    ")
  }      return v_summary;
    end if;
  end loop;
  perform api.fail('too_many_records');
end
$$;
${
    comment(
      `function api.${name}_summary(jsonb)`,
      `Counts and adds up the records that the list with the same filters has, by ${
        groups.join(", ")
      }. It looks through ` +
        `${
          most.toLocaleString("en-US")
        } records at most, so that a call costs as much whatever the workspace has; raises ` +
        "too_many_records where that is not enough.",
    )
  }`;
}
