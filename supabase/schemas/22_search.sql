-- Search (`q` of lists): the searched text of each record, and the index of words. For reasons and costs see
-- docs/decisions/0013-search.md.

create schema if not exists extensions;
create extension if not exists pg_trgm with schema extensions;
do $$
declare
  v_schema text := (
    select n.nspname from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm'
  );
begin
  if v_schema <> 'extensions' then
    raise exception 'The extension pg_trgm is in the schema %, where the search does not look', v_schema
      using hint = 'drop extension pg_trgm; create extension pg_trgm with schema extensions;';
  end if;
end
$$;

create function crm.fold(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  -- Most texts are ASCII. For them, this branch takes a third of the time of the statement below.
  if octet_length(p_text) = char_length(p_text) then return replace(lower(p_text), '`', ''''); end if;
  -- ICU's lower() writes ς instead of σ at the end of a word. Replace ς, so that a search for the beginning of a word
  -- finds the word. Phones and keyboards type different apostrophes: replace them with one.
  return translate(
    regexp_replace(normalize(lower(p_text collate "und-x-icu"), nfd), '[\u0300-\u036f]', '', 'g'),
    'ς’‘´`ʼ', 'σ' || repeat('''', 5)
  );
end
$$;
comment on function crm.fold(text) is 'A text as it is searched: lower case, without accents, with one apostrophe.';

create function crm.spelled_tax_id(p_tax_id text) returns text
language sql immutable parallel safe as $$
  select case when char_length(p_tax_id) = 14
    then regexp_replace(p_tax_id, '^(..)(...)(...)(....)(..)$', '\1.\2.\3/\4-\5')
  end
$$;
comment on function crm.spelled_tax_id(text) is
  'A CNPJ with its punctuation, because a search may contain part of that spelling; null for any other tax id.';

create function crm.search_text(p_texts text[], p_phones text[]) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_texts text := array_to_string(p_texts, E'\n');
  v_text text := crm.fold(v_texts);
  v_phone text;
  v_number text;
begin
  -- Add the digits of each text, because crm.search_words reduces a word of digits and punctuation to its digits.
  if v_texts ~ '\d' then v_text := v_text || E'\n' || regexp_replace(v_texts, '[^0-9\n]+', '', 'g'); end if;
  foreach v_phone in array p_phones loop
    continue when v_phone is null;
    v_number := ltrim(crm.e164(v_phone), '+');
    v_text := concat_ws(E'\n', v_text, v_number);
    if strpos(v_number, crm.digits(v_phone)) = 0 then v_text := v_text || E'\n' || crm.digits(v_phone); end if;
  end loop;
  return v_text;
end
$$;
comment on function crm.search_text(text[], text[]) is
  'The searched text of a record: its texts in the form of crm.fold, the digits of each text, and its phone numbers '
  'as digits with and without the country code.';

create function crm.search_words(p_query text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array(
    select w.word
    from (
      select distinct case when f.word ~ '[0-9]' and f.word !~ '[^0-9[:punct:][:cntrl:]]'
        then regexp_replace(f.word, '[^0-9]', '', 'g') else f.word
      end as word
      from regexp_split_to_table(crm.fold(p_query), '\s+') f (word)
      where f.word <> ''
    ) w
    order by char_length(w.word) desc
  );
end
$$;
comment on function crm.search_words(text) is
  'The words of a search, longest first. A word of digits and punctuation is reduced to its digits, so that every '
  'spelling of a phone number finds it.';

create function crm.search_trigrams(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  -- Drop the trigrams with a space (beginnings and ends of words), two fifths of all. No search needs them.
  return substr(
    regexp_replace(',' || array_to_string(extensions.show_trgm(p_text), ','), '^(?:, ..)+|,.. ', '', 'g'), 2
  );
end
$$;
comment on function crm.search_trigrams(text) is 'The trigrams of the words of a text, separated by commas.';

create function crm.search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text)
returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_block text := left(encode(int8send(uuid_hash_extended(
    p_workspace_id,
    hashtextextended(p_record || p_sample, get_byte(uuid_send(p_id), 0) * 256 + get_byte(uuid_send(p_id), 1))
  )), 'base64'), 8);
begin
  -- String functions on one text take a third of the time of a select over the trigrams.
  return string_to_array(v_block || replace(p_trigrams, ',', ',' || v_block), ',');
end
$$;
comment on function crm.search_keys(uuid, text, text, uuid, text) is
  'The keys of trigrams in the search index. Each key begins with its block: a hash of the workspace, the kind of '
  'record, the 50 days in which its id was made (the id''s first two bytes), and the sample (crm.searched_keys; '''' '
  'for none).';

create function crm.searched_keys(p_workspace_id uuid, p_record text, p_id uuid, p_text text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_trigrams text := crm.search_trigrams(p_text);
  v_keys text[] := crm.search_keys(p_workspace_id, p_record, '', p_id, v_trigrams);
begin
  if get_byte(uuid_send(p_id), 15) < 4 then
    v_keys := v_keys || crm.search_keys(p_workspace_id, p_record, '/64', p_id, v_trigrams);
    if get_byte(uuid_send(p_id), 14) < 4 then
      v_keys := v_keys || crm.search_keys(p_workspace_id, p_record, '/4096', p_id, v_trigrams);
    end if;
  end if;
  return v_keys;
end
$$;
comment on function crm.searched_keys(uuid, text, uuid, text) is
  'The keys by which the index finds a record. crm.search estimates in two samples how common a word is. One record in '
  '64 also has keys in the larger sample, and one in 4,096 in the small sample; the random end of the id decides.';

create table crm.search_texts (
  workspace_id uuid not null,
  record text not null,
  id uuid not null,
  text text not null,
  primary key (workspace_id, record, id)
);
comment on table crm.search_texts is
  'The searched text of each record. A separate table, so that changes of other fields do not update the index of '
  'words.';
-- Each key belongs to one workspace. So the texts of other workspaces do not slow a search, and the duration of a
-- search reveals nothing about them. Postgres puts new entries into a list that each search reads, and merges the list
-- into the index at 64 kB.
create index search_texts_words on crm.search_texts
  using gin ((crm.searched_keys(workspace_id, record, id, text)) collate "C")
  with (fastupdate = on, gin_pending_list_limit = 64);
-- No statistics: they would change no plan, and analyze would compute the keys of 30,000 rows for them.
alter index crm.search_texts_words alter column 1 set statistics 0;
call crm.protect('crm.search_texts');

create function crm.lock_texts() returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock(crm.lock_number('texts')); end $$;
comment on function crm.lock_texts() is
  'Makes the jobs index-texts and partition-events wait for each other until the transaction ends. No client''s call '
  'takes this lock, because one workspace must not delay the others.';

create function crm.lock_texts_of(p_workspace_id uuid) returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock_shared(crm.lock_number('texts of ' || p_workspace_id)); end $$;
comment on function crm.lock_texts_of(uuid) is
  'Transactions that write or delete texts of the workspace share this lock until they end; the job index-texts takes '
  'it exclusively (crm.index_texts_of). Without this lock, the job could write the text of a record that was erased '
  'after the job read it.';

create function crm.forget_text() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.lock_texts_of(old.workspace_id);
  delete from crm.search_texts x
  where x.workspace_id = old.workspace_id and x.record = tg_argv[0] and x.id = old.id;
  delete from crm.record_values v
  where v.workspace_id = old.workspace_id and v.record = tg_argv[0] and v.id = old.id;
  return null;
end
$$;
comment on function crm.forget_text() is
  'Trigger: deletes the searched text and the indexed values of a deleted record; the trigger''s argument is the kind '
  'of record.';

create function crm.search(
  p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, out ids uuid[],
  out next_id uuid, out is_common boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  -- At most 16 trigrams, only of ASCII letters and digits, because some databases do not treat other characters as
  -- letters.
  v_trigrams text := left(
    crm.search_trigrams(regexp_replace(array_to_string(p_words, ' '), '[^a-z0-9]+', ' ', 'g')), 63
  );
  v_enough integer := least(p_enough, 2 * p_step);
  v_newest uuid;
  v_keys text[];
  v_trigram text;
  v_sampled integer;
  v_rarest integer;
  v_rare text;
  v_found uuid[];
  -- How many more texts may be compared: fewer for long words, which take longer to compare. The samples alone do not
  -- limit this number: a client sees the ids, and could change the texts of the sampled records until a common word
  -- looks rare.
  v_texts integer := 16 * p_step * 25 / greatest(25, char_length(array_to_string(p_words, '')));
  -- How much of the index was read, estimated from the small sample.
  v_read integer := 0;
begin
  ids := '{}';
  next_id := p_before;
  is_common := v_trigrams = '';
  while not is_common and cardinality(ids) < v_enough and v_read < 8 loop
    select x.id into v_newest from crm.search_texts x
    where x.workspace_id = v_workspace_id and x.record = p_record and x.id < next_id and x.id >= p_from
    order by x.id desc limit 1;
    if not found then
      next_id := null;
      exit;
    end if;
    -- How much of the index is read depends on the rarest trigram, even if the words themselves are rarer.
    v_rarest := 3;
    v_rare := null;
    foreach v_trigram in array string_to_array(v_trigrams, ',') loop
      v_keys := crm.search_keys(v_workspace_id, p_record, '/4096', v_newest, v_trigram);
      select count(*) into v_sampled
      from (
        select from crm.search_texts x
        where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
        limit 3
      ) s;
      v_rarest := least(v_rarest, v_sampled);
      if v_sampled < 2 then v_rare := concat_ws(',', v_rare, v_trigram); end if;
      -- Four trigrams are enough: reading more of them from the index takes longer than comparing some texts.
      exit when char_length(v_rare) = 15;
    end loop;
    is_common := v_rarest = 3;
    exit when is_common;
    v_read := v_read + v_rarest;
    v_keys := crm.search_keys(v_workspace_id, p_record, '/64', v_newest, v_rare);
    select count(*) into v_sampled
    from (
      select from crm.search_texts x
      where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
      limit greatest(p_step / 32, 1)
    ) s;
    if v_rare is not null and v_sampled < greatest(p_step / 32, 1) then
      v_keys := crm.search_keys(v_workspace_id, p_record, '', v_newest, v_rare);
    else
      -- Even the rarest trigram occurs in the small sample, so thousands may match: count in the larger sample first.
      if v_rarest > 0 then
        v_keys := crm.search_keys(v_workspace_id, p_record, '/64', v_newest, v_trigrams);
        select count(*) into v_sampled
        from (
          select from crm.search_texts x
          where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
          limit p_step / 6
        ) s;
        is_common := v_sampled >= greatest(p_step / 6, 1);
        exit when is_common;
      end if;
      v_keys := crm.search_keys(v_workspace_id, p_record, '', v_newest, v_trigrams);
    end if;
    select
      array_agg(f.id order by f.id desc) filter (
        where f.workspace_id = v_workspace_id and f.record = p_record and f.id < next_id and f.id >= p_from
          and not exists (select from unnest(p_words) w (word) where strpos(f.text, w.word) = 0)
      ),
      v_texts - count(*)
    into v_found, v_texts
    from (
      -- With a condition on the workspace here, the planner could read the primary key instead of the index of words.
      select x.workspace_id, x.record, x.id, x.text from crm.search_texts x
      where crm.searched_keys(x.workspace_id, x.record, x.id, x.text) collate "C" @> v_keys
      limit v_texts
    ) f;
    is_common := v_texts = 0;
    exit when is_common;
    ids := ids || v_found;
    next_id := (left(v_newest::text, 4) || '0000-0000-0000-0000-000000000000')::uuid;
    if cardinality(ids) > v_enough then
      ids := ids[:v_enough];
      next_id := ids[v_enough];
    end if;
  end loop;
end
$$;
comment on function crm.search(text, text[], uuid, uuid, integer, integer) is
  'The ids of the current workspace''s records whose text has every word, newest first: all from p_before to next_id, '
  'or to p_from if next_id is null. The search stops before a block (crm.search_keys) in which the words are common '
  '(is_common), after p_enough or 2 * p_step ids, or after reading much of the index or 16 * p_step texts. Security '
  'definer, because @> is not leakproof, so row-level security would keep the index from being used. In place of '
  'row-level security, each condition names the workspace, or keys that belong to it.';
