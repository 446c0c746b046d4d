-- The schemas crm, api and app, the three roles through which requests reach the data, and functions that all other
-- files share. 90_rights.sql grants each role its rights. See docs/decisions/0011-least-rights.md.

-- Function bodies may call functions that later files create.
set check_function_bodies = off;

-- By default, PUBLIC may execute every new function. `in schema` could not revoke this default, so the statement names
-- no schema.
alter default privileges revoke execute on functions from public;

create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';

create schema api;
comment on schema api is 'The doors (13_door.sql) through which API keys, apps and public links call, and their verbs.';

-- Verbs for API keys, apps and public links run as crm_api, verbs for signed-in members as crm_app. Neither role can
-- log in or bypass row-level security. The edge functions connect as crm_functions. This role is a member of no other
-- role, and reaches the data only through the functions that 90_rights.sql grants to it. It has no password until the
-- operator sets one (docs/deployment.md). Roles belong to the whole cluster, so another database or an earlier
-- installation may have created them.
do $$
begin
  if not exists (select from pg_roles where rolname = 'crm_api') then
    create role crm_api nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'crm_app') then
    create role crm_app nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'crm_functions') then
    create role crm_functions login noinherit nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
end
$$;
-- Only a member of crm_api and crm_app can make these roles the owners of crm.run_verb and crm.run_app_verb.
grant crm_api, crm_app to current_user;

-- The timeouts are set on the role, because a transaction pooler drops the settings of a connection. An edge function
-- waits 10 s for a statement. Postgres ends the statement before that, and stops waiting for a lock even earlier, so
-- that the call still gets a reply.
alter role crm_functions set statement_timeout = '8s';
alter role crm_functions set lock_timeout = '5s';
alter role crm_functions set idle_in_transaction_session_timeout = '15s';

-- A connection keeps its plans, also those that it made while a table or a day's partition was nearly empty. Such a plan
-- must already use the indexes: until the next analyze, a plan that scans the table would scan it for each looked-up row.
alter role crm_functions set enable_seqscan = off;
-- Where no index fits, the planner then expects an enormous cost, and Postgres would compile the plan.
alter role crm_functions set jit = off;

create schema app;
comment on schema app is
  'Verbs of the operator (`deno task crm`) and of members: app.<object>_<verb>(p_args jsonb) returns json. A verb '
  'raises its codes with crm.raise_code. Clients of the API cannot reach this schema: crm_api has no rights on it.';

create function crm.raise_code(
  p_code text, p_field text default null, p_message text default null, p_value text default null
) returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = case
      when p_field is null then ''
      else json_build_array(json_build_object('field', p_field, 'message', p_message, 'value', p_value))::text
    end;
end
$$;
comment on function crm.raise_code(text, text, text, text) is
  'Raises a code from a verb of schema app, as api.fail does for schema api. p_message: Portuguese, about the field; '
  'null if the code is enough. p_value: a value, such as an id, that the caller may put into a message of its own.';

create function crm.require_workspace(p_args jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if not exists (select from crm.workspaces w where w.id = (p_args ->> 'workspace_id')::uuid) then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
  return p_args;
end
$$;
comment on function crm.require_workspace(jsonb) is
  'Returns p_args. Raises not_found if no workspace has the workspace_id in p_args, so that a list for an unknown '
  'workspace is an error instead of an empty list.';

create function crm.current_workspace_id() returns uuid
language sql stable parallel safe
-- After a transaction has set the setting locally, later transactions on the same connection read '' instead of null.
as $$ select nullif(current_setting('app.workspace_id', true), '')::uuid $$;
comment on function crm.current_workspace_id() is 'The workspace for which this transaction acts; null if none is set.';

create function crm.current_member_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 2), '')::uuid $$;
comment on function crm.current_member_id() is
  'The member who created the calling key, or the signed-in member; null if neither a key nor a member called.';

create function crm.current_caller_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 1), '')::uuid $$;
comment on function crm.current_caller_id() is
  'The id of the calling key, of the link''s proposal, or of the signed-in member; null if none of these called.';

