// The searched text of a record (`q` of its list), and the functions that keep the texts of all records.
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

/**
 * Functions with a branch for each searched record: one tells whose text an event changes, one writes the texts.
 */
export function searchedSql(records: readonly CrmRecord[]): string {
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
  const kept = searched.map(([{ name, about }]) =>
    `    when '${name}' then
      v_rows := array(
        select row(t.id, t.tags, t.custom_fields, crm.${name}_text(t))::crm.record_keys from crm.${about.table} t
        where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      );`
  );
  const changed = commented(
    `create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable as $$
  select case p_event
${kinds.join("\n")}
  end
$$;`,
    "The kind of the record whose searched text, tags or custom fields an event changes; null if it changes none.",
  );
  const keep = commented(
    `create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  v_rows crm.record_keys[];
begin
  if p_record <> all ('{${searched.map(([{ name }]) => name).join(",")}}') then return; end if;
  perform crm.lock_texts_of(p_workspace_id);
  case p_record
${kept.join("\n")}
  end case;
  insert into crm.search_texts as kept (workspace_id, record, id, text)
  select p_workspace_id, p_record, r.id, r.search_text from unnest(v_rows) r
  on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
  perform crm.keep_values(p_workspace_id, p_record, v_rows);
end
$$;`,
    "Writes the current searched texts and indexed values of records. Does nothing for a kind of records without search.",
  );
  return `${changed}\n\n${keep}`;
}
