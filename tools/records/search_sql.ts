// The searched text of a record (`q` of its list), and the events that change it.
import type { CrmRecord, RecordSearch } from "../../supabase/functions/_shared/contract/record.ts";
import { commented } from "./sql_text.ts";

/** The function that builds the text of a record. See docs/decisions/0013-search.md. */
export function searchSql(
  { name, about }: CrmRecord,
  { texts, phones = [], spelled = {} }: RecordSearch,
): string {
  const table = `crm.${about.table}`;
  const searched = [
    ...texts.map((column) => `t.${column}`),
    ...Object.entries(spelled).map(([column, through]) => `${through}(t.${column})`),
  ];
  const numbers = phones.map((column) => `t.${column}`);
  const text = commented(
    `create function crm.${name}_text(t ${table}) returns text
language sql immutable
-- Must stay one expression, so that Postgres inlines it: otherwise each search would plan it.
as $$ select crm.search_text(array[${searched.join(", ")}], array[${numbers.join(", ")}]::text[]) $$;`,
    "The searched text of the record.",
  );
  return `${text}

create trigger forget_text after delete on ${table} for each row execute function crm.forget_text('${name}');`;
}

/** The function that tells whose text an event changes. */
export function textChangedSql(records: readonly CrmRecord[]): string {
  const searched = records.flatMap((record) =>
    record.about.search ? [[record, record.about.search] as const] : []
  );
  const kinds = searched.map(([{ name }, { texts, phones = [] }]) =>
    `    when '${name}.created' then '${name}'
    when '${name}.updated' then
      case when p_facts -> 'changed_fields' ?| array[${
      [...texts, ...phones, "tags", "custom_fields"].map((column) => `'${column}'`).join(", ")
    }]
        then '${name}'
      end`
  );
  return commented(
    `create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable as $$
  select case p_event
${kinds.join("\n")}
  end
$$;`,
    "The kind of the record whose searched text, tags or custom fields an event changes; null if it changes none.",
  );
}