create function crm.current_user_id() returns uuid
language sql stable parallel safe
as $$ select nullif(split_part(current_setting('app.caller', true), ' ', 3), '')::uuid $$;
comment on function crm.current_user_id() is
  'The signed-in person (auth.users), who may be a member of several workspaces; null if nobody is signed in.';

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
  'A UUIDv7 (RFC 9562) with the time p_at in milliseconds. The default is now(), as for created_at. So ids sort by '
  'creation, and the filter `since` becomes a range of ids.';

create function crm.uuid_v7_floor(p_at timestamptz) returns uuid
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return encode(
    overlay(
      decode('00000000000000000000000000000000', 'hex')
      placing substring(int8send(greatest(ceil(extract(epoch from p_at) * 1000)::bigint, 0)) from 3)
      from 1 for 6
    ),
    'hex'
  )::uuid;
end
$$;
comment on function crm.uuid_v7_floor(timestamptz) is
  'The lowest id for a time, rounded up to a millisecond: turns `created_at >= since` into a range of ids.';

create function crm.uuid_v7_time(p_id uuid) returns timestamptz
language sql immutable parallel safe
as $$ select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;
comment on function crm.uuid_v7_time(uuid) is
  'The time in a UUIDv7, to the millisecond. crm.uuid_v7_floor for this time is never greater than p_id.';

