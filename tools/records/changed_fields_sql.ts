import type { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { isEventType } from "../../supabase/functions/_shared/contract/events.ts";
import { columns, commented } from "./sql_text.ts";
import { records } from "./records.ts";

/** Fields that identify the record, so they never change, and updated_at, which every change sets. */
const NOT_CHANGES = ["id", "workspace_id", "updated_at"];

/** The SQL function that finds the changed fields for `updated` events; null for a record without such an event. */
export function changedFieldsSql({ name, about, fields }: CrmRecord): string | null {
  if (!isEventType(`${name}.updated`)) return null;
  const table = `crm.${about.table}`;
  const names = changingFields(fields);
  const cases = names.map((field) => `case when a.${field} is distinct from b.${field} then '${field}' end`);
  return commented(
    `create function crm.changed_fields(a ${table}, b ${table}) returns text[]
language sql immutable as $$
  select array_remove(array[
${columns(cases, 4)}
  ], null)
$$;`,
    "The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed " +
      "fields.",
  );
}

/** The SQL function with all names that changed_fields can have, for the filter of a subscription. */
export function changedFieldNamesSql(): string {
  const changing = records.filter(({ name }) => isEventType(`${name}.updated`));
  const names = [...new Set(changing.flatMap(({ fields }) => changingFields(fields)))].sort();
  return commented(
    `create function crm.changed_field_names() returns text[]
language sql immutable as $$
  select array[
${columns(names.map((name) => `'${name}'`), 4)}
  ]
$$;`,
    "The names that changed_fields of an updated event can have, whatever the object.",
  );
}

function changingFields(fields: CrmRecord["fields"]): string[] {
  return Object.entries(fields)
    .filter(([field, { stored }]) => stored && !NOT_CHANGES.includes(field))
    .map(([field]) => field)
    .sort();
}
