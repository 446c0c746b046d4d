// The verb of an upsert: finds the record by a value, then changes it like PATCH or creates it like POST.
import { atLeastOneText, type CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { argument, equalities, type NamedFilter } from "./filters.ts";
import { isErasable, isMergeable } from "./lifecycle_sql.ts";
import { columns, commented, conjunction } from "./sql_text.ts";
import { walk } from "./walks.ts";

/** `api.<name>_upsert`, and `crm.<name>_match`, which looks for the record. */
export function upsertSql(record: CrmRecord): string {
  const { name, about } = record;
  const { by, foundBy = [] } = about.upsert!;
  const locked = [...by, ...foundBy].map((field) => filterOf(record, field));
  const merged = isMergeable(record);
  const match = commented(
    `create function crm.${name}_match(p_args jsonb${
      merged ? ", p_merged boolean default false" : ""
    }) returns uuid[]
language plpgsql set search_path = ''
-- 21_lists.sql explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_value text := p_args ->> (p_args ->> 'match_by');
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
${by.map((field) => matchSql(record, filterOf(record, field))).join("\n")}
  end case;
end
$$;`,
    `The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A search ` +
      `by external_id also finds archived records.${
        merged
          ? " p_merged: looks at merged records instead, and returns the ids of the records they were merged into."
          : ""
      }`,
  );
  const upsert = commented(
    `create function api.${name}_upsert(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - '{match_by,dry_run}'::text[];
  v_ids uuid[];
  v_kept text[] := '{}';
  v_reply json;
  v_record json;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
${columns(locked.map((filter) => `'${name} ${filter.name}', ${argument(record, filter)}`), 4)}
  ));
  v_ids := crm.${name}_match(p_args);
${merged ? survivorsSql(record) : ""}  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
${
      phonesSql(record)
    }    v_reply := api.${name}_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
${requiredSql(record)}
  v_reply := api.${name}_create(v_sent);
  select crm.${name}_json(t) into v_record from crm.${about.table} t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;`,
    `Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record ` +
      `with created, matched_by and differences (the fields that were not written). ${
        merged
          ? "If only merged records have the value, changes the record they were merged into, except that field. "
          : ""
      }Raises ambiguous_match, validation_error for fields that only a creation requires, and the codes of ` +
      `api.${name}_update and api.${name}_create.`,
  );
  return `${match}\n\n${upsert}`;
}

function filterOf(record: CrmRecord, field: string): NamedFilter {
  const found = equalities(record).find(({ name }) => name === field);
  if (found === undefined) {
    throw new Error(`An upsert by ${record.name}.${field} needs a filter with an index`);
  }
  return found;
}

function matchSql(record: CrmRecord, filter: NamedFilter): string {
  const { conditions, order } = walk([filter], {
    value: () => "v_value",
    before: "v_beyond",
    from: "v_first",
  });
  const archivedToo = filter.name === "external_id";
  const inUse = (archivedToo ? ["merged_into_id", "erased_at"] : ["archived_at"])
    .filter((field) => field in record.fields)
    .map((field) => `t.${field} is null`)
    .join(" and ");
  const [id, wanted] = isMergeable(record)
    ? [
      "case when p_merged then t.merged_into_id else t.id end",
      `case when p_merged then t.merged_into_id is not null else ${inUse} end`,
    ]
    : ["t.id", inUse];
  // A phone number without a digit, for example, has no value to look for.
  const required = filter.through === undefined ? "" : `
      v_value := ${argument(record, filter)};
      if v_value is null then perform api.fail('validation_error', array['${filter.name}']); end if;`;
  return `    when '${filter.name}' then${required}
      return array(
        select ${id} from crm.${record.about.table} t
        where ${conjunction(wanted === "" ? conditions : [...conditions, wanted], 10)}
        order by ${order.replaceAll(" desc", "")} limit 100
      );`;
}

/** Statements for an upsert that found no record: look for the record into which a matching record was merged. */
function survivorsSql(record: CrmRecord): string {
  const { name } = record;
  const archived = isErasable(record)
    ? "(v_match_by = 'external_id' and s.erased_at is null)"
    : "v_match_by = 'external_id'";
  return `  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.id from unnest(crm.${name}_match(p_args, true)) m (id)) m
      cross join lateral crm.${name}_survivor(m.id) s
      where s.archived_at is null or ${archived}
    );
    if cardinality(v_ids) = 1 then
      -- The record that was found keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
`;
}

/** Statements for an upsert that found its record. They keep a stored phone number that is fuller than the sent one. */
function phonesSql({ name, about }: CrmRecord): string {
  const phones = about.search?.phones?.map((field) => `'${field}'`).join(", ");
  if (!phones) return "";
  return `    if v_sent ?| array[${phones}] then
      -- Locked, so that nobody changes the number between the comparison and the update.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.${name}_lock(v_ids[1])), v_sent - v_kept, array[${phones}]);
    end if;
`;
}

/** Statements that check the fields required by POST. They run only if the upsert creates a record. */
function requiredSql({ about, fields }: CrmRecord): string {
  const required = Object.entries(fields).filter(([, { presence, rule, written }]) =>
    presence === "required" && rule !== null && ["always", "on create"].includes(written)
  );
  const checks = required.map(([field]) =>
    `  if v_sent ->> '${field}' is null then
    perform api.fail('validation_error', array['${field}'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;`
  );
  if (about.atLeastOneOf) {
    const [first] = about.atLeastOneOf;
    const names = about.atLeastOneOf.map((name) => `v_sent ->> '${name}'`);
    checks.push(`  if coalesce(${names.join(", ")}) is null then
    perform api.fail('validation_error', array['${first}'], '${atLeastOneText(about.atLeastOneOf)}');
  end if;`);
  }
  return checks.join("\n");
}
