-- Search (`q` of lists): the text of each record that is searched, and the index by which words are found in it. Why it
-- is made so, and what it costs: docs/decisions/0013-search.md.

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
  -- Most texts are ASCII, for which this takes a third of the time.
  if octet_length(p_text) = char_length(p_text) then
    return replace(lower(p_text), '`', '''');
  end if;
  -- lower() of ICU writes a sigma at the end of a word in another way, which would be no part of a longer word. Phones
  -- type one apostrophe, keyboards another.
  return translate(
    regexp_replace(normalize(lower(p_text collate "und-x-icu"), nfd), '[\u0300-\u036f]', '', 'g'),
    'ς’‘´`ʼ', 'σ' || repeat('''', 5)
  );
end
$$;
comment on function crm.fold(text) is
  'The text without accents, in lower case and with one kind of apostrophe, as it is searched.';

create function crm.spelled_tax_id(p_tax_id text) returns text
language sql immutable parallel safe as $$
  select case when char_length(p_tax_id) = 14
    then regexp_replace(p_tax_id, '^(..)(...)(...)(....)(..)$', '\1.\2.\3/\4-\5')
  end
$$;
comment on function crm.spelled_tax_id(text) is
  'A CNPJ with its punctuation, of which a search may contain a part; null for any other tax id.';

create function crm.search_text(p_texts text[], p_phones text[]) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_texts text := array_to_string(p_texts, E'\n');
  v_text text := crm.fold(v_texts);
  v_phone text;
  v_number text;
begin
  -- A word of digits and punctuation is searched by its digits alone (crm.search_words).
  if v_texts ~ '\d' then
    v_text := v_text || E'\n' || regexp_replace(v_texts, '[^0-9\n]+', '', 'g');
  end if;
  foreach v_phone in array p_phones loop
    continue when v_phone is null;
    v_number := ltrim(crm.e164(v_phone), '+');
    v_text := concat_ws(E'\n', v_text, v_number);
    if strpos(v_number, crm.digits(v_phone)) = 0 then
      v_text := v_text || E'\n' || crm.digits(v_phone);
    end if;
  end loop;
  return v_text;
end
$$;
comment on function crm.search_text(text[], text[]) is
  'What is searched of a record: its texts as crm.fold makes them, the digits of each, and its phone numbers in digits '
  'with and without the country.';

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
  'The words of a search, the longest first. A word of digits and punctuation is reduced to its digits, so that any '
  'spelling of a phone number is found.';

