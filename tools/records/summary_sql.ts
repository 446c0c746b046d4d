// Sums over the records of a list (docs/decisions/0012-lists-that-end.md).
import type { CrmRecord, RecordSummary } from "../../supabase/functions/_shared/contract/record.ts";
import { requireKnown } from "./list_sql.ts";
import { columns, commented, literal } from "./sql_text.ts";

/** The verb `api.<name>_summary`. */
export function summarySql(record: CrmRecord, { groups, sums, most, by }: RecordSummary): string {
  const { name } = record;
  const group = (row: string) => groups.map((column) => `${row}.${column}`).join(", ");
  return commented(
    `create function api.${name}_summary(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_summary json;
begin
  v_summary := crm.summary('${name}', p_args, '${
      [...groups, ...sums].map((column) => `, t.${column}`).join("")
    }', ${most}, $sql$
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object(
${columns([...groups, "count", ...sums].map((key) => `'${key}', g.${key}`), 12)}
          )
          order by ${group("g")}
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
${columns(["count", ...sums].map((key) => `'${key}', coalesce(sum(g.${key}), 0)`), 8)}
      )
    )
    from (
      select ${group("w")}, count(*) as looked, count(*) filter (where w.is_counted) as count,
${columns(sums.map((sum) => `coalesce(sum(w.${sum}) filter (where w.is_counted), 0) as ${sum}`), 8)}
      from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%s limit $3) w) w
      group by ${group("w")}
    ) g
  $sql$);
${requireKnown(record, "v_summary #>> '{totals,count}' = '0'")}  if p_args ? 'group_by' then
    v_summary := crm.with_fields(v_summary, json_build_object('groups', crm.summary(
      '${name}', p_args,
      format(
        ', %s as key${sums.map((sum) => `, t.${sum}`).join("")}',
        case p_args ->> 'group_by'
${Object.entries(by).map(([group, { key }]) => `          when '${group}' then ${literal(key)}`).join("\n")}
        end
      ),
      ${most},
      format($sql$
        select sum(g.looked), coalesce(
          json_agg(
            json_build_object('key', g.key, 'name', %s, 'count', g.count${
      sums.map((sum) => `, '${sum}', g.${sum}`).join("")
    })
            order by g.${sums[0]} desc, g.count desc, g.key
          ) filter (where g.count > 0),
          '[]'
        )
        from (
          select w.key, count(*) as looked, count(*) filter (where w.is_counted) as count,
${columns(sums.map((sum) => `coalesce(sum(w.${sum}) filter (where w.is_counted), 0) as ${sum}`), 12)}
          from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%%s limit $3) w) w
          group by w.key
        ) g
      $sql$, case p_args ->> 'group_by'
${
      Object.entries(by).flatMap(([group, { names }]) =>
        names === undefined ? [] : [
          `        when '${group}' then
          '(select n.name from crm.${names} n where n.workspace_id = crm.current_workspace_id() and n.id = g.key::uuid)'`,
        ]
      ).join("\n")
    }
        else 'g.key'
      end)
    )));
  end if;
  return v_summary;
end
$$;`,
    `Counts and adds up the records of the list with the same filters, by ${
      groups.join(", ")
    }, and with group_by also by one of ${Object.keys(by).join(", ")}. Reads at most ` +
      `${
        most.toLocaleString("en-US")
      } records, which bounds the cost of a call; raises too_many_records if there are more.`,
  );
}
