// The search of a list (`q`): the triggers that keep the searched text, and the ids of a page.
import type { CrmRecord, RecordSearch } from "../../supabase/functions/_shared/contract/record.ts";
import { matches } from "./filters.ts";
import { chooseWay, variables, walks } from "./list_by_sql.ts";
import { ways } from "./walks.ts";
import { comment } from "./sql_text.ts";

/** What keeps and searches the text of the record; docs/decisions/0031-search.md says how it works, and why. */
export function searchSql(record: CrmRecord, search: RecordSearch): string {
  return `${textSql(record, search)}\n\n${pageSql(record)}`;
}

function textSql({ name, about }: CrmRecord, { texts, phones = [], spelled = {} }: RecordSearch): string {
  const table = `crm.${about.table}`;
  const searched = [
    ...texts.map((column) => `new.${column}`),
    ...Object.entries(spelled).map(([column, through]) => `${through}(new.${column})`),
  ];
  const numbers = phones.map((column) => `new.${column}`);
  const row = (side: string) => `(${[...texts, ...phones].map((column) => `${side}.${column}`).join(", ")})`;
  const call = `execute function crm.keep_${name}_text()`;
  return `create function crm.keep_${name}_text() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    delete from crm.search_texts x
    where x.workspace_id = old.workspace_id and x.record = '${name}' and x.id = old.id;
  elsif tg_op = 'UPDATE' then
    update crm.search_texts x
    set text = crm.search_text(array[${searched.join(", ")}], array[${numbers.join(", ")}]::text[])
    where x.workspace_id = new.workspace_id and x.record = '${name}' and x.id = new.id;
  else
    insert into crm.search_texts (workspace_id, record, id, text)
    values (
      new.workspace_id, '${name}', new.id,
      crm.search_text(array[${searched.join(", ")}], array[${numbers.join(", ")}]::text[])
    );
  end if;
  return null;
end
$$;
${comment(`function crm.keep_${name}_text()`, "Trigger: keeps what is searched of the record.")}
create trigger keep_text after insert or delete on ${table} for each row ${call};
create trigger keep_changed_text after update on ${table}
  for each row when (${row("old")} is distinct from ${row("new")}) ${call};`;
}

function pageSql(record: CrmRecord): string {
  const { name, about } = record;
  const filtered = ways(record).filter((way) => way.name !== "all");
  const filters = matches(record).join("\n          and ");
  // Not LIKE, which takes several times as long, and most with a word that nearly repeats itself.
  const has = "not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)";
  return `create function crm.${name}_search(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in crm.${name}_list_by. A page needs no other join than by the primary key.
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_words text[] := crm.search_words(p_args ->> 'q');
${variables(record).map((line) => `  ${line}`).join("\n")}
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
${chooseWay(record, { before: "p_before", from: "p_from", step: "p_step" })}
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_by = 'all' then
      -- The texts are read first, because few records have the words.
      select array_agg(w.id order by w.id desc), array_agg(w.id order by w.id desc) filter (
        where t.id is not null
          and ${filters}
      )
      into v_walked, v_matches
      from (
        select x.id, case when ${has} then x.id end as found
        from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = '${name}'
          and x.id < v_before
          and x.id >= p_from
        order by x.id desc
        limit v_rows
      ) w
      left join crm.${about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = w.found;
    else
      select array_agg(t.id), array_agg(t.id) filter (
        where ${filters}
          and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = '${name}' and x.id = t.id
              and ${has}
          )
      )
      into v_walked, v_matches
      from (
${walks(record, filtered).join("\n      union all\n")}
      ) t;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Fewer for a long search: comparing takes as long as the words are long.
    v_rows := 4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q'));
    -- Few of the newest records have the words. The index has the others, as far as they are few.
    select * into v_found from crm.search(
      '${name}', v_words, v_before, p_from, p_step,
      -- Without another filter nearly all of them match.
      case when p_args - '{q,limit,cursor,since,until}'::text[] = '{}'
        then greatest(v_limit + 51 - cardinality(ids), 1) else 2 * p_step
      end
    );
    -- In the order of the ids that were found: by the records' own, the planner would read them all in that order.
    v_matches := array(
      select t.id
      from unnest(v_found.ids) with ordinality f (id, position)
      join crm.${about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = f.id
      where ${filters}
      order by f.position
    );
    ids := ids || v_matches;
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;
${
    comment(
      `function crm.${name}_search(jsonb, uuid, uuid, integer)`,
      `The ids of a page of api.${name}_list with \`q\`, more than its limit if there are as many. It looks through at most ` +
        "5 * p_step rows, and finds others by crm.search; next_id is where the next page continues if there may be others.",
    )
  }`;
}
