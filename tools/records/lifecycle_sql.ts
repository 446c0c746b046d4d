// The SQL of records that can be archived, merged or erased.
import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { columns, commented } from "./sql_text.ts";

/** Whether the record can be merged into another one. */
export const isMergeable = ({ fields }: CrmRecord) => "merged_into_id" in fields;

/** Whether the personal fields of the record can be erased. */
export const isErasable = ({ about }: CrmRecord) => about.erased !== undefined;

const MERGED =
  "if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;";

/** Statements that raise an error if the row `t`, which the function has read, is merged or erased. */
export function refusalsSql(record: CrmRecord): string {
  const erased = "\n  if t.erased_at is not null then perform api.fail('record_erased'); end if;";
  return `${isMergeable(record) ? `\n  ${MERGED}` : ""}${isErasable(record) ? erased : ""}`;
}

/** The errors not_found and those of {@link refusalsSql}, for the comments of the functions. */
export function refusals(record: CrmRecord): string {
  return [
    "not_found",
    ...(isMergeable(record) ? ["record_merged"] : []),
    ...(isErasable(record) ? ["record_erased"] : []),
  ].join(", ");
}

/** The functions that archive, restore, merge and erase the record, as far as it declares them. */
export function lifecycleSql(record: CrmRecord): string[] {
  return [
    ...(record.about.sql?.includes("archive") ? [archiveSql(record), restoreSql(record)] : []),
    ...(isMergeable(record) ? [fillSql(record), survivorSql(record)] : []),
    ...(isErasable(record) ? [eraseSql(record)] : []),
  ];
}

function archiveSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  return commented(
    `create function api.${name}_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t ${table};
begin
  update ${table} r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from ${table} r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then perform api.fail('not_found'); end if;${isMergeable(record) ? `\n    ${MERGED}` : ""}
  end if;
  return crm.${name}_json(t);
end
$$;`,
    "Archives the record and returns it; an archived record stays as it is. " +
      `Raises not_found${isMergeable(record) ? ", record_merged" : ""}.`,
  );
}

function restoreSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  return commented(
    `create function api.${name}_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t ${table} := crm.${name}_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update ${table} r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.${name}_json(t);
end
$$;`,
    "Restores the record and returns it; a record in use stays as it is. Raises " +
      `${refusals(record)}.`,
  );
}

/** The fields of which both values are kept, each with the function that joins the two values. */
const JOINED: Readonly<Record<string, string>> = {
  custom_fields: "crm.filled_custom_fields",
  tags: "crm.joined_tags",
};

function fillSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  const lines = emptyable(record).map((field) => {
    // An empty text counts as empty too.
    if (record.fields[field]!.sql === "text") {
      return `  t.${field} := coalesce(nullif(t.${field}, ''), other.${field}, t.${field});`;
    }
    return `  t.${field} := ${JOINED[field] ?? "coalesce"}(t.${field}, other.${field});`;
  });
  return commented(
    `create function crm.${name}_filled(t ${table}, other ${table}) returns ${table}
language plpgsql immutable set search_path = '' as $$
begin
${lines.join("\n")}
  return t;
end
$$;`,
    "The first record, with its empty fields filled from the second.",
  );
}

function survivorSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  return commented(
    `create function crm.${name}_survivor(p_id uuid) returns ${table}
language plpgsql set search_path = '' as $$
declare
  t ${table};
begin
  loop
    -- Waits for a merge of this record that is in progress, then sees its result.
    select r.* into t from ${table} r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;`,
    "The record into which this record was finally merged, or this record itself. The result may be archived" +
      `${isErasable(record) ? " or erased" : ""}. It is locked against merging${
        isErasable(record) ? " and erasing" : ""
      } until the transaction ends.`,
  );
}

function eraseSql(record: CrmRecord): string {
  const { name, about } = record;
  const table = `crm.${about.table}`;
  const kept = Object.entries(about.erased ?? {});
  const cleared = emptyable(record);
  return commented(
    `create function crm.${name}_erase(p_workspace_id uuid, p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update ${table} r
  set (
${columns([...kept.map(([field]) => field), ...cleared, "archived_at", "erased_at"], 4)}
  ) = (
${
      columns([
        ...kept.map(([, value]) => `'${value}'`),
        ...cleared.map(() => "null"),
        "coalesce(r.archived_at, now())",
        "now()",
      ], 4)
    }
  )
  where r.workspace_id = p_workspace_id and r.id = any (p_ids) and r.erased_at is null;
end
$$;`,
    "Clears every field that clients can write, except the owner. The rows stay, because other rows refer to them.",
  );
}

/** The fields that clients write and whose column may be null. */
function emptyable({ fields }: CrmRecord): string[] {
  return Object.entries(fields)
    .filter(([, { written, presence, sql }]) =>
      written === "always" && (presence === "optional" || sql === "text[]")
    )
    .map(([field]) => field);
}
