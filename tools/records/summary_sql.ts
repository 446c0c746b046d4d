// Sums over the records of a list (docs/decisions/0012-lists-that-end.md).
import type { CrmRecord, RecordSummary } from "../../supabase/functions/_shared/contract/record.ts";
import { requireKnown } from "./list_sql.ts";
import { columns, commented } from "./sql_text.ts";

/** `api.<name>_summary`. */
export function summarySql(record: CrmRecord, { groups, sums, most }: RecordSummary): string {
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
${requireKnown(record, "v_summary #>> '{totals,count}' = '0'")}  return v_summary;
end
$$;`,
    `function api.${name}_summary(jsonb)`,
    `Counts and adds up the records of the list with the same filters, by ${
      groups.join(", ")
    }. Reads at most ` +
      `${
        most.toLocaleString("en-US")
      } records, which bounds the cost of a call; raises too_many_records if there are more.`,
  );
}
