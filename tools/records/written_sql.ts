// The SQL that is generated from the records, events and verbs, by schema file.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { EVENTS, isEventType } from "../../supabase/functions/_shared/contract/events.ts";
import type { Reference } from "../../supabase/functions/_shared/contract/record_fields.ts";
import { endpoints } from "../resources.ts";
import { expandSql } from "./expand_sql.ts";
import { listFiltersSql } from "./list_filters_sql.ts";
import { isErasable, isMergeable } from "./lifecycle_sql.ts";
import { insertTogetherSql, recordSql } from "./record_sql.ts";
import { records } from "./records.ts";
import { sampleSql } from "./sample_sql.ts";
import { columns, commented } from "./sql_text.ts";
import { textChangedSql } from "./search_sql.ts";
import { upsertSql } from "./upsert_sql.ts";

/** The SQL that `deno task records` writes, by the schema file beside which the task writes it. */
export function writtenSql(): Map<string, string> {
  const sql = new Map<string, string[]>();
  const add = (concern: string, text: string) => sql.set(concern, [...sql.get(concern) ?? [], text]);
  add("door", runVerbSql("api"));
  add("records", eventTypesSql());
  add("records", referencesSql(records));
  add("records", expandSql(records));
  add("lists", listFiltersSql(records));
  // Stages come first, because a pipeline's public type contains theirs.
  for (const record of records.toSorted((a, b) => Number(b.name === "stage") - Number(a.name === "stage"))) {
    const concern = CONCERNS[record.name] ?? record.about.table;
    add(concern, recordSql(record));
    if (record.about.upsert) add(concern, upsertSql(record));
  }
  add("events", sampleSql());
  add("events", changedFieldNamesSql());
  add("search_pages", textChangedSql(records));
  add("batches", insertTogetherSql(records));
  add("app_door", runVerbSql("app"));
  return new Map([...sql].map(([concern, texts]) => [concern, texts.join("\n\n")]));
}

/** The names of schema files, for records whose table has another name. */
const CONCERNS: Record<string, string> = { stage: "pipelines", subscription: "subscriptions" };

function referencesSql(records: readonly CrmRecord[]): string {
  const tables = new Map<string, string>();
  for (const record of records) {
    for (const [name, { references }] of Object.entries(record.fields)) {
      if (references === null) continue;
      const sql = referenceSql(records, references);
      if ((tables.get(name) ?? sql) !== sql) throw new Error(`"${name}" refers to two tables`);
      tables.set(name, sql);
    }
  }
  const names = [...tables.keys()].sort();
  return commented(
    `create function crm.require_references(p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid;
  v_field text;
  v_id uuid;
  v_missing text[] := '{}';
begin
  -- Skip the loop for most creations, which refer to no record.
  if not p_args ?| '{${names.join(",")}}' then return p_args; end if;
  v_workspace_id := crm.current_workspace_id();
  foreach v_field in array array[${names.map((name) => `'${name}'`).join(", ")}] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
${names.map((name) => `      when '${name}' then\n        ${tables.get(name)};`).join("\n")}
    end case;
    if not found then v_missing := v_missing || v_field; end if;
  end loop;
  if v_missing <> '{}' then perform api.fail('invalid_reference', v_missing); end if;
  return p_args;
end
$$;`,
    "Returns the arguments; raises invalid_reference with every field whose record is outside the workspace, inactive, " +
      "merged or erased. Locks contacts and companies until the transaction ends, as their foreign keys would do later.",
  );
}

/** The statement that looks for the record to which a field refers. */
function referenceSql(records: readonly CrmRecord[], { table, active }: Reference): string {
  const record = records.find(({ about }) => about.table === table);
  const conditions = [
    ...(active ? ["t.is_active"] : []),
    ...(record && isMergeable(record) ? ["t.merged_into_id is null"] : []),
    ...(record && isErasable(record) ? ["t.erased_at is null"] : []),
  ];
  const where = ["t.workspace_id = v_workspace_id", "t.id = v_id", ...conditions].join(" and ");
  return record && isMergeable(record)
    ? `perform from crm.${table} t\n        where ${where}\n        for key share`
    : `perform from crm.${table} t where ${where}`;
}