create function crm.search_trigrams(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  -- Those with a space are the ends of words, which no search needs: two fifths of all.
  return substr(
    regexp_replace(',' || array_to_string(extensions.show_trgm(p_text), ','), '^(?:, ..)+|,.. ', '', 'g'), 2
  );
end
$$;
comment on function crm.search_trigrams(text) is 'The three letters in a row that the words of a text have, with commas.';

create function crm.search_keys(p_workspace_id uuid, p_record text, p_sample text, p_id uuid, p_trigrams text)
returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_block text := left(encode(int8send(uuid_hash_extended(
    p_workspace_id,
    hashtextextended(
      p_record || p_sample, get_byte(uuid_send(p_id), 0) * 256 + get_byte(uuid_send(p_id), 1)
    )
  )), 'base64'), 8);
begin
  -- As one text: a third of the time of a select over the trigrams.
  return string_to_array(v_block || replace(p_trigrams, ',', ',' || v_block), ',');
end
$$;
comment on function crm.search_keys(uuid, text, text, uuid, text) is
  'The keys of three letters in the index of searches: each begins with the block of the record, a hash of its workspace, '
  'its kind, the sample that is meant, and 50 days, which the first two bytes of a UUIDv7 count.';

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
  'The keys by which a record is found: for one in 64, chosen by the random end of its id, also those of the sample, and for '
  'one in 4,096 those of the small sample.';

create table crm.search_texts (
  workspace_id uuid not null,
  record text not null,
  id uuid not null,
  text text not null,
  primary key (workspace_id, record, id)
);
comment on table crm.search_texts is
  'The text of each record that is searched. Apart from the records, so that a change of other fields costs no entry '
  'in the index of words.';
comment on column crm.search_texts.record is 'The kind of the record, such as `contact`.';
comment on column crm.search_texts.text is 'What is searched, in the form of crm.search_text. The job index-texts keeps it.';
-- Keys of one workspace alone: what others have neither slows a search nor shows in its time.
-- New entries are kept in a list that is sorted into the index when it has 64 kB: each search reads that list.
create index search_texts_words on crm.search_texts
  using gin ((crm.searched_keys(workspace_id, record, id, text)) collate "C")
  with (fastupdate = on, gin_pending_list_limit = 64);
-- The planner has no choice to make by these statistics, and analyze would compute the keys of 30,000 rows.
alter index crm.search_texts_words alter column 1 set statistics 0;
call crm.protect('crm.search_texts');

create function crm.lock_texts() returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock(crm.lock_number('texts')); end $$;
comment on function crm.lock_texts() is
  'Lets the job index-texts and the jobs that drop partitions of events wait for each other until the transaction ends. '
  'No call of a client takes it: what one workspace does must not hold up the others.';

create function crm.lock_texts_of(p_workspace_id uuid) returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock_shared(crm.lock_number('texts of ' || p_workspace_id)); end $$;
comment on function crm.lock_texts_of(uuid) is
  'Lets the job index-texts, which holds the lock alone (crm.index_texts_of), and whoever writes texts of the workspace at '
  'once wait for each other until the transaction ends: otherwise the job could have read a record before it is erased, '
  'and write its text afterwards.';

create function crm.forget_text() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.lock_texts_of(old.workspace_id);
  delete from crm.search_texts x
  where x.workspace_id = old.workspace_id and x.record = tg_argv[0] and x.id = old.id;
  return null;
end
$$;
comment on function crm.forget_text() is
  'Trigger: deletes what is searched of a record that is deleted, of the kind in the trigger''s argument.';

create function crm.search(
  p_record text, p_words text[], p_before uuid, p_from uuid, p_step integer, p_enough integer, out ids uuid[],
  out next_id uuid, out is_common boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  -- Three ASCII letters or digits in a row: not all databases take others for letters. 16 of them at most.
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
  -- The texts that may still be compared, which takes as long as the words are long. The samples do not bound them: whoever
  -- sees the ids can change the records of a sample.
  v_texts integer := 16 * p_step * 25 / greatest(25, char_length(array_to_string(p_words, '')));
  -- How much of the index was read, by the small sample.
  v_read integer := 0;
begin
  ids := '{}';
  next_id := p_before;
  is_common := v_trigrams = '';
  while not is_common and cardinality(ids) < v_enough and v_read < 8 loop
    select x.id into v_newest from crm.search_texts x
    where x.workspace_id = v_workspace_id and x.record = p_record and x.id < next_id and x.id >= p_from
    order by x.id desc
    limit 1;
    if not found then
      next_id := null;
      exit;
    end if;
    -- The index is read as far as the rarest of the trigrams is frequent: each may be more frequent than the words.
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
      if v_sampled < 2 then
        v_rare := concat_ws(',', v_rare, v_trigram);
      end if;
      -- Four are enough: what the index has of common ones takes longer to read than some texts take to compare.
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
      -- Some thousands may have the words, if the small sample has the rarest: 1 in 64 is counted before all are read.
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
      -- Of the index alone: with the workspace in these conditions, the planner could read the primary key instead.
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
  'The ids of the records of the current workspace, newest first, whose text has every word: all of them from p_before '
  'to next_id, or to p_from where that is null. It ends before a block (crm.search_keys) in which the words are common, '
  'after p_enough or 2 * p_step ids, and when it has read much of the index or 16 * p_step texts. security definer, '
  'because @> is not leakproof, so that under row-level security no index would serve it: each of its conditions names '
  'the workspace, or keys of it.';
