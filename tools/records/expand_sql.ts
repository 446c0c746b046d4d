// The names that the parameter `expand` adds to records.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { commented } from "./sql_text.ts";

/** The columns of each table that `expand` shows besides the id. The schema is `Expanded` in contract/reference.ts. */
const SHOWN: Readonly<Record<string, string>> = {
  deals: "'name', t.title",
  stages: "'name', t.name, 'type', t.type",
};

/**
 * The tables whose records `expand` names only for a key with the scope `<table>:read`. It names members, pipelines,
 * stages and loss reasons for every key.
 */
const BY_SCOPE = new Set(["deals", "contacts", "companies"]);

/** `crm.expanded`, with a branch for each name that some record can expand. */
export function expandSql(records: readonly CrmRecord[]): string {
  const tables = new Map(records.flatMap(({ expansions }) => Object.entries(expansions)));
  const names = [...tables].map(([name, { field, table }]) =>
    `      case when p_names ? '${name}' then '"${name}" : ' || coalesce((
        select json_build_object('id', t.id, ${SHOWN[table] ?? "'name', t.name"})::text from crm.${table} t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> '${field}')::uuid${
      BY_SCOPE.has(table) ? ` and v_scopes ? '${table}:read'` : ""
    }
      ), 'null') end`
  );
  const byScope = [...tables].filter(([, { table }]) => BY_SCOPE.has(table)).map(([name]) => name);
  const many = commented(
    `create function crm.expanded(p_records json[], p_names jsonb) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_scopes jsonb := case when p_names ?| '{${byScope}}' then crm.own_key() #> '{key,scopes}' end;
begin
  return (
    select array_agg(crm.with_fields(r.record, ('{' || concat_ws(',',
${names.join(",\n")}
    ) || '}')::json) order by r.position)
    from unnest(p_records) with ordinality r (record, position)
    -- Without the offset, the planner would copy the cast to each name, and Postgres would parse the record each time.
    cross join lateral (select r.record::jsonb as fields offset 0) j
  );
end
$$;`,
    "Adds to each record what p_names lists: for owner, the id and name of the record in owner_id; null if the key may " +
      "not read that kind of record. p_names has at least one name.",
  );
  const one = commented(
    `create function crm.expanded(p_record json, p_names jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_array_length(p_names) > 0 then return (crm.expanded(array[p_record], p_names))[1]; end if;
  return p_record;
end
$$;`,
    "Adds the named records to one record; p_names may be null or empty.",
  );
  return `${many}\n\n${one}`;
}
