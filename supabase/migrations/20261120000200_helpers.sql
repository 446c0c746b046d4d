-- Functions that every other migration uses: the caller, ids, time, text, isolation by workspace.

create function crm.current_workspace_id() returns uuid
language sql stable parallel safe
-- On a pooled connection, a setting that was local to an earlier transaction reads as '' instead of null.
as $$ select nullif(current_setting('app.workspace_id', true), '')::uuid $$;
comment on function crm.current_workspace_id() is
  'The workspace of the caller whose request is being handled; null outside a request.';

create function crm.current_member_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 2), '')::uuid $$;
comment on function crm.current_member_id() is
  'The member who created the key of the request, or is signed in; null for a proposal''s link, for the operator, and '
  'outside a request.';

create function crm.current_caller_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 1), '')::uuid $$;
comment on function crm.current_caller_id() is
  'The id of the key of the request, of the proposal whose link was opened, or of the member who is signed in; null '
  'outside a request.';

create function crm.current_user_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 3), '')::uuid $$;
comment on function crm.current_user_id() is
  'The person who is signed in (auth.users), who may be a member of several workspaces; null outside such a request.';

create function crm.uuid_v7(p_at timestamptz default now()) returns uuid
language sql volatile parallel safe as $$
  select encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from p_at) * 1000)::bigint) from 3)
          from 1 for 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid
$$;
comment on function crm.uuid_v7(timestamptz) is
  'A UUIDv7 (RFC 9562) for the given time, in milliseconds. The default is now(), which also fills created_at, so '
  'that the order of ids is the order of creation and the filter `since` is a range of ids.';

create function crm.uuid_v7_floor(p_at timestamptz) returns uuid
language sql immutable parallel safe as $$
  select encode(
    overlay(
      decode('00000000000000000000000000000000', 'hex')
      placing substring(int8send(greatest(ceil(extract(epoch from p_at) * 1000)::bigint, 0)) from 3)
      from 1 for 6
    ),
    'hex'
  )::uuid
$$;
comment on function crm.uuid_v7_floor(timestamptz) is
  'The lower bound of every UUIDv7 generated at that time or later: turns `created_at >= since` into a range of ids.';

create function crm.uuid_v7_time(p_id uuid) returns timestamptz
language sql immutable parallel safe
as $$ select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;
comment on function crm.uuid_v7_time(uuid) is
  'The time at which a UUIDv7 was generated, in milliseconds: crm.uuid_v7_floor of it is not above the id.';

