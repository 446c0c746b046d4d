// The search of a list (`q`): what is searched of a record, and the ids of a page; and of all of them, what keeps the texts.
import type { CrmRecord, RecordSearch } from "../../supabase/functions/_shared/contract/record.ts";
import { declarations, matches } from "./filters.ts";
import { chooseWay, walks } from "./list_by_sql.ts";
import { ways } from "./walks.ts";
import { comment } from "./sql_text.ts";

/** What makes and searches the text of the record; docs/decisions/0031-search.md says how it works, and why. */
export function searchSql(record: CrmRecord, search: RecordSearch): string {
  return [textSql(record, search), keptSql(record), pageSql(record)].join("\n\n");
}

function textSql({ name, about }: CrmRecord, { texts, phones = [], spelled = {} }: RecordSearch): string {
  const table = `crm.${about.table}`;
  const searched = [
    ...texts.map((column) => `t.${column}`),
    ...Object.entries(spelled).map(([column, through]) => `${through}(t.${column})`),
  ];
  const numbers = phones.map((column) => `t.${column}`);
  return `create function crm.${name}_text(t ${table}) returns text
language sql immutable
-- Nothing but an expression, so that it is inlined: otherwise each search would plan it.
as $$ select crm.search_text(array[${searched.join(", ")}], array[${numbers.join(", ")}]::text[]) $$;
${comment(`function crm.${name}_text(${table})`, "What is searched of the record.")}

create trigger forget_text after delete on ${table} for each row execute function crm.forget_text('${name}');`;
}

/** What knows every record that is searched: whose text an event changes, and how its text is kept. */
export function searchedSql(records: readonly CrmRecord[]): string {
  const searched = records.flatMap((record) =>
    record.about.search ? [[record, record.about.search] as const] : []
  );
  const kinds = searched.map(([{ name }, { texts, phones = [] }]) =>
    `    when '${name}.created' then '${name}'
    when '${name}.updated' then
      case when p_facts -> 'changed_fields' ?| array[${
      [...texts, ...phones].map((column) => `'${column}'`).join(", ")
    }]
        then '${name}'
      end`
  );
  const kept = searched.map(([{ name, about }]) =>
    `    when '${name}' then
      perform crm.lock_texts_of(p_workspace_id);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.${name}_text(t) from crm.${about.table} t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;`
  );
  return `create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable
as $$
  select case p_event
${kinds.join("\n")}
  end
$$;
${
    comment(
      "function crm.text_changed(crm.event_type, jsonb)",
      "The kind of the record whose searched text is another after an event; null if none is.",
    )
  }

create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  case p_record
${kept.join("\n")}
    else
      null;
  end case;
end
$$;
${
    comment(
      "function crm.keep_texts(uuid, text, uuid[])",
      "Writes what is searched of records of a kind as they are now; nothing for a kind that is not searched.",
    )
  }`;
}

function keptSql(record: CrmRecord): string {
  const { name, about } = record;
  const filtered = ways(record).filter((way) => way.name !== "all");
  const filters = matches(record).join("\n          and ");
  // Not LIKE, which takes several times as long, and most with a word that nearly repeats itself.
  const has = "not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)";
  return `create function crm.${name}_kept_search(
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
${declarations(record).map((line) => `  ${line}`).join("\n")}
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
    -- Twice as many as fill the page, if the words are as frequent there. Fewer for a long search: comparing takes as long as
    -- the words are long.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
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
      `function crm.${name}_kept_search(jsonb, uuid, uuid, integer)`,
      `The ids of a page of api.${name}_list with \`q\` by the texts that are kept, more than its limit if there are as ` +
        "many. It looks through at most 5 * p_step rows, and finds others by crm.search; next_id is where the next page " +
        "continues if there may be others.",
    )
  }`;
}

function pageSql(record: CrmRecord): string {
  const { name, about } = record;
  return `create function crm.${name}_search(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in crm.${name}_kept_search.
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
${declarations(record).map((line) => `  ${line}`).join("\n")}
  v_by text;
  v_before uuid := p_before;
  -- The texts that are made and compared one by one. Fewer for a long search, as in crm.${name}_kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose text is not kept yet, or not as it is now.
  v_pending uuid[] := crm.pending_texts('${name}', 16 * p_step);
  v_words text[];
begin
  if v_pending is null then
    -- Too many to tell which they are: all that is walked counts as one of them.
${chooseWay(record, { before: "p_before", from: "p_from", step: "p_step" }).replaceAll(/^/gm, "  ")}
    select array_agg(t.id) into v_pending
    from (
${walks(record, ways(record), []).join("\n      union all\n")}
    ) t;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.${name}_kept_search(p_args, p_before, p_from, p_step) s;
    if v_pending = '{}' then
      return;
    end if;
  end if;
  v_words := crm.search_words(p_args ->> 'q');
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc
    limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select t.id
      from unnest(v_pending) p (id)
      join crm.${about.table} t on t.workspace_id = crm.current_workspace_id() and t.id = p.id
      cross join lateral (select crm.${name}_text(t) as text offset 0) x
      where ${matches(record).join("\n        and ")}
        and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
    ) m
    order by m.id desc
  );
end
$$;
${
    comment(
      `function crm.${name}_search(jsonb, uuid, uuid, integer)`,
      `The ids of a page of api.${name}_list with \`q\`, more than its limit if there are as many: those of ` +
        `crm.${name}_kept_search, and of what changed since its text was kept those that have the words now. Of these it ` +
        "compares at most 2 * p_step; where there are too many to be known, it walks as many rows instead. next_id is " +
        "where the next page continues if there may be others.",
    )
  }`;
}
