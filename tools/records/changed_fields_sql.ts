import { isEventType } from "../../supabase/functions/_shared/contract/events.ts";
import { records } from "./records.ts";
import { columns, commented } from "./sql_text.ts";

/** Fields that never change, because they identify the record; and updated_at, which every change sets. */
const NOT_CHANGES = ["id", "workspace_id", "updated_at"];

/** The SQL function with all names that changed_fields of an event can have. */
export function changedFieldNamesSql(): string {
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