create function crm.iso(p_at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
comment on function crm.iso(timestamptz) is 'A time as the API writes it: ISO 8601, UTC, milliseconds (spec 1).';

create function crm.name_key(p_name text) returns text
-- plpgsql, because Postgres plans a generated column at every insert. It would parse the text of an SQL function each
-- time to inline it (18 µs).
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  -- The ICU collation is explicit, because lower() in the database's own locale may change only ASCII letters, and
  -- leave Ç and Ã in "AÇÃO" unchanged.
  return lower(normalize(btrim(p_name), nfc) collate "und-x-icu");
end
$$;
comment on function crm.name_key(text) is 'A name for comparison: trimmed, Unicode NFC, lower case.';

create function crm.digits(p_phone text) returns text
language sql immutable parallel safe
as $$ select nullif(regexp_replace(p_phone, '[^0-9]+', '', 'g'), '') $$;
comment on function crm.digits(text) is 'The digits of a phone number, for comparison; null if there are none.';

create function crm.e164(p_phone text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_digits text := translate(p_phone, ' ()-.+', '');
  v_abroad text;
  v_brazilian text;
begin
  -- Most numbers are complete Brazilian numbers and return here. Each of the steps below takes as long as this check.
  if v_digits ~ '^55[1-9][1-9](?:9[0-9]{8}|[2-9][0-9]{7})$' and p_phone not like '%(0)%' then
    return '+' || v_digits;
  end if;
  v_digits := crm.digits(p_phone);
  -- The digits after + or 00 begin with the country code, which never begins with 0. Drop the 0 of "+44 (0)20": it is
  -- dialled only within the country.
  v_abroad := case
    when p_phone ~ '^[^0-9]*\+[^0-9]*[1-9]' then crm.digits(replace(p_phone, '(0)', ''))
    else substring(v_digits from '^00+([1-9]\d+)$')
  end;
  -- Take the area code and the number (nine digits for a mobile phone, otherwise eight). Before them there may be the
  -- country code, the 0 of a long-distance call, and two digits for the carrier.
  v_brazilian := substring(
    coalesce(v_abroad, v_digits) from '^(?:(?:55)?0?|(?:55)?0\d\d)([1-9][1-9](?:9\d{8}|[2-9]\d{7}))$'
  );
  case
    when v_abroad is null or v_abroad like '55%' then
      -- Remove the 0 of Brazilian numbers without an area code, such as 0800: it is dialled only within Brazil.
      v_brazilian := coalesce(v_brazilian, substring(v_digits from '^(?:0*55)?0([3589]00\d{6,7})$'));
      return coalesce('+55' || v_brazilian, '+' || v_abroad, v_digits);
    else
      return '+' || v_abroad;
  end case;
end
$$;
comment on function crm.e164(text) is
  'A phone number in E.164, so that different spellings are equal. A number without a country code, but with an area '
  'code or 0800, is Brazilian: "(11) 97777-1234" becomes +5511977771234. Other texts become their digits, or null.';

create function crm.phone_spellings(p_phone text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_phone text := crm.e164(p_phone);
  -- The area code if present, the ninth digit of a mobile phone if present, and the other digits.
  v_parts text[] := regexp_match(v_phone, '^(?:\+55([1-9][1-9]))?(9(?=[0-9]{8}$))?([2-9][0-9]{7})$');
  v_numbers text[];
begin
  if v_parts is null then return array[v_phone]; end if;
  -- Eight digits that begin with 6, 7, 8 or 9 are a mobile number, with or without the ninth digit.
  v_numbers := case
    when v_parts[3] >= '6' then array[v_parts[3], '9' || v_parts[3]]
    else array[concat(v_parts[2], v_parts[3])]
  end;
  if v_parts[1] is not null then
    -- Most new contacts take this branch, so it runs no SQL statement.
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
  'The forms (crm.e164) in which the same phone may be stored: for a Brazilian number with and without its area code, '
  'and for a Brazilian mobile number with and without its ninth digit. For a number without an area code, there is a '
  'form for each area code. For a text without digits, the array contains only null.';

create function crm.is_fuller_phone(p_kept text, p_sent text) returns boolean
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_full text := crm.e164(p_kept);
  -- Ignore the 0 that is dialled before a long-distance call.
  v_sent text := ltrim(crm.digits(p_sent), '0');
begin
  return coalesce(
    -- The number sent lacks the country code, the area code or the first digits.
    (
      v_sent <> ''
      and right(v_full, length(v_sent)) = v_sent
      and length(v_sent) < length(ltrim(crm.digits(p_kept), '0'))
    )
    -- The number sent lacks the ninth digit, which Brazil added to mobile numbers between 2012 and 2016.
    or (v_full ~ '^\+55[1-9][1-9]9[0-9]{8}$' and crm.e164(p_sent) = left(v_full, 5) || right(v_full, 8)),
    false
  );
end
$$;
comment on function crm.is_fuller_phone(text, text) is
  'Whether the record''s number (p_kept) is more complete than the number sent (p_sent): p_sent has only the last '
  'digits of p_kept, or lacks only the ninth digit of a Brazilian mobile number.';

create function crm.fuller_phones(p_record jsonb, p_sent jsonb, p_fields text[]) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array(select f from unnest(p_fields) f where crm.is_fuller_phone(p_record ->> f, p_sent ->> f));
end
$$;
comment on function crm.fuller_phones(jsonb, jsonb, text[]) is
  'The fields whose number is more complete in the record than in the call (crm.is_fuller_phone).';

create function crm.lock_number(p_name text) returns bigint
-- Stable, because convert_to() is stable. Postgres would not inline an immutable function that calls a stable function,
-- but would plan it again in each transaction (60 µs).
language sql stable parallel safe as $$
  -- SHA-256, because a client chooses part of the name. hashtextextended() can be inverted, so a client could find a
  -- name that collides with another client's lock.
  select ('x' || left(encode(sha256(convert_to(p_name, 'UTF8')), 'hex'), 16))::bit(64)::bigint
$$;
comment on function crm.lock_number(text) is 'The number of the advisory lock with this name.';

create function crm.touch() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function crm.touch() is 'Trigger: sets updated_at on every update.';

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
  'Isolates a table by workspace_id, with the same row-level security for every table. The file that creates the table '
  'calls this procedure.';

-- Domains: rules for a single value. Postgres parses a table's checks at every insert, but caches a domain's checks. So
-- the tables into which most requests insert, such as crm.contacts, use domains, even for a rule of a single table.

create domain crm.record_name as text check (char_length(value) between 1 and 255);
comment on domain crm.record_name is 'The name or title of a record: 1 to 255 characters.';

create domain crm.external_id as text check (char_length(value) between 1 and 255);
comment on domain crm.external_id is 'The caller''s own id for a record: 1 to 255 characters.';

create domain crm.amount as numeric check (value >= 0);
comment on domain crm.amount is 'An amount of money: not negative.';

create domain crm.quantity as integer check (value >= 0);
comment on domain crm.quantity is 'A count or a duration: not negative.';
