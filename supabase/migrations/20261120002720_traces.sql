-- Traces: what identifies a person in other texts, for an erasure (docs/decisions/0019-merge-archive-erase.md).

create function crm.url_decoded(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if p_text !~ '%[0-9A-Fa-f]{2}' then return p_text; end if;
  return (
    select convert_from(decode(string_agg(
      case when m.part[1] ~ '^%..$' then substr(m.part[1], 2) else encode(convert_to(m.part[1], 'UTF8'), 'hex') end,
      '' order by m.n
    ), 'hex'), 'UTF8')
    from regexp_matches(p_text, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality m (part, n)
  );
exception when character_not_in_repertoire or untranslatable_character then
  return p_text;
end
$$;
comment on function crm.url_decoded(text) is
  'The text with %XX decoded as in URLs; unchanged if the result is not UTF-8.';

create function crm.words(p_text text) returns text
language sql immutable parallel safe
-- The ICU collation is explicit: in the database's own locale, only ASCII may count as alphanumeric.
as $$
  select nullif(
    ' ' || btrim(regexp_replace(crm.fold(p_text) collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g')) || ' ', '  '
  )
$$;
comment on function crm.words(text) is
  'The words of a text, lower case and without accents, each between spaces, so that a name is found as whole words: '
  '" ana souza ". Null if it has none.';

create type crm.traces as (words text[], numbers text[]);
comment on type crm.traces is
  'What identifies a person in a text: words (crm.words) of names and addresses, and the ends of phone numbers.';

create function crm.mentions(p_text text, p_traces crm.traces) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  v_text text := crm.url_decoded(p_text);
  v_words text := crm.words(v_text);
  v_digits text := crm.digits(v_text);
begin
  return exists (select from unnest(p_traces.words) w (words) where position(w.words in v_words) > 0)
    or exists (select from unnest(p_traces.numbers) n (number) where position(n.number in v_digits) > 0);
end
$$;
comment on function crm.mentions(text, crm.traces) is 'Whether a text contains one of these traces.';

create function crm.without_mentions(p_fields jsonb, p_traces crm.traces) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when jsonb_typeof(p_fields) = 'object' then (
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(p_fields) f
    where crm.mentions(
      -- In the JSON text of a list, a line break is the two characters \n, which would join the next word.
      f.key || ' ' || case jsonb_typeof(f.value)
        when 'string' then f.value #>> '{}'
        else regexp_replace(f.value::text, '\\[nrtbf]', ' ', 'g')
      end,
      p_traces
    ) is not true
  ) end;
end
$$;
comment on function crm.without_mentions(jsonb, crm.traces) is 'An object without the fields that mention the person.';

create function crm.traces_of(p_names text[], p_phones text[]) returns crm.traces
language plpgsql immutable set search_path = '' as $$
begin
  return (
    array(
      select distinct crm.words(n.name) from (select crm.url_decoded(u.name) from unnest(p_names) u (name)) n (name)
      where crm.words(n.name) is not null
    ),
    -- The last eight digits, which do not depend on country code, area code and ninth digit.
    array(
      select distinct right(crm.digits(p.phone), 8) from unnest(p_phones) p (phone) where length(crm.digits(p.phone)) >= 8
    )
  );
end
$$;
comment on function crm.traces_of(text[], text[]) is
  'The traces of a person, without repetitions. p_names: names and e-mail addresses.';

create function crm.with_lead(p_traces crm.traces, p_lead jsonb) returns crm.traces
language plpgsql immutable set search_path = '' as $$
declare
  v_lead crm.traces;
begin
  if p_lead is null then return p_traces; end if;
  v_lead := crm.traces_of(array[crm.lead_name(p_lead), p_lead ->> 'email'], array[p_lead ->> 'phone']);
  return (p_traces.words || v_lead.words, p_traces.numbers || v_lead.numbers)::crm.traces;
end
$$;
comment on function crm.with_lead(crm.traces, jsonb) is
  'The traces plus those of a lead that the person sent. Used only for texts of the lead''s deal: a thousand leads in '
  'a thousand deals would be a million searches.';

create function crm.single_names(p_names text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct ' ' || w.word || ' '
    from unnest(p_names) n (name)
    cross join lateral regexp_split_to_table(btrim(crm.words(crm.url_decoded(n.name))), ' ') w (word)
    where char_length(w.word) >= 3 and w.word not in ('das', 'dos')
  );
end
$$;
comment on function crm.single_names(text[]) is
  'Each word of three letters or more in these names, in the form of crm.words, except the particles "das" and "dos".';