create function crm.iso(p_at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
comment on function crm.iso(timestamptz) is
  'Formats a time as every datetime of the API: ISO 8601 in UTC with milliseconds and Z (spec 1).';

create function crm.name_key(p_name text) returns text
-- plpgsql, because a generated column is planned at every insert: to put a function in SQL into the plan, Postgres parses
-- its text, for 18 µs.
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  -- The ICU collation is explicit, because lower() in the database's own locale may change ASCII only (not "AÇÃO").
  return lower(normalize(btrim(p_name), nfc) collate "und-x-icu");
end
$$;
comment on function crm.name_key(text) is
  'The form in which two spellings of one name are equal: trimmed, Unicode NFC, lower case.';

create function crm.digits(p_phone text) returns text
language sql immutable parallel safe
as $$ select nullif(regexp_replace(p_phone, '[^0-9]+', '', 'g'), '') $$;
comment on function crm.digits(text) is
  'The digits of a phone number, so that two spellings of it are equal; null if it has none.';

create function crm.e164(p_phone text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_digits text := translate(p_phone, ' ()-.+', '');
  v_abroad text;
  v_brazilian text;
begin
  -- In full, as most are: each of the steps below costs as much as this one.
  if v_digits ~ '^55[1-9][1-9](?:9[0-9]{8}|[2-9][0-9]{7})$' and p_phone not like '%(0)%' then
    return '+' || v_digits;
  end if;
  v_digits := crm.digits(p_phone);
  -- What follows a + or 00. No country's code begins with 0. "+44 (0)20" shows a 0 that is dialled within the country.
  v_abroad := case
    when p_phone ~ '^[^0-9]*\+[^0-9]*[1-9]' then crm.digits(replace(p_phone, '(0)', ''))
    else substring(v_digits from '^00+([1-9]\d+)$')
  end;
  -- Area code and number: nine digits of a mobile phone, or eight. Before them, or not, the country's code, and the 0 of a
  -- long distance call, which may name a carrier.
  v_brazilian := substring(
    coalesce(v_abroad, v_digits) from '^(?:(?:55)?0?|(?:55)?0\d\d)([1-9][1-9](?:9\d{8}|[2-9]\d{7}))$'
  );
  case
    when v_abroad is null or v_abroad like '55%' then
      -- Numbers of no area, such as 0800, keep their 0 where they are dialled only.
      v_brazilian := coalesce(v_brazilian, substring(v_digits from '^(?:0*55)?0([3589]00\d{6,7})$'));
      return coalesce('+55' || v_brazilian, '+' || v_abroad, v_digits);
    else
      return '+' || v_abroad;
  end case;
end
$$;
comment on function crm.e164(text) is
  'A phone number in E.164, so that two spellings of it are equal: a number without a country is Brazilian, and '
  '"(11) 97777-1234" is +5511977771234. A number that is neither has its digits alone; null if there are none.';

create function crm.phone_spellings(p_phone text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_phone text := crm.e164(p_phone);
  -- The area, if there is one, the ninth digit of a mobile phone, and the rest.
  v_parts text[] := regexp_match(v_phone, '^(?:\+55([1-9][1-9]))?(9(?=[0-9]{8}$))?([2-9][0-9]{7})$');
  v_numbers text[];
begin
  if v_parts is null then
    return array[v_phone];
  end if;
  -- Only numbers from 6 on were mobile phones before the ninth digit.
  v_numbers := case
    when v_parts[3] >= '6' then array[v_parts[3], '9' || v_parts[3]]
    else array[concat(v_parts[2], v_parts[3])]
  end;
  if v_parts[1] is not null then
    -- Without a statement: this is what most creations of contacts take.
    v_numbers := v_numbers || ('+55' || v_parts[1] || v_numbers[1]);
    return case when v_numbers[3] is null then v_numbers else v_numbers || ('+55' || v_parts[1] || v_numbers[2]) end;
  end if;
  return v_numbers || array(
    select '+55' || a.area || n.number
    from unnest(v_numbers) n (number)
    cross join unnest(
      '{11,12,13,14,15,16,17,18,19,21,22,24,27,28,31,32,33,34,35,37,38,41,42,43,44,45,46,47,48,49,51,53,54,55,61,62,63,64,'
      '65,66,67,68,69,71,73,74,75,77,79,81,82,83,84,85,86,87,88,89,91,92,93,94,95,96,97,98,99}'::text[]
    ) a (area)
  );
end
$$;
comment on function crm.phone_spellings(text) is
  'What crm.e164 makes of a phone number that may be the same: with and without the area code and the ninth digit of '
  'Brazilian mobile phones; of a number without an area code, one for each area. Null in the list if there are no digits.';

create function crm.is_fuller_phone(p_kept text, p_sent text) returns boolean
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_full text := crm.e164(p_kept);
  -- As dialled: the 0 of a long distance call says nothing of the number.
  v_sent text := ltrim(crm.digits(p_sent), '0');
begin
  return coalesce(
    -- Without the country, without the area or without the first digits.
    (
      v_sent <> ''
      and right(v_full, length(v_sent)) = v_sent
      and length(v_sent) < length(ltrim(crm.digits(p_kept), '0'))
    )
    -- Without the ninth digit of a mobile phone, which Brazil added in 2012 to 2016.
    or (v_full ~ '^\+55[1-9][1-9]9[0-9]{8}$' and crm.e164(p_sent) = left(v_full, 5) || right(v_full, 8)),
    false
  );
end
$$;
comment on function crm.is_fuller_phone(text, text) is
  'Whether the number that a record has says more than the one that was sent: what was sent are its last digits, or the '
  'same number without the ninth digit of Brazilian mobile phones.';

create function crm.fuller_phones(p_record jsonb, p_sent jsonb, p_fields text[]) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array(select f from unnest(p_fields) f where crm.is_fuller_phone(p_record ->> f, p_sent ->> f));
end
$$;
comment on function crm.fuller_phones(jsonb, jsonb, text[]) is
  'Which of the fields have a fuller number in the record than in what was sent (crm.is_fuller_phone).';

create function crm.lock_number(p_name text) returns bigint
-- Stable, as convert_to() is: called immutable it would not become part of the caller's plan, and be planned anew by every
-- transaction, for 60 µs.
language sql stable parallel safe as $$
  -- Not hashtextextended(), which can be inverted: a client chooses a part of the name, and could choose it so that it
  -- waits for, or holds up, what has another name.
  select ('x' || left(encode(sha256(convert_to(p_name, 'UTF8')), 'hex'), 16))::bit(64)::bigint
$$;
comment on function crm.lock_number(text) is 'The number of the advisory lock of that name.';

create function crm.touch() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function crm.touch() is
  'Trigger: sets updated_at on every update, whether the API or the application writes.';

create procedure crm.protect(p_table regclass)
language plpgsql set search_path = '' as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy "A caller reaches only its own workspace" on %s for all to crm_api, crm_app
       using (workspace_id = crm.current_workspace_id())
       with check (workspace_id = crm.current_workspace_id())',
    p_table
  );
end
$$;
comment on procedure crm.protect(regclass) is
  'Adds row-level isolation by workspace_id, the same for every table. Call it in the migration that creates the '
  'table.';
