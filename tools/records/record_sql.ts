// The SQL of a record: its public type and JSON, insert, save, get, list with filters.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import type { Field } from "../../supabase/functions/_shared/contract/record_fields.ts";
import { endpoints } from "../resources.ts";
import { isMergeable, lifecycleSql, refusals, refusalsSql } from "./lifecycle_sql.ts";
import { indexesSql, listSql } from "./list_sql.ts";
import { columns, comment, commented } from "./sql_text.ts";

/** The SQL that is written for a record, beside the schema file of its table. */
export function recordSql(record: CrmRecord): string {
  const { sql = [], views = {} } = record.about;
  return [
    jsonSql(record, record.name, record.about.text.description_en, Object.keys(record.fields)),
    ...Object.values(views).map((view) => jsonSql(record, view.name, view.text.description_en, view.fields)),
    ...(sql.includes("insert") ? [insertSql(record)] : []),
    ...(sql.includes("save") ? [lockSql(record), saveSql(record)] : []),
    ...lifecycleSql(record),
    ...(sql.includes("get") ? [getSql(record)] : []),
    ...(sql.includes("list") ? [indexesSql(record), listSql(record)] : []),
  ].join("\n\n");
}

function jsonSql(record: CrmRecord, name: string, text: string, names: readonly string[]): string {
  const fields = names.map((field) => [field, record.fields[field]!] as const);
  const table = `crm.${record.about.table}`;
  const json = commented(
    `create function crm.${name}_json(t ${table}) returns json
language sql stable as $$
  select to_json(row(
${columns(fields.map(([field, declared]) => shownValue(field, declared)), 4)}
  )::api.${name})
$$;`,
    `A row as public JSON, with the fields of api.${name}.`,
  );
  return `create type api.${name} as (
${columns(fields.map(([field, { sql }]) => `${field} ${sql === "timestamptz" ? "text" : sql}`), 2)}
);
${comment(`type api.${name}`, `${text}: its public fields, in order.`)}

${json}`;
}

function shownValue(name: string, { shownAs, sql }: Field): string {
  if (shownAs !== null) return shownAs;
  return sql === "timestamptz" ? `crm.iso(t.${name})` : `t.${name}`;
}

function insertSql(record: CrmRecord): string {
  const { name, about } = record;
  const { alike } = about;
  const table = `crm.${about.table}`;
  const written = insertedColumns(record);
  // Returning the whole row takes a fortieth of the insert's time, so the row is returned only if the reply shows it.
  const [type, made, said] = answersWithId(name)
    ? ["uuid", "new.id", "its id"]
    : ["json", `crm.${name}_json(new)`, "its JSON"];
  return commented(
    `create function crm.${name}_insert(${
      alike ? `t ${table}, out made ${type}, out alike uuid[])` : `t ${table}) returns ${table}`
    }
language plpgsql set search_path = '' as $$
begin
  insert into ${table} as new (
${columns(["workspace_id", ...written], 4)}
  )
  values (
${columns(["crm.current_workspace_id()", ...written.map((column) => `t.${column}`)], 4)}
  )
${
      alike
        ? `  returning ${made}, ${alikeSql(table, alike)} into made, alike;`
        : "  returning new.* into t;\n  return t;"
    }
end
$$;`,
    alike
      ? `Creates the record and returns ${said}, and for each compared field up to five similar records in use.`
      : "Creates the record and returns it.",
  );
}

/** For each column, the ids of up to 5 records in use like the new one, which the statement itself does not see. */
function alikeSql(table: string, alike: Readonly<Record<string, string>>): string {
  // Sorted like the index, so that the planner uses the index, whatever the statistics on other workspaces say.
  return Object.entries(alike).map(([column, values]) =>
    `array(
    select o.id from ${table} o
    where o.workspace_id = new.workspace_id and o.${column} = any (${values}) and o.${column} is not null
      and o.archived_at is null
    order by o.${column}, o.id limit 5
  )`
  ).join(" || ");
}

/** Any valid id, to find out whether a reply needs no other field. */
const ID = "00000000-0000-7000-8000-000000000000";

function answersWithId(name: string): boolean {
  return endpoints.some(({ route: { endpoint: { verb, reply } } }) =>
    verb === `${name}_create` && reply?.safeParse({ id: ID }).success
  );
}

/** The function that inserts the records of a batch, with a branch for each kind of record that has batches. */
export function insertTogetherSql(records: readonly CrmRecord[]): string {
  const hasBatch = ({ name }: CrmRecord) =>
    endpoints.some(({ route }) => route.endpoint.verb === `${name}_batch`);
  const branches = records.filter(hasBatch).map((record) =>
    `    when '${record.name}' then
      with made as (
        insert into crm.${record.about.table} (
${columns(["workspace_id", ...insertedColumns(record)], 10)}
        )
        select
${columns(["crm.current_workspace_id()", ...insertedColumns(record).map((column) => `t.${column}`)], 10)}
        from unnest(array(select crm.${record.name}_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;`
  );
  return commented(
    `create function crm.insert_together(p_record text, p_items jsonb[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  case p_record
${branches.join("\n")}
  end case;
  return v_ids;
end
$$;`,
    "Creates the records of a batch by one insert, because half the time of an insert is a fixed cost. Returns their " +
      "ids in order.",
  );
}

const insertedColumns = ({ fields }: CrmRecord) => namesOf(fields, ["always", "on create", "by the verb"]);

function lockSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  return commented(
    `create function crm.${name}_lock(p_id uuid, p_if_match jsonb default null) returns ${table}
language plpgsql set search_path = '' as $$
declare
  t ${table};
begin
  select * into t from ${table} r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;${refusalsSql(record)}
  if p_if_match is not null and not p_if_match ? crm.version(crm.${name}_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;`,
    "Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all " +
      `kept. Raises ${
        refusals(record)
      }, and precondition_failed if p_if_match, a list of versions, lacks the record's version.`,
  );
}

function saveSql({ name, about, fields }: CrmRecord): string {
  const table = `crm.${about.table}`;
  const written = namesOf(fields, ["always", "on update", "by an action"]);
  return commented(
    `create function crm.${name}_save(t ${table}) returns ${table}
language plpgsql set search_path = '' as $$
begin
  update ${table} as saved
  set (
${columns(written, 4)}
  ) = (
${columns(written.map((column) => `t.${column}`), 4)}
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;`,
    "Writes the changeable fields, and returns the updated row.",
  );
}

function getSql(record: CrmRecord): string {
  const { name, about } = record;
  const found = `from crm.${about.table} t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid`;
  if (isMergeable(record)) {
    return commented(
      `create function api.${name}_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.${name}_json(t), t.merged_into_id into v_record, v_merged_into_id ${found};
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.expanded(crm.require_record(v_record), p_args -> 'expand');
end
$$;`,
      "Returns one record; raises not_found, merged.",
    );
  }
  return commented(
    `create function api.${name}_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.expanded(crm.require_record((
    select crm.${name}_json(t) ${found.replace("\n", "\n  ")}
  )), p_args -> 'expand');
end
$$;`,
    "Returns one record; raises not_found.",
  );
}

function namesOf(fields: CrmRecord["fields"], writers: readonly Field["written"][]): string[] {
  return Object.entries(fields).filter(([, { written }]) => writers.includes(written)).map(([name]) => name);
}