function eventTypesSql(): string {
  const events = Object.entries(EVENTS);
  return `create type crm.event_type as enum (
${columns(events.map(([event]) => `'${event}'`), 2)}
);
comment on type crm.event_type is 'The event catalogue of spec 6.1.';

create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null,
  is_change boolean not null
);
comment on table crm.event_types is 'The type of object of each event (spec 6.2).';
comment on column crm.event_types.is_change is
  'Whether the change log shows the event. The log shows one event for each change, but no event that repeats a change '
  'and none that time causes.';
alter table crm.event_types enable row level security, force row level security;
create policy "Every caller reads the catalogue" on crm.event_types for select to crm_api, crm_app using (true);
insert into crm.event_types (event, object_type, is_change) values
${columns(events.map(([event, { object, change }]) => `('${event}', '${object}', ${change})`), 2)};`;
}

/** Fields that never change, because they identify the record; and updated_at, which every change sets. */
const NOT_CHANGES = ["id", "workspace_id", "updated_at"];

/** The SQL function with all names that changed_fields of an event can have. */
function changedFieldNamesSql(): string {
  const names = records.filter(({ name }) => isEventType(`${name}.updated`))
    .flatMap(({ fields }) => Object.keys(fields).filter((field) => fields[field]!.stored))
    .filter((field) => !NOT_CHANGES.includes(field));
  return commented(
    `create function crm.changed_field_names() returns text[]
language sql immutable as $$
  select array[
${columns([...new Set(names)].sort().map((name) => `'${name}'`), 4)}
  ]
$$;`,
    "The names that changed_fields of an updated event can have, whatever the object, in alphabetical order.",
  );
}

/** The function through which api.call or app.call runs verbs, as the role to which row-level security applies. */
function runVerbSql(schema: "api" | "app"): string {
  const { name, role, callers } = RUNNERS[schema];
  const verbs = endpoints
    .filter(({ route }) => (route.endpoint.gate === "session") === (schema === "app"))
    .flatMap(({ route }) => route.endpoint.verb ?? []);
  const byResource = [...Map.groupBy([...new Set(verbs)].sort(), (verb) => verb.split("_")[0]!)];
  const choice = (verbs: string[]) =>
    `      case p_verb
${verbs.map((verb) => `        when '${verb}' then return ${schema}.${verb}(p_args);`).join("\n")}
      end case;`;
  return commented(
    `create function ${name}(p_verb text, p_args jsonb) returns json
language plpgsql security definer set search_path = '' as $$
begin
  -- 90_rights.sql makes ${role} the owner. If the function were restored under another owner, or altered to
  -- run with the rights of its caller, row-level security would not apply to verbs.
  if current_user <> '${role}' then raise exception '${name} runs as %, not as ${role}', current_user; end if;
  -- Static calls, whose plans Postgres caches, because it would plan a dynamic statement at every call. The resource is
  -- compared first, so that few comparisons run: Postgres prepares each comparison again in every transaction.
  case split_part(p_verb, '_', 1)
${
      byResource.filter(([, verbs]) => verbs.length > 1)
        .map(([resource, verbs]) => `    when '${resource}' then\n${choice(verbs)}`).join("\n")
    }
    else
${choice(byResource.flatMap(([, verbs]) => verbs.length > 1 ? [] : verbs))}
  end case;
end
$$;`,
    `Calls the verb with this name as ${role}, which owns this security definer function. Lists every verb that an ` +
      `endpoint for ${callers} declares.`,
  );
}

const RUNNERS = {
  api: { name: "crm.run_verb", role: "crm_api", callers: "keys or links" },
  app: { name: "crm.run_app_verb", role: "crm_app", callers: "members" },
};
