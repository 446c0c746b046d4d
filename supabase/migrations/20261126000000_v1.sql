
set check_function_bodies = off;
alter default privileges revoke execute on functions from public;
create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';
create schema api;
comment on schema api is 'The doors (13_door.sql) through which API keys, apps and public links call, and their verbs.';
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
grant crm_api, crm_app to current_user;
alter role crm_functions set statement_timeout = '8s';
alter role crm_functions set lock_timeout = '5s';
alter role crm_functions set idle_in_transaction_session_timeout = '15s';
alter role crm_functions set enable_seqscan = off;
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

create domain crm.record_name as text check (char_length(value) between 1 and 255);
comment on domain crm.record_name is 'The name or title of a record: 1 to 255 characters.';
create domain crm.external_id as text check (char_length(value) between 1 and 255);
comment on domain crm.external_id is 'The caller''s own id for a record: 1 to 255 characters.';
create domain crm.amount as numeric check (value >= 0);
comment on domain crm.amount is 'An amount of money: not negative.';
create domain crm.quantity as integer check (value >= 0);
comment on domain crm.quantity is 'A count or a duration: not negative.';

create table crm.workspaces (
  id uuid primary key default crm.uuid_v7(),
  name crm.record_name not null,
  suspended boolean not null default false,
  public_api boolean not null default true,
  rate_limit_per_minute integer not null default 120 check (rate_limit_per_minute between 1 and 1000000),
  stale_after_days integer not null default 14 check (stale_after_days between 1 and 3650),
  max_waiting_deliveries integer not null default 50000 check (max_waiting_deliveries between 1 and 1000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  time_zone text not null default 'America/Sao_Paulo',
  refuses_undefined_fields boolean not null default false
);
comment on table crm.workspaces is
  'The tenants. Every record belongs to one workspace. public_api and rate_limit_per_minute are its plan.';
comment on column crm.workspaces.public_api is
  'Whether the plan includes the public API. If false, every call by a key or an app gets 403 feature_disabled, and '
  'all deliveries are held.';
comment on column crm.workspaces.rate_limit_per_minute is 'Calls admitted for each key in any 60 seconds (spec 8).';
comment on column crm.workspaces.stale_after_days is 'Days without movement after which a deal is stale (spec 6.1).';
comment on column crm.workspaces.time_zone is
  'The IANA time zone in which the console counts days, and assistants read and write times. The API uses UTC.';
comment on column crm.workspaces.refuses_undefined_fields is
  'Whether custom_fields may have only keys that are defined in crm.custom_fields.';
comment on column crm.workspaces.max_waiting_deliveries is
  'How many deliveries may wait in crm.webhook_queue; the active subscriptions share this number equally. The default, '
  '50,000, takes about 23 MiB. The job webhook-catch-up refills the queue every 10 s. The dispatcher sends fewer than '
  '50,000 deliveries in that time, so it never runs out of work.';
alter table crm.workspaces enable row level security, force row level security;
create policy "A member reaches only their own workspace" on crm.workspaces for all to crm_app
  using (id = crm.current_workspace_id())
  with check (id = crm.current_workspace_id());
create trigger touch before update on crm.workspaces for each row execute function crm.touch();
create function crm.zone_of(p_workspace_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$ begin return (select w.time_zone from crm.workspaces w where w.id = p_workspace_id); end $$;
comment on function crm.zone_of(uuid) is
  'The time zone in which the days of a workspace begin and end. Security definer, because verbs for keys may not read '
  'workspaces.';
create function crm.day_start(p_day date, p_zone text) returns timestamptz
language sql stable parallel safe
as $$ select p_day::timestamp at time zone p_zone $$;
comment on function crm.day_start(date, text) is 'When a day begins in a time zone.';
create table crm.members (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  email text not null check (char_length(email) between 3 and 320),
  role text not null check (role in ('admin', 'gestor', 'vendedor')),
  is_active boolean not null default true,
  user_id uuid,
  invited_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.members is 'The people of a workspace: owners of records, authors of notes, creators of keys.';
comment on column crm.members.user_id is
  'The person (auth.users) who signs in as this member. Set at the first sign-in with the member''s confirmed e-mail '
  '(crm.link_member) or when the person accepts the invitation; null before that, and after the person left.';
comment on column crm.members.invited_at is
  'When an admin invited the person, or the person left. To be linked, the person must then accept, or follow the '
  'invitation''s mail. Null if the operator added the member: then nobody asks the person with that e-mail.';
create unique index members_email on crm.members (workspace_id, lower(email));
create unique index members_user on crm.members (user_id, workspace_id);
create index members_by_email on crm.members (lower(email));
call crm.protect('crm.members');
create trigger touch before update on crm.members for each row execute function crm.touch();
create function crm.active_member(p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = p_id and m.is_active
  );
end
$$;
comment on function crm.active_member(uuid) is
  'Returns the id if it belongs to an active member of the caller''s workspace, otherwise null.';
create function crm.default_owner() returns uuid
language plpgsql stable set search_path = '' as $$
declare
  -- Repeats the query of crm.active_member, because calling it would make this function take 50 % longer.
  v_owner_id uuid := (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
  );
begin
  -- A separate statement, so that Postgres prepares it only if the query above found nobody.
  if v_owner_id is null then
    v_owner_id := (
      select m.id from crm.members m
      where m.workspace_id = crm.current_workspace_id() and m.is_active and m.role in ('admin', 'gestor')
      order by m.id limit 1
    );
  end if;
  return v_owner_id;
end
$$;
comment on function crm.default_owner() is
  'The owner of a new record if the call names no owner: the member who created the key if that member is active, '
  'otherwise the active admin or gestor who was added first (spec 4.1).';
create table crm.audit_log (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(clock_timestamp()),
  member_id uuid,
  action text not null,
  object_type text not null,
  object_id uuid not null,
  object_name text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id)
);
comment on table crm.audit_log is
  'A line for each change by a verb of schema app (but none for imported contacts, app.delivery_retry, pipelines, '
  'stages and loss reasons), and for each subscription that failures deactivated. Lines are never changed or removed.';
comment on column crm.audit_log.member_id is 'Who made the change; null for the operator and the dispatcher.';
comment on column crm.audit_log.object_name is
  'The name of the object when the change was made, so that the line can be read without the object. Empty for a '
  'proposal (crm.record_proposal_action).';
call crm.protect('crm.audit_log');
create function crm.record_action(
  p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text,
  p_details jsonb default '{}'
) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name, details)
  values (p_workspace_id, crm.current_member_id(), p_action, p_object_type, p_object_id, p_object_name, p_details);
end
$$;
comment on function crm.record_action(uuid, text, text, uuid, text, jsonb) is
  'Adds a line to the audit log, in the transaction of the change. p_action is <object>_<past participle>, such as '
  'key_created. The console shows p_details beside the action.';
create function crm.describe_changes(p_before jsonb, p_after jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.key, jsonb_build_object('from', p_before -> a.key, 'to', a.value)), '{}')
    from jsonb_each(p_after) a
    where a.value is distinct from p_before -> a.key
  );
end
$$;
comment on function crm.describe_changes(jsonb, jsonb) is
  'The details of an update for the audit log: {field: {from, to}} for each field that differs; {} if none does.';
create table crm.api_keys (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  member_id uuid not null,
  name crm.record_name not null,
  prefix text not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_at timestamptz,
  created_at timestamptz not null default now(),
  allowed_networks cidr[] check (cardinality(allowed_networks) between 1 and 20),
  client_id uuid,
  user_id uuid,
  primary key (workspace_id, id),
  unique (id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id),
  constraint api_keys_grant check (num_nulls(client_id, user_id) in (0, 2))
);
comment on table crm.api_keys is
  'API keys without their secrets, and the grants of apps (77_app_grants.sql). A rotation keeps the row and its id, so '
  'limits, subscriptions and call counts continue. The role crm_api cannot read the table.';
comment on column crm.api_keys.client_id is
  'For a grant, the app''s client id in Supabase Auth''s OAuth server. Null for a key.';
comment on column crm.api_keys.user_id is
  'For a grant, the person (auth.users) who gave it; member_id is that person''s member. Null for a key.';
comment on column crm.api_keys.member_id is
  'The member who created the key: the default owner of its records, and the author of its notes.';
comment on column crm.api_keys.prefix is
  'The visible start of the newest secret, by which people recognise the key; for a grant, the start of client_id.';
comment on column crm.api_keys.rotated_at is 'When the newest secret replaced the one before; null for a first secret.';
comment on column crm.api_keys.allowed_networks is
  'The networks from which the key may be used; null means all networks. An IPv4 network is never stored in IPv6 form.';
call crm.protect('crm.api_keys');
create unique index api_keys_grants on crm.api_keys (user_id, client_id, revoked_at) nulls not distinct
where client_id is not null;
create table crm.key_secrets (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  key_id uuid not null,
  prefix text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id)
);
comment on table crm.key_secrets is
  'The secrets of keys. Only their hashes are stored, so that nobody can call the API with a dump of this table. After '
  'a rotation a key has two valid secrets until the earlier one expires. The role crm_api cannot read the table.';
comment on column crm.key_secrets.prefix is
  'The visible start of the secret, by which the operator finds the key of a leaked secret.';
comment on column crm.key_secrets.hash is
  'SHA-256 of the secret. A fast hash is enough: nobody can guess 32 random bytes.';
comment on column crm.key_secrets.expires_at is
  'When the secret stops working because of a rotation. Null for the newest secret, which works as long as its key.';
call crm.protect('crm.key_secrets');
create unique index key_secrets_newest on crm.key_secrets (workspace_id, key_id) where expires_at is null;
create index key_secrets_replaced on crm.key_secrets (workspace_id, key_id, expires_at) where expires_at is not null;
create index key_secrets_age on crm.key_secrets (expires_at) where expires_at is not null;
create type crm.caller as (
  error_code text, id uuid, workspace_id uuid, member_id uuid, scopes text[], rate_limit integer, user_id uuid,
  refused_address text
);
comment on type crm.caller is
  'Who calls. id: the key, the proposal that a link opens, or the signed-in member. scopes: the scopes of the key, or '
  'the roles that the member''s role includes. user_id: the signed-in person; null for a key or a link. error_code: '
  'why the caller is not admitted (spec 5.7); null if admitted. refused_address: the address of the call, if it is '
  'outside the key''s networks; '''' if the key has networks and the address is unknown.';
create function crm.without_mapping(p_address inet) returns inet
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case
    when p_address <<= '::ffff:0:0/96' then
      (substring(host(p_address) from '[0-9.]+$') || '/' || masklen(p_address) - 96)::inet
    else p_address
  end;
end
$$;
comment on function crm.without_mapping(inet) is
  'Converts an IPv4 address or network written as IPv6 (::ffff:203.0.113.7) to IPv4; returns others unchanged.';
create function crm.parse_network(p_text text, out network cidr, out is_exact boolean)
language plpgsql immutable set search_path = '' as $$
declare
  v_address inet;
begin
  -- Postgres would also accept an IPv4 address with fewer than four parts.
  if p_text !~ '^(\d{1,3}(\.\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(/\d{1,3})?$' then return; end if;
  v_address := crm.without_mapping(p_text::inet);
  network := network(v_address);
  is_exact := v_address = network;
exception
  when invalid_text_representation then return;
end
$$;
comment on function crm.parse_network(text) is
  'Parses a network (203.0.113.0/24, 2001:db8::/32) or a single address. is_exact is false if the address is not '
  'the first of the network, as in 203.0.113.7/24. Both results are null for any other text.';
create function crm.is_within(p_networks cidr[], p_address text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(crm.without_mapping(p_address::inet) <<= any (p_networks), false);
exception
  when invalid_text_representation then return false;
end
$$;
comment on function crm.is_within(cidr[], text) is
  'Whether an address is in one of these networks. False for null and for a text that is not an address.';
create function crm.identify(p_key_hash bytea, p_address text default null) returns crm.caller
language plpgsql stable set search_path = '' as $$
declare
  v_caller crm.caller;
begin
  select
    case
      when k.revoked_at is not null or k.expires_at <= now() or s.expires_at <= now() then 'revoked_api_key'
      when w.suspended then 'workspace_suspended'
      when not w.public_api then 'feature_disabled'
    end,
    k.id, k.workspace_id, k.member_id, k.scopes, w.rate_limit_per_minute, null::uuid,
    case
      when k.allowed_networks is not null and not crm.is_within(k.allowed_networks, p_address) then
        coalesce(left(p_address, 45), '')
    end
  into v_caller
  from crm.key_secrets s
  join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  join crm.workspaces w on w.id = s.workspace_id
  where s.hash = substring(p_key_hash for 32);
  if not found then v_caller.error_code := 'invalid_api_key'; end if;
  return v_caller;
end
$$;
comment on function crm.identify(bytea, text) is
  'The caller whose secret has this hash. p_key_hash: the hash (32 bytes), then the slot (which database has the key; '
  'ignored here). p_address: the address of the call; if it is null, a key that is bound to networks is refused.';
create function crm.lock_key(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform from crm.api_keys k
  where k.workspace_id = crm.current_workspace_id() and k.id = p_id and k.revoked_at is null
  for share;
  if not found then return false; end if;
  -- A separate statement, so that it sees changes that were committed while the statement above waited for the lock.
  return exists (
    select from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where k.workspace_id = crm.current_workspace_id() and k.id = p_id
      and (k.client_id is null or 'webhooks:manage' = any (crm.given_scopes(k.scopes, m.role)))
  );
end
$$;
comment on function crm.lock_key(uuid) is
  'Locks a key or grant of the current workspace until the transaction ends. So nobody can revoke or narrow the key '
  'while a call with the key creates or reactivates a subscription. Returns false if the key is already revoked, or is '
  'a grant that has lost webhooks:manage. Security definer, because crm_api cannot read keys.';

create unlogged table crm.rate_limits (
  key_id uuid primary key,
  hits timestamptz[] not null,
  calls bigint not null default 0,
  counted_since timestamptz not null default clock_timestamp()
)
with (toast_tuple_target = 8160);
comment on table crm.rate_limits is
  'One row for each limited caller (a key, a proposal''s link, a signed-in member): the times of its newest admitted '
  'call and of those in the 60 seconds before that call, oldest first.';
comment on column crm.rate_limits.calls is
  'Admitted calls since counted_since. The job count-calls (crm.drain_calls) adds them to crm.key_calls.';
comment on column crm.rate_limits.counted_since is
  'When the row was created. A new time tells crm.drain_calls that the counter began again at 0, for example after a '
  'crash.';
alter table crm.rate_limits enable row level security, force row level security;
create function crm.live_hits(p_hits timestamptz[]) returns timestamptz[]
language sql volatile parallel safe
as $$ select p_hits[width_bucket(clock_timestamp() - interval '60 s', p_hits) + 1 :] $$;
comment on function crm.live_hits(timestamptz[]) is 'The admitted calls of the last 60 seconds.';
create function crm.rate_reset_seconds(p_hits timestamptz[], p_limit integer) returns integer
language sql volatile parallel safe
as $$
  select greatest(1, ceil(extract(epoch from
    p_hits[greatest(cardinality(p_hits) - p_limit, 0) + 1] + interval '60 s' - clock_timestamp()
  )))::integer
$$;
comment on function crm.rate_reset_seconds(timestamptz[], integer) is
  'Seconds until the number of possible calls rises. p_hits: the calls of the last 60 seconds (crm.live_hits).';
create type crm.admission as (admitted boolean, remaining integer, reset_seconds integer);
comment on type crm.admission is
  'Whether a call is admitted, how many more are possible now, and the seconds until that number rises.';
create function crm.admit(p_key_id uuid, p_limit integer) returns crm.admission
language plpgsql set search_path = '' as $$
declare
  v_admission crm.admission;
  v_hits timestamptz[];
begin
  insert into crm.rate_limits as r (key_id, hits, calls)
  values (p_key_id, array[clock_timestamp()], 1)
  on conflict (key_id) do update
    -- greatest() keeps the times sorted even if the clock is set back.
    set
      hits = crm.live_hits(r.hits) || greatest(clock_timestamp(), r.hits[cardinality(r.hits)]),
      calls = r.calls + 1
    where cardinality(crm.live_hits(r.hits)) < p_limit
  returning true, p_limit - cardinality(r.hits), crm.rate_reset_seconds(r.hits, p_limit) into v_admission;
  if not found then
    v_admission.admitted := false;
    v_admission.remaining := 0;
    select crm.live_hits(r.hits) into v_hits from crm.rate_limits r where r.key_id = p_key_id;
    v_admission.reset_seconds := crm.rate_reset_seconds(v_hits, p_limit);
  end if;
  return v_admission;
end
$$;
comment on function crm.admit(uuid, integer) is
  'Admits and counts a call if the last 60 seconds have fewer than p_limit calls of its key. A call over the limit is '
  'not counted (spec 8).';
create function crm.used_up(p_key_id uuid, p_limit integer) returns crm.admission
language plpgsql set search_path = '' as $$
declare
  v_hits timestamptz[];
begin
  select crm.live_hits(r.hits) into v_hits from crm.rate_limits r where r.key_id = p_key_id;
  if cardinality(v_hits) >= p_limit then
    return row(false, 0, crm.rate_reset_seconds(v_hits, p_limit))::crm.admission;
  end if;
  return null;
end
$$;
comment on function crm.used_up(uuid, integer) is
  'Null if the key may make a call now, otherwise the admission that refuses it. Counts nothing.';
create function crm.is_call_in_progress(p_key_id uuid) returns boolean
language plpgsql set search_path = '' as $$
begin
  perform from crm.rate_limits r where r.key_id = p_key_id for update skip locked;
  return not found;
end
$$;
comment on function crm.is_call_in_progress(uuid) is
  'Whether another call by the key may be in progress: the key''s row is locked, or missing (during a first call).';
create table crm.key_calls (
  workspace_id uuid not null,
  key_id uuid not null,
  hour timestamptz not null,
  calls bigint not null check (calls > 0),
  primary key (workspace_id, key_id, hour),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id)
);
comment on table crm.key_calls is
  'The admitted calls of each key by hour, kept for 90 days. Calls since the last run of crm.drain_calls are missing; '
  'crm.count_calls adds them. An hour without calls has no row.';
call crm.protect('crm.key_calls');
create index key_calls_age on crm.key_calls (hour);
create index key_calls_of_workspace on crm.key_calls (workspace_id, hour);
create table crm.key_counters (
  workspace_id uuid not null,
  key_id uuid not null,
  counted_since timestamptz not null,
  calls bigint not null,
  last_call_at timestamptz not null,
  primary key (workspace_id, key_id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id)
)
with (fillfactor = 50);
comment on table crm.key_counters is
  'How much of each key''s counter in crm.rate_limits is already in crm.key_calls. A separate table, so that the job '
  'locks no row for which a call waits.';
comment on column crm.key_counters.counted_since is
  'The counted_since of the key''s row in crm.rate_limits. If that row now has another time, it is a new row, and none '
  'of its calls is in crm.key_calls yet.';
comment on column crm.key_counters.last_call_at is
  'When the newest call that is counted here was made; kept after crm.key_calls has lost that hour.';
call crm.protect('crm.key_counters');
create function crm.calls_by_hour(p_hits timestamptz[], p_calls bigint, out hour timestamptz, out calls bigint)
returns setof record
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return query
    select
      date_bin('1 hour', h.at, 'epoch'),
      count(*) + case when min(h.n) = 1 then greatest(p_calls - cardinality(p_hits), 0) else 0 end
    from unnest(p_hits[cardinality(p_hits) - least(p_calls, cardinality(p_hits))::integer + 1 :])
      with ordinality as h (at, n)
    group by 1;
end
$$;
comment on function crm.calls_by_hour(timestamptz[], bigint) is
  'Divides the newest p_calls calls of a row of crm.rate_limits into hours. Calls whose times the row no longer has '
  'count in the hour of the oldest time that it has.';
create policy "A member reads the limits of their own workspace's keys" on crm.rate_limits for select to crm_app
  using (exists (select from crm.api_keys k where k.workspace_id = crm.current_workspace_id() and k.id = key_id));
create function crm.drain_calls() returns integer
language plpgsql set search_path = '' as $$
declare
  v_keys integer;
begin
  -- One run at a time, because two runs would add the same calls. A second run ends at once.
  if not pg_try_advisory_xact_lock(crm.lock_number('drain calls')) then return 0; end if;
  with counted as materialized (
    select k.workspace_id, k.id as key_id, r.hits, r.counted_since, r.calls, r.calls - coalesce(c.calls, 0) as new_calls
    from crm.rate_limits r
    join crm.api_keys k on k.id = r.key_id
    left join crm.key_counters c
      on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
    where r.calls > coalesce(c.calls, 0)
  ),
  moved as (
    insert into crm.key_calls as stored (workspace_id, key_id, hour, calls)
    select w.workspace_id, w.key_id, h.hour, h.calls
    from counted w
    cross join lateral crm.calls_by_hour(w.hits, w.new_calls) h
    on conflict (workspace_id, key_id, hour) do update set calls = stored.calls + excluded.calls
  )
  insert into crm.key_counters as stored (workspace_id, key_id, counted_since, calls, last_call_at)
  select w.workspace_id, w.key_id, w.counted_since, w.calls, w.hits[cardinality(w.hits)] from counted w
  on conflict (workspace_id, key_id) do update set
    counted_since = excluded.counted_since,
    calls = excluded.calls,
    last_call_at = greatest(stored.last_call_at, excluded.last_call_at);
  get diagnostics v_keys = row_count;
  return v_keys;
end
$$;
comment on function crm.drain_calls() is
  'Adds to crm.key_calls the calls that crm.rate_limits counted since the last run, and returns the number of keys. '
  'It locks no row of crm.rate_limits, so no call waits for it. A crash of the database loses the calls since the '
  'last run. Rows without a key (links, members) are skipped.';
create function crm.count_calls(p_workspace_id uuid, p_key_ids uuid[], p_since timestamptz)
returns table (key_id uuid, hour timestamptz, calls bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select c.key_id, c.hour, c.calls from crm.key_calls c
    where c.workspace_id = p_workspace_id and c.key_id = any (p_key_ids) and c.hour >= p_since
    union all
    select k.id, h.hour, h.calls
    from crm.api_keys k
    join crm.rate_limits r on r.key_id = k.id
    left join crm.key_counters c
      on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
    cross join lateral crm.calls_by_hour(r.hits, r.calls - coalesce(c.calls, 0)) h
    where k.workspace_id = p_workspace_id and k.id = any (p_key_ids) and r.calls > coalesce(c.calls, 0)
      and h.hour >= p_since;
end
$$;
comment on function crm.count_calls(uuid, uuid[], timestamptz) is
  'The calls of these keys of the workspace by hour, from the hour p_since until now. A key may have two rows for an '
  'hour; the caller adds them up. Reads one row for each hour in which a key was called.';
create function crm.purge_rate_limits() returns void
language sql set search_path = ''
as $$
  delete from crm.rate_limits r
  where r.hits[cardinality(r.hits)] < now() - interval '1 day'
    and not exists (
      select from crm.api_keys k
      left join crm.key_counters c
        on c.workspace_id = k.workspace_id and c.key_id = k.id and c.counted_since = r.counted_since
      where k.id = r.key_id and r.calls > coalesce(c.calls, 0)
    )
$$;
comment on function crm.purge_rate_limits() is
  'Deletes the rows of callers that made no call for a day, once all their calls are in crm.key_calls. So members and '
  'links that call no more leave no row, and crm.drain_calls reads only rows in use.';

create table crm.idempotency_keys (
  workspace_id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  request_hash bytea not null,
  body text not null,
  was_found boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
comment on table crm.idempotency_keys is
  'The replies of the last 24 hours by Idempotency-Key: a repeated POST gets the first reply. Errors are not stored.';
comment on column crm.idempotency_keys.request_hash is
  'SHA-256 of the operation with its query, and of the body in canonical form.';
comment on column crm.idempotency_keys.was_found is
  'Whether the first call found its record instead of creating it. In that case neither the first reply nor a repeated '
  'reply has a Location header.';
call crm.protect('crm.idempotency_keys');
create index idempotency_keys_age on crm.idempotency_keys (created_at);
create type crm.remembered_reply as (error_code text, body text, was_found boolean);
comment on type crm.remembered_reply is
  'The reply that is stored under an Idempotency-Key, or the error code of a call that may not use the key.';
create function crm.idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea)
returns crm.remembered_reply
language plpgsql set search_path = '' as $$
declare
  v_remembered crm.remembered_reply;
  -- The lock ends with the transaction, so a killed process leaves no key locked.
  v_locked boolean := pg_try_advisory_xact_lock(crm.lock_number('idempotency ' || p_workspace_id || ' ' || p_key));
  v_seen crm.idempotency_keys;
begin
  -- Read after the attempt to lock: a request that has released the lock has already committed its reply.
  select * into v_seen from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  if v_seen.created_at > clock_timestamp() - interval '24 hours' then
    if v_seen.request_hash = p_request_hash then
      v_remembered.body := v_seen.body;
      v_remembered.was_found := v_seen.was_found;
    else
      v_remembered.error_code := 'idempotency_conflict';
    end if;
  elsif not v_locked then
    v_remembered.error_code := 'idempotency_in_progress';
  elsif v_seen.key is not null then
    -- Expired: delete it, so that the new reply can be stored.
    delete from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  end if;
  return v_remembered;
end
$$;
comment on function crm.idempotency_begin(uuid, text, bytea) is
  'Returns the stored reply or an error code. If both are null, this transaction holds the key (spec 4.0.1).';

create function api.fail(p_code text, p_fields text[] default '{}', p_message text default null, p_ids uuid[] default '{}')
returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = coalesce(
      (
        select json_agg(json_build_object('field', f.field, 'message', p_message, 'id', f.id))
        from unnest(p_fields, p_ids) f (field, id)
      )::text,
      ''
    );
end
$$;
comment on function api.fail(text, text[], text, uuid[]) is
  'Raises an error code of spec 7 with the invalid fields. p_message is the Portuguese message for these fields; null '
  'means the message of the code. p_ids are the records that these fields are about.';
create function api.mark_replayed() returns void
language plpgsql set search_path = ''
as $$ begin perform set_config('app.replayed', 'true', true); end $$;
comment on function api.mark_replayed() is 'Marks the reply as a repetition: its status is 200, not 201.';
create function api.mark_found() returns void
language plpgsql set search_path = ''
as $$ begin perform set_config('app.found', 'true', true); end $$;
comment on function api.mark_found() is 'Marks the record as found, not created: the reply''s status is 200, not 201.';
create function crm.unless_dry_run(p_args jsonb, p_reply json) returns json
language plpgsql set search_path = '' as $$
begin
  -- An exception, because it undoes everything that the verb wrote.
  if p_args ? 'dry_run' then
    raise exception using errcode = 'CRM02', message = 'dry_run', detail = p_reply::text;
  end if;
  return p_reply;
end
$$;
comment on function crm.unless_dry_run(jsonb, json) is
  'A verb that supports dry_run returns its reply through this function. If dry_run was sent, the function undoes '
  'what the verb wrote, events included; the door sends the reply, but does not store it under an Idempotency-Key.';
create type api.reply as (
  error_code text, details json, body text, replayed boolean, found boolean, events boolean, caller_id uuid,
  workspace_id uuid, rate_limit integer, rate_remaining integer, rate_reset integer
);
comment on type api.reply is
  'The answer to a request. error_code and details: an error code of spec 7 with the invalid fields. body: JSON text. '
  'replayed: the body repeats an earlier reply. found: the call created no record, because it found the record or was '
  'sent with dry_run. events: webhook deliveries were enqueued. caller_id and workspace_id: who called. rate_limit, '
  'rate_remaining and rate_reset: the state of the rate limit.';
create function crm.is_marked(p_setting text) returns boolean
language sql stable
as $$ select current_setting(p_setting, true) is not distinct from 'true' $$;
comment on function crm.is_marked(text) is
  'Whether the request has set this setting, such as app.found. Each request is one transaction.';
create type crm.failure as (state text, message text, detail text, constraint_name text, context text);
comment on type crm.failure is 'What Postgres reports about an exception (`get stacked diagnostics`).';
create function crm.external_id_holders(p_record text, p_external_ids text[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_holders jsonb;
begin
  case p_record
    when 'contact' then
      select jsonb_object_agg(t.external_id, t.id) into v_holders from crm.contacts t
      where t.workspace_id = v_workspace_id and t.external_id = any (p_external_ids);
    when 'company' then
      select jsonb_object_agg(t.external_id, t.id) into v_holders from crm.companies t
      where t.workspace_id = v_workspace_id and t.external_id = any (p_external_ids);
    else
      null;
  end case;
  return coalesce(v_holders, '{}');
end
$$;
comment on function crm.external_id_holders(text, text[]) is
  'The ids of the records with these external_ids, by external_id. Empty for a kind of record whose external_id is not '
  'unique.';
create function crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, out error_code text, out details json)
language plpgsql set search_path = '' as $$
begin
  case
    when p_failure.state = 'CRM00' then
      error_code := p_failure.message;
      details := crm.explain(error_code, nullif(p_failure.detail, '')::json, p_verb, p_args);
    -- The unique index detects a taken external_id, so that creates and updates need no search.
    when p_failure.state = '23505' and p_failure.constraint_name like '%\_external\_id\_once' then
      error_code := 'external_id_taken';
      details := json_build_array(json_build_object(
        'field', 'external_id', 'message', null,
        'id', crm.external_id_holders(
          case p_failure.constraint_name
            when 'contacts_external_id_once' then 'contact' when 'companies_external_id_once' then 'company'
          end,
          array[p_args ->> 'external_id']
        ) ->> (p_args ->> 'external_id')
      ));
    -- These states are lock_not_available, deadlock_detected and query_canceled.
    when p_failure.state in ('55P03', '40P01', '57014') then
      error_code := 'service_unavailable';
    else
      raise log 'verb %: % (%) %', p_verb, p_failure.message, p_failure.state, p_failure.context;
      -- Class 53: the disk is full, or memory is short.
      error_code := case when p_failure.state like '53%' then 'service_unavailable' else 'internal_error' end;
  end case;
end
$$;
comment on function crm.error_of(crm.failure, text, jsonb) is
  'The code of spec 7 for the exception that ended a verb, and the invalid fields. An unexpected exception goes to '
  'the log of Postgres and becomes internal_error, or service_unavailable if Postgres lacks resources.';
create function crm.refusal(
  p_error_code text, p_caller crm.caller, p_admission crm.admission default null, p_details json default null
) returns api.reply
language sql stable
as $$
  select row(
    p_error_code, p_details, null, false, false, false, p_caller.id, p_caller.workspace_id,
    case when p_admission.admitted is not null then p_caller.rate_limit end, p_admission.remaining,
    p_admission.reset_seconds
  )::api.reply
$$;
comment on function crm.refusal(text, crm.caller, crm.admission, json) is
  'The answer to a request whose verb did not run, or failed. p_admission null: the answer shows no rate limit.';
create function crm.elsewhere(p_address text) returns json
language plpgsql immutable set search_path = '' as $$
begin
  return json_build_array(json_build_object(
    'field', '',
    'message', case p_address
      when '' then
        'A chave de API só vale para certas redes, e o serviço não sabe de que endereço esta chamada veio; peça a quem '
        'opera o serviço para configurar CLIENT_ADDRESS_HEADER, ou tire as redes da chave'
      else
        'A chave de API só vale para certas redes, e esta chamada veio de ' || p_address || '; chame de uma delas, ou '
        'inclua este endereço nas redes da chave'
    end,
    'id', null
  ));
end
$$;
comment on function crm.elsewhere(text) is
  'The error details for a call from an address outside its key''s networks. p_address is '''' if it is unknown.';
create function crm.answer_request(
  p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea
) returns api.reply
language plpgsql set search_path = '' as $$
declare
  v_remembered crm.remembered_reply;
  v_admission crm.admission;
  v_settings text[];
  v_body text;
  v_failure crm.failure;
  v_error record;
begin
  if p_caller.error_code is not null then return crm.refusal(p_caller.error_code, p_caller); end if;
  -- Without arguments the door only identifies the caller. The edge function calls it this way before it reads a large
  -- body, and does not read the body if the limit is used up.
  if p_args is null then
    v_admission := crm.used_up(p_caller.id, p_caller.rate_limit);
    return crm.refusal(case when v_admission.admitted is false then 'rate_limited' end, p_caller, v_admission);
  end if;

  if p_idempotency_key is not null then
    v_remembered := crm.idempotency_begin(p_caller.workspace_id, p_idempotency_key, p_request_hash);
  end if;

  -- A call that gets idempotency_in_progress is not counted while another call by the API key runs. Counting would wait
  -- for that other call, which may hold the idempotency key.
  if v_remembered.error_code is distinct from 'idempotency_in_progress'
    or not crm.is_call_in_progress(p_caller.id) then
    v_admission := crm.admit(p_caller.id, p_caller.rate_limit);
    if not v_admission.admitted then return crm.refusal('rate_limited', p_caller, v_admission); end if;
  end if;

  if p_caller.refused_address is not null then
    return crm.refusal('insufficient_scope', p_caller, v_admission, crm.elsewhere(p_caller.refused_address));
  end if;
  if not p_scope = any (p_caller.scopes) then
    return crm.refusal(
      case when p_caller.user_id is null then 'insufficient_scope' else 'insufficient_role' end, p_caller, v_admission
    );
  end if;

  if v_remembered.body is not null then
    -- Another key may have sent the batch, with the scope to read.
    if p_args ? 'items' and crm.table_of(left(p_verb, -length('_batch'))) || ':read' <> all (p_caller.scopes)
      and v_remembered.body::jsonb @? '$.results[*].record' then
      return crm.refusal('insufficient_scope', p_caller, v_admission);
    end if;
    return row(
      null, null, v_remembered.body, true, v_remembered.was_found, false, p_caller.id, p_caller.workspace_id,
      p_caller.rate_limit, v_admission.remaining, v_admission.reset_seconds
    )::api.reply;
  end if;
  -- No verb: the edge function has already found a 4xx error. It returns that error only if nothing above refused the
  -- call.
  if v_remembered.error_code is not null or p_verb is null then
    return crm.refusal(v_remembered.error_code, p_caller, v_admission);
  end if;

  -- Assigned to a variable, because `perform` costs several times as much as an expression. A setting costs as much as
  -- ten expressions, so one setting holds all ids of the caller.
  v_settings := array[
    set_config('app.workspace_id', p_caller.workspace_id::text, true),
    set_config('app.caller', format('%s %s %s', p_caller.id, p_caller.member_id, p_caller.user_id), true)
  ];
  begin
    if p_caller.user_id is null then
      -- A batch locks the records that it reads if its reply is stored (crm.lock_batch).
      v_body := crm.run_verb(p_verb, case
        when p_idempotency_key is not null and p_args ? 'items' then p_args || '{"is_stored": true}'
        else p_args
      end);
    else
      v_body := crm.run_app_verb(p_verb, p_args);
    end if;
    if p_idempotency_key is not null then
      -- In the transaction that created the record, so that the reply and the record are stored together or not at all.
      insert into crm.idempotency_keys (workspace_id, key, request_hash, body, was_found)
      values (p_caller.workspace_id, p_idempotency_key, p_request_hash, v_body, crm.is_marked('app.found'));
    end if;
  exception
    -- This block is a subtransaction: an error undoes what the verb wrote, and the call stays counted. `others` does
    -- not include query_canceled, which ends a verb that took too long.
    when others or query_canceled then
      get stacked diagnostics
        v_failure.state = returned_sqlstate,
        v_failure.message = message_text,
        v_failure.detail = pg_exception_detail,
        v_failure.constraint_name = constraint_name,
        v_failure.context = pg_exception_context;
      if v_failure.state = 'CRM02' then
        return row(
          null, null, v_failure.detail, false, true, false, p_caller.id, p_caller.workspace_id, p_caller.rate_limit,
          v_admission.remaining, v_admission.reset_seconds
        )::api.reply;
      end if;
      select e.error_code, e.details into v_error from crm.error_of(v_failure, p_verb, p_args) e;
      return crm.refusal(v_error.error_code, p_caller, v_admission, v_error.details);
  end;
  -- Built in one expression, because assigning a single field would cost as much as building the whole row.
  return row(
    null, null, v_body, crm.is_marked('app.replayed'), crm.is_marked('app.found'), crm.is_marked('app.events_enqueued'),
    p_caller.id, p_caller.workspace_id, p_caller.rate_limit, v_admission.remaining, v_admission.reset_seconds
  )::api.reply;
end
$$;
comment on function crm.answer_request(crm.caller, text, text, jsonb, text, bytea) is
  'Answers one request from an identified caller: rate limit, networks, scope, idempotency key, verb, stored reply. '
  'p_scope is a scope or a role; null requires none. p_verb null: makes all checks, but runs no verb. p_args null: '
  'only identifies the caller and counts no call. Only the doors call it.';
create function api.call(
  p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea,
  p_address text default null
) returns api.reply
language plpgsql security definer set search_path = '' as $$
begin
  return crm.answer_request(
    crm.identify(p_key_hash, p_address), p_scope, p_verb, p_args, p_idempotency_key, p_request_hash
  );
end
$$;
comment on function api.call(bytea, text, text, jsonb, text, bytea, text) is
  'The door for API keys: answers one request. p_key_hash and p_address: as in crm.identify. p_scope null: requires no '
  'scope, as for GET /api-v1-me and for an unknown path or method (404, 405). p_verb null: the request is invalid, so '
  'the door makes all checks, but runs no verb. p_args null: only identifies the key and counts no call.';
create function crm.own_key() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object(
      'key', json_build_object(
        'id', k.id, 'name', k.name, 'prefix', k.prefix,
        'scopes', case when k.client_id is null then k.scopes else crm.given_scopes(k.scopes, m.role) end,
        'created_at', crm.iso(k.created_at),
        'expires_at', crm.iso(k.expires_at), 'allowed_networks', coalesce(k.allowed_networks::text[], '{}')
      ),
      'workspace', json_build_object('id', w.id, 'name', w.name, 'time_zone', w.time_zone),
      'member', json_build_object('id', m.id, 'name', m.name, 'role', m.role, 'is_active', m.is_active),
      'limits', json_build_object('requests_per_minute', w.rate_limit_per_minute)
    )
    from crm.api_keys k
    join crm.workspaces w on w.id = k.workspace_id
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where k.workspace_id = crm.current_workspace_id() and k.id = crm.current_caller_id()
  );
end
$$;
comment on function crm.own_key() is
  'The calling key with its workspace, member and limit, without the member''s e-mail, which requires a scope. Null '
  'for a caller without a key. Security definer, because crm_api cannot read these tables.';
create function crm.has_scope(p_scope text) returns boolean
language plpgsql stable set search_path = ''
as $$ begin return (crm.own_key() #>> '{key,scopes}')::jsonb ? p_scope; end $$;
comment on function crm.has_scope(text) is 'Whether the calling key has the scope.';
create function api.me_get(p_args jsonb) returns json
language plpgsql stable set search_path = ''
as $$ begin return crm.own_key(); end $$;
comment on function api.me_get(jsonb) is 'Returns the calling key with its workspace, member and limit.';

create function crm.run_verb(p_verb text, p_args jsonb) returns json
language plpgsql security definer set search_path = '' as $$
begin
  -- 90_rights.sql makes crm_api the owner. If the function were restored under another owner, or altered to
  -- run with the rights of its caller, row-level security would not apply to verbs.
  if current_user <> 'crm_api' then raise exception 'crm.run_verb runs as %, not as crm_api', current_user; end if;
  -- Static calls, whose plans Postgres caches, because it would plan a dynamic statement at every call. The resource is
  -- compared first, so that few comparisons run: Postgres prepares each comparison again in every transaction.
  case split_part(p_verb, '_', 1)
    when 'activity' then
      case p_verb
        when 'activity_batch' then return api.activity_batch(p_args);
        when 'activity_create' then return api.activity_create(p_args);
        when 'activity_get' then return api.activity_get(p_args);
        when 'activity_list' then return api.activity_list(p_args);
        when 'activity_update' then return api.activity_update(p_args);
      end case;
    when 'change' then
      case p_verb
        when 'change_list' then return api.change_list(p_args);
        when 'change_summary' then return api.change_summary(p_args);
      end case;
    when 'company' then
      case p_verb
        when 'company_archive' then return api.company_archive(p_args);
        when 'company_batch' then return api.company_batch(p_args);
        when 'company_create' then return api.company_create(p_args);
        when 'company_duplicates' then return api.company_duplicates(p_args);
        when 'company_get' then return api.company_get(p_args);
        when 'company_list' then return api.company_list(p_args);
        when 'company_merge' then return api.company_merge(p_args);
        when 'company_restore' then return api.company_restore(p_args);
        when 'company_timeline' then return api.company_timeline(p_args);
        when 'company_update' then return api.company_update(p_args);
        when 'company_upsert' then return api.company_upsert(p_args);
      end case;
    when 'contact' then
      case p_verb
        when 'contact_archive' then return api.contact_archive(p_args);
        when 'contact_batch' then return api.contact_batch(p_args);
        when 'contact_create' then return api.contact_create(p_args);
        when 'contact_duplicates' then return api.contact_duplicates(p_args);
        when 'contact_erase' then return api.contact_erase(p_args);
        when 'contact_get' then return api.contact_get(p_args);
        when 'contact_list' then return api.contact_list(p_args);
        when 'contact_merge' then return api.contact_merge(p_args);
        when 'contact_restore' then return api.contact_restore(p_args);
        when 'contact_timeline' then return api.contact_timeline(p_args);
        when 'contact_update' then return api.contact_update(p_args);
        when 'contact_upsert' then return api.contact_upsert(p_args);
      end case;
    when 'custom' then
      case p_verb
        when 'custom_field_archive' then return api.custom_field_archive(p_args);
        when 'custom_field_create' then return api.custom_field_create(p_args);
        when 'custom_field_list' then return api.custom_field_list(p_args);
        when 'custom_field_restore' then return api.custom_field_restore(p_args);
        when 'custom_field_update' then return api.custom_field_update(p_args);
      end case;
    when 'deal' then
      case p_verb
        when 'deal_archive' then return api.deal_archive(p_args);
        when 'deal_batch' then return api.deal_batch(p_args);
        when 'deal_contact_add' then return api.deal_contact_add(p_args);
        when 'deal_contact_list' then return api.deal_contact_list(p_args);
        when 'deal_contact_remove' then return api.deal_contact_remove(p_args);
        when 'deal_create' then return api.deal_create(p_args);
        when 'deal_get' then return api.deal_get(p_args);
        when 'deal_list' then return api.deal_list(p_args);
        when 'deal_lose' then return api.deal_lose(p_args);
        when 'deal_move_stage' then return api.deal_move_stage(p_args);
        when 'deal_reassign' then return api.deal_reassign(p_args);
        when 'deal_restore' then return api.deal_restore(p_args);
        when 'deal_summary' then return api.deal_summary(p_args);
        when 'deal_update' then return api.deal_update(p_args);
        when 'deal_upsert' then return api.deal_upsert(p_args);
        when 'deal_win' then return api.deal_win(p_args);
      end case;
    when 'me' then
      case p_verb
        when 'me_get' then return api.me_get(p_args);
        when 'me_requests' then return api.me_requests(p_args);
      end case;
    when 'note' then
      case p_verb
        when 'note_batch' then return api.note_batch(p_args);
        when 'note_create' then return api.note_create(p_args);
        when 'note_get' then return api.note_get(p_args);
        when 'note_list' then return api.note_list(p_args);
      end case;
    when 'proposal' then
      case p_verb
        when 'proposal_accept' then return api.proposal_accept(p_args);
        when 'proposal_reject' then return api.proposal_reject(p_args);
        when 'proposal_view' then return api.proposal_view(p_args);
      end case;
    when 'webhook' then
      case p_verb
        when 'webhook_create' then return api.webhook_create(p_args);
        when 'webhook_delete' then return api.webhook_delete(p_args);
        when 'webhook_deliveries' then return api.webhook_deliveries(p_args);
        when 'webhook_delivery' then return api.webhook_delivery(p_args);
        when 'webhook_get' then return api.webhook_get(p_args);
        when 'webhook_list' then return api.webhook_list(p_args);
        when 'webhook_reactivate' then return api.webhook_reactivate(p_args);
        when 'webhook_recover' then return api.webhook_recover(p_args);
        when 'webhook_redeliver' then return api.webhook_redeliver(p_args);
        when 'webhook_redeliver_all' then return api.webhook_redeliver_all(p_args);
        when 'webhook_rotate_secret' then return api.webhook_rotate_secret(p_args);
        when 'webhook_test' then return api.webhook_test(p_args);
        when 'webhook_update' then return api.webhook_update(p_args);
      end case;
    else
      case p_verb
        when 'event_list' then return api.event_list(p_args);
        when 'lead_create' then return api.lead_create(p_args);
        when 'operation_get' then return api.operation_get(p_args);
        when 'pipeline_list' then return api.pipeline_list(p_args);
        when 'search_list' then return api.search_list(p_args);
        when 'workspace_get' then return api.workspace_get(p_args);
      end case;
  end case;
end
$$;
comment on function crm.run_verb(text, jsonb) is
  'Calls the verb with this name as crm_api, which owns this security definer function. Lists every verb that an '
  'endpoint for keys or links declares.';

create function crm.kind_of(p_id uuid) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return (
    select k.kind
    from (
      select 'contact' as kind from crm.contacts t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'company' from crm.companies t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'deal' from crm.deals t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'activity' from crm.activities t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'note' from crm.notes t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'owner' from crm.members t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'pipeline' from crm.pipelines t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'stage' from crm.stages t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'loss_reason' from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'webhook' from crm.webhook_subscriptions t where t.workspace_id = v_workspace_id and t.id = p_id
    ) k
    limit 1
  );
end
$$;
comment on function crm.kind_of(uuid) is
  'The kind of the record with this id in the caller''s workspace; null if there is no such record.';
create function crm.choices(p_field text, p_verb text, p_args jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  c_most constant integer := 20;
  v_workspace_id uuid := crm.current_workspace_id();
  -- The pipeline whose stages are offered. Null for a filter by stage alone, which offers the stages of all pipelines.
  v_pipeline_id uuid := case when p_field = 'stage_id' then coalesce(
    (
      select p.id from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.id = (p_args ->> 'pipeline_id')::uuid and p.is_active
    ),
    (
      select d.pipeline_id from crm.deals d
      where d.workspace_id = v_workspace_id and d.id = (p_args ->> 'id')::uuid
    ),
    (
      select d.pipeline_id from crm.deals d
      where d.workspace_id = v_workspace_id and d.external_id = p_args ->> 'external_id' and p_verb = 'deal_upsert'
      limit 1
    ),
    (
      select p.id from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_default
        and p_verb not in ('deal_list', 'deal_summary', 'webhook_create', 'webhook_update')
    )
  ) end;
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_strip_nulls(jsonb_build_object('id', c.id, 'name', c.name, 'type', c.type))
        order by c.pipeline_id, c.position, c.id
      ),
      '[]'
    )
    from (
      select t.id, t.name::text, null::text as type, null::uuid as pipeline_id, 0 as position
      from crm.members t
      where p_field in ('owner_id', 'to_owner_id') and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, null, null, 0 from crm.loss_reasons t
      where p_field = 'loss_reason_id' and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, null, null, 0 from crm.pipelines t
      where p_field = 'pipeline_id' and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, t.type, t.pipeline_id, t.position from crm.stages t
      join crm.pipelines p on p.workspace_id = t.workspace_id and p.id = t.pipeline_id and p.is_active
      where p_field = 'stage_id' and t.workspace_id = v_workspace_id and t.is_active
        and t.pipeline_id = coalesce(v_pipeline_id, t.pipeline_id)
      limit c_most + 1
    ) c
    having count(*) <= c_most and p_field in ('owner_id', 'to_owner_id', 'loss_reason_id', 'pipeline_id', 'stage_id')
  );
end
$$;
comment on function crm.choices(text, text, jsonb) is
  'The values that a call may send in a field: active members, loss reasons or pipelines, or the active stages of the '
  'call''s pipeline with their types. Empty if the workspace has none. Null for any other field, or if there are more '
  'than 20 values.';
create function crm.unusable_detail(p_kind text, p_id uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  if p_kind in ('owner', 'loss_reason') then return '{"message": "Está inativo"}'; end if;
  return coalesce(
    (
      select case
        when u.merged_into_id is not null then jsonb_build_object('id', u.merged_into_id, 'code', 'merged')
        when u.is_erased then '{"code": "record_erased"}'
      end
      from (
        select t.merged_into_id, t.erased_at is not null as is_erased from crm.contacts t
        where p_kind = 'contact' and t.workspace_id = v_workspace_id and t.id = p_id
        union all
        select t.merged_into_id, false from crm.companies t
        where p_kind = 'company' and t.workspace_id = v_workspace_id and t.id = p_id
      ) u
    ),
    '{}'
  );
end
$$;
comment on function crm.unusable_detail(text, uuid) is
  'Why a record of the caller''s workspace cannot be referred to, as fields of an error detail: it was merged into '
  '`id`, it was erased, or it is inactive. Empty for any other record. Callers pass no active member or loss reason.';
create function crm.explain(p_code text, p_details json, p_verb text, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  -- The kind of record that the verb is about.
  v_own text := regexp_replace(split_part(p_verb, '_', 1), '^(subscription|delivery)$', 'webhook');
  v_told text := coalesce(current_setting('app.choices_told', true), '');
  v_detail jsonb;
  v_details jsonb[];
  v_field text;
  v_kind text;
  v_choices jsonb;
begin
  if p_code not in ('not_found', 'invalid_reference', 'pipeline_not_found', 'stage_not_found') then
    return p_details;
  end if;
  for v_detail in
    select d.detail
    from jsonb_array_elements(coalesce(p_details::jsonb, '[{"field": "id", "message": null, "id": null}]')) d (detail)
  loop
    v_field := v_detail ->> 'field';
    v_kind := case when (p_args ->> v_field) ~ '^[0-9a-fA-F-]{36}$' then crm.kind_of((p_args ->> v_field)::uuid) end;
    if v_kind is distinct from (case
      when v_field in ('id', 'merge_id') then v_own
      else regexp_replace(left(v_field, -3), '^(from|to)_', '')
    end) then
      v_detail := v_detail || jsonb_strip_nulls(jsonb_build_object('kind', v_kind));
    elsif p_code = 'invalid_reference' then
      v_detail := v_detail || crm.unusable_detail(v_kind, (p_args ->> v_field)::uuid);
    end if;
    -- Each field's choices appear only once in a reply, because a batch could repeat them a hundred times.
    v_field := regexp_replace(v_field, '^filters\.', '');
    v_choices := case when position(v_field in v_told) = 0 then crm.choices(v_field, p_verb, p_args) end;
    if v_choices is not null then
      v_told := concat_ws(' ', v_told, v_field);
      v_detail := v_detail || jsonb_build_object('choices', v_choices);
    end if;
    v_details := v_details || v_detail;
  end loop;
  perform set_config('app.choices_told', v_told, true);
  -- An error without details is about the call's id. It gets details only if that id belongs to another kind of record.
  return case when p_details is not null or v_details[1] ? 'kind' then array_to_json(v_details) end;
end
$$;
comment on function crm.explain(text, json, text, jsonb) is
  'The details of an error. Adds `kind` if an id belongs to another kind of record, why a record cannot be referred to '
  '(crm.unusable_detail), and `choices` if the field has at most 20 possible values.';
create function crm.require_known_filters(p_args jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_unknown text[];
begin
  if not p_args ?| '{owner_id,pipeline_id,stage_id}' then return; end if;
  v_unknown := array_remove(
    array[
      case when p_args ? 'owner_id' and not exists (
        select from crm.members t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'owner_id')::uuid
      ) then 'owner_id' end,
      case when p_args ? 'pipeline_id' and not exists (
        select from crm.pipelines t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'pipeline_id')::uuid
      ) then 'pipeline_id' end,
      case when p_args ? 'stage_id' and not exists (
        select from crm.stages t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'stage_id')::uuid
      ) then 'stage_id' end
    ],
    null
  );
  if v_unknown <> '{}' then perform api.fail('invalid_reference', v_unknown); end if;
end
$$;
comment on function crm.require_known_filters(jsonb) is
  'Raises invalid_reference for a filter by an owner, pipeline or stage that the workspace never had. Inactive owners, '
  'pipelines and stages are accepted, so that their records can be listed. Without `sort`, lists and sums call this '
  'function only if they found nothing.';

create type api.page_meta as (next_cursor uuid, has_more boolean);
comment on type api.page_meta is 'The cursor of the next page, and whether there is one.';
create type api.page as (data json[], meta api.page_meta);
comment on type api.page is 'A page of a list (spec 4.0); `data` is an array of records.';
create function crm.max_page_bytes() returns integer
language sql immutable parallel safe
as $$ select 500000 $$;
comment on function crm.max_page_bytes() is
  'The size in bytes of JSON at which a page ends, even if the page has fewer records than its limit. 200 records of '
  'maximum length would have 20 MB.';
create function crm.page(p_records json[], p_next_id uuid) returns json
language sql stable
as $$
  select to_json(row(coalesce(p_records, '{}'), row(p_next_id, p_next_id is not null)::api.page_meta)::api.page)
$$;
comment on function crm.page(json[], uuid) is
  'Builds a page of a list (spec 4.0). p_next_id is the cursor of the next page; null if there is no next page.';
create function crm.synced_page(p_records json[], p_next_id uuid) returns json
language sql stable
as $$
  select json_build_object('data', coalesce(p_records, '{}'), 'meta', json_build_object(
    'next_cursor', p_next_id, 'has_more', p_next_id is not null,
    'synced_until', crm.iso(now() - interval '60 seconds')
  ))
$$;
comment on function crm.synced_page(json[], uuid) is
  'crm.page for the first page by updated_since. Adds synced_until (60 seconds ago), which a client sends as '
  'updated_since in its next run. The two runs together miss no change by a transaction shorter than 60 seconds.';
create function crm.table_of(p_object_type text) returns text
language sql immutable
as $$
  select case p_object_type when 'company' then 'companies' when 'activity' then 'activities' else p_object_type || 's' end
$$;
comment on function crm.table_of(text) is
  'The table for a kind of record, such as companies for company. It is also the resource in the scopes for that kind.';
create function crm.require_record(p_record json) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if p_record is null then perform api.fail('not_found'); end if;
  return p_record;
end
$$;
comment on function crm.require_record(json) is 'Returns the record; raises not_found if it is null.';
create function crm.changes(p_object_type text, p_current jsonb, p_args jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  p_args := crm.checked_values(p_object_type, p_args, p_current);
  -- A null owner_id means the default owner. Replace it here, so that nothing changes if the record already has that
  -- owner. For activities, crm.with_activity_defaults replaces the null.
  if p_object_type <> 'activity' and p_args -> 'owner_id' = 'null' then
    p_args := jsonb_set(p_args, '{owner_id}', to_jsonb(crm.owner_or_default(null)));
  end if;
  return (
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
    from jsonb_each(p_args) a
    where a.key not in ('id', 'if_match') and p_current -> a.key is distinct from a.value
  );
end
$$;
comment on function crm.changes(text, jsonb, jsonb) is
  'The arguments of a PATCH that differ from the record. Unchanged references are left out and not checked again, '
  'because a client may send back what it read. Raises the codes of crm.checked_values.';
create function crm.version(p_record json) returns text
language plpgsql immutable set search_path = '' as $$
declare
  v_text text := regexp_replace(p_record::text, ',"is_overdue":(true|false)', '');
begin
  return left(encode(sha256(convert_to(v_text, 'UTF8')), 'hex'), 16);
end
$$;
comment on function crm.version(json) is
  'The version of a record, for ETag, computed from its public JSON without is_overdue, which changes with the clock.';
create function crm.lock_matches(variadic p_values jsonb[]) returns void
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' as $$
begin
  if current_setting('app.matches_locked', true) = 'true' then return; end if;
  perform pg_advisory_xact_lock_shared(crm.lock_number('matches ' || crm.current_workspace_id()));
  -- Sorted, so that two calls that share two of these values cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('match ' || crm.current_workspace_id() || ' ' || v.key || ' ' || v.value) as number
    from unnest(p_values) p (values), jsonb_each_text(p.values) v
    where v.value is not null
    order by number
  ) k;
end
$$;
comment on function crm.lock_matches(jsonb[]) is
  'Locks these values until the transaction ends. Without the lock, two calls could both find no record with a value, '
  'and both create one. Each key names the kind of value, such as `contact email`. Null values lock nothing.';
create function crm.lock_all_matches() returns void
language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(crm.lock_number('matches ' || crm.current_workspace_id()));
  perform set_config('app.matches_locked', 'true', true);
end
$$;
comment on function crm.lock_all_matches() is
  'Locks all values of the workspace with one lock, instead of crm.lock_matches. A batch would need hundreds of '
  'locks, and Postgres has room for only a few thousand for all workspaces together.';
create function crm.owner_or_default(p_owner_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  v_owner_id uuid := coalesce(p_owner_id, crm.default_owner());
begin
  if v_owner_id is null then perform api.fail('no_owner_available'); end if;
  return v_owner_id;
end
$$;
comment on function crm.owner_or_default(uuid) is
  'The owner named by the call, otherwise the default owner; raises no_owner_available if there is none (spec 4.2).';
create function crm.with_fields(p_record json, p_fields json) returns json
language sql immutable parallel safe
as $$ select (left(p_record::text, -1) || ',' || substr(p_fields::text, 2))::json $$;
comment on function crm.with_fields(json, json) is
  'Appends fields to the public JSON of a record. Both arguments must be non-empty objects from to_json or '
  'json_build_object, without spaces around their braces.';
create function crm.with_possible_duplicates(p_reply json, p_ids text) returns json
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return case
    when p_ids is null or p_ids = '' then p_reply
    else crm.with_fields(p_reply, json_build_object('X-Possible-Duplicate', p_ids))
  end;
end
$$;
comment on function crm.with_possible_duplicates(json, text) is
  'Adds a last field to the reply to a creation: the ids of similar records, separated by commas. The edge function '
  'sends that field as a header, also when it repeats a stored reply.';
create function crm.creation_json(p_args jsonb, p_record json, p_alike uuid[]) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_ids uuid[];
begin
  -- Most records resemble no other record.
  if p_alike = '{}' and p_args ->> 'prefer' is null then return p_record; end if;
  v_ids := array(select distinct a from unnest(p_alike) a order by a limit 5);
  if p_args ->> 'prefer' = 'representation' then
    p_record := crm.with_fields(p_record, json_build_object('possible_duplicates', v_ids));
  end if;
  return crm.with_possible_duplicates(p_record, array_to_string(v_ids, ', '));
end
$$;
comment on function crm.creation_json(jsonb, json, uuid[]) is
  'The reply to a creation: the record or its id, and the ids of similar records, at most the five oldest.';

create type crm.event_type as enum (
  'deal.stage_changed', 'deal.won', 'deal.lost', 'deal.stale', 'activity.created', 'activity.overdue',
  'proposal.viewed', 'deal.created', 'contact.created', 'lead.received', 'proposal.accepted', 'proposal.rejected',
  'contact.updated', 'company.created', 'company.updated', 'deal.updated', 'deal.reopened', 'deal.contact_added',
  'deal.contact_removed', 'activity.updated', 'activity.completed', 'note.created', 'contact.merged', 'contact.erased'
);
comment on type crm.event_type is 'The event catalogue of spec 6.1.';
create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null,
  is_change boolean not null
);
comment on table crm.event_types is 'The type of object of each event (spec 6.2).';
comment on column crm.event_types.is_change is
  'Whether the change log shows the event. The log shows one event for each change, but no event that repeats a change '
  'and none that time causes.';
alter table crm.event_types enable row level security, force row level security;
create policy "Every caller reads the catalogue" on crm.event_types for select to crm_api, crm_app using (true);
insert into crm.event_types (event, object_type, is_change) values
  ('deal.stage_changed', 'deal', false), ('deal.won', 'deal', false), ('deal.lost', 'deal', false),
  ('deal.stale', 'deal', false), ('activity.created', 'activity', true), ('activity.overdue', 'activity', false),
  ('proposal.viewed', 'proposal', true), ('deal.created', 'deal', true), ('contact.created', 'contact', true),
  ('lead.received', 'deal', false), ('proposal.accepted', 'proposal', true), ('proposal.rejected', 'proposal', true),
  ('contact.updated', 'contact', true), ('company.created', 'company', true), ('company.updated', 'company', true),
  ('deal.updated', 'deal', true), ('deal.reopened', 'deal', false), ('deal.contact_added', 'deal', true),
  ('deal.contact_removed', 'deal', true), ('activity.updated', 'activity', true),
  ('activity.completed', 'activity', false), ('note.created', 'note', true), ('contact.merged', 'contact', true),
  ('contact.erased', 'contact', true);
create function crm.require_references(p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid;
  v_field text;
  v_id uuid;
  v_missing text[] := '{}';
begin
  -- Skip the loop for most creations, which refer to no record.
  if not p_args ?| '{company_id,contact_id,deal_id,loss_reason_id,owner_id,stage_id}' then return p_args; end if;
  v_workspace_id := crm.current_workspace_id();
  foreach v_field in array array['company_id', 'contact_id', 'deal_id', 'loss_reason_id', 'owner_id', 'stage_id'] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
      when 'company_id' then
        perform from crm.companies t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null
        for key share;
      when 'contact_id' then
        perform from crm.contacts t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null and t.erased_at is null
        for key share;
      when 'deal_id' then
        perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = v_id;
      when 'loss_reason_id' then
        perform from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'owner_id' then
        perform from crm.members t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'stage_id' then
        perform from crm.stages t where t.workspace_id = v_workspace_id and t.id = v_id;
    end case;
    if not found then v_missing := v_missing || v_field; end if;
  end loop;
  if v_missing <> '{}' then perform api.fail('invalid_reference', v_missing); end if;
  return p_args;
end
$$;
comment on function crm.require_references(jsonb) is
  'Returns the arguments; raises invalid_reference with every field whose record is outside the workspace, inactive, '
  'merged or erased. Locks contacts and companies until the transaction ends, as their foreign keys would do later.';
create function crm.expanded(p_records json[], p_names jsonb) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_scopes jsonb := case when p_names ?| '{deal,contact,company}' then crm.own_key() #> '{key,scopes}' end;
begin
  return (
    select array_agg(crm.with_fields(r.record, ('{' || concat_ws(',',
      case when p_names ? 'deal' then '"deal" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.title)::text from crm.deals t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'deal_id')::uuid and v_scopes ? 'deals:read'
      ), 'null') end,
      case when p_names ? 'contact' then '"contact" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.contacts t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'contact_id')::uuid and v_scopes ? 'contacts:read'
      ), 'null') end,
      case when p_names ? 'owner' then '"owner" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'owner_id')::uuid
      ), 'null') end,
      case when p_names ? 'created_by' then '"created_by" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'created_by_id')::uuid
      ), 'null') end,
      case when p_names ? 'company' then '"company" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.companies t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'company_id')::uuid and v_scopes ? 'companies:read'
      ), 'null') end,
      case when p_names ? 'pipeline' then '"pipeline" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.pipelines t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'pipeline_id')::uuid
      ), 'null') end,
      case when p_names ? 'stage' then '"stage" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name, 'type', t.type)::text from crm.stages t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'stage_id')::uuid
      ), 'null') end,
      case when p_names ? 'loss_reason' then '"loss_reason" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.loss_reasons t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'loss_reason_id')::uuid
      ), 'null') end,
      case when p_names ? 'author' then '"author" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'author_id')::uuid
      ), 'null') end
    ) || '}')::json) order by r.position)
    from unnest(p_records) with ordinality r (record, position)
    -- Without the offset, the planner would copy the cast to each name, and Postgres would parse the record each time.
    cross join lateral (select r.record::jsonb as fields offset 0) j
  );
end
$$;
comment on function crm.expanded(json[], jsonb) is
  'Adds to each record what p_names lists: for owner, the id and name of the record in owner_id; null if the key may '
  'not read that kind of record. p_names has at least one name.';
create function crm.expanded(p_record json, p_names jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_array_length(p_names) > 0 then return (crm.expanded(array[p_record], p_names))[1]; end if;
  return p_record;
end
$$;
comment on function crm.expanded(json, jsonb) is 'Adds the named records to one record; p_names may be null or empty.';


create type crm.sent_filter as (kind text, name text, target text, is_many boolean, value text, condition text);
comment on type crm.sent_filter is 'A sent filter as SQL: its value (an array if is_many) and its condition on row t.';
create type crm.walk as (
  rows text, everything text, ways text[], ranges text[], is_alone boolean[], chosen text, shows_all boolean
);
comment on type crm.walk is
  'Statements that read rows for the filters sent. Their column is_match tells whether a row matches all filters. '
  'rows: all rows in no order; the caller appends conditions. everything: all rows, newest first. ways: for each '
  'filter, its rows, newest first. ranges: for each range filter, its rows in the order of its column. chosen: the '
  'rows with the ids $4. everything and ways read the ids below $1, down to $2; $3 is the number of rows. is_alone: '
  'for each of ranges, whether it is the only filter. shows_all: whether archived records are requested too.';
create function crm.rows_by(p_rows text, p_kind text, p_column text, p_value text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return format(
    case
      when p_column is null then '%1$s and t.id < $1 and t.id >= $2 order by t.id desc'
      -- At most one row has a given unique value, so the rows need no order by id.
      when p_kind = 'unique' then
        '%1$s and t.%2$I = %3$s and (t.%2$I, t.id) < (%3$s, $1) and (t.%2$I, t.id) >= (%3$s, $2) order by t.%2$I desc'
      -- The same conditions as in api.<name>_list, so that the plan uses the same index.
      else '%1$s and (t.%2$I, t.id) < (%3$s, $1) and t.%2$I >= %3$s and t.%2$I = any (array[%3$s])'
        ' and t.%2$I is not null and t.id < $1 and t.id >= $2 order by t.%2$I desc, t.id desc'
    end,
    p_rows, p_column, p_value
  );
end
$$;
comment on function crm.rows_by(text, text, text, text) is
  'Builds a statement that reads the rows with a filter''s value, newest first, by the index on p_column. If p_column '
  'is null, the statement reads all rows.';
create function crm.newest_deals(p_column text, p_value uuid, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
begin
  if p_column = 'company_id' then
    return array(
      select d.id from crm.deals d
      where d.workspace_id = crm.current_workspace_id() and d.company_id = p_value
      order by d.company_id desc, d.id desc limit p_most
    );
  end if;
  return array(
    select d.id from crm.deals d
    where d.workspace_id = crm.current_workspace_id() and d.contact_id = p_value
    order by d.contact_id desc, d.id desc limit p_most
  );
end
$$;
comment on function crm.newest_deals(text, uuid, integer) is
  'The ids of the newest p_most deals with a company (company_id) or a contact (contact_id).';
create function crm.walk_for(p_record text, p_args jsonb, p_columns text default '') returns crm.walk
language plpgsql stable set search_path = '' as $$
declare
  v crm.walk;
  v_sent crm.sent_filter[];
  v_table text;
  v_searched text;
  v_matching text;
  v_leading text;
  v_rows text;
  v_filters integer;
  v_ranges boolean;
  v_values crm.sent_value[];
  v_pending uuid[];
  -- Whether the required filter is missing. Most indexes begin with that filter's column. Without the filter, the list
  -- can use only the primary key and, for a filter of kind `deal`, the index on deal_id.
  v_is_partial boolean := exists (
    select from crm.list_filters(p_record) f where f.kind = 'required' and not p_args ? f.name
  );
begin
  select
    array_agg(row(s.*)::crm.sent_filter),
    count(*) filter (where s.kind not in ('list', 'required', 'shown')),
    bool_or(s.kind in ('range', '>=', '<')) and not v_is_partial,
    max(s.target) filter (where s.kind = 'list'),
    max(s.value) filter (where s.kind = 'list'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind <> 'required'), 'true'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind = 'required'), 'true'),
    not bool_or(s.kind = 'shown')
  into v_sent, v_filters, v_ranges, v_table, v_searched, v_matching, v_leading, v.shows_all
  from (
    select f.kind, f.name, f.target, f.is_many, f.value, case
      when f.kind = 'list' then null
      when f.kind in ('shown', 'hidden', 'range', 'condition') then f.value
      when f.kind in ('>=', '<') then format('t.%I %s %s', f.target, f.kind, f.value)
      -- For more than 250 deals, reading the rows of each deal would take too long: check the deal of each row instead.
      when f.kind = 'deal' and not f.is_many then format(
        'exists (select from crm.deals d where d.workspace_id = t.workspace_id and d.id = t.%I and d.%I = %s)',
        f.target, f.sql, f.value
      )
      when f.is_many then format('t.%I = any (%s)', f.target, f.value)
      else format('t.%I = %s', f.target, f.value)
    end
    from (
      select f.kind, f.name, f.target, f.sql,
        case f.kind
          when 'several' then jsonb_array_length(p_args -> f.name) > 1
          when 'deal' then cardinality(d.ids) <= 250
          else false
        end as is_many,
        case
          when f.kind = 'deal' and cardinality(d.ids) > 250 then format('%L::uuid', p_args ->> f.name)
          when f.kind = 'deal' then format('%L::uuid[]', d.ids)
          when f.given is not null or f.kind = 'list' then f.sql
          when f.kind <> 'several' then format(f.sql, p_args ->> f.name)
          when jsonb_array_length(p_args -> f.name) = 1 then format(f.sql, p_args -> f.name ->> 0)
          else format(f.sql || '[]', array(select jsonb_array_elements_text(p_args -> f.name)))
        end as value
      from crm.list_filters(p_record) f
      cross join lateral (
        select case
          when f.kind = 'deal' and p_args ? f.name then crm.newest_deals(f.sql, (p_args ->> f.name)::uuid, 251)
        end
      ) d (ids)
      where case
        when f.kind = 'list' then true
        when f.kind = 'shown' then coalesce(p_args ->> f.name, f.given) = f.given
        when f.given is not null then p_args ->> f.name = f.given
        else p_args ? f.name
      end
    ) f
  ) s (kind, name, target, is_many, value, condition);
  if p_args ?| '{tag,custom}' then
    v_values := array(select s from crm.sent_values(p_record, p_args) s);
    v_filters := v_filters + cardinality(v_values);
    v_matching := concat_ws(
      ' and ', v_matching, (select string_agg(crm.value_condition(s), ' and ') from unnest(v_values) s)
    );
    v_pending := crm.pending_texts(p_record, 1000);
  end if;
  if jsonb_array_length(nullif(p_args -> 'words', 'null')) > 0 then
    v_matching := format(
      '%s and not exists (select from unnest(%L::text[]) s (word) where strpos(%s, s.word) = 0)',
      v_matching, array(select jsonb_array_elements_text(p_args -> 'words')), v_searched
    );
  end if;
  -- The workspace id is a literal, because Postgres would parse the function crm.current_workspace_id again for each
  -- composed statement.
  v_rows := format('t.workspace_id = %L::uuid', crm.current_workspace_id());
  v.chosen := format(
    'select t.id, %s as is_match, %s as text from unnest($4) with ordinality chosen (id, position)'
    ' join %s t on %s and t.id = chosen.id order by chosen.position',
    v_matching, coalesce(v_searched, 'null'), v_table, v_rows
  );
  v_rows := format('select t.id, %s as is_match%s from %s t where %s', v_matching, p_columns, v_table, v_rows);
  select coalesce(max(crm.rows_by(v_rows, s.kind, s.target, s.value)), crm.rows_by(v_rows, null, null, null))
  into v.everything
  from unnest(v_sent) s
  where s.kind = 'required';
  v_rows := format('%s and %s', v_rows, v_leading);
  v.rows := v_rows;
  if v_filters = 0 then return v; end if;
  select array_agg(
    case
      when s.kind = 'hidden' then crm.rows_by(format('%s and %s', v_rows, s.condition), null, null, null)
      when s.is_many then format(
        'select w.* from unnest(%s) s (value) cross join lateral (%s limit $3 + 1) w order by w.id desc',
        s.value, crm.rows_by(v_rows, s.kind, s.target, 's.value')
      )
      else crm.rows_by(v_rows, s.kind, s.target, s.value)
    end
  )
  into v.ways
  from unnest(v_sent) s
  where s.kind in ('hidden', 'equality', 'unique', 'several') and not v_is_partial or s.kind = 'deal' and s.is_many;
  if v_ranges then
    select
      array_agg(format('%s and %s order by t.%I desc', v_rows, r.conditions, r.target) order by r.name, r.target),
      array_agg(r.count = v_filters order by r.name, r.target)
    into v.ranges, v.is_alone
    from (
      select r.target, r.name, count(*), string_agg(s.condition, ' and ') as conditions
      from (
        select distinct s.target, case when s.kind = 'range' then s.name end as name
        from unnest(v_sent) s
        where s.kind in ('range', '>=', '<')
      ) r
      join unnest(v_sent) s on s.target = r.target and (s.name = r.name or s.kind in ('>=', '<'))
      group by r.target, r.name
    ) r;
  end if;
  -- v_pending is null if too many records still have to be indexed. Then do not read crm.record_values.
  if v_pending is not null then
    v.ways := v.ways || array(
      select crm.rows_by_value(s, p_record, v_rows, v_pending) from unnest(v_values) s
      where s.is_indexed and s.low = s.high
    );
    v.ranges := v.ranges || array(
      select crm.rows_by_value(s, p_record, v_rows, v_pending) from unnest(v_values) s
      where s.is_indexed and s.low <> s.high
    );
    v.is_alone := v.is_alone || array_fill(false, array[cardinality(v.ranges) - coalesce(cardinality(v.is_alone), 0)]);
  end if;
  return v;
end
$$;
comment on function crm.walk_for(text, jsonb, text) is
  'The statements for the filters sent. They contain the caller''s input only as quoted literals of the filter''s '
  'type; names of columns and tables come from crm.list_filters.';
create function crm.shortest_way(p_walk crm.walk, p_before uuid, p_from uuid, p_step integer) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_way text;
  v_reach uuid;
  v_furthest uuid;
  v_by text := p_walk.everything;
begin
  if cardinality(p_walk.ways) = 1 then return p_walk.ways[1]; end if;
  foreach v_way in array coalesce(p_walk.ways, '{}') loop
    execute format('select w.id from (%s) w offset $3 limit 1', v_way)
    into v_reach using p_before, p_from, p_step;
    if v_reach is null then
      return v_way;
    elsif v_furthest is null or v_reach < v_furthest then
      v_furthest := v_reach;
      v_by := v_way;
    end if;
  end loop;
  return v_by;
end
$$;
comment on function crm.shortest_way(crm.walk, uuid, uuid, integer) is
  'The statement for the filter that probably has the fewest rows: the first p_step rows of this filter reach the '
  'furthest back. If no filter has a statement, returns the statement for all rows.';
create function crm.list_by(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250,
  p_kept boolean default false, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_walk crm.walk;
  v_way text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_in_range uuid[];
  v_chosen uuid[];
  v_newer integer;
begin
  if not p_kept then
    v_walk := crm.walk_for(p_record, p_args);
    v_way := crm.shortest_way(v_walk, p_before, p_from, p_step);
  elsif p_args ? 'updated_since' then
    v_walk.ranges := '{updated_at}';
    v_walk.is_alone := '{true}';
  end if;
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_way is null then
      select w.walked, w.matches into v_walked, v_matches
      from crm.kept_walk(p_record, p_args, v_before, p_from, v_rows, v_chosen) w;
    else
      execute format('select array_agg(w.id), array_agg(w.id) filter (where w.is_match) from (%s limit $3) w', v_way)
      into v_walked, v_matches using v_before, p_from, v_rows, v_chosen;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round matched. Read a small range instead, unless most of its rows have been read already.
    for v_range in 1 .. coalesce(cardinality(v_walk.ranges), 0) loop
      if p_kept then
        v_in_range := crm.updated_ids(p_record, p_args, 10 * p_step + 1);
      else
        execute format('select array_agg(w.id) from (%s limit $1) w', v_walk.ranges[v_range])
        into v_in_range using 10 * p_step + 1;
      end if;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      continue when v_newer > p_step;
      if v_walk.is_alone[v_range] and v_walk.shows_all then
        ids := ids || v_in_range[:v_limit + 1];
        next_id := null;
        return;
      elsif v_walk.is_alone[v_range] then
        -- Only archived rows are skipped, and they are few, so little more than a page must be read.
        v_rows := least(v_rows, v_limit + 51);
      end if;
      v_chosen := coalesce(v_in_range[:v_rows], '{}');
      v_way := v_walk.chosen;
      exit;
    end loop;
  end loop;
end
$$;
comment on function crm.list_by(text, jsonb, uuid, uuid, integer, boolean) is
  'The ids of a page of a list for any combination of filters, and further ids if more rows matched. Reads at most 5 * '
  'p_step rows, and for each range its ids, 10 * p_step + 1 at most. next_id is the last row read; null if no row is '
  'left. p_kept: the call has no filter, or only updated_since, so the statements have cached plans.';
create function crm.list_reply(
  p_record text, p_args jsonb, p_filters jsonb, p_before uuid, p_from uuid, p_ids uuid[], p_records json[],
  p_shown integer
) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_complete boolean := p_shown = coalesce(cardinality(p_ids), 0);
  v_next_id uuid;
begin
  -- A list hides no activities or notes, so the missing ones are long: crm.bounded_records builds those.
  if v_complete is null or not v_complete and p_record not in ('activity', 'note') then
    select page.ids, page.records, page.is_complete, page.next_id into p_ids, p_records, v_complete, v_next_id
    from crm.rest_of_page(p_record, p_args, p_filters, p_before, p_from, p_ids, p_records, v_complete) page;
  end if;
  if cardinality(p_ids) > v_limit then
    v_next_id := p_ids[v_limit];
    p_ids := p_ids[:v_limit];
    p_records := p_records[:v_limit];
  end if;
  if not v_complete or pg_column_size(p_records) > crm.max_page_bytes() then
    p_records := crm.bounded_records(p_record, p_ids, p_records);
    if cardinality(p_records) < cardinality(p_ids) then v_next_id := p_ids[cardinality(p_records)]; end if;
  end if;
  if coalesce(cardinality(p_records), 0) = 0 then perform crm.require_known_filters(p_args); end if;
  if p_args ? 'expand' then p_records := crm.expanded(p_records, p_args -> 'expand'); end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then return crm.synced_page(p_records, v_next_id); end if;
  return crm.page(p_records, v_next_id);
end
$$;
comment on function crm.list_reply(text, jsonb, jsonb, uuid, uuid, uuid[], json[], integer) is
  'The reply of api.<name>_list. p_ids and p_records: what its statement read, with null for hidden and long records. '
  'p_shown: how many are not null; null if no statement is for these filters (p_filters).';

create function crm.list_filters(p_record text)
returns table (kind text, name text, target text, given text, sql text)
language sql immutable as $$
  select f.kind, f.name, f.target, f.given, f.sql
  from (
    values
      ('activity', 'list', null, 'crm.activities', null, null),
      ('activity', 'equality', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('activity', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('activity', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('activity', 'several', 'type', 'type', null, '%L::text'),
      ('activity', 'several', 'status', 'status', null, '%L::text'),
      ('activity', 'deal', 'company_id', 'deal_id', null, 'company_id'),
      ('activity', 'range', 'is_overdue', 'due_at', 'true', 't.status = ''pendente'' and t.due_at < now()'),
      ('activity', 'condition', 'is_overdue', null, 'false', '(t.status <> ''pendente'' or t.due_at is null or t.due_at >= now())'),
      ('activity', '<', 'due_before', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'due_after', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('activity', 'sort', 'created_at', 'id', null, 'uuid'),
      ('activity', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('activity', 'sort', 'due_at', 'due_at', null, 'timestamptz'),
      ('company', 'list', null, 'crm.companies', null, 'crm.company_text(t)'),
      ('company', 'equality', 'name', 'name_key', null, 'coalesce(crm.name_key(%L), '''')'),
      ('company', 'equality', 'tax_id', 'tax_id', null, '%L::text'),
      ('company', 'equality', 'domain', 'domain', null, '%L::text'),
      ('company', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('company', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('company', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('company', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('company', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('company', 'sort', 'created_at', 'id', null, 'uuid'),
      ('company', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('contact', 'list', null, 'crm.contacts', null, 'crm.contact_text(t)'),
      ('contact', 'equality', 'email', 'email', null, '%L::text'),
      ('contact', 'equality', 'phone', 'phone_e164', null, 'coalesce(crm.e164(%L), '''')'),
      ('contact', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('contact', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('contact', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('contact', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('contact', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('contact', 'sort', 'created_at', 'id', null, 'uuid'),
      ('contact', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('deal', 'list', null, 'crm.deals', null, 'crm.deal_text(t)'),
      ('deal', 'several', 'status', 'status', null, '%L::text'),
      ('deal', 'equality', 'pipeline_id', 'pipeline_id', null, '%L::uuid'),
      ('deal', 'equality', 'stage_id', 'stage_id', null, '%L::uuid'),
      ('deal', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('deal', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('deal', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('deal', 'equality', 'external_id', 'external_id', null, '%L::text'),
      ('deal', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('deal', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('deal', '<', 'inactive_since', 'moved_at', null, '%L::timestamptz'),
      ('deal', '>=', 'closed_since', 'closed_at', null, '%L::timestamptz'),
      ('deal', '<', 'closed_until', 'closed_at', null, '%L::timestamptz'),
      ('deal', '>=', 'expected_close_since', 'expected_close_date', null, '%L::date'),
      ('deal', '<', 'expected_close_until', 'expected_close_date', null, '%L::date'),
      ('deal', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('deal', 'sort', 'created_at', 'id', null, 'uuid'),
      ('deal', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('deal', 'sort', 'value', 'value', null, 'numeric'),
      ('deal', 'sort', 'moved_at', 'moved_at', null, 'timestamptz'),
      ('deal', 'sort', 'expected_close_date', 'expected_close_date', null, 'date'),
      ('note', 'list', null, 'crm.notes', null, null),
      ('note', 'required', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('note', 'several', 'kind', 'kind', null, '%L::text'),
      ('note', 'deal', 'company_id', 'deal_id', null, 'company_id'),
      ('note', 'deal', 'contact_id', 'deal_id', null, 'contact_id'),
      ('note', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('note', 'sort', 'created_at', 'id', null, 'uuid'),
      ('note', 'sort', 'updated_at', 'updated_at', null, 'timestamptz')
  ) f (record, kind, name, target, given, sql)
  where f.record = p_record
$$;
comment on function crm.list_filters(text) is
  'How a record can be listed. Kind list: target is the table, sql the searched text. Kind sort: the list can be '
  'sorted by the column target, and sql is its type. Every other row is a filter. If given is a value, sql is the '
  'condition on row t when the call sends this value. If given is null, the column target is compared with sql, in '
  'which %L is the value sent. Kind range: an index has the column target. Kind shown: the condition also holds if '
  'the filter is absent. Kind hidden: few rows match. Kind deal: the column sql of the row''s deal must equal the '
  'value.';
create function crm.kept_walk(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_rows integer, p_ids uuid[],
  out walked uuid[], out matches uuid[]
)
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
begin
  case p_record
    when 'activity' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.activities t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'company' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.companies t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'contact' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.contacts t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'deal' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.deals t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'note' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.notes t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < ((p_args ->> 'deal_id')::uuid, p_before)
            and t.deal_id >= (p_args ->> 'deal_id')::uuid and t.deal_id = any (array[(p_args ->> 'deal_id')::uuid])
            and t.id < p_before and t.id >= p_from
          order by t.deal_id desc, t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
  end case;
end
$$;
comment on function crm.kept_walk(text, jsonb, uuid, uuid, integer, uuid[]) is
  'Reads the newest rows of a list, or the rows of p_ids in their order. matches has the ids that the list shows '
  'without a filter, or with only updated_since.';
create function crm.updated_ids(p_record text, p_args jsonb, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := p_args ->> 'updated_since';
begin
  case p_record
    when 'activity' then
      return array(
        select t.id from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'company' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'contact' then
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'deal' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'note' then
      return array(
        select t.id from crm.notes t
        where t.workspace_id = crm.current_workspace_id() and t.deal_id = (p_args ->> 'deal_id')::uuid and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
  end case;
end
$$;
comment on function crm.updated_ids(text, jsonb, integer) is
  'The ids of a list''s rows that changed since updated_since, last changed first.';
create function crm.rest_of_page(
  p_record text, p_args jsonb, p_filters jsonb, p_before uuid, p_from uuid, inout ids uuid[], inout records json[],
  inout is_complete boolean, out next_id uuid
)
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_listed uuid[];
  v_ids uuid[];
  v_records json[];
begin
  if not is_complete then
    -- A record without JSON is either long or hidden.
    p_before := ids[v_limit + 1];
    select w.matches into v_listed from crm.kept_walk(p_record, '{}', null, null, null, array(
      select r.id from unnest(ids, records) r (id, record) where r.record is null
    )) w;
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into ids, records, is_complete
    from unnest(ids, records) with ordinality r (id, record, position)
    where r.record is not null or r.id = any (v_listed);
    v_limit := v_limit - coalesce(cardinality(ids), 0);
    if p_before is null or v_limit < 0 then return; end if;
  end if;
  if p_args ? 'q' then
    select page.ids, page.next_id into v_ids, next_id from crm.search_page(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from, p_kept => p_filters - 'q' = '{}'
    ) page;
  else
    select page.ids, page.next_id into v_ids, next_id from crm.list_by(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from,
      p_kept => p_filters - 'updated_since' = '{}'
    ) page;
  end if;
  case p_record
    when 'activity' then
      v_records := array(
        select crm.activity_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'company' then
      v_records := array(
        select crm.company_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'contact' then
      v_records := array(
        select crm.contact_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'deal' then
      v_records := array(
        select crm.deal_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'note' then
      v_records := array(
        select crm.note_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
  end case;
  is_complete := coalesce(is_complete, true) and num_nulls(variadic v_records) = 0;
  ids := ids || v_ids;
  records := records || v_records;
end
$$;
comment on function crm.rest_of_page(text, jsonb, jsonb, uuid, uuid, uuid[], json[], boolean) is
  'Completes a page whose statement found hidden or long records: drops the hidden ones, and finds as many later '
  'records. If ids is null, finds the whole page, for filters that have no statement of their own.';
create function crm.bounded_records(p_record text, p_ids uuid[], p_records json[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      case p_record
        when 'activity' then
          select crm.activity_json(t) into v_record from crm.activities t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'company' then
          select crm.company_json(t) into v_record from crm.companies t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'contact' then
          select crm.contact_json(t) into v_record from crm.contacts t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'deal' then
          select crm.deal_json(t) into v_record from crm.deals t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'note' then
          select crm.note_json(t) into v_record from crm.notes t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
      end case;
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- Show the first record however long it is: otherwise the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;
comment on function crm.bounded_records(text, uuid[], json[]) is
  'The first records of a page, as many as its maximum of bytes allows. Builds those that are null in p_records.';

create table crm.list_cursors (
  workspace_id uuid not null,
  cursor uuid not null,
  record text not null,
  sort text not null,
  value text,
  id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, cursor)
);
comment on table crm.list_cursors is
  'Where a sorted list continues: after this value and this id, even if the row now has another value. crm.duplicates '
  'stores no value, and continues with the value that the record has now.';
call crm.protect('crm.list_cursors');
create index list_cursors_age on crm.list_cursors (created_at);
create function crm.keep_cursor(p_record text, p_sort text, p_value text, p_id uuid) returns uuid
language plpgsql set search_path = '' as $$
declare
  -- The same position gets the same cursor all day, so that reading a page again stores no second row.
  v_hash text := md5(format('%s %s %L %s %s', p_record, p_sort, p_value, p_id, current_date));
  -- A UUID of version 8, so that it cannot be the id of a record.
  v_cursor uuid := left(v_hash, 12) || '8' || substr(v_hash, 14, 3) || 'a' || substr(v_hash, 18);
begin
  insert into crm.list_cursors (workspace_id, cursor, record, sort, value, id)
  values (crm.current_workspace_id(), v_cursor, p_record, p_sort, p_value, p_id)
  on conflict do nothing;
  return v_cursor;
end
$$;
comment on function crm.keep_cursor(text, text, text, uuid) is
  'Stores a position in a sorted list, and returns its cursor, which is valid for at least a day.';
create function crm.sorted_list(p_record text, p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_sort text := p_args ->> 'sort';
  v_direction text := case when left(v_sort, 1) = '-' then 'desc' else 'asc' end;
  v_limit integer := p_args ->> 'limit';
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  -- How many more rows this page may read.
  v_left integer := 1250;
  v_rows integer := v_limit + 1;
  v_after crm.list_cursors;
  v_column text;
  v_type text;
  v_walk crm.walk;
  v_way text;
  -- The ids of the rows that match one filter, if they are few.
  v_chosen uuid[];
  v_looked integer;
  v_last_id uuid;
  v_last_value text;
  v_more_ids uuid[];
  v_more_values text[];
  v_more_records json[];
  v_ids uuid[] := '{}';
  v_values text[] := '{}';
  v_next_id uuid;
  v_next_value text;
  v_records json[] := '{}';
begin
  perform crm.require_known_filters(p_args);
  select f.target, f.sql into v_column, v_type
  from crm.list_filters(p_record) f
  where f.kind = 'sort' and f.name = ltrim(v_sort, '-');
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz); end if;
  if p_args ? 'cursor' then
    select c.* into v_after
    from crm.list_cursors c
    where c.workspace_id = crm.current_workspace_id() and c.cursor = (p_args ->> 'cursor')::uuid
      and c.record = p_record and c.sort = v_sort;
    if not found then
      perform api.fail(
        'invalid_cursor', array['cursor'],
        'Deve ser o meta.next_cursor de uma resposta desta lista com o mesmo sort, das últimas 24 horas'
      );
    end if;
  end if;
  v_walk := crm.walk_for(p_record, p_args, format(', t.%I as sorted, t as entry', v_column));

  -- If few rows match one of the filters, read and sort them all.
  foreach v_way in array v_walk.ways || v_walk.ranges || case when p_args ?| '{since,until}' then v_walk.everything end
  loop
    continue when v_way is null;
    execute format('select array(select w.id from (%s limit $3) w)', v_way)
    into v_chosen using v_before, v_from, v_left + 1;
    continue when cardinality(v_chosen) > v_left;
    -- Without `offset 0`, the planner could read the whole workspace by the index on the sorted column.
    v_way := format('(%s and t.id = any ($4) and t.id < $1 and t.id >= $2 offset 0)', v_walk.rows);
    exit;
  end loop;
  -- If many rows match each of the filters, read the index on the sorted column.
  if v_chosen is null or cardinality(v_chosen) > v_left then
    v_way := format('(%s and t.id < $1 and t.id >= $2)', v_walk.rows);
  end if;

  loop
    -- Rows without a value come last, in either order.
    execute format(
      'select count(*), (array_agg(w.id))[count(*)],'
      ' (array_agg(w.sorted::text))[count(*)], array_agg(w.id) filter (where w.is_match),'
      ' array_agg(w.sorted::text) filter (where w.is_match),'
      ' array_agg(crm.%5$I(w.entry)) filter (where w.is_match) from ('
      '(select t.* from %1$s t where %2$s order by t.sorted %4$s, t.id %4$s limit $3)'
      ' union all '
      '(select t.* from %1$s t where %3$s order by t.id %4$s limit $3) limit $3) w',
      v_way,
      case
        when v_after.id is null then 't.sorted is not null'
        when v_after.value is null then 'false'
        else format(
          '(t.sorted, t.id) %s (%L::%s, %L::uuid)', case v_direction when 'desc' then '<' else '>' end,
          v_after.value, v_type, v_after.id
        )
      end,
      case
        when v_after.id is null or v_after.value is not null then 't.sorted is null'
        else format('t.sorted is null and t.id %s %L', case v_direction when 'desc' then '<' else '>' end, v_after.id)
      end,
      v_direction, p_record || '_json_if_short'
    ) into v_looked, v_last_id, v_last_value, v_more_ids, v_more_values, v_more_records
    using v_before, v_from, v_rows, v_chosen;
    v_ids := v_ids || v_more_ids;
    v_values := v_values || v_more_values;
    v_records := v_records || v_more_records;
    v_left := v_left - v_rows;
    exit when v_looked < v_rows;
    v_after.id := v_last_id;
    v_after.value := v_last_value;
    if cardinality(v_ids) > v_limit or v_left <= 0 then
      v_next_id := v_after.id;
      v_next_value := v_after.value;
      exit;
    end if;
    v_rows := least(4 * v_rows, v_left);
  end loop;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_next_value := v_values[v_limit];
  end if;
  v_records := crm.bounded_records(p_record, v_ids[:v_limit], v_records[:v_limit]);
  if cardinality(v_records) < cardinality(v_ids[:v_limit]) then
    v_next_id := v_ids[cardinality(v_records)];
    v_next_value := v_values[cardinality(v_records)];
  end if;
  if p_args ? 'expand' then v_records := crm.expanded(v_records, p_args -> 'expand'); end if;
  if v_next_id is not null then v_next_id := crm.keep_cursor(p_record, v_sort, v_next_value, v_next_id); end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function crm.sorted_list(text, jsonb) is
  'A page of a list in the order of `sort`. If a filter has at most 1,250 rows, sorts these rows. Otherwise reads at '
  'most 1,250 rows of the sorted column''s index, so the page may end early. Raises invalid_cursor.';

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
create index search_texts_words on crm.search_texts
  using gin ((crm.searched_keys(workspace_id, record, id, text)) collate "C")
  with (fastupdate = on, gin_pending_list_limit = 64);
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

create table crm.custom_fields (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  object_type text not null check (object_type in ('company', 'contact', 'deal')),
  key text not null,
  label text not null,
  type text not null check (
    type in ('text', 'number', 'money', 'date', 'boolean', 'choice', 'choices', 'link')
  ),
  choices text[],
  archived_at timestamptz,
  index_below uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, object_type, key),
  check ((choices is not null) = (type in ('choice', 'choices')))
);
comment on table crm.custom_fields is
  'The keys of custom_fields that a workspace has defined, with the type of their values. Other keys may have any '
  'value, unless the workspace refuses them (crm.workspaces.refuses_undefined_fields).';
comment on column crm.custom_fields.index_below is
  'The job index-texts still has to index the values of records with a lower id. Null once all values are indexed.';
call crm.protect('crm.custom_fields');
create trigger touch before update of label, choices, archived_at on crm.custom_fields for each row execute function crm.touch();
create index custom_fields_not_indexed on crm.custom_fields (workspace_id, id) where index_below is not null;
create function crm.without_case(p_text text) returns text
language sql immutable parallel safe
as $$
  select case
    when char_length(p_text) <= 200 then lower(normalize(p_text, nfc) collate "und-x-icu")
    else left(lower(p_text collate "und-x-icu"), 168) || md5(lower(p_text collate "und-x-icu"))
  end collate "C"
$$;
comment on function crm.without_case(text) is
  'The text in Unicode NFC and lower case, for comparing texts. A text of more than 200 characters becomes its first '
  '168 characters and an MD5 of the whole text, because the size of an index entry is limited. Such a text is only put '
  'into lower case, because normalizing it can take quadratic time.';
create function crm.is_date(p_text text) returns boolean
language sql immutable parallel safe
as $$
  select case when p_text ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' then
    right(p_text, 2)::integer <= extract(day from
      make_date(left(p_text, 4)::integer, substr(p_text, 6, 2)::integer, 1) + interval '1 month - 1 day'
    )
  else false end
$$;
comment on function crm.is_date(text) is 'Whether the text is an existing date in the form YYYY-MM-DD.';
create function crm.number_key(p_number numeric) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_bits text := encode(float8send(p_number::float8), 'hex');
begin
  -- The bits of a double sort like the numbers if the sign bit of a positive number and all bits of a negative number
  -- are inverted.
  if p_number < 0 then return 'N' || translate(v_bits, '0123456789abcdef', 'fedcba9876543210'); end if;
  return 'N' || translate(left(v_bits, 1), '01234567', '89abcdef') || substr(v_bits, 2);
end
$$;
comment on function crm.number_key(numeric) is 'A text that sorts as the number does; it begins with N.';
create function crm.text_key(p_text text) returns text
language sql immutable parallel safe
as $$ select case when crm.is_date(p_text) then 'D' else '' end || crm.without_case(p_text) $$;
comment on function crm.text_key(text) is
  'The text in the form in which it is compared: in lower case, a date with a D before it. Only the keys of dates and '
  'numbers (crm.number_key) begin with an ASCII capital letter, so a range of dates or numbers finds no other text.';
create function crm.value_keys(p_value jsonb) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  case jsonb_typeof(p_value)
    when 'string' then return array[crm.text_key(p_value #>> '{}')];
    when 'number' then
      return case when abs(p_value::numeric) < 1e300 then array[crm.number_key(p_value::numeric)] else '{}' end;
    when 'boolean' then return array[p_value::text];
    when 'array' then
      return array(
        select distinct crm.text_key(e.value #>> '{}') from jsonb_array_elements(p_value) e (value)
        where jsonb_typeof(e.value) = 'string'
      );
    else return '{}';
  end case;
end
$$;
comment on function crm.value_keys(jsonb) is
  'The keys of a custom field''s value: texts by which values are compared and sorted (crm.text_key, crm.number_key). '
  'A list has a key for each of its texts.';
create function crm.tag_keys(p_tags text[]) returns text[]
language plpgsql immutable parallel safe set search_path = ''
as $$ begin return array(select crm.without_case(t) from unnest(p_tags) t); end $$;
comment on function crm.tag_keys(text[]) is 'Tags in the form in which they are compared (crm.without_case).';
create function crm.joined_tags(p_tags text[], p_others text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select (array_agg(k.tag order by k.position))[:50]
    from (
      select distinct on (crm.without_case(t.tag)) t.tag, t.position
      from unnest(p_tags || p_others) with ordinality t (tag, position)
      order by crm.without_case(t.tag), t.position
    ) k
  );
end
$$;
comment on function crm.joined_tags(text[], text[]) is
  'The tags of the first list, then the tags that only the second list has; 50 at most, null if there are none.';
create function crm.with_tags(p_args jsonb, p_current jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_base jsonb := case when p_args ? 'tags' then p_args -> 'tags' else p_current -> 'tags' end;
  v_removed text[] := crm.tag_keys(array(select jsonb_array_elements_text(nullif(p_args -> 'remove_tags', 'null'))));
  v_kept text[];
  v_tags text[];
begin
  v_kept := array(
    select t.tag from jsonb_array_elements_text(nullif(v_base, 'null')) t (tag)
    where crm.without_case(t.tag) <> all (v_removed)
  );
  v_tags := v_kept || array(
    select t.tag from jsonb_array_elements_text(nullif(p_args -> 'add_tags', 'null')) t (tag)
    where crm.without_case(t.tag) <> all (crm.tag_keys(v_kept))
  );
  if cardinality(v_tags) > 50 then
    perform api.fail(
      'validation_error', array['add_tags'],
      format('O registro ficaria com %s etiquetas; o máximo é 50', cardinality(v_tags))
    );
  end if;
  return p_args - '{add_tags,remove_tags}'::text[] || jsonb_build_object('tags', nullif(v_tags, '{}'));
end
$$;
comment on function crm.with_tags(jsonb, jsonb) is
  'Replaces add_tags and remove_tags in the arguments with `tags`, the tags that the record will have. Raises '
  'validation_error for more than 50.';
create function crm.quoted_choices(p_choices text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select string_agg(format('"%s"', c.choice), ', ' order by c.position)
      || case when cardinality(p_choices) > 20 then format(' e mais %s', cardinality(p_choices) - 20) else '' end
    from unnest(p_choices[:20]) with ordinality c (choice, position)
  );
end
$$;
comment on function crm.quoted_choices(text[]) is 'The first 20 choices in quotes, for the text of an error.';
create function crm.custom_field_error(p_field crm.custom_fields, p_value jsonb) returns text
language sql stable
as $$
  select case p_field.type
    when 'text' then
      case when jsonb_typeof(p_value) <> 'string' or char_length(p_value #>> '{}') > 2000
        then 'Deve ser um texto de até 2000 caracteres'
      end
    when 'number' then
      case
        when jsonb_typeof(p_value) <> 'number' then 'Deve ser um número'
        when abs(p_value::numeric) > 9007199254740991 then 'Deve ser um número de -9007199254740991 a 9007199254740991'
      end
    when 'money' then
      case
        when jsonb_typeof(p_value) <> 'number' then 'Deve ser um valor: um número a partir de 0'
        when not p_value::numeric between 0 and 1e15 then 'Deve ser um valor de 0 a 1000000000000000'
      end
    when 'date' then
      case when jsonb_typeof(p_value) <> 'string' or not crm.is_date(p_value #>> '{}')
        then 'Deve ser uma data existente no formato AAAA-MM-DD'
      end
    when 'boolean' then case when jsonb_typeof(p_value) <> 'boolean' then 'Deve ser true ou false' end
    when 'link' then
      case
        when jsonb_typeof(p_value) <> 'string' or char_length(p_value #>> '{}') > 2048
          or p_value #>> '{}' !~* '^https?://[^[:space:]/]+[^[:space:]]*$'
        then 'Deve ser um endereço http:// ou https:// de até 2048 caracteres'
      end
    when 'choice' then
      case
        when jsonb_typeof(p_value) <> 'string' or not p_value #>> '{}' = any (p_field.choices)
        then 'Deve ser um de ' || crm.quoted_choices(p_field.choices)
      end
    when 'choices' then
      case
        when jsonb_typeof(p_value) <> 'array' or not p_value <@ to_jsonb(p_field.choices)
        then 'Deve ser uma lista com opções de ' || crm.quoted_choices(p_field.choices)
      end
  end
$$;
comment on function crm.custom_field_error(crm.custom_fields, jsonb) is
  'What is wrong with a value of the field, in Portuguese; null if it is valid. p_value must not be null.';
create function crm.refuses_undefined_fields() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select w.refuses_undefined_fields from crm.workspaces w where w.id = crm.current_workspace_id());
end
$$;
comment on function crm.refuses_undefined_fields() is
  'Whether the workspace accepts only defined custom fields. Security definer: crm_api cannot read workspaces.';
create function crm.check_custom_fields(p_object_type text, p_fields jsonb, p_known jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_errors jsonb;
  v_undefined jsonb;
begin
  select
    jsonb_agg(jsonb_build_object('field', 'custom_fields.' || e.key, 'message', e.message))
      filter (where e.message is not null),
    p_fields - coalesce(array_agg(e.key), '{}')
  into v_errors, v_undefined
  from (
    select d.key, case
      -- A value that the record already has stays valid, even if it breaks the present definition.
      when p_fields -> d.key <> 'null' and p_fields -> d.key is distinct from p_known -> d.key
      then crm.custom_field_error(d, p_fields -> d.key)
    end as message
    from crm.custom_fields d
    where d.workspace_id = crm.current_workspace_id() and d.object_type = p_object_type and d.archived_at is null
      and p_fields ? d.key
    offset 0
  ) e;
  if v_undefined <> '{}' and crm.refuses_undefined_fields() then
    v_errors := nullif(coalesce(v_errors, '[]') || coalesce((
      select jsonb_agg(jsonb_build_object(
        'field', 'custom_fields.' || u.key, 'message',
        'Campo não definido; defina-o em POST /api-v1-workspace/custom-fields, ou use um de GET /api-v1-workspace'
      ))
      from jsonb_each(v_undefined) u
      where u.value <> 'null' and u.value is distinct from p_known -> u.key
    ), '[]'), '[]');
  end if;
  if v_errors is not null then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = (
      select jsonb_agg(e.value order by e.value ->> 'field') from jsonb_array_elements(v_errors) e
    )::text;
  end if;
end
$$;
comment on function crm.check_custom_fields(text, jsonb, jsonb) is
  'Raises validation_error for fields whose value breaks their definition, and, if the workspace refuses them, for '
  'fields that are not defined. p_known: the record''s current values, which stay valid.';
create function crm.merged_custom_fields(p_known jsonb, p_sent jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_fields jsonb := (p_known || p_sent) - array(
    -- A null that a creation stored stays, so that a record can be sent back as it was read.
    select f.key from jsonb_each(p_sent) f where f.value = 'null' and p_known -> f.key is distinct from 'null'
  );
begin
  -- The length of the JSON without the spaces that Postgres prints before and after each field's name.
  if (
    select count(*) > 50 or sum(octet_length(to_json(f.key)::text) + octet_length(f.value::text) + 2) + 1 > 10240
    from jsonb_each(v_fields) f
  ) then
    perform api.fail(
      'validation_error', array['custom_fields'],
      'Com os campos que já tem, o registro passaria de 50 campos ou de 10 KB, o máximo'
    );
  end if;
  return v_fields;
end
$$;
comment on function crm.merged_custom_fields(jsonb, jsonb) is
  'The custom fields of a record that has p_known, after a change that sends p_sent: a null removes a field, and fields '
  'that are not sent stay. Raises validation_error for more than 50 fields or 10 KB.';
create function crm.checked_values(p_object_type text, p_args jsonb, p_current jsonb default null) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if p_args ?| '{tags,add_tags,remove_tags}' then p_args := crm.with_tags(p_args, p_current); end if;
  if jsonb_typeof(p_args -> 'custom_fields') = 'object' then
    if p_current is not null then
      p_args := jsonb_set(
        p_args, '{custom_fields}',
        crm.merged_custom_fields(coalesce(nullif(p_current -> 'custom_fields', 'null'), '{}'), p_args -> 'custom_fields')
      );
    end if;
    perform crm.check_custom_fields(p_object_type, p_args -> 'custom_fields', p_current -> 'custom_fields');
  end if;
  return p_args;
end
$$;
comment on function crm.checked_values(text, jsonb, jsonb) is
  'The arguments of a creation, or of a change of the record p_current, with the tags and custom fields that the '
  'record will have. Raises validation_error for invalid tags or custom fields.';

create type api.custom_field as (
  id uuid, object_type text, key text, label text, type text, choices text[], archived_at text, created_at text,
  updated_at text
);
comment on type api.custom_field is 'A defined custom field: its public fields, in order.';
create function crm.custom_field_json(d crm.custom_fields) returns json
language sql stable as $$
  select to_json(row(
    d.id, d.object_type, d.key, d.label, d.type, d.choices, crm.iso(d.archived_at), crm.iso(d.created_at),
    crm.iso(d.updated_at)
  )::api.custom_field)
$$;
comment on function crm.custom_field_json(crm.custom_fields) is 'A definition as public JSON.';
create function crm.lock_custom_fields() returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock(crm.lock_number('custom fields ' || crm.current_workspace_id())); end $$;
comment on function crm.lock_custom_fields() is
  'Makes calls that change definitions of the workspace wait for each other until the transaction ends. So two '
  'simultaneous calls cannot exceed the maximum.';
create function crm.custom_field_lock(p_id uuid) returns crm.custom_fields
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields;
begin
  perform crm.lock_custom_fields();
  select f.* into d from crm.custom_fields f where f.workspace_id = crm.current_workspace_id() and f.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  return d;
end
$$;
comment on function crm.custom_field_lock(uuid) is
  'Locks the workspace''s definitions until the transaction ends; returns the definition with this id. Raises '
  'not_found.';
create function crm.custom_field_room(p_object_type text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if (
    select count(*) >= 50 from crm.custom_fields f
    where f.workspace_id = crm.current_workspace_id() and f.object_type = p_object_type and f.archived_at is null
  ) then
    perform api.fail(
      'validation_error', array['object_type'],
      'Já há 50 campos em uso deste tipo de registro, o máximo; arquive um antes'
    );
  end if;
end
$$;
comment on function crm.custom_field_room(text) is
  'Raises validation_error if the workspace already uses 50 fields for this kind of record, the maximum.';
create function api.custom_field_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('data', (
    select coalesce(json_agg(crm.custom_field_json(f) order by f.object_type, f.id), '[]')
    from crm.custom_fields f
    where f.workspace_id = crm.current_workspace_id()
  ));
end
$$;
comment on function api.custom_field_list(jsonb) is 'Lists the definitions by kind of record, including archived ones.';
create function api.custom_field_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields;
begin
  perform crm.lock_custom_fields();
  select f.* into d from crm.custom_fields f
  where f.workspace_id = crm.current_workspace_id() and f.object_type = p_args ->> 'object_type'
    and f.key = p_args ->> 'key';
  if found then
    perform api.fail('validation_error', array['key'], case when d.archived_at is null
      then 'Já há um campo com esta chave; altere-o com PATCH /api-v1-workspace/custom-fields/' || d.id
      else 'Um campo arquivado tem esta chave; volte a usá-lo com POST /api-v1-workspace/custom-fields/' || d.id || '/restore'
    end);
  end if;
  perform crm.custom_field_room(p_args ->> 'object_type');
  insert into crm.custom_fields (workspace_id, object_type, key, label, type, choices)
  values (
    crm.current_workspace_id(), p_args ->> 'object_type', p_args ->> 'key', coalesce(p_args ->> 'label', p_args ->> 'key'),
    p_args ->> 'type', case when p_args ? 'choices' then array(select jsonb_array_elements_text(p_args -> 'choices')) end
  )
  returning * into d;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_create(jsonb) is
  'Defines a custom field and returns it. Raises validation_error if a field (even an archived one) has the key, or if '
  '50 fields of this kind of record are in use.';
create function api.custom_field_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
  v_label text := coalesce(p_args ->> 'label', d.label);
  v_choices text[] := d.choices;
begin
  if p_args ? 'choices' and d.choices is null then
    perform api.fail('validation_error', array['choices'], format('Um campo do tipo %s não tem opções', d.type));
  end if;
  if p_args ? 'choices' then v_choices := array(select jsonb_array_elements_text(p_args -> 'choices')); end if;
  -- A PATCH that changes nothing must not change updated_at.
  if (v_label, v_choices) is distinct from (d.label, d.choices) then
    update crm.custom_fields f set label = v_label, choices = v_choices
    where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_update(jsonb) is
  'Changes the label or choices of a custom field; records keep their values. Raises not_found, validation_error.';
create function api.custom_field_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
begin
  if d.archived_at is null then
    update crm.custom_fields f set archived_at = now() where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_archive(jsonb) is
  'Takes a definition out of use, so that its key counts as undefined. Records keep their values. Raises not_found.';
create function api.custom_field_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
begin
  if d.archived_at is not null then
    perform crm.custom_field_room(d.object_type);
    -- The values were not indexed while the field was archived: index them all.
    update crm.custom_fields f set archived_at = null, index_below = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_restore(jsonb) is
  'Puts an archived definition back into use. Raises not_found, and validation_error if 50 fields are in use.';
create function crm.within_workspace(p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform crm.require_workspace(p_args);
  perform set_config('app.workspace_id', p_args ->> 'workspace_id', true);
  return p_args;
end
$$;
comment on function crm.within_workspace(jsonb) is
  'Makes the workspace in the arguments the current one until the transaction ends, so that a verb of schema app can '
  'call verbs of schema api. Returns the arguments. Raises not_found for an unknown workspace.';
create function crm.custom_field_action(p_action text, p_field json) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.record_action(
    crm.current_workspace_id(), p_action, 'custom_field', (p_field ->> 'id')::uuid, p_field ->> 'label', '{}'
  );
  return p_field;
end
$$;
comment on function crm.custom_field_action(text, json) is
  'Records an action on a definition in the audit log, and returns the definition.';
create function app.custom_field_list(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return api.custom_field_list(crm.within_workspace(crm.check_args(p_args, '{workspace_id}'))); end $$;
comment on function app.custom_field_list(jsonb) is
  'Calls api.custom_field_list; raises its codes. Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.custom_field_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action('custom_field_created', api.custom_field_create(crm.within_workspace(crm.check_args(
    p_args, '{workspace_id, object_type, key, type}', '{label, choices}'
  ))));
end
$$;
comment on function app.custom_field_create(jsonb) is
  'Calls api.custom_field_create; raises its codes. Arguments: workspace_id, object_type, key, type, label, choices. '
  'Codes: validation_error, not_found.';
create function app.custom_field_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action('custom_field_updated', api.custom_field_update(crm.within_workspace(crm.check_args(
    p_args, '{workspace_id, id}', '{label, choices}'
  ))));
end
$$;
comment on function app.custom_field_update(jsonb) is
  'Calls api.custom_field_update; raises its codes. Arguments: workspace_id, id, label, choices. Codes: '
  'validation_error, not_found.';
create function app.custom_field_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action(
    'custom_field_archived', api.custom_field_archive(crm.within_workspace(crm.check_args(p_args, '{workspace_id, id}')))
  );
end
$$;
comment on function app.custom_field_archive(jsonb) is
  'Calls api.custom_field_archive; raises its codes. Arguments: workspace_id, id. Codes: validation_error, not_found.';
create function app.custom_field_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action(
    'custom_field_restored', api.custom_field_restore(crm.within_workspace(crm.check_args(p_args, '{workspace_id, id}')))
  );
end
$$;
comment on function app.custom_field_restore(jsonb) is
  'Calls api.custom_field_restore; raises its codes. Arguments: workspace_id, id. Codes: validation_error, not_found.';

create table crm.record_values (
  workspace_id uuid not null,
  record text not null,
  field text not null,
  value text collate "C" not null,
  id uuid not null,
  primary key (workspace_id, record, field, value, id)
);
comment on table crm.record_values is
  'The index by which lists find records by a tag or a defined custom field. The job index-texts writes it.';
comment on column crm.record_values.field is 'Either tags, or custom_fields and the key: `custom_fields.segmento`.';
comment on column crm.record_values.value is 'The key of the value (crm.value_keys) or of the tag (crm.tag_keys).';
create index record_values_of_record on crm.record_values (workspace_id, record, id);
call crm.protect('crm.record_values');
create function crm.parsed_value(p_field crm.custom_fields, p_text text) returns jsonb
language sql immutable as $$
  select case
    when p_field.type in ('number', 'money') and p_text ~* '^-?[0-9]{1,16}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,2})?$' then to_jsonb(p_text::numeric)
    when p_field.type = 'boolean' and p_text in ('true', 'false') then p_text::jsonb
    else to_jsonb(p_text)
  end
$$;
comment on function crm.parsed_value(crm.custom_fields, text) is
  'Converts a text from the query to a JSON value of the field''s type. A text that is not a value of this type stays '
  'a text.';
create type crm.sent_value as (field text, low text, high text, is_indexed boolean, expression text);
comment on type crm.sent_value is
  'A filter by a tag or a custom field. low and high: the keys of its lowest and highest value, equal for a single '
  'value. is_indexed: whether all records are in the index. expression: SQL for the keys of row t.';
create function crm.sent_values(p_object_type text, p_args jsonb) returns setof crm.sent_value
language plpgsql stable set search_path = '' as $$
declare
  v_sent record;
  v_field crm.custom_fields;
  v_bound record;
  v_value jsonb;
  v_error text;
  v_errors jsonb := '[]';
  v crm.sent_value;
begin
  for v_sent in select t.tag from jsonb_array_elements_text(p_args -> 'tag') t (tag) loop
    v.low := crm.without_case(v_sent.tag);
    return next row('tags', v.low, v.low, true, 'crm.tag_keys(t.tags)')::crm.sent_value;
  end loop;
  for v_sent in select s.key, s.value from jsonb_each(p_args -> 'custom') s loop
    select d.* into v_field from crm.custom_fields d
    where d.workspace_id = crm.current_workspace_id() and d.object_type = p_object_type and d.key = v_sent.key
      and d.archived_at is null;
    if not found then
      v_errors := v_errors || jsonb_build_object(
        'field', format('custom[%s]', v_sent.key),
        'message', 'Não é um campo definido; os definidos estão em GET /api-v1-workspace'
      );
      continue;
    end if;
    v := row(
      'custom_fields.' || v_sent.key, case v_field.type when 'date' then 'D' else 'N' end,
      case v_field.type when 'date' then 'E' else 'O' end, v_field.index_below is null,
      format('crm.value_keys(t.custom_fields -> %L)', v_sent.key)
    );
    -- A field of type choices has a list, but a filter names a single choice.
    if v_field.type = 'choices' then v_field.type := 'choice'; end if;
    for v_bound in select b.key as operator, b.value as text from jsonb_each_text(v_sent.value) b loop
      v_value := crm.parsed_value(v_field, v_bound.text);
      v_error := case
        when v_bound.operator <> 'eq' and v_field.type not in ('number', 'money', 'date')
        then 'Só campos de número, dinheiro e data aceitam um intervalo'
        when v_field.type = 'choice' and (
          crm.value_keys(v_value) <@ crm.value_keys(to_jsonb(v_field.choices))
          -- A choice that is no longer offered can be searched for as long as a record has it.
          or exists (
            select from crm.record_values r
            where r.workspace_id = v_field.workspace_id and r.record = p_object_type and r.field = v.field
              and r.value = (crm.value_keys(v_value))[1]
          )
        ) then null
        else crm.custom_field_error(v_field, v_value)
      end;
      if v_error is not null then
        v_errors := v_errors || jsonb_build_object(
          'field', format('custom[%s]', v_sent.key) || case v_bound.operator when 'eq' then '' else format('[%s]', v_bound.operator) end,
          'message', v_error
        );
        continue;
      end if;
      if v_bound.operator <> 'lte' then v.low := (crm.value_keys(v_value))[1]; end if;
      if v_bound.operator <> 'gte' then v.high := (crm.value_keys(v_value))[1]; end if;
    end loop;
    return next v;
  end loop;
  if v_errors <> '[]' then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
end
$$;
comment on function crm.sent_values(text, jsonb) is
  'The filters `tag` and `custom` of a list''s arguments. Raises validation_error for a field that is not defined and '
  'for a value that the field cannot have.';
create function crm.value_condition(p_sent crm.sent_value) returns text
language sql immutable as $$
  select case
    when p_sent.low = p_sent.high then format('%L = any (%s)', p_sent.low, p_sent.expression)
    else format(
      'coalesce((%1$s)[1] collate "C" >= %2$L and (%1$s)[1] collate "C" <= %3$L, false)', p_sent.expression,
      p_sent.low, p_sent.high
    )
  end
$$;
comment on function crm.value_condition(crm.sent_value) is 'The filter as an SQL condition on row t.';
create function crm.rows_by_value(p_sent crm.sent_value, p_record text, p_rows text, p_pending uuid[]) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_is_range boolean := p_sent.low <> p_sent.high;
  -- A range is read as a whole or not at all (crm.list_by), so it needs no order; an equality is read newest first.
  v_page text := case when not v_is_range then ' and v.id < $1 and v.id >= $2' else '' end;
  v_order text := case when not v_is_range then ' order by v.id desc' else '' end;
  v_ids text := format(
    'select %s v.id from crm.record_values v where v.workspace_id = %L::uuid and v.record = %L and v.field = %L and %s%s',
    -- If a record's value is a list, several of its elements may be in the range: return the record once.
    case when v_is_range then 'distinct' end, crm.current_workspace_id(), p_record, p_sent.field,
    case when v_is_range
      then format('v.value >= %L and v.value <= %L', p_sent.low, p_sent.high)
      else format('v.value = %L', p_sent.low)
    end,
    v_page
  );
begin
  if p_pending <> '{}' then
    v_ids := format(
      '(%1$s and v.id <> all (%2$L::uuid[])%3$s) union all (select v.id from unnest(%2$L::uuid[]) v (id) where true%4$s%3$s)',
      v_ids, p_pending, v_order, v_page
    );
  end if;
  return format(
    'select w.* from (%s%s) v cross join lateral (%s and t.id = v.id) w%s', v_ids,
    case when p_pending = '{}' then v_order else replace(v_order, 'v.', '') end, p_rows, v_order
  );
end
$$;
comment on function crm.rows_by_value(crm.sent_value, text, text, uuid[]) is
  'Builds a statement that reads from the index the rows with a value, newest first, or the rows in a range of values. '
  'p_rows: the statement for all rows. p_pending: records that may have changed since they were indexed; the statement '
  'also reads these.';
create type crm.record_keys as (id uuid, tags text[], custom_fields jsonb, search_text text);
comment on type crm.record_keys is
  'The fields of a record that crm.keep_values indexes, and its searched text (only for crm.keep_texts).';
create function crm.keep_values(p_workspace_id uuid, p_record text, p_rows crm.record_keys[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_keys text[] := array(
    select d.key from crm.custom_fields d
    where d.workspace_id = p_workspace_id and d.object_type = p_record and d.archived_at is null
  );
begin
  with wanted as materialized (
    select r.id, 'tags' as field, k.value collate "C" as value
    from unnest(p_rows) r cross join lateral unnest(crm.tag_keys(r.tags)) k (value)
    union all
    select r.id, 'custom_fields.' || f.key, k.value collate "C"
    from unnest(p_rows) r
    cross join unnest(v_keys) f (key)
    cross join lateral unnest(crm.value_keys(r.custom_fields -> f.key)) k (value)
    where r.custom_fields ? f.key
  ), kept as materialized (
    select v.ctid as place, v.id, v.field, v.value from crm.record_values v
    where v.workspace_id = p_workspace_id and v.record = p_record
      and v.id = any (array(select r.id from unnest(p_rows) r))
  ), gone as (
    delete from crm.record_values v
    where v.ctid = any (array(
      select k.place from kept k
      where not exists (select from wanted w where w.id = k.id and w.field = k.field and w.value = k.value)
    ))
  )
  insert into crm.record_values (workspace_id, record, field, value, id)
  select p_workspace_id, p_record, w.field, w.value, w.id from wanted w
  where not exists (select from kept k where k.id = w.id and k.field = w.field and k.value = w.value)
  order by w.field, w.value, w.id
  on conflict do nothing;
end
$$;
comment on function crm.keep_values(uuid, text, crm.record_keys[]) is
  'Writes the index entries of these records: their tags, and their values of the fields that are defined now.';
create function crm.index_defined(p_end timestamptz) returns void
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  d crm.custom_fields;
  v_rows crm.record_keys[];
  v_next_id uuid;
  v_pending crm.custom_fields[];
begin
  loop
    exit when clock_timestamp() >= p_end;
    -- Begin with the field that lacks the newest records.
    select f.* into d from crm.custom_fields f where f.index_below is not null order by f.index_below desc limit 1;
    exit when not found;
    perform crm.lock_texts_of(d.workspace_id);
    -- List the fields before the values are indexed, so that a field defined meanwhile is not marked as indexed.
    select array_agg(f) into v_pending from crm.custom_fields f
    where f.workspace_id = d.workspace_id and f.object_type = d.object_type and f.index_below is not null;
    execute format(
      'select array('
      'select row(t.id, t.tags, t.custom_fields, null)::crm.record_keys from %s t'
      ' where t.workspace_id = $1 and t.id < $2 order by t.id desc limit 500)',
      (select l.target from crm.list_filters(d.object_type) l where l.kind = 'list')
    ) into v_rows using d.workspace_id, d.index_below;
    perform crm.keep_values(d.workspace_id, d.object_type, v_rows);
    v_next_id := (v_rows[500]).id;
    -- These records are now indexed for all of these fields, so fields that were defined together need only one pass.
    update crm.custom_fields f set index_below = v_next_id
    from unnest(v_pending) p
    where f.workspace_id = d.workspace_id and f.id = p.id and f.index_below = p.index_below
      and (f.index_below > v_next_id or v_next_id is null);
  end loop;
end
$$;
comment on function crm.index_defined(timestamptz) is
  'Indexes the values that records had before their field was defined or restored, newest records first, until p_end.';

create table crm.pipelines (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  is_default boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.pipelines is 'The sales funnels. A deal that names no pipeline enters the default pipeline.';
create unique index pipelines_one_default on crm.pipelines (workspace_id) where is_default;
call crm.protect('crm.pipelines');
create trigger touch before update on crm.pipelines for each row execute function crm.touch();
create table crm.stages (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  position integer not null,
  type text not null check (char_length(type) between 1 and 40),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, pipeline_id, id),
  unique (workspace_id, pipeline_id, position),
  foreign key (workspace_id, pipeline_id) references crm.pipelines (workspace_id, id)
);
comment on table crm.stages is 'The steps of a pipeline. A new deal that names no stage enters the first active stage.';
comment on column crm.stages.type is
  'Known values: pre-venda, venda, won, lost (spec 2.5). Not an enum, because the application may add others.';
call crm.protect('crm.stages');
create trigger touch before update on crm.stages for each row execute function crm.touch();
create function crm.stages_of(p crm.pipelines) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(crm.stage_json(s) order by s.position), '[]')
    from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
  );
end
$$;
comment on function crm.stages_of(crm.pipelines) is 'The stages of a pipeline as JSON, in order (spec 2.5).';
create function api.pipeline_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('data', coalesce(json_agg(crm.pipeline_json(p) order by p.created_at, p.id), '[]'::json))
    from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.is_active
  );
end
$$;
comment on function api.pipeline_list(jsonb) is 'Lists the active pipelines, oldest first (spec 4.4).';
create function crm.require_active_pipeline(p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.id = p_id and p.is_active
  ) then
    perform api.fail('pipeline_not_found', array['pipeline_id']);
  end if;
  return p_id;
end
$$;
comment on function crm.require_active_pipeline(uuid) is
  'Returns the id if it belongs to an active pipeline; otherwise raises pipeline_not_found.';
create function crm.require_active_stage(p_pipeline_id uuid, p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from crm.stages s
    where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.id = p_id and s.is_active
  ) then
    perform api.fail('stage_not_found', array['stage_id']);
  end if;
  return p_id;
end
$$;
comment on function crm.require_active_stage(uuid, uuid) is
  'Returns the id if it belongs to an active stage of the pipeline; otherwise raises stage_not_found.';
create function crm.first_stage(p_pipeline_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid;
begin
  select s.id into v_id from crm.stages s
  where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.is_active
  order by s.position limit 1;
  if v_id is null then perform api.fail('pipeline_has_no_stage'); end if;
  return v_id;
end
$$;
comment on function crm.first_stage(uuid) is 'The first active stage of a pipeline; raises pipeline_has_no_stage.';
create function crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid)
returns table (pipeline_id uuid, stage_id uuid)
language sql stable
as $$
  select p.id, (
    select s.id from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id and s.id = coalesce(p_stage_id, s.id) and s.is_active
    order by s.position limit 1
  )
  from crm.pipelines p
  where p.workspace_id = crm.current_workspace_id() and p.is_active
    and case when p_pipeline_id is null then p.is_default else p.id = p_pipeline_id end
$$;
comment on function crm.stage_of_new_deal(uuid, uuid) is
  'The pipeline and stage of a new deal, both active. A null p_pipeline_id means the default pipeline, a null '
  'p_stage_id the first stage. Returns no row if there is no such pipeline, and a null stage_id if the pipeline has no '
  'such stage.';
create function crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid)
language plpgsql stable set search_path = '' as $$
begin
  select s.pipeline_id, s.stage_id into choose_stage.pipeline_id, choose_stage.stage_id
  from crm.stage_of_new_deal(p_pipeline_id, p_stage_id) s;
  -- Null means not found. The functions below raise the code for the reason.
  if pipeline_id is null then
    if p_pipeline_id is null then perform api.fail('no_default_pipeline'); end if;
    perform crm.require_active_pipeline(p_pipeline_id);
  end if;
  if stage_id is null then
    if p_stage_id is null then perform crm.first_stage(pipeline_id); end if;
    perform crm.require_active_stage(pipeline_id, p_stage_id);
  end if;
end
$$;
comment on function crm.choose_stage(uuid, uuid) is
  'The pipeline and stage of a new deal, by crm.stage_of_new_deal. Raises pipeline_not_found, no_default_pipeline, '
  'stage_not_found, pipeline_has_no_stage (spec 4.1).';

create table crm.loss_reasons (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.loss_reasons is 'Why a workspace loses deals, in its own words.';
call crm.protect('crm.loss_reasons');
create trigger touch before update on crm.loss_reasons for each row execute function crm.touch();

create function api.workspace_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return json_build_object(
    'id', v_workspace_id,
    'name', crm.own_key() #>> '{workspace,name}',
    'members', (
      select coalesce(json_agg(json_build_object(
        'id', m.id, 'name', m.name, 'email', m.email, 'role', m.role, 'is_active', m.is_active
      ) order by m.is_active desc, m.id), '[]')
      from (
        (select t.* from crm.members t where t.workspace_id = v_workspace_id and t.is_active)
        union all
        (
          select t.* from crm.members t where t.workspace_id = v_workspace_id and not t.is_active
          order by t.id desc limit 200
        )
      ) m
    ),
    'loss_reasons', (
      select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
      from crm.loss_reasons l
      where l.workspace_id = v_workspace_id and l.is_active
    ),
    'pipelines', (
      select coalesce(json_agg(json_build_object(
        'id', p.id,
        'name', p.name,
        'is_default', p.is_default,
        'stages', (
          select coalesce(
            json_agg(json_build_object('id', s.id, 'name', s.name, 'type', s.type) order by s.position), '[]'
          )
          from crm.stages s
          where s.workspace_id = v_workspace_id and s.pipeline_id = p.id and s.is_active
        )
      ) order by p.created_at, p.id), '[]')
      from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_active
    ),
    'event_types', (select json_agg(e.event order by e.event) from crm.event_types e),
    'custom_fields', (
      select coalesce(json_agg(json_build_object(
        'object_type', f.object_type, 'key', f.key, 'label', f.label, 'type', f.type, 'choices', f.choices
      ) order by f.object_type, f.id), '[]')
      from crm.custom_fields f
      where f.workspace_id = v_workspace_id and f.archived_at is null
    )
  );
end
$$;
comment on function api.workspace_get(jsonb) is
  'Returns what calls can refer to in the caller''s workspace: active loss reasons, active pipelines with their active '
  'stages, event types, custom fields in use, all active members, and the newest 200 inactive members.';

create function crm.pipeline_row_json(p crm.pipelines) returns json
language sql stable as $$
  select json_build_object(
    'id', p.id, 'workspace_id', p.workspace_id, 'name', p.name, 'is_default', p.is_default, 'is_active', p.is_active
  )
$$;
comment on function crm.pipeline_row_json(crm.pipelines) is 'JSON of a pipeline without its stages, for the operator.';
create function crm.stage_row_json(s crm.stages) returns json
language sql stable as $$
  select json_build_object(
    'id', s.id, 'pipeline_id', s.pipeline_id, 'name', s.name, 'type', s.type, 'position', s.position,
    'is_active', s.is_active
  )
$$;
comment on function crm.stage_row_json(crm.stages) is 'JSON of a stage with its pipeline''s id, for the operator.';
create function crm.unset_default_pipeline(p_workspace_id uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- Without this lock, two simultaneous calls could each set a default pipeline, and the second call would fail.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  update crm.pipelines p set is_default = false where p.workspace_id = p_workspace_id and p.is_default;
end
$$;
comment on function crm.unset_default_pipeline(uuid) is
  'Leaves a workspace without a default pipeline, so that another pipeline can become the default in the same '
  'transaction.';
create function app.pipeline_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name, stages}', '{is_default}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := coalesce((v_args ->> 'is_default')::boolean, false);
  v_id uuid;
  v_stages json;
begin
  if v_is_default then perform crm.unset_default_pipeline(v_workspace_id); end if;
  insert into crm.pipelines (workspace_id, name, is_default)
  values (v_workspace_id, v_args ->> 'name', v_is_default)
  returning id into v_id;

  with stage as (
    insert into crm.stages (workspace_id, pipeline_id, name, type, position)
    select v_workspace_id, v_id, s.value ->> 'name', s.value ->> 'type', s.position
    from jsonb_array_elements(v_args -> 'stages') with ordinality s (value, position)
    returning id, name, type, position
  )
  select coalesce(json_agg(stage order by stage.position), '[]') into v_stages from stage;
  return json_build_object('id', v_id, 'stages', v_stages);
end
$$;
comment on function app.pipeline_create(jsonb) is
  'Creates a pipeline with its stages, the first at position 1. With is_default, the new pipeline replaces the current '
  'default. Returns id, stages (id, name, type, position). Arguments: workspace_id, name, stages (each name, type), '
  'is_default. Codes: validation_error, not_found.';
create function app.pipeline_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{is_active, is_default}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := (v_args ->> 'is_default')::boolean;
  v_pipeline crm.pipelines;
begin
  if not v_is_default then
    perform crm.raise_code('validation_error', 'is_default', 'Torne outro pipeline o padrão');
  end if;
  if v_is_default then perform crm.unset_default_pipeline(v_workspace_id); end if;
  update crm.pipelines p
  set
    is_active = coalesce((v_args ->> 'is_active')::boolean, p.is_active),
    is_default = coalesce(v_is_default, p.is_default)
  where p.workspace_id = v_workspace_id and p.id = (v_args ->> 'id')::uuid
  returning p.* into v_pipeline;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.pipeline_row_json(v_pipeline);
end
$$;
comment on function app.pipeline_update(jsonb) is
  'Deactivates a pipeline, activates it again, or makes it the default. No deal enters an inactive pipeline, even if '
  'it is the default. Returns the pipeline without its stages. Arguments: workspace_id, id, is_active, is_default '
  '(only true). Codes: validation_error, not_found.';
create function app.pipeline_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return (
    select coalesce(
      json_agg(
        crm.with_fields(
          crm.pipeline_row_json(p),
          json_build_object('stages', (
            select coalesce(json_agg(crm.stage_row_json(s) order by s.position), '[]')
            from crm.stages s
            where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
          ))
        )
        order by p.id
      ),
      '[]'
    )
    from crm.pipelines p
    where p.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.pipeline_list(jsonb) is
  'Lists every pipeline of a workspace with every stage, oldest pipeline first. Includes inactive pipelines and '
  'stages, so that the operator can activate them again. Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.stage_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_stage crm.stages;
begin
  update crm.stages s
  set is_active = (v_args ->> 'is_active')::boolean
  where s.workspace_id = (v_args ->> 'workspace_id')::uuid and s.id = (v_args ->> 'id')::uuid
  returning s.* into v_stage;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.stage_row_json(v_stage);
end
$$;
comment on function app.stage_update(jsonb) is
  'Deactivates a stage, or activates it again. No deal enters an inactive stage. Returns the stage. Arguments: '
  'workspace_id, id, is_active. Codes: validation_error, not_found.';
create function crm.loss_reason_json(r crm.loss_reasons) returns json
language sql stable as $$
  select json_build_object(
    'id', r.id, 'workspace_id', r.workspace_id, 'name', r.name, 'is_active', r.is_active,
    'created_at', crm.iso(r.created_at)
  )
$$;
comment on function crm.loss_reason_json(crm.loss_reasons) is 'JSON of a loss reason, for the operator.';
create function app.loss_reason_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid;
begin
  insert into crm.loss_reasons (workspace_id, name)
  values (v_workspace_id, v_args ->> 'name')
  returning id into v_id;
  return json_build_object('id', v_id);
end
$$;
comment on function app.loss_reason_create(jsonb) is
  'Adds an active loss reason. Returns id. Arguments: workspace_id, name. Codes: validation_error, not_found.';
create function app.loss_reason_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_reason crm.loss_reasons;
begin
  update crm.loss_reasons r
  set is_active = (v_args ->> 'is_active')::boolean
  where r.workspace_id = (v_args ->> 'workspace_id')::uuid and r.id = (v_args ->> 'id')::uuid
  returning r.* into v_reason;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.loss_reason_json(v_reason);
end
$$;
comment on function app.loss_reason_update(jsonb) is
  'Deactivates a loss reason, or activates it again. No deal can be lost for an inactive reason; deals that were lost '
  'for the reason keep it. Returns the loss reason. Arguments: workspace_id, id, is_active. Codes: validation_error, '
  'not_found.';
create function app.loss_reason_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return (
    select coalesce(json_agg(crm.loss_reason_json(r) order by r.id), '[]')
    from crm.loss_reasons r
    where r.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.loss_reason_list(jsonb) is
  'Lists all loss reasons, oldest first. Arguments: workspace_id. Codes: validation_error, not_found.';

create type api.stage as (
  id uuid, name text, position integer, type text, is_active boolean
);
comment on type api.stage is 'A step of a pipeline: its public fields, in order.';
create function crm.stage_json(t crm.stages) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.name, t.position, t.type, t.is_active
  )::api.stage)
$$;
comment on function crm.stage_json(crm.stages) is 'A row as public JSON, with the fields of api.stage.';
create type api.pipeline as (
  id uuid, workspace_id uuid, name text, is_default boolean, is_active boolean, created_at text, stages json
);
comment on type api.pipeline is 'A sales funnel with its stages: its public fields, in order.';
create function crm.pipeline_json(t crm.pipelines) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.is_default, t.is_active, crm.iso(t.created_at), crm.stages_of(t)
  )::api.pipeline)
$$;
comment on function crm.pipeline_json(crm.pipelines) is 'A row as public JSON, with the fields of api.pipeline.';

create table crm.companies (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  name_key text not null generated always as (crm.name_key(name)) stored,
  legal_name text,
  tax_id text,
  domain text,
  website text,
  email text,
  phone text,
  industry text,
  employee_count crm.quantity,
  linkedin text,
  instagram text,
  address jsonb,
  owner_id uuid not null,
  notes text,
  custom_fields jsonb,
  external_id crm.external_id,
  archived_at timestamptz,
  merged_into_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.companies (workspace_id, id),
  check (archived_at is not null or merged_into_id is null)
);
comment on table crm.companies is 'The organisations that a workspace sells to.';
create unique index companies_external_id_once on crm.companies (workspace_id, external_id) where external_id is not null;
comment on column crm.companies.name_key is 'The name in the form of crm.name_key, by which leads find a company.';
comment on column crm.companies.tax_id is
  'CNPJ (alphanumeric since 2026) or another tax id, in upper case and without punctuation.';
call crm.protect('crm.companies');
create trigger touch before update on crm.companies for each row execute function crm.touch();
create function crm.company_new(p_args jsonb) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := jsonb_populate_record(
    null::crm.companies, crm.require_references(crm.checked_values('company', p_args))
  );
begin
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  return v_company;
end
$$;
comment on function crm.company_new(jsonb) is
  'The company to insert for a creation. Raises validation_error, invalid_reference, no_owner_available (spec 4.6).';
create function api.company_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company record := crm.company_insert(crm.company_new(p_args));
begin
  return crm.creation_json(p_args, v_company.made, v_company.alike);
end
$$;
comment on function api.company_create(jsonb) is
  'Creates a company and returns it with the ids of similar companies. Raises the codes of crm.company_new.';
create function api.company_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := crm.company_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes('company', to_jsonb(v_company), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_company := jsonb_populate_record(v_company, crm.require_references(v_changes));
    v_company.owner_id := crm.owner_or_default(v_company.owner_id);
    v_company := crm.company_save(v_company);
  end if;
  return crm.company_json(v_company);
end
$$;
comment on function api.company_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.6).';

create type api.company as (
  id uuid, workspace_id uuid, name text, legal_name text, tax_id text, domain text, website text, email text,
  phone text, industry text, employee_count integer, linkedin text, instagram text, address jsonb, owner_id uuid,
  notes text, custom_fields jsonb, tags text[], external_id text, archived_at text, merged_into_id uuid,
  created_at text, updated_at text
);
comment on type api.company is 'A company: its public fields, in order.';
create function crm.company_json(t crm.companies) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, coalesce(t.tags, '{}'),
    t.external_id, crm.iso(t.archived_at), t.merged_into_id, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.company)
$$;
comment on function crm.company_json(crm.companies) is 'A row as public JSON, with the fields of api.company.';
create function crm.company_insert(t crm.companies, out made json, out alike uuid[])
language plpgsql set search_path = '' as $$
begin
  insert into crm.companies as new (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags, t.external_id
  )
  returning crm.company_json(new), array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.tax_id = any (array[new.tax_id]) and o.tax_id is not null
      and o.archived_at is null
    order by o.tax_id, o.id limit 5
  ) || array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.domain = any (array[nullif(new.domain, '')]) and o.domain is not null
      and o.archived_at is null
    order by o.domain, o.id limit 5
  ) into made, alike;
end
$$;
comment on function crm.company_insert(crm.companies) is
  'Creates the record and returns its JSON, and for each compared field up to five similar records in use.';
create function crm.company_lock(p_id uuid, p_if_match jsonb default null) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  select * into t from crm.companies r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.company_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.company_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged, and precondition_failed if p_if_match, a list of versions, lacks the '
  'record''s version.';
create function crm.company_save(t crm.companies) returns crm.companies
language plpgsql set search_path = '' as $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram, address,
    owner_id, notes, custom_fields, tags, external_id
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count, t.linkedin,
    t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.company_save(crm.companies) is 'Writes the changeable fields, and returns the updated row.';
create function api.company_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  update crm.companies r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then perform api.fail('not_found'); end if;
    if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  end if;
  return crm.company_json(t);
end
$$;
comment on function api.company_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found, record_merged.';
create function api.company_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.companies := crm.company_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.companies r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.company_json(t);
end
$$;
comment on function api.company_restore(jsonb) is
  'Restores the record and returns it; a record in use stays as it is. Raises not_found, record_merged.';
create function crm.company_filled(t crm.companies, other crm.companies) returns crm.companies
language plpgsql immutable set search_path = '' as $$
begin
  t.legal_name := coalesce(nullif(t.legal_name, ''), other.legal_name, t.legal_name);
  t.tax_id := coalesce(nullif(t.tax_id, ''), other.tax_id, t.tax_id);
  t.domain := coalesce(nullif(t.domain, ''), other.domain, t.domain);
  t.website := coalesce(nullif(t.website, ''), other.website, t.website);
  t.email := coalesce(nullif(t.email, ''), other.email, t.email);
  t.phone := coalesce(nullif(t.phone, ''), other.phone, t.phone);
  t.industry := coalesce(nullif(t.industry, ''), other.industry, t.industry);
  t.employee_count := coalesce(t.employee_count, other.employee_count);
  t.linkedin := coalesce(nullif(t.linkedin, ''), other.linkedin, t.linkedin);
  t.instagram := coalesce(nullif(t.instagram, ''), other.instagram, t.instagram);
  t.address := coalesce(t.address, other.address);
  t.notes := coalesce(nullif(t.notes, ''), other.notes, t.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.tags := crm.joined_tags(t.tags, other.tags);
  t.external_id := coalesce(nullif(t.external_id, ''), other.external_id, t.external_id);
  return t;
end
$$;
comment on function crm.company_filled(crm.companies, crm.companies) is
  'The first record, with its empty fields filled from the second.';
create function crm.company_survivor(p_id uuid) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  loop
    -- Waits for a merge of this record that is in progress, then sees its result.
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;
comment on function crm.company_survivor(uuid) is
  'The record into which this record was finally merged, or this record itself. The result may be archived. It is '
  'locked against merging until the transaction ends.';
create function api.company_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.company_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.expanded(crm.require_record(v_record), p_args -> 'expand');
end
$$;
comment on function api.company_get(jsonb) is 'Returns one record; raises not_found, merged.';
create index companies_name_key on crm.companies (workspace_id, name_key, id);
create index companies_tax_id on crm.companies (workspace_id, tax_id, id) where tax_id is not null;
create index companies_domain on crm.companies (workspace_id, domain, id) where domain is not null;
create index companies_owner_id on crm.companies (workspace_id, owner_id, id);
create index companies_updated_at on crm.companies (workspace_id, updated_at, id);
create index companies_archived on crm.companies (workspace_id, id) where archived_at is not null;
create function crm.company_text(t crm.companies) returns text
language sql immutable
as $$ select crm.search_text(array[t.name, t.legal_name, t.tax_id, t.domain, t.email, t.external_id, crm.spelled_tax_id(t.tax_id)], array[t.phone]::text[]) $$;
comment on function crm.company_text(crm.companies) is 'The searched text of the record.';
create trigger forget_text after delete on crm.companies for each row execute function crm.forget_text('company');
create function crm.company_json_if_short(t crm.companies) returns json
language sql stable as $$
  select case when coalesce(pg_column_size(t.address), 0) + coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.address) is null
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.company_json(t)
  end
$$;
comment on function crm.company_json_if_short(crm.companies) is
  'crm.company_json, or null if the row may be long: crm.bounded_records builds long rows.';
create function api.company_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('company', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    v_text := crm.name_key(p_args ->> 'name');
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.name_key, t.id) < (v_text, v_before) and t.name_key >= v_text
        and t.name_key = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.name_key desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    v_text := p_args ->> 'tax_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (v_text, v_before) and t.tax_id >= v_text
        and t.tax_id = any (array[v_text]) and t.id < v_before and t.id >= v_from and t.tax_id is not null
      order by t.tax_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    v_text := p_args ->> 'domain';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (v_text, v_before) and t.domain >= v_text
        and t.domain = any (array[v_text]) and t.id < v_before and t.id >= v_from and t.domain is not null
      order by t.domain desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = v_text
        and (t.external_id, t.id) < (v_text, v_before) and (t.external_id, t.id) >= (v_text, v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('company', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.company_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
create function crm.company_match(p_args jsonb, p_merged boolean default false) returns uuid[]
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_value text := p_args ->> (p_args ->> 'match_by');
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = v_value
          and (t.external_id, t.id) < (v_value, v_beyond) and (t.external_id, t.id) >= (v_value, v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null end
        order by t.external_id limit 100
      );
    when 'tax_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (v_value, v_beyond) and t.tax_id >= v_value
          and t.tax_id = any (array[v_value]) and t.id < v_beyond and t.id >= v_first and t.tax_id is not null
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.tax_id, t.id limit 100
      );
    when 'domain' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (v_value, v_beyond) and t.domain >= v_value
          and t.domain = any (array[v_value]) and t.id < v_beyond and t.id >= v_first and t.domain is not null
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.domain, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.company_match(jsonb, boolean) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records. p_merged: looks at merged records instead, and returns the ids '
  'of the records they were merged into.';
create function api.company_upsert(p_args jsonb) returns json
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
    'company external_id', p_args ->> 'external_id', 'company tax_id', p_args ->> 'tax_id',
    'company domain', p_args ->> 'domain', 'company name', crm.name_key(p_args ->> 'name')
  ));
  v_ids := crm.company_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.id from unnest(crm.company_match(p_args, true)) m (id)) m
      cross join lateral crm.company_survivor(m.id) s
      where s.archived_at is null or v_match_by = 'external_id'
    );
    if cardinality(v_ids) = 1 then
      -- The record that was found keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    if v_sent ?| array['phone'] then
      -- Locked, so that nobody changes the number between the comparison and the update.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.company_lock(v_ids[1])), v_sent - v_kept, array['phone']);
    end if;
    v_reply := api.company_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.company_create(v_sent);
  select crm.company_json(t) into v_record from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.company_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). If only merged records have the value, '
  'changes the record they were merged into, except that field. Raises ambiguous_match, validation_error for fields '
  'that only a creation requires, and the codes of api.company_update and api.company_create.';

create domain crm.contact_email as text check (value = lower(value));
comment on domain crm.contact_email is 'The e-mail address of a contact, in lower case so that searches find it.';
create table crm.contacts (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  email crm.contact_email,
  phone text,
  phone_e164 text generated always as (crm.e164(phone)) stored,
  phone2 text,
  whatsapp text,
  job_title text,
  company_id uuid,
  owner_id uuid not null,
  instagram text,
  linkedin text,
  notes text,
  custom_fields jsonb,
  external_id crm.external_id,
  archived_at timestamptz,
  merged_into_id uuid,
  erased_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.contacts (workspace_id, id),
  check (archived_at is not null or (merged_into_id is null and erased_at is null))
);
comment on table crm.contacts is 'The people that a workspace sells to.';
comment on column crm.contacts.phone_e164 is 'The phone in the form of crm.e164, by which contacts are found.';
comment on column crm.contacts.erased_at is
  'When the personal fields were erased for good. The row stays, because other rows refer to it.';
create unique index contacts_external_id_once on crm.contacts (workspace_id, external_id) where external_id is not null;
call crm.protect('crm.contacts');
create trigger touch before update on crm.contacts for each row execute function crm.touch();
create function crm.contact_new(p_args jsonb) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := jsonb_populate_record(
    null::crm.contacts, crm.require_references(crm.checked_values('contact', p_args))
  );
begin
  v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
  return v_contact;
end
$$;
comment on function crm.contact_new(jsonb) is
  'The contact to insert for a creation. Raises validation_error, invalid_reference, no_owner_available (spec 4.2).';
create function api.contact_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_contact record := crm.contact_insert(crm.contact_new(p_args));
  v_reply json := json_build_object('id', v_contact.made);
begin
  if p_args ->> 'prefer' = 'representation' then
    select crm.contact_json(t) into v_reply from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = v_contact.made;
  end if;
  return crm.creation_json(p_args, v_reply, v_contact.alike);
end
$$;
comment on function api.contact_create(jsonb) is
  'Creates a contact and returns its id (the whole record if `prefer` is representation) with the ids of similar '
  'contacts. Raises the codes of crm.contact_new.';
create function crm.lock_referred(p_company_ids uuid[], p_contact_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform from crm.companies t where t.workspace_id = crm.current_workspace_id() and t.id = any (p_company_ids)
  order by t.id for key share;
  perform from crm.contacts t where t.workspace_id = crm.current_workspace_id() and t.id = any (p_contact_ids)
  order by t.id for key share;
end
$$;
comment on function crm.lock_referred(uuid[], uuid[]) is
  'Locks companies and contacts until the transaction ends, so that nobody can merge or erase them. A call that makes '
  'records refer to a company or contact takes this lock before it locks the records. A merge or an erasure locks in '
  'the same order, so no deadlock is possible.';
create function api.contact_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes('contact', to_jsonb(v_contact), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_contact := jsonb_populate_record(v_contact, crm.require_references(v_changes));
    v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
    v_contact := crm.contact_save(v_contact);
  end if;
  return crm.contact_json(v_contact);
end
$$;
comment on function api.contact_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.2).';

create type api.contact as (
  id uuid, workspace_id uuid, name text, email text, phone text, phone2 text, whatsapp text, job_title text,
  company_id uuid, owner_id uuid, instagram text, linkedin text, notes text, custom_fields jsonb, tags text[],
  external_id text, archived_at text, merged_into_id uuid, erased_at text, created_at text, updated_at text
);
comment on type api.contact is 'A contact: its public fields, in order.';
create function crm.contact_json(t crm.contacts) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, coalesce(t.tags, '{}'), t.external_id, crm.iso(t.archived_at),
    t.merged_into_id, crm.iso(t.erased_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.contact)
$$;
comment on function crm.contact_json(crm.contacts) is 'A row as public JSON, with the fields of api.contact.';
create function crm.contact_insert(t crm.contacts, out made uuid, out alike uuid[])
language plpgsql set search_path = '' as $$
begin
  insert into crm.contacts as new (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
    custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, t.tags, t.external_id
  )
  returning new.id, array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.email = any (array[new.email]) and o.email is not null
      and o.archived_at is null
    order by o.email, o.id limit 5
  ) || array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.phone_e164 = any (crm.phone_spellings(new.phone)) and o.phone_e164 is not null
      and o.archived_at is null
    order by o.phone_e164, o.id limit 5
  ) into made, alike;
end
$$;
comment on function crm.contact_insert(crm.contacts) is
  'Creates the record and returns its id, and for each compared field up to five similar records in use.';
create function crm.contact_lock(p_id uuid, p_if_match jsonb default null) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  select * into t from crm.contacts r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  if t.erased_at is not null then perform api.fail('record_erased'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.contact_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.contact_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged, record_erased, and precondition_failed if p_if_match, a list of versions, '
  'lacks the record''s version.';
create function crm.contact_save(t crm.contacts) returns crm.contacts
language plpgsql set search_path = '' as $$
begin
  update crm.contacts as saved
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes, custom_fields,
    tags, external_id
  ) = (
    t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id, t.instagram, t.linkedin,
    t.notes, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.contact_save(crm.contacts) is 'Writes the changeable fields, and returns the updated row.';
create function api.contact_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  update crm.contacts r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then perform api.fail('not_found'); end if;
    if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  end if;
  return crm.contact_json(t);
end
$$;
comment on function api.contact_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found, record_merged.';
create function api.contact_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.contacts r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.contact_json(t);
end
$$;
comment on function api.contact_restore(jsonb) is
  'Restores the record and returns it; a record in use stays as it is. Raises not_found, record_merged, '
  'record_erased.';
create function crm.contact_filled(t crm.contacts, other crm.contacts) returns crm.contacts
language plpgsql immutable set search_path = '' as $$
begin
  t.email := coalesce(nullif(t.email, ''), other.email, t.email);
  t.phone := coalesce(nullif(t.phone, ''), other.phone, t.phone);
  t.phone2 := coalesce(nullif(t.phone2, ''), other.phone2, t.phone2);
  t.whatsapp := coalesce(nullif(t.whatsapp, ''), other.whatsapp, t.whatsapp);
  t.job_title := coalesce(nullif(t.job_title, ''), other.job_title, t.job_title);
  t.company_id := coalesce(t.company_id, other.company_id);
  t.instagram := coalesce(nullif(t.instagram, ''), other.instagram, t.instagram);
  t.linkedin := coalesce(nullif(t.linkedin, ''), other.linkedin, t.linkedin);
  t.notes := coalesce(nullif(t.notes, ''), other.notes, t.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.tags := crm.joined_tags(t.tags, other.tags);
  t.external_id := coalesce(nullif(t.external_id, ''), other.external_id, t.external_id);
  return t;
end
$$;
comment on function crm.contact_filled(crm.contacts, crm.contacts) is
  'The first record, with its empty fields filled from the second.';
create function crm.contact_survivor(p_id uuid) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  loop
    -- Waits for a merge of this record that is in progress, then sees its result.
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;
comment on function crm.contact_survivor(uuid) is
  'The record into which this record was finally merged, or this record itself. The result may be archived or erased. '
  'It is locked against merging and erasing until the transaction ends.';
create function crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update crm.contacts r
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, instagram, linkedin, notes, custom_fields, tags,
    external_id, archived_at, erased_at
  ) = (
    'Contato apagado', null, null, null, null, null, null, null, null, null, null, null, null,
    coalesce(r.archived_at, now()), now()
  )
  where r.workspace_id = p_workspace_id and r.id = any (p_ids) and r.erased_at is null;
end
$$;
comment on function crm.contact_erase(uuid, uuid[]) is
  'Clears every field that clients can write, except the owner. The rows stay, because other rows refer to them.';
create function api.contact_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.contact_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.expanded(crm.require_record(v_record), p_args -> 'expand');
end
$$;
comment on function api.contact_get(jsonb) is 'Returns one record; raises not_found, merged.';
create index contacts_email on crm.contacts (workspace_id, email, id);
create index contacts_phone_e164 on crm.contacts (workspace_id, phone_e164, id);
create index contacts_company_id on crm.contacts (workspace_id, company_id, id) where company_id is not null;
create index contacts_updated_at on crm.contacts (workspace_id, updated_at, id);
create index contacts_archived on crm.contacts (workspace_id, id) where archived_at is not null;
create function crm.contact_text(t crm.contacts) returns text
language sql immutable
as $$ select crm.search_text(array[t.name, t.email, t.job_title, t.external_id], array[t.phone, t.phone2, t.whatsapp]::text[]) $$;
comment on function crm.contact_text(crm.contacts) is 'The searched text of the record.';
create trigger forget_text after delete on crm.contacts for each row execute function crm.forget_text('contact');
create function crm.contact_json_if_short(t crm.contacts) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.contact_json(t)
  end
$$;
comment on function crm.contact_json_if_short(crm.contacts) is
  'crm.contact_json, or null if the row may be long: crm.bounded_records builds long rows.';
create function api.contact_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('contact', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'email' = '{}' then
    v_text := p_args ->> 'email';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (v_text, v_before) and t.email >= v_text
        and t.email = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.email desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'phone' = '{}' then
    v_text := crm.e164(p_args ->> 'phone');
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.phone_e164, t.id) < (v_text, v_before)
        and t.phone_e164 >= v_text and t.phone_e164 = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.phone_e164 desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    v_uuid := (p_args ->> 'company_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.company_id, t.id) < (v_uuid, v_before)
        and t.company_id >= v_uuid and t.company_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = v_text
        and (t.external_id, t.id) < (v_text, v_before) and (t.external_id, t.id) >= (v_text, v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('contact', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.contact_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
create function crm.contact_match(p_args jsonb, p_merged boolean default false) returns uuid[]
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_value text := p_args ->> (p_args ->> 'match_by');
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = v_value
          and (t.external_id, t.id) < (v_value, v_beyond) and (t.external_id, t.id) >= (v_value, v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null and t.erased_at is null end
        order by t.external_id limit 100
      );
    when 'email' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (v_value, v_beyond) and t.email >= v_value
          and t.email = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.email, t.id limit 100
      );
    when 'phone' then
      v_value := crm.e164(p_args ->> 'phone');
      if v_value is null then perform api.fail('validation_error', array['phone']); end if;
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and (t.phone_e164, t.id) < (v_value, v_beyond)
          and t.phone_e164 >= v_value and t.phone_e164 = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.phone_e164, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.contact_match(jsonb, boolean) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records. p_merged: looks at merged records instead, and returns the ids '
  'of the records they were merged into.';
create function api.contact_upsert(p_args jsonb) returns json
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
    'contact external_id', p_args ->> 'external_id', 'contact email', p_args ->> 'email',
    'contact phone', crm.e164(p_args ->> 'phone')
  ));
  v_ids := crm.contact_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.id from unnest(crm.contact_match(p_args, true)) m (id)) m
      cross join lateral crm.contact_survivor(m.id) s
      where s.archived_at is null or (v_match_by = 'external_id' and s.erased_at is null)
    );
    if cardinality(v_ids) = 1 then
      -- The record that was found keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    if v_sent ?| array['phone', 'phone2', 'whatsapp'] then
      -- Locked, so that nobody changes the number between the comparison and the update.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.contact_lock(v_ids[1])), v_sent - v_kept, array['phone', 'phone2', 'whatsapp']);
    end if;
    v_reply := api.contact_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.contact_create(v_sent);
  select crm.contact_json(t) into v_record from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.contact_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). If only merged records have the value, '
  'changes the record they were merged into, except that field. Raises ambiguous_match, validation_error for fields '
  'that only a creation requires, and the codes of api.contact_update and api.contact_create.';

create domain crm.deal_status as text check (value in ('aberto', 'ganho', 'perdido'));
comment on domain crm.deal_status is 'Whether a deal is open, won or lost.';
create table crm.deals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  title crm.record_name not null,
  status crm.deal_status not null default 'aberto',
  value crm.amount,
  recurring_value crm.amount,
  pipeline_id uuid not null,
  stage_id uuid not null,
  contact_id uuid,
  company_id uuid,
  owner_id uuid not null,
  expected_close_date date,
  loss_reason_id uuid,
  loss_note text,
  source text,
  utm jsonb,
  custom_fields jsonb,
  external_id crm.external_id,
  lead jsonb,
  stage_changed_at timestamptz not null default now(),
  moved_at timestamptz not null default now(),
  stale_reported_for timestamptz,
  stale_unreported_since timestamptz generated always as (
    case
      when status = 'aberto' and archived_at is null and stale_reported_for is distinct from moved_at then moved_at
    end
  ) stored,
  last_activity_at timestamptz,
  won_at timestamptz,
  lost_at timestamptz,
  closed_at timestamptz,
  archived_at timestamptz,
  lead_contact_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, pipeline_id, stage_id) references crm.stages (workspace_id, pipeline_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, loss_reason_id) references crm.loss_reasons (workspace_id, id)
);
comment on table crm.deals is 'Sales in progress or closed.';
comment on column crm.deals.moved_at is
  'When the deal last moved: it was changed, one of its activities was created or changed, or a note or another '
  'contact was added. updated_at cannot show this, because a note changes no field of the deal.';
comment on column crm.deals.stale_reported_for is
  'The moved_at for which deal.stale was last emitted. After the deal has moved, the event can be emitted again.';
comment on column crm.deals.stale_unreported_since is
  'moved_at of an open, unarchived deal for which deal.stale has not been emitted since it moved; otherwise null.';
comment on column crm.deals.external_id is
  'The caller''s own id for the deal. Leads do not need it to be unique: crm.lead_receipts makes them idempotent.';
comment on column crm.deals.lead is
  'The body of the call to POST leads that created the deal; null for any other deal. Later changes of the deal or its '
  'contact do not change it. Inserting a deal with a lead emits lead.received.';
comment on column crm.deals.lead_contact_id is
  'The contact who sent the lead, set when the deal gets another contact; null before that. Erasing this person '
  'erases the lead too. The id stays even if the contact is merged.';
create index deals_lead_contact on crm.deals (workspace_id, lead_contact_id) where lead_contact_id is not null;
create index deals_stale on crm.deals (workspace_id, stale_unreported_since) where stale_unreported_since is not null;
create index deals_open on crm.deals (workspace_id, stage_id, id) where status = 'aberto' and archived_at is null;
create index deals_closed on crm.deals (workspace_id, pipeline_id, status, closed_at, id)
  where closed_at is not null and archived_at is null;
create index deals_closed_at on crm.deals (workspace_id, closed_at, id desc) where closed_at is not null;
call crm.protect('crm.deals');
create function crm.keep_lead_contact() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.lead_contact_id := old.contact_id;
  return new;
end
$$;
comment on function crm.keep_lead_contact() is
  'Trigger: keeps the contact who sent the lead when the deal gets another contact.';
create trigger keep_lead_contact before update of contact_id on crm.deals
  for each row when (
    old.lead is not null and old.lead_contact_id is null and old.contact_id is distinct from new.contact_id
  )
  execute function crm.keep_lead_contact();
create function crm.touch_deal() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- An update that only records deal.stale or a movement (crm.set_moved_at) changes no field that clients see.
  if new.stale_reported_for is not distinct from old.stale_reported_for and new.moved_at = old.moved_at then
    new.updated_at := now();
    new.moved_at := now();
  end if;
  return new;
end
$$;
comment on function crm.touch_deal() is 'Trigger: sets updated_at and moved_at when the deal''s own fields change.';
create trigger touch before update on crm.deals for each row execute function crm.touch_deal();
create function crm.set_moved_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- A second note in the same transaction must not update the deal: the note would write the same moved_at, and
  -- crm.touch_deal would take the update for a change of the deal's fields.
  update crm.deals d set moved_at = now()
  where d.workspace_id = new.workspace_id and d.id = new.deal_id and d.moved_at < now();
  return null;
end
$$;
comment on function crm.set_moved_at() is 'Trigger for notes, activities, further contacts: sets moved_at on the deal.';
create function crm.set_deal_moments() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.stage_id is distinct from old.stage_id then new.stage_changed_at := now(); end if;
  if new.status is distinct from old.status then
    new.won_at := case when new.status = 'ganho' then now() end;
    new.lost_at := case when new.status = 'perdido' then now() end;
    new.closed_at := coalesce(new.won_at, new.lost_at);
    if new.status <> 'perdido' then
      new.loss_reason_id := null;
      new.loss_note := null;
    end if;
  end if;
  return new;
end
$$;
comment on function crm.set_deal_moments() is
  'Trigger: keeps stage_changed_at, won_at, lost_at, closed_at and the loss fields consistent with stage and status, '
  'whether the API or the application writes.';
create trigger set_deal_moments before update on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id or old.status is distinct from new.status)
  execute function crm.set_deal_moments();

create function crm.deal_detail_json(p_deal crm.deals) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.with_fields(crm.deal_json(p_deal), json_build_object(
    'contact', (
      select crm.contact_json(c) from crm.contacts c
      where c.workspace_id = p_deal.workspace_id and c.id = p_deal.contact_id
    ),
    'company', (
      select crm.company_json(c) from crm.companies c
      where c.workspace_id = p_deal.workspace_id and c.id = p_deal.company_id
    ),
    'last_activity', (
      select crm.activity_json(a) from crm.activities a
      where a.workspace_id = p_deal.workspace_id and a.deal_id = p_deal.id
      order by a.id desc limit 1
    ),
    'lead', p_deal.lead
  ));
end
$$;
comment on function crm.deal_detail_json(crm.deals) is
  'A deal as GET /:id shows it: with its contact, its company, its newest activity, and the lead''s body.';
create function api.deal_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_deal crm.deals;
  v_json json;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  v_json := crm.expanded(crm.deal_detail_json(v_deal), (p_args -> 'expand') - '{contact,company,contacts}'::text[]);
  return case
    when p_args -> 'expand' ? 'contacts'
      then crm.with_fields(v_json, json_build_object('contacts', crm.deal_contacts_json(v_deal)))
    else v_json
  end;
end
$$;
comment on function api.deal_get(jsonb) is
  'Returns one deal with its contact, its company, its newest activity, and the lead''s body if POST leads created '
  'it; with expand=contacts also with all its contacts. Raises not_found (spec 4.6).';
create function crm.deal_new(p_args jsonb) returns crm.deals
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := jsonb_populate_record(
    null::crm.deals, crm.require_references(crm.checked_values('deal', p_args))
  );
begin
  select p.pipeline_id, p.stage_id into v_deal.pipeline_id, v_deal.stage_id
  from crm.choose_stage(v_deal.pipeline_id, v_deal.stage_id) p;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  if v_deal.title is null then
    v_deal.title := coalesce(
      (
        select c.name from crm.contacts c
        where c.workspace_id = crm.current_workspace_id() and c.id = v_deal.contact_id
      ),
      (
        select c.name from crm.companies c
        where c.workspace_id = crm.current_workspace_id() and c.id = v_deal.company_id
      )
    );
  end if;
  return v_deal;
end
$$;
comment on function crm.deal_new(jsonb) is
  'The deal to insert; its default title is the name of its contact, otherwise of its company. Raises '
  'invalid_reference, no_owner_available and the codes of crm.checked_values and crm.choose_stage (spec 4.6).';
create function api.deal_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.deals := crm.deal_insert(crm.deal_new(p_args)); begin return crm.deal_json(t); end $$;
comment on function api.deal_create(jsonb) is 'Creates a deal and returns it. Raises the codes of crm.deal_new.';
create function crm.choose_stage_for_move(
  p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid
)
language plpgsql stable set search_path = '' as $$
begin
  pipeline_id := coalesce(p_pipeline_id, p_deal.pipeline_id);
  stage_id := p_stage_id;
  -- An unchanged stage is not checked again: it may have been deactivated since.
  if pipeline_id = p_deal.pipeline_id and stage_id = p_deal.stage_id then return; end if;
  if pipeline_id <> p_deal.pipeline_id then perform crm.require_active_pipeline(pipeline_id); end if;
  perform crm.require_active_stage(pipeline_id, stage_id);
end
$$;
comment on function crm.choose_stage_for_move(crm.deals, uuid, uuid) is
  'The pipeline and stage for a call that names a stage of the workspace, and optionally its pipeline. Raises '
  'pipeline_not_found, stage_not_found.';
create function api.deal_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals;
  v_changes jsonb;
  v_pipeline_id uuid := p_args ->> 'pipeline_id';
  v_stage_id uuid := p_args ->> 'stage_id';
  v_target record;
begin
  if p_args ?| '{company_id,contact_id}' then
    perform crm.lock_referred(array[(p_args ->> 'company_id')::uuid], array[(p_args ->> 'contact_id')::uuid]);
  end if;
  v_deal := crm.deal_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes := crm.changes('deal', to_jsonb(v_deal), p_args);
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes = '{}' then return crm.deal_json(v_deal); end if;
  -- A client may send back the status that it read, or reopen the deal. Closing a deal needs more than a status, so the
  -- statuses ganho and perdido are refused, and the error names the action to use.
  if v_changes ->> 'status' <> 'aberto' then
    perform api.fail('validation_error', array['status'], format(
      case when v_deal.status <> 'aberto' then 'Reabra o negócio com o status aberto; depois, use' else 'Use' end
        || ' POST /api-v1-deals/%s/%s',
      v_deal.id, case v_changes ->> 'status' when 'ganho' then 'win' else 'lose' end
    ));
  end if;
  v_changes := crm.require_references(v_changes);
  if v_stage_id is null and v_pipeline_id <> v_deal.pipeline_id then
    -- Without a stage, the deal enters the first active stage of the other pipeline.
    select crm.require_active_pipeline(v_pipeline_id) as pipeline_id, crm.first_stage(v_pipeline_id) as stage_id
    into v_target;
  else
    v_target := crm.choose_stage_for_move(v_deal, v_pipeline_id, coalesce(v_stage_id, v_deal.stage_id));
  end if;
  v_deal := jsonb_populate_record(v_deal, v_changes);
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  v_deal := crm.deal_save(v_deal);
  return crm.deal_json(v_deal);
end
$$;
comment on function api.deal_update(jsonb) is
  'Changes the fields sent; null clears a field. A stage is checked as in deal_move_stage. The status `aberto` '
  'reopens the deal; any other new status is a validation_error that names the action to use (spec 4.6).';
create function crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) returns json
language sql stable
as $$ select crm.with_fields(crm.deal_json(p_deal), json_build_object('idempotent', p_idempotent)) $$;
comment on function crm.deal_action_json(crm.deals, boolean) is
  'The reply to an action: the deal, and `idempotent`: whether the action changed nothing.';
create function api.deal_move_stage(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_target record;
begin
  p_args := crm.require_references(p_args);
  v_target := crm.choose_stage_for_move(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  if v_target.stage_id = v_deal.stage_id then return crm.deal_action_json(v_deal, true); end if;
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_move_stage(jsonb) is
  'Moves an open or closed deal to another stage and keeps its status. Raises invalid_reference for a stage of another '
  'workspace, otherwise the codes of crm.choose_stage_for_move (spec 3).';
create function api.deal_reassign(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_from uuid := p_args ->> 'from_owner_id';
  v_to uuid := p_args ->> 'to_owner_id';
  v_ids uuid[];
  v_next_id uuid;
  v_count integer;
begin
  if not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_from) then
    perform api.fail('invalid_reference', array['from_owner_id']);
  end if;
  if not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_to and m.is_active) then
    perform api.fail('invalid_reference', array['to_owner_id']);
  end if;
  select l.ids, l.next_id into v_ids, v_next_id
  from crm.list_by(
    'deal',
    jsonb_strip_nulls(jsonb_build_object(
      'limit', 1000, 'owner_id', v_from,
      'status', case when p_args ->> 'status' is not null then jsonb_build_array(p_args -> 'status') end
    )),
    coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid, '00000000-0000-0000-0000-000000000000',
    1000
  ) l;
  if cardinality(v_ids) > 1000 then v_next_id := v_ids[1000]; end if;
  v_ids := v_ids[:1000];
  if p_args -> 'dry_run' is not distinct from 'true' then
    v_count := case when v_from <> v_to then cardinality(v_ids) else 0 end;
  else
    -- Every call that locks several deals locks them in order of id, so that two such calls cannot deadlock.
    perform from crm.deals d where d.workspace_id = v_workspace_id and d.id = any (v_ids) order by d.id for no key update;
    update crm.deals d set owner_id = v_to
    where d.workspace_id = v_workspace_id and d.id = any (v_ids) and d.owner_id = v_from and v_from <> v_to
      and d.status = coalesce(p_args ->> 'status', d.status);
    get diagnostics v_count = row_count;
  end if;
  return json_build_object(
    'count', v_count, 'dry_run', p_args -> 'dry_run' is not distinct from 'true',
    'meta', json_build_object('next_cursor', v_next_id, 'has_more', v_next_id is not null)
  );
end
$$;
comment on function api.deal_reassign(jsonb) is
  'Gives one member''s unarchived deals, or only those with `status`, to an active member: the newest 1,000, or with '
  '`cursor` the next 1,000. Each changed deal emits deal.updated. Raises invalid_reference.';
create function api.deal_win(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  -- A closed deal stays won or lost.
  if v_deal.status <> 'aberto' then return crm.deal_action_json(v_deal, true); end if;
  v_deal := jsonb_populate_record(v_deal, jsonb_strip_nulls(p_args));
  v_deal.status := 'ganho';
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_win(jsonb) is 'Marks an open deal as won, with final amounts if sent (spec 3).';
create function api.deal_lose(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if v_deal.status <> 'aberto' then return crm.deal_action_json(v_deal, true); end if;
  v_deal := jsonb_populate_record(v_deal, crm.require_references(p_args));
  v_deal.status := 'perdido';
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_lose(jsonb) is
  'Marks an open deal as lost, with a reason and a note if they are sent. Raises invalid_reference (spec 3).';

create function crm.sum_deals(p_args jsonb, p_columns text, p_sums text) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set jit = off as $$
declare
  -- Bounds the cost of a call.
  c_most constant integer := 50000;
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_walk crm.walk := crm.walk_for(
    'deal', p_args || jsonb_build_object('words', crm.search_words(p_args ->> 'q')), p_columns
  );
  v_ways text[];
  v_rows text;
  v_most integer;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz); end if;
  v_ways := array[crm.shortest_way(v_walk, v_before, v_from, 250)];
  -- If `since` was sent, try the ways before the ranges, because reading by id probably reads fewer rows.
  v_ways := case when p_args ? 'since' then v_ways || v_walk.ranges else v_walk.ranges || v_ways end;
  -- First try each statement for at most 1,000 rows: one statement may find few rows where another finds tens of
  -- thousands.
  foreach v_most in array case when cardinality(v_ways) > 1 then array[1000, c_most] else array[c_most] end loop
    foreach v_rows in array v_ways loop
      execute format(p_sums, v_rows) into v_looked, v_summary using v_before, v_from, v_most + 1;
      if coalesce(v_looked, 0) <= v_most then return v_summary; end if;
    end loop;
  end loop;
  perform api.fail('too_many_records');
end
$$;
comment on function crm.sum_deals(jsonb, text, text) is
  'Runs the statement p_sums over the deals for the filters sent (crm.walk), with the columns p_columns. p_sums '
  'returns the number of rows read and a reply. Raises too_many_records if each way to the rows reads more than 50,000 '
  'rows.';
create function api.deal_summary(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_summary json;
begin
  v_summary := crm.sum_deals(p_args, ', t.pipeline_id, t.stage_id, t.status, t.value, t.recurring_value', $sql$
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object(
            'pipeline_id', g.pipeline_id, 'stage_id', g.stage_id, 'status', g.status, 'count', g.count,
            'value', g.value, 'recurring_value', g.recurring_value
          )
          order by g.pipeline_id, g.stage_id, g.status
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
        'count', coalesce(sum(g.count), 0), 'value', coalesce(sum(g.value), 0),
        'recurring_value', coalesce(sum(g.recurring_value), 0)
      )
    )
    from (
      select w.pipeline_id, w.stage_id, w.status, count(*) as looked, count(*) filter (where w.is_counted) as count,
        coalesce(sum(w.value) filter (where w.is_counted), 0) as value,
        coalesce(sum(w.recurring_value) filter (where w.is_counted), 0) as recurring_value
      from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%s limit $3) w) w
      group by w.pipeline_id, w.stage_id, w.status
    ) g
  $sql$);
  if v_summary #>> '{totals,count}' = '0' then perform crm.require_known_filters(p_args); end if;
  if p_args ? 'group_by' then
    v_summary := crm.with_fields(v_summary, json_build_object('groups', crm.sum_deals(
      p_args,
      format(
        ', %s as key, t.value, t.recurring_value',
        case p_args ->> 'group_by'
          when 'owner' then 't.owner_id::text'
          when 'stage' then 't.stage_id::text'
          when 'month' then 'to_char(coalesce(t.closed_at at time zone ''UTC'', t.expected_close_date), ''YYYY-MM'')'
          when 'source' then 't.source'
        end
      ),
      format($sql$
        select sum(g.looked), coalesce(
          json_agg(
            json_build_object('key', g.key, 'name', %s, 'count', g.count, 'value', g.value, 'recurring_value', g.recurring_value)
            order by g.value desc, g.count desc, g.key
          ) filter (where g.count > 0),
          '[]'
        )
        from (
          select w.key, count(*) as looked, count(*) filter (where w.is_counted) as count,
            coalesce(sum(w.value) filter (where w.is_counted), 0) as value,
            coalesce(sum(w.recurring_value) filter (where w.is_counted), 0) as recurring_value
          from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%%s limit $3) w) w
          group by w.key
        ) g
      $sql$, case p_args ->> 'group_by'
        when 'owner' then
          '(select n.name from crm.members n where n.workspace_id = crm.current_workspace_id() and n.id = g.key::uuid)'
        when 'stage' then
          '(select n.name from crm.stages n where n.workspace_id = crm.current_workspace_id() and n.id = g.key::uuid)'
        else 'g.key'
      end)
    )));
  end if;
  return v_summary;
end
$$;
comment on function api.deal_summary(jsonb) is
  'Counts and adds up the deals of the list with the same filters, by pipeline, stage and status, and with group_by '
  'also by one of owner, stage, month, source. Raises too_many_records if the call would read more than 50,000 deals.';

create type api.deal as (
  id uuid, workspace_id uuid, title text, status text, value numeric, recurring_value numeric, pipeline_id uuid,
  stage_id uuid, contact_id uuid, company_id uuid, owner_id uuid, expected_close_date date, loss_reason_id uuid,
  loss_note text, source text, utm jsonb, custom_fields jsonb, tags text[], external_id text, stage_changed_at text,
  last_activity_at text, won_at text, lost_at text, closed_at text, archived_at text, created_at text, updated_at text
);
comment on type api.deal is 'A deal: its public fields, in order.';
create function crm.deal_json(t crm.deals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields,
    coalesce(t.tags, '{}'), t.external_id, crm.iso(t.stage_changed_at), crm.iso(t.last_activity_at), crm.iso(t.won_at),
    crm.iso(t.lost_at), crm.iso(t.closed_at), crm.iso(t.archived_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.deal)
$$;
comment on function crm.deal_json(crm.deals) is 'A row as public JSON, with the fields of api.deal.';
create function crm.deal_insert(t crm.deals) returns crm.deals
language plpgsql set search_path = '' as $$
begin
  insert into crm.deals as new (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.tags, t.external_id
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.deal_insert(crm.deals) is 'Creates the record and returns it.';
create function crm.deal_lock(p_id uuid, p_if_match jsonb default null) returns crm.deals
language plpgsql set search_path = '' as $$
declare
  t crm.deals;
begin
  select * into t from crm.deals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.deal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.deal_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, and precondition_failed if p_if_match, a list of versions, lacks the record''s version.';
create function crm.deal_save(t crm.deals) returns crm.deals
language plpgsql set search_path = '' as $$
begin
  update crm.deals as saved
  set (
    title, status, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id, expected_close_date,
    loss_reason_id, loss_note, source, utm, custom_fields, tags, external_id
  ) = (
    t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id,
    t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.deal_save(crm.deals) is 'Writes the changeable fields, and returns the updated row.';
create function api.deal_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.deals;
begin
  update crm.deals r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.deals r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then perform api.fail('not_found'); end if;
  end if;
  return crm.deal_json(t);
end
$$;
comment on function api.deal_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found.';
create function api.deal_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.deals r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.deal_json(t);
end
$$;
comment on function api.deal_restore(jsonb) is
  'Restores the record and returns it; a record in use stays as it is. Raises not_found.';
create index deals_status on crm.deals (workspace_id, status, id);
create index deals_pipeline_id on crm.deals (workspace_id, pipeline_id, id);
create index deals_stage_id on crm.deals (workspace_id, stage_id, id);
create index deals_contact_id on crm.deals (workspace_id, contact_id, id);
create index deals_company_id on crm.deals (workspace_id, company_id, id);
create index deals_owner_id on crm.deals (workspace_id, owner_id, id);
create index deals_external_id on crm.deals (workspace_id, external_id, id) where external_id is not null;
create index deals_updated_at on crm.deals (workspace_id, updated_at, id);
create index deals_value on crm.deals (workspace_id, value, id);
create index deals_moved_at on crm.deals (workspace_id, moved_at, id);
create index deals_expected_close_date on crm.deals (workspace_id, expected_close_date, id);
create index deals_archived on crm.deals (workspace_id, id) where archived_at is not null;
create function crm.deal_text(t crm.deals) returns text
language sql immutable
as $$ select crm.search_text(array[t.title, t.external_id], array[]::text[]) $$;
comment on function crm.deal_text(crm.deals) is 'The searched text of the record.';
create trigger forget_text after delete on crm.deals for each row execute function crm.forget_text('deal');
create function crm.deal_json_if_short(t crm.deals) returns json
language sql stable as $$
  select case when coalesce(pg_column_size(t.utm), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.utm) is null
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.deal_json(t)
  end
$$;
comment on function crm.deal_json_if_short(crm.deals) is
  'crm.deal_json, or null if the row may be long: crm.bounded_records builds long rows.';
create function api.deal_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('deal', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    v_text := p_args -> 'status' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.status, t.id) < (v_text, v_before) and t.status >= v_text
        and t.status = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.status desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'pipeline_id' = '{}' then
    v_uuid := (p_args ->> 'pipeline_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.pipeline_id, t.id) < (v_uuid, v_before)
        and t.pipeline_id >= v_uuid and t.pipeline_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.pipeline_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'stage_id' = '{}' then
    v_uuid := (p_args ->> 'stage_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.stage_id, t.id) < (v_uuid, v_before) and t.stage_id >= v_uuid
        and t.stage_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.stage_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    v_uuid := (p_args ->> 'contact_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.contact_id, t.id) < (v_uuid, v_before)
        and t.contact_id >= v_uuid and t.contact_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.contact_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    v_uuid := (p_args ->> 'company_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.company_id, t.id) < (v_uuid, v_before)
        and t.company_id >= v_uuid and t.company_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.company_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.external_id, t.id) < (v_text, v_before)
        and t.external_id >= v_text and t.external_id = any (array[v_text]) and t.id < v_before and t.id >= v_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('deal', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.deal_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
create function crm.deal_match(p_args jsonb) returns uuid[]
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_value text := p_args ->> (p_args ->> 'match_by');
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and (t.external_id, t.id) < (v_value, v_beyond)
          and t.external_id >= v_value and t.external_id = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and t.external_id is not null
        order by t.external_id, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.deal_match(jsonb) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records.';
create function api.deal_upsert(p_args jsonb) returns json
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
    'deal external_id', p_args ->> 'external_id'
  ));
  v_ids := crm.deal_match(p_args);
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    v_reply := api.deal_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if coalesce(v_sent ->> 'title', v_sent ->> 'contact_id', v_sent ->> 'company_id') is null then
    perform api.fail('validation_error', array['title'], 'Informe ao menos um de title, contact_id e company_id');
  end if;
  v_reply := api.deal_create(v_sent);
  select crm.deal_json(t) into v_record from crm.deals t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.deal_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). Raises ambiguous_match, validation_error '
  'for fields that only a creation requires, and the codes of api.deal_update and api.deal_create.';

create domain crm.activity_type as text check (char_length(value) between 1 and 60);
comment on domain crm.activity_type is 'The kind of an activity: 1 to 60 characters.';
create domain crm.activity_status as text check (value in ('pendente', 'concluida', 'cancelada'));
comment on domain crm.activity_status is 'Whether an activity is pending, done or cancelled.';
create table crm.activities (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  contact_id uuid,
  owner_id uuid not null,
  created_by_id uuid not null,
  type crm.activity_type not null default 'tarefa',
  title crm.record_name not null,
  description text,
  due_at timestamptz,
  overdue_reported_for timestamptz,
  overdue_unreported_at timestamptz generated always as (
    case when status = 'pendente' and overdue_reported_for is distinct from due_at then due_at end
  ) stored,
  duration_minutes crm.quantity,
  is_online_meeting boolean not null default false,
  meeting_url text,
  location text,
  status crm.activity_status not null default 'pendente',
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  check ((status = 'concluida') = (completed_at is not null)),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, created_by_id) references crm.members (workspace_id, id)
);
comment on table crm.activities is 'Tasks, calls and meetings of a deal. An activity never moves to another deal.';
comment on column crm.activities.type is
  'Free text, because a workspace may have its own types. An activity without a title gets the label of its type.';
comment on column crm.activities.overdue_reported_for is
  'The due_at for which activity.overdue was last emitted. For a new due_at, the event can be emitted again.';
comment on column crm.activities.overdue_unreported_at is
  'due_at of a pending activity for which activity.overdue has not been emitted yet; otherwise null. A generated '
  'column, so that the planner has statistics on how few rows qualify.';
create index activities_pending on crm.activities (workspace_id, due_at, id) where status = 'pendente';
create index activities_overdue on crm.activities (workspace_id, overdue_unreported_at)
  where overdue_unreported_at is not null;
call crm.protect('crm.activities');
create trigger touch before update on crm.activities
  for each row when (old.overdue_reported_for is not distinct from new.overdue_reported_for)
  execute function crm.touch();
create trigger set_moved_at after update on crm.activities
  for each row when (
    old.overdue_reported_for is not distinct from new.overdue_reported_for
    and (pg_trigger_depth() = 0 or old.contact_id is not distinct from new.contact_id)
  )
  execute function crm.set_moved_at();
create function crm.set_completed_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.completed_at := case when new.status = 'concluida' then coalesce(new.completed_at, now()) end;
  return new;
end
$$;
comment on function crm.set_completed_at() is
  'Trigger: sets completed_at when the status becomes concluida, and clears completed_at for any other status, whether '
  'the API or the application writes. A later edit keeps the time.';
create trigger set_completed_at before insert or update on crm.activities
  for each row execute function crm.set_completed_at();
create function crm.set_last_activity_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  update crm.deals d
  -- greatest(), because the older of two simultaneous activities may be written last.
  set last_activity_at = greatest(d.last_activity_at, new.created_at)
  where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.set_last_activity_at() is 'Trigger: stores on the deal when its newest activity was created.';
create trigger set_last_activity_at after insert on crm.activities
  for each row execute function crm.set_last_activity_at();
create function crm.activity_label(p_type text) returns text
language sql immutable as $$
  select case p_type
    when 'tarefa' then 'Tarefa'
    when 'ligacao' then 'Ligação'
    when 'reuniao' then 'Reunião'
    when 'email' then 'E-mail'
    when 'whatsapp' then 'WhatsApp'
    when 'visita' then 'Visita'
    else p_type
  end
$$;
comment on function crm.activity_label(text) is 'The default title of an activity: the label of its type.';
create function crm.with_activity_defaults(p_activity crm.activities) returns crm.activities
language plpgsql stable set search_path = '' as $$
begin
  p_activity.owner_id := crm.owner_or_default(p_activity.owner_id);
  p_activity.type := coalesce(p_activity.type, 'tarefa');
  p_activity.title := coalesce(p_activity.title, crm.activity_label(p_activity.type));
  p_activity.is_online_meeting := coalesce(p_activity.is_online_meeting, false);
  p_activity.status := coalesce(p_activity.status, 'pendente');
  return p_activity;
end
$$;
comment on function crm.with_activity_defaults(crm.activities) is
  'Sets each required field that is null to its default; raises no_owner_available.';
create function crm.activity_new(p_args jsonb) returns crm.activities
language plpgsql set search_path = '' as $$
declare
  v_activity crm.activities := jsonb_populate_record(null::crm.activities, crm.require_references(p_args));
begin
  if v_activity.contact_id is null then
    -- Lock the contact before the insert, so that no merge can move the contact's rows in between. If the contact is
    -- already merged, the activity gets the contact that replaced it.
    select coalesce(c.merged_into_id, c.id) into v_activity.contact_id
    from crm.deals d join crm.contacts c on c.workspace_id = d.workspace_id and c.id = d.contact_id
    where d.workspace_id = crm.current_workspace_id() and d.id = v_activity.deal_id
    for key share of c;
  end if;
  v_activity.created_by_id := crm.current_member_id();
  return crm.with_activity_defaults(v_activity);
end
$$;
comment on function crm.activity_new(jsonb) is
  'The activity to insert for the arguments of a creation, with the deal''s contact if none is sent. Raises '
  'invalid_reference, no_owner_available (spec 4.6).';
create function api.activity_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.activities := crm.activity_insert(crm.activity_new(p_args)); begin return crm.activity_json(t); end $$;
comment on function api.activity_create(jsonb) is
  'Creates an activity of a deal and returns it. Raises the codes of crm.activity_new.';
create function api.activity_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_activity crm.activities;
  v_changed crm.activities;
begin
  -- Lock the contact before the activity, as a merge does, so that the call and the merge cannot deadlock.
  if p_args ? 'contact_id' then perform crm.lock_referred('{}', array[(p_args ->> 'contact_id')::uuid]); end if;
  v_activity := crm.activity_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changed := crm.with_activity_defaults(jsonb_populate_record(
    v_activity, crm.require_references(crm.changes('activity', to_jsonb(v_activity), p_args))
  ));
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  -- Compare the rows instead of the arguments, because one time has several spellings, and null may mean the default
  -- that the row already has.
  if crm.changed_fields(to_jsonb(v_activity), to_jsonb(v_changed)) <> '{}' then v_activity := crm.activity_save(v_changed); end if;
  return crm.activity_json(v_activity);
end
$$;
comment on function api.activity_update(jsonb) is
  'Changes the fields sent; null clears a field, and resets a required field to its default (spec 4.6).';

create type api.activity as (
  id uuid, workspace_id uuid, deal_id uuid, contact_id uuid, owner_id uuid, created_by_id uuid, type text, title text,
  description text, due_at text, duration_minutes integer, is_online_meeting boolean, meeting_url text, location text,
  status text, completed_at text, is_overdue boolean, created_at text, updated_at text
);
comment on type api.activity is 'An activity of a deal: its public fields, in order.';
create function crm.activity_json(t crm.activities) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title, t.description,
    crm.iso(t.due_at), t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status,
    crm.iso(t.completed_at), t.status = 'pendente' and coalesce(t.due_at < now(), false), crm.iso(t.created_at),
    crm.iso(t.updated_at)
  )::api.activity)
$$;
comment on function crm.activity_json(crm.activities) is 'A row as public JSON, with the fields of api.activity.';
create function crm.activity_insert(t crm.activities) returns crm.activities
language plpgsql set search_path = '' as $$
begin
  insert into crm.activities as new (
    workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at, duration_minutes,
    is_online_meeting, meeting_url, location, status
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title, t.description,
    t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.activity_insert(crm.activities) is 'Creates the record and returns it.';
create function crm.activity_lock(p_id uuid, p_if_match jsonb default null) returns crm.activities
language plpgsql set search_path = '' as $$
declare
  t crm.activities;
begin
  select * into t from crm.activities r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.activity_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.activity_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, and precondition_failed if p_if_match, a list of versions, lacks the record''s version.';
create function crm.activity_save(t crm.activities) returns crm.activities
language plpgsql set search_path = '' as $$
begin
  update crm.activities as saved
  set (
    contact_id, owner_id, type, title, description, due_at, duration_minutes, is_online_meeting, meeting_url, location,
    status
  ) = (
    t.contact_id, t.owner_id, t.type, t.title, t.description, t.due_at, t.duration_minutes, t.is_online_meeting,
    t.meeting_url, t.location, t.status
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.activity_save(crm.activities) is 'Writes the changeable fields, and returns the updated row.';
create function api.activity_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.expanded(crm.require_record((
    select crm.activity_json(t) from crm.activities t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  )), p_args -> 'expand');
end
$$;
comment on function api.activity_get(jsonb) is 'Returns one record; raises not_found.';
create index activities_deal_id on crm.activities (workspace_id, deal_id, id);
create index activities_contact_id on crm.activities (workspace_id, contact_id, id);
create index activities_owner_id on crm.activities (workspace_id, owner_id, id);
create index activities_type on crm.activities (workspace_id, type, id);
create index activities_status on crm.activities (workspace_id, status, id);
create index activities_updated_at on crm.activities (workspace_id, updated_at, id);
create index activities_due_at on crm.activities (workspace_id, due_at, id);
create function crm.activity_json_if_short(t crm.activities) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.description), 0) <= 4000
    then crm.activity_json(t)
  end
$$;
comment on function crm.activity_json_if_short(crm.activities) is
  'crm.activity_json, or null if the row may be long: crm.bounded_records builds long rows.';
create function api.activity_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('activity', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'deal_id' = '{}' then
    v_uuid := (p_args ->> 'deal_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < (v_uuid, v_before) and t.deal_id >= v_uuid
        and t.deal_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.deal_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    v_uuid := (p_args ->> 'contact_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.contact_id, t.id) < (v_uuid, v_before)
        and t.contact_id >= v_uuid and t.contact_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.contact_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'type' = '{}' and jsonb_array_length(p_args -> 'type') = 1 then
    v_text := p_args -> 'type' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.type, t.id) < (v_text, v_before) and t.type >= v_text
        and t.type = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.type desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    v_text := p_args -> 'status' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.status, t.id) < (v_text, v_before) and t.status >= v_text
        and t.status = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.status desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('activity', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.activity_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

create domain crm.note_body as text check (char_length(value) between 1 and 10000);
comment on domain crm.note_body is 'The text of a note: 1 to 10,000 characters.';
create domain crm.note_kind as text check (value in ('note', 'observation'));
comment on domain crm.note_kind is 'The kind of a note: a note or an observation.';
create domain crm.note_source as text check (value in ('user', 'automation', 'agent', 'integration'));
comment on domain crm.note_source is
  'How the note was created. author_id cannot show this, because it is always a member (spec 2.2).';
create table crm.notes (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  author_id uuid not null,
  body crm.note_body not null,
  kind crm.note_kind not null default 'note',
  source crm.note_source not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, author_id) references crm.members (workspace_id, id)
);
comment on table crm.notes is 'Texts that people and integrations write about a deal.';
call crm.protect('crm.notes');
create trigger touch before update on crm.notes for each row execute function crm.touch();
create trigger set_moved_at after insert on crm.notes for each row execute function crm.set_moved_at();
create function crm.note_new(p_args jsonb) returns crm.notes
language plpgsql set search_path = '' as $$
declare
  v_note crm.notes := jsonb_populate_record(null::crm.notes, crm.require_references(p_args));
begin
  v_note.author_id := crm.active_member(crm.current_member_id());
  if v_note.author_id is null then perform api.fail('no_author_available'); end if;
  v_note.kind := coalesce(v_note.kind, 'note');
  v_note.source := 'integration';
  return v_note;
end
$$;
comment on function crm.note_new(jsonb) is
  'The note to insert for the arguments of a creation. Its author is always the creator of the key. Raises '
  'invalid_reference, no_author_available (spec 2.2, 4.3).';
create function api.note_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.notes := crm.note_insert(crm.note_new(p_args)); begin return crm.note_json(t); end $$;
comment on function api.note_create(jsonb) is 'Creates a note and returns it. Raises the codes of crm.note_new.';

create type api.note as (
  id uuid, deal_id uuid, author_id uuid, body text, kind text, source text, created_at text, updated_at text
);
comment on type api.note is 'A note of a deal: its public fields, in order.';
create function crm.note_json(t crm.notes) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.deal_id, t.author_id, t.body, t.kind, t.source, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.note)
$$;
comment on function crm.note_json(crm.notes) is 'A row as public JSON, with the fields of api.note.';
create function crm.note_insert(t crm.notes) returns crm.notes
language plpgsql set search_path = '' as $$
begin
  insert into crm.notes as new (
    workspace_id, deal_id, author_id, body, kind, source
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.note_insert(crm.notes) is 'Creates the record and returns it.';
create function api.note_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.expanded(crm.require_record((
    select crm.note_json(t) from crm.notes t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  )), p_args -> 'expand');
end
$$;
comment on function api.note_get(jsonb) is 'Returns one record; raises not_found.';
create index notes_deal_id on crm.notes (workspace_id, deal_id, id);
create index notes_kind on crm.notes (workspace_id, deal_id, kind, id);
create index notes_updated_at on crm.notes (workspace_id, deal_id, updated_at, id);
create function crm.note_json_if_short(t crm.notes) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.body), 0) <= 4000
    then crm.note_json(t)
  end
$$;
comment on function crm.note_json_if_short(crm.notes) is
  'crm.note_json, or null if the row may be long: crm.bounded_records builds long rows.';
create function api.note_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand,deal_id}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('note', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    v_uuid := (p_args ->> 'deal_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < (v_uuid, v_before) and t.deal_id >= v_uuid
        and t.deal_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.deal_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'kind' = '{}' and jsonb_array_length(p_args -> 'kind') = 1 then
    v_text := p_args -> 'kind' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id() and t.deal_id = (p_args ->> 'deal_id')::uuid
        and (t.kind, t.id) < (v_text, v_before) and t.kind >= v_text and t.kind = any (array[v_text])
        and t.id < v_before and t.id >= v_from
      order by t.kind desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('note', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.note_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

create table crm.proposals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  title crm.record_name not null,
  value crm.amount,
  recurring_value crm.amount,
  status text not null default 'rascunho'
    check (status in ('rascunho', 'enviada', 'visualizada', 'aceita', 'recusada')),
  sent_at timestamptz,
  viewed_at timestamptz,
  accepted_at timestamptz,
  rejected_at timestamptz,
  rejection_reason text check (char_length(rejection_reason) <= 1000),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id)
);
comment on table crm.proposals is 'Offers to customers, each about one deal.';
comment on column crm.proposals.status is
  'The last status written. `expirada` is never stored: crm.proposal_status derives it from the clock.';
create index proposals_deal on crm.proposals (workspace_id, deal_id, id);
call crm.protect('crm.proposals');
create trigger touch before update on crm.proposals for each row execute function crm.touch();
create function crm.proposal_status(p crm.proposals) returns text
language sql stable as $$
  select case
    when p.status in ('rascunho', 'enviada', 'visualizada') and p.expires_at <= now() then 'expirada'
    else p.status
  end
$$;
comment on function crm.proposal_status(crm.proposals) is
  'The current status of a proposal: `expirada` if it was not answered before expires_at. An answer is final.';
create function crm.set_proposal_moments() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.sent_at := case when new.status <> 'rascunho' then coalesce(new.sent_at, now()) end;
  -- A customer who answers has seen the proposal, so an answer also sets viewed_at.
  if new.status in ('visualizada', 'aceita', 'recusada') then new.viewed_at := coalesce(new.viewed_at, now()); end if;
  new.accepted_at := case when new.status = 'aceita' then coalesce(new.accepted_at, now()) end;
  new.rejected_at := case when new.status = 'recusada' then coalesce(new.rejected_at, now()) end;
  return new;
end
$$;
comment on function crm.set_proposal_moments() is
  'Trigger: keeps sent_at, viewed_at, accepted_at and rejected_at consistent with the status, whether the API or the '
  'application writes.';
create trigger set_proposal_moments before insert or update on crm.proposals
  for each row execute function crm.set_proposal_moments();

create table crm.proposal_links (
  workspace_id uuid not null,
  proposal_id uuid not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (workspace_id, proposal_id),
  foreign key (workspace_id, proposal_id) references crm.proposals (workspace_id, id)
);
comment on table crm.proposal_links is
  'The one valid link of each proposal. Only the SHA-256 of its token is stored, so that nobody can open a proposal '
  'with a dump of this table. The table is separate, so that crm_api can read proposals but no hash.';
comment on column crm.proposal_links.token_hash is 'A fast hash is enough, because nobody can guess 32 random bytes.';
call crm.protect('crm.proposal_links');
create function crm.identify_link(p_token_hash bytea) returns crm.caller
language plpgsql stable set search_path = '' as $$
declare
  v_caller crm.caller;
begin
  select case when w.suspended then 'workspace_suspended' end, l.proposal_id, l.workspace_id
  into v_caller.error_code, v_caller.id, v_caller.workspace_id
  from crm.proposal_links l
  join crm.proposals p on p.workspace_id = l.workspace_id and p.id = l.proposal_id
  join crm.workspaces w on w.id = l.workspace_id
  where l.token_hash = substring(p_token_hash for 32) and p.status <> 'rascunho';
  if not found then v_caller.error_code := 'not_found'; end if;
  -- Calls by one link in any 60 seconds: enough for a person who reads and answers one proposal.
  v_caller.rate_limit := 60;
  return v_caller;
end
$$;
comment on function crm.identify_link(bytea) is
  'The caller for the hash of a token: the proposal that the link opens. For an unknown token or a draft, error_code '
  'is not_found.';
create function crm.proposal_lock(p_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = crm.current_workspace_id() and p.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  return v_proposal;
end
$$;
comment on function crm.proposal_lock(uuid) is
  'A proposal of the current workspace, locked until the transaction ends. Raises not_found.';
create function crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text default null)
returns crm.proposals
language plpgsql set search_path = '' as $$
begin
  if crm.proposal_status(p_proposal) = 'expirada' then perform api.fail('proposal_expired'); end if;
  update crm.proposals p set status = p_status, rejection_reason = p_reason
  where p.workspace_id = p_proposal.workspace_id and p.id = p_proposal.id
  returning p.* into p_proposal;
  return p_proposal;
end
$$;
comment on function crm.proposal_set_status(crm.proposals, text, text) is
  'Saves a proposal with a new status. Raises proposal_expired after expires_at.';
create function crm.proposal_seller() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object('name', w.name) from crm.workspaces w where w.id = crm.current_workspace_id()
  );
end
$$;
comment on function crm.proposal_seller() is
  'The seller as the customer sees it: only the name of the caller''s workspace. Security definer, because crm_api '
  'cannot read crm.workspaces.';
create function crm.proposal_for_customer(p_proposal crm.proposals) returns json
language sql stable as $$
  select crm.with_fields(crm.proposal_view_json(p_proposal), json_build_object('seller', crm.proposal_seller()))
$$;
comment on function crm.proposal_for_customer(crm.proposals) is
  'A proposal as its customer sees it, with the seller''s name.';
create function api.proposal_view(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals := crm.proposal_lock((p_args ->> 'id')::uuid);
begin
  -- An answered proposal can be read even after expires_at. A proposal that was viewed before needs no update.
  if v_proposal.status in ('aceita', 'recusada') or crm.proposal_status(v_proposal) = 'visualizada' then
    return crm.proposal_for_customer(v_proposal);
  end if;
  v_proposal := crm.proposal_set_status(v_proposal, 'visualizada');
  return crm.proposal_for_customer(v_proposal);
end
$$;
comment on function api.proposal_view(jsonb) is
  'Returns a proposal to its customer; the first call marks it as viewed. Raises proposal_expired.';
create function crm.proposal_answer(p_id uuid, p_status text, p_reason text) returns json
language plpgsql set search_path = '' as $$
declare
  -- Locked: if the customer accepts and rejects at the same time, only one of the calls succeeds.
  v_proposal crm.proposals := crm.proposal_lock(p_id);
  v_unchanged boolean := v_proposal.status = p_status;
begin
  if not v_unchanged then
    if v_proposal.status in ('aceita', 'recusada') then perform api.fail('proposal_closed'); end if;
    v_proposal := crm.proposal_set_status(v_proposal, p_status, p_reason);
  end if;
  return crm.with_fields(crm.proposal_for_customer(v_proposal), json_build_object('idempotent', v_unchanged));
end
$$;
comment on function crm.proposal_answer(uuid, text, text) is
  'Records the customer''s final answer. If the customer already gave the same answer, changes nothing and returns '
  '`idempotent` as true. Raises proposal_expired, and proposal_closed if the customer gave the other answer.';
create function api.proposal_accept(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'aceita', null); end $$;
comment on function api.proposal_accept(jsonb) is 'Accepts a proposal; raises proposal_closed, proposal_expired.';
create function api.proposal_reject(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'recusada', p_args ->> 'reason'); end $$;
comment on function api.proposal_reject(jsonb) is
  'Rejects a proposal; the reason may be null. Raises proposal_closed, proposal_expired.';
create function api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) returns api.reply
language plpgsql security definer set search_path = '' as $$
declare
  v_caller crm.caller := crm.identify_link(p_token_hash);
begin
  -- Only these three verbs, because a token must reach only its own proposal, even if the edge function has a bug.
  if p_verb not in ('proposal_view', 'proposal_accept', 'proposal_reject') then
    raise exception '% is not a verb of proposals', p_verb;
  end if;
  return crm.answer_request(v_caller, null, p_verb, p_args || jsonb_build_object('id', v_caller.id), null, null);
end
$$;
comment on function api.call_by_link(bytea, text, jsonb) is
  'The door for public links: answers one request. p_token_hash: the SHA-256 of the token, then its slot (as in '
  'crm.identify). p_verb null: only checks the link and its rate limit. p_args null: only identifies the link and '
  'counts no call. The id in p_args is always the link''s own proposal.';

create function crm.record_proposal_action(p_action text, p_proposal crm.proposals) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform crm.record_action(p_proposal.workspace_id, p_action, 'proposal', p_proposal.id, '');
end
$$;
comment on function crm.record_proposal_action(text, crm.proposals) is
  'Adds a line about a proposal to the audit log. The line has no title, because a title may name the customer, and '
  'lines are never erased. app.action_list reads the title from the proposal.';
create function crm.proposal_add(p_args jsonb, p_deal_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
begin
  insert into crm.proposals (workspace_id, deal_id, title, value, recurring_value, expires_at)
  values (
    (p_args ->> 'workspace_id')::uuid, p_deal_id, p_args ->> 'title', (p_args ->> 'value')::numeric,
    (p_args ->> 'recurring_value')::numeric, (p_args ->> 'expires_at')::timestamptz
  )
  returning * into v_proposal;
  perform crm.record_proposal_action('proposal_created', v_proposal);
  return v_proposal;
end
$$;
comment on function crm.proposal_add(jsonb, uuid) is
  'Creates a draft for an existing deal. Reads workspace_id, title, value, recurring_value and expires_at from p_args.';
create function crm.proposal_to_answer(p_workspace_id uuid, p_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
  v_status text;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = p_workspace_id and p.id = p_id
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  v_status := crm.proposal_status(v_proposal);
  if v_status = 'expirada' then
    perform crm.raise_code('proposal_expired');
  elsif v_status in ('aceita', 'recusada') then
    perform crm.raise_code('proposal_closed', 'status', 'A proposta já foi respondida', v_status);
  end if;
  return v_proposal;
end
$$;
comment on function crm.proposal_to_answer(uuid, uuid) is
  'A proposal that has no answer and has not expired, locked against changes until the transaction ends. Raises '
  'not_found, proposal_expired, proposal_closed.';
create function crm.proposal_link_replace(p_proposal crm.proposals, p_token_hash text) returns void
language plpgsql set search_path = '' as $$
declare
  v_token_hash bytea := decode(p_token_hash, 'hex');
begin
  -- The caller has locked or created the proposal, so no other call adds its link between this check and the insert.
  if exists (
    select from crm.proposal_links l
    where l.workspace_id = p_proposal.workspace_id and l.proposal_id = p_proposal.id
  ) then
    update crm.proposal_links l
    set token_hash = v_token_hash, created_at = now()
    where l.workspace_id = p_proposal.workspace_id and l.proposal_id = p_proposal.id;
    perform crm.record_proposal_action('proposal_link_replaced', p_proposal);
  else
    insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
    values (p_proposal.workspace_id, p_proposal.id, v_token_hash);
  end if;
end
$$;
comment on function crm.proposal_link_replace(crm.proposals, text) is
  'Gives a proposal a public link. p_token_hash: the SHA-256 of its token, in hexadecimal. An earlier link stops '
  'working.';
create function app.proposal_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, deal_id, title}', '{value, recurring_value, expires_at}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'deal_id')::uuid;
begin
  perform crm.require_workspace(v_args);
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('invalid_reference', 'deal_id');
  end if;
  return json_build_object('id', (crm.proposal_add(v_args, v_deal_id)).id);
end
$$;
comment on function app.proposal_create(jsonb) is
  'Creates a draft, which only its workspace sees until it is sent. Returns id. Arguments: workspace_id, deal_id, '
  'title, value, recurring_value (monthly), expires_at (never if absent). Codes: validation_error, not_found, '
  'invalid_reference.';
create function app.proposal_send(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{token_hash}');
  v_proposal crm.proposals := crm.proposal_to_answer((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_args ? 'token_hash' then perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash'); end if;
  if v_proposal.status = 'rascunho' then
    update crm.proposals p
    set status = 'enviada'
    where p.workspace_id = v_proposal.workspace_id and p.id = v_proposal.id
    returning p.* into v_proposal;
    perform crm.record_proposal_action('proposal_sent', v_proposal);
  end if;
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.proposal_send(jsonb) is
  'Marks a draft as sent. If a token''s hash is given, the proposal first gets that public link, and an earlier link '
  'stops working. Returns the proposal without its link. Arguments: workspace_id, id, token_hash (SHA-256, '
  'hexadecimal). Codes: validation_error, not_found, proposal_expired, proposal_closed.';
create function app.proposal_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return (
    select coalesce(json_agg(crm.proposal_json(p) order by p.id desc), '[]')
    from crm.proposals p
    where p.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.proposal_list(jsonb) is
  'Lists proposals, newest first, without links. Arguments: workspace_id. Codes: validation_error, not_found.';

create type api.proposal as (
  id uuid, workspace_id uuid, deal_id uuid, title text, value numeric, recurring_value numeric, status text,
  sent_at text, viewed_at text, accepted_at text, rejected_at text, rejection_reason text, expires_at text,
  created_at text, updated_at text
);
comment on type api.proposal is 'A proposal: its public fields, in order.';
create function crm.proposal_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at),
    crm.iso(t.viewed_at), crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason, crm.iso(t.expires_at),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.proposal)
$$;
comment on function crm.proposal_json(crm.proposals) is 'A row as public JSON, with the fields of api.proposal.';
create type api.proposal_view as (
  id uuid, title text, value numeric, recurring_value numeric, status text, sent_at text, expires_at text,
  accepted_at text, rejected_at text, rejection_reason text
);
comment on type api.proposal_view is 'A proposal as its customer sees it: its public fields, in order.';
create function crm.proposal_view_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at), crm.iso(t.expires_at),
    crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason
  )::api.proposal_view)
$$;
comment on function crm.proposal_view_json(crm.proposals) is
  'A row as public JSON, with the fields of api.proposal_view.';

create domain crm.contact_role as text check (char_length(value) between 1 and 60);
comment on domain crm.contact_role is 'What a contact does in a deal, such as `decisor`: 1 to 60 characters.';
create table crm.deal_contacts (
  workspace_id uuid not null,
  deal_id uuid not null,
  contact_id uuid not null,
  role crm.contact_role,
  created_at timestamptz not null default now(),
  primary key (workspace_id, deal_id, contact_id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id)
);
comment on table crm.deal_contacts is
  'The contacts that were added to a deal, with their roles. A contact that becomes the main contact keeps its row, so '
  'that the contact stays in the deal when the main contact changes again.';
create index deal_contacts_contact on crm.deal_contacts (workspace_id, contact_id, deal_id);
call crm.protect('crm.deal_contacts');
create trigger set_moved_at after insert on crm.deal_contacts for each row execute function crm.set_moved_at();
create function crm.deal_contacts_json(p_deal crm.deals) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_shows_name boolean := crm.has_scope('contacts:read');
begin
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'contact_id', p.contact_id,
          'name', (
            select c.name from crm.contacts c
            where v_shows_name and c.workspace_id = p_deal.workspace_id and c.id = p.contact_id
          ),
          'role', p.role, 'is_main', p.is_main, 'added_at', crm.iso(p.created_at)
        )
        order by p.is_main desc, p.created_at, p.contact_id
      ),
      '[]'
    )
    from (
      select k.contact_id, k.role, k.contact_id is not distinct from p_deal.contact_id as is_main, k.created_at
      from crm.deal_contacts k
      where k.workspace_id = p_deal.workspace_id and k.deal_id = p_deal.id
      union all
      select p_deal.contact_id, null, true, null
      where p_deal.contact_id is not null and not exists (
        select from crm.deal_contacts k
        where k.workspace_id = p_deal.workspace_id and k.deal_id = p_deal.id and k.contact_id = p_deal.contact_id
      )
    ) p
  );
end
$$;
comment on function crm.deal_contacts_json(crm.deals) is
  'The contacts of a deal: first the main contact, then the others in the order in which they were added. Shows names '
  'only if the key may read contacts.';
create function api.deal_contact_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_deal crm.deals;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  return json_build_object('data', crm.deal_contacts_json(v_deal));
end
$$;
comment on function api.deal_contact_list(jsonb) is 'Lists the contacts of a deal. Raises not_found.';
create function api.deal_contact_add(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  c_most constant integer := 50;
  v_workspace_id uuid := crm.current_workspace_id();
  v_deal_id uuid := p_args ->> 'id';
  v_contact_id uuid := p_args ->> 'contact_id';
  v_role text := p_args ->> 'role';
  v_deal crm.deals;
  v_is_main boolean;
  v_count integer;
  v_row crm.deal_contacts;
begin
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform api.fail('not_found');
  end if;
  -- Lock the contact before the deal, as a merge does, so that the call and the merge cannot deadlock.
  perform crm.require_references(p_args);
  v_deal := crm.deal_lock(v_deal_id);
  v_is_main := v_deal.contact_id is not distinct from v_contact_id;
  select * into v_row from crm.deal_contacts k
  where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id and k.contact_id = v_contact_id;
  if v_row.contact_id is not null then
    if p_args ? 'role' and v_row.role is distinct from v_role then
      update crm.deal_contacts k set role = v_role
      where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id and k.contact_id = v_contact_id;
    end if;
    perform api.mark_found();
  elsif v_is_main and v_role is null then
    perform api.mark_found();
  else
    select count(*) into v_count from crm.deal_contacts k
    where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id
      and k.contact_id is distinct from v_deal.contact_id;
    -- The main contact's row has a limit too: it stays when the main contact changes, so rows would add up.
    if v_count >= c_most + v_is_main::integer then
      perform api.fail(
        'validation_error', array['contact_id'],
        'O negócio já tem 50 contatos além do principal; antes tire um, com '
          'DELETE /api-v1-deals/:id/contacts/:contact_id'
      );
    end if;
    insert into crm.deal_contacts (workspace_id, deal_id, contact_id, role)
    values (v_workspace_id, v_deal_id, v_contact_id, v_role);
    if v_is_main then perform api.mark_found(); end if;
  end if;
  return (
    select c.value from json_array_elements(crm.deal_contacts_json(v_deal)) c
    where (c.value ->> 'contact_id')::uuid = v_contact_id
  );
end
$$;
comment on function api.deal_contact_add(jsonb) is
  'Adds a contact to a deal and returns the contact. If the deal already has the contact, changes the role if a role '
  'is sent. The main contact gets a row only for its role. Raises not_found, invalid_reference, and validation_error '
  'if the deal has 50 contacts besides the main contact.';
create function crm.remove_deal_contact(p_deal_id uuid, p_contact_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  delete from crm.deal_contacts k
  where k.workspace_id = crm.current_workspace_id() and k.deal_id = p_deal_id and k.contact_id = p_contact_id;
  return found;
end
$$;
comment on function crm.remove_deal_contact(uuid, uuid) is
  'Removes a contact from a deal of the current workspace, and returns whether the deal had the contact. Security '
  'definer, because the roles of verbs may not delete rows.';
create function api.deal_contact_remove(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_contact_id uuid := p_args ->> 'contact_id';
  v_merged_into_id uuid;
begin
  if v_deal.contact_id = v_contact_id then
    perform api.fail(
      'validation_error', array['contact_id'],
      format('É o contato principal; para trocá-lo, envie outro contact_id a PATCH /api-v1-deals/%s', v_deal.id)
    );
  elsif crm.remove_deal_contact(v_deal.id, v_contact_id) then
    return null;
  end if;
  select c.merged_into_id into v_merged_into_id from crm.contacts c
  where c.workspace_id = v_deal.workspace_id and c.id = v_contact_id;
  if not found then
    perform api.fail('not_found', array['contact_id'], 'Nenhum contato do workspace tem este id');
  elsif v_merged_into_id is not null then
    perform api.fail('record_merged', array['contact_id'], null, array[v_merged_into_id]);
  end if;
  return null;
end
$$;
comment on function api.deal_contact_remove(jsonb) is
  'Removes a contact from a deal; does nothing if the deal does not have the contact. Raises not_found for an unknown '
  'deal or contact, record_merged, and validation_error for the main contact, which a PATCH of contact_id replaces.';

create function crm.uuid_v7_clock() returns uuid
language sql volatile as $$
  -- In units of 1/4,096 ms, so that the three hexadecimal digits after the version are the fraction of a millisecond.
  select (
    overlay(
      lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0
    )
    || substr(gen_random_uuid()::text, 19)
  )::uuid
$$;
comment on function crm.uuid_v7_clock() is
  'A UUIDv7 with microseconds (RFC 9562, 6.2, method 3), so that the ids of one transaction sort in the order in which '
  'they were made.';
create function crm.partition_key(p_table regclass) returns name
language sql stable set search_path = '' as $$
  select a.attname
  from pg_catalog.pg_partitioned_table t
  join pg_catalog.pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partrelid = p_table
$$;
comment on function crm.partition_key(regclass) is 'The column by which a table is partitioned, a UUIDv7.';
create function crm.partitions_of(p_table regclass) returns table (partition regclass, day date)
language sql stable set search_path = '' as $$
  select c.oid::regclass, to_date(d.day, 'YYYY_MM_DD')
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral substring(c.relname from '_(\d{4}_\d\d_\d\d)$') d (day)
  where i.inhparent = p_table and d.day is not null
  order by 2
$$;
comment on function crm.partitions_of(regclass) is
  'The partitions of a table with their days, oldest first, without the default partition.';
create function crm.kept_days(p_table regclass) returns integer
language sql stable set search_path = ''
as $$ select case p_table::text when 'crm.events' then 90 when 'crm.requests' then 7 else 30 end $$;
comment on function crm.kept_days(regclass) is
  'How many days a partitioned table keeps its rows. Events are kept longer, for the change log.';
create function crm.given_columns(p_table regclass) returns text
language sql stable set search_path = '' as $$
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;
comment on function crm.given_columns(regclass) is
  'The columns of a table as a list for SQL. Generated columns are left out, because an insert cannot name them.';
create function crm.missing_days(p_table regclass, p_oldest date, p_today date) returns date[]
language plpgsql stable set search_path = '' as $$
declare
  v_days date[];
begin
  execute format(
    $sql$
      select array_agg(d.day order by d.day)
      from (
        -- A week ahead, so that no row goes to the default partition if the job does not run for some days.
        select $2 + n from generate_series(0, 7) n
        union
        select (crm.uuid_v7_time(r.%I) at time zone 'UTC')::date from %s r
      ) d (day)
      where d.day between $1 and $2 + 7 and not exists (select from crm.partitions_of($3) p where p.day = d.day)
    $sql$,
    crm.partition_key(p_table), p_table || '_default'
  ) into v_days using p_oldest, p_today, p_table;
  return coalesce(v_days, '{}');
end
$$;
comment on function crm.missing_days(regclass, date, date) is
  'The days that need a partition and have none: the days from p_today to a week ahead, and the days since p_oldest '
  'that have rows in the default partition.';
create function crm.make_partition(p_table regclass, p_day date) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_partition text := p_table || to_char(p_day, '_YYYY_MM_DD');
  v_from uuid := crm.uuid_v7_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := crm.uuid_v7_floor((p_day + 1)::timestamp at time zone 'UTC');
  v_columns text := crm.given_columns(p_table);
  v_moved bigint;
begin
  -- Created without indexes, because moving rows into the new partition is then five times as fast; `attach` creates
  -- the indexes. The fillfactor leaves room in deliveries' pages: most deliveries are updated once, when they end. Such
  -- an update adds no index entry (HOT) and needs no vacuum: the next update in the page reuses the old version's room.
  execute format(
    'create table %s (like %s including all excluding indexes) with (fillfactor = %s)',
    v_partition, p_table, case p_table::text when 'crm.webhook_deliveries' then 90 else 100 end
  );
  call crm.protect(v_partition);
  execute format('comment on table %s is %L', v_partition, format('The rows of %s of %s (UTC).', p_table, p_day));
  execute format(
    $sql$
      with moved as (delete from %1$s r where r.%2$I >= $1 and r.%2$I < $2 returning r.*)
      insert into %3$s (%4$s) select %4$s from moved
    $sql$,
    p_table || '_default', crm.partition_key(p_table), v_partition, v_columns
  ) using v_from, v_to;
  get diagnostics v_moved = row_count;
  execute format(
    'alter table %s attach partition %s for values from (%L) to (%L)', p_table, v_partition, v_from, v_to
  );
  return v_moved;
end
$$;
comment on function crm.make_partition(regclass, date) is
  'Creates the partition of a day and moves the day''s rows out of the default partition without firing triggers; '
  'returns how many rows it moved. The caller must have locked the table.';
create function crm.manage_partitions(
  p_table regclass, p_now timestamptz default now(), p_max_rows bigint default 100000, out made integer,
  out moved bigint, out dropped integer, out hindrance text
)
language plpgsql security definer set search_path = ''
set lock_timeout = '200ms' as $$
declare
  v_today date := (p_now at time zone 'UTC')::date;
  v_oldest date := ((p_now - make_interval(days => crm.kept_days(p_table))) at time zone 'UTC')::date;
  v_floor uuid := crm.uuid_v7_floor(v_oldest::timestamp at time zone 'UTC');
  v_default text := p_table || '_default';
  v_is_missing boolean;
  v_rows bigint;
  v_day date;
  v_partition regclass;
begin
  made := 0;
  moved := 0;
  dropped := 0;
  if p_table::text = 'crm.webhook_deliveries' then
    -- Delete queue rows before deliveries, because every caller locks them in this order. Rows that a dispatcher has
    -- locked are left to the next run.
    delete from crm.webhook_queue q
    where q.ctid = any (array(
      select o.ctid from crm.webhook_queue o where o.delivery_id < v_floor for update skip locked
    ));
  end if;
  execute format(
    'delete from %1$s where ctid = any (array(select r.ctid from %1$s r where r.%2$I < $1 limit $2))',
    v_default, crm.partition_key(p_table)
  ) using v_floor, p_max_rows;

  v_is_missing := crm.missing_days(p_table, v_oldest, v_today) <> '{}';
  if v_is_missing then
    execute format('select count(*) from (select from %s limit $1 + 1) r', v_default) into v_rows using p_max_rows;
    if v_rows > p_max_rows then
      v_is_missing := false;
      hindrance := format('%s has too many rows', v_default);
    end if;
  end if;
  if v_is_missing or exists (select from crm.partitions_of(p_table) p where p.day < v_oldest) then
    begin
      if p_table::text = 'crm.events' then
        -- Wait up to 5 s, because the job index-texts holds this lock for some seconds while it reads events, and may
        -- always start together with this job. No request waits for this lock.
        perform set_config('lock_timeout', '5s', true);
        perform crm.lock_texts();
        perform set_config('lock_timeout', '200ms', true);
      end if;
      -- Lock before `attach`, which takes a weaker lock. Under that lock, a simultaneous insert for the same day would
      -- fail, because the row still goes to the default partition. `only` is enough: except a vacuum, nobody locks a
      -- day's partition before the table. The default partition is locked too, because its bounds change and a vacuum
      -- may hold it.
      execute format('lock table only %s, %s in access exclusive mode', p_table, v_default);
      if v_is_missing then
        -- Compute the days again, because others may have written rows before this function got the lock.
        foreach v_day in array crm.missing_days(p_table, v_oldest, v_today) loop
          moved := moved + crm.make_partition(p_table, v_day);
          made := made + 1;
        end loop;
      end if;
      -- Dropping a partition blocks all requests, so each run drops at most ten.
      for v_partition in select p.partition from crm.partitions_of(p_table) p where p.day < v_oldest limit 10 loop
        begin
          execute format('lock table %s in access exclusive mode nowait', v_partition);
          execute format('drop table %s', v_partition);
          dropped := dropped + 1;
        exception
          -- A vacuum holds this partition; the others can be dropped.
          when lock_not_available then
            hindrance := sqlerrm;
        end;
      end loop;
    exception
      when lock_not_available then
        hindrance := sqlerrm;
    end;
  end if;
  if hindrance is not null then raise log 'crm.manage_partitions(%): %', p_table, hindrance; end if;
end
$$;
comment on function crm.manage_partitions(regclass, timestamptz, bigint) is
  'Creates the missing partitions of a table up to a week ahead, and moves their rows out of the default partition. '
  'Drops partitions older than crm.kept_days, at most ten in each run, and deletes rows of that age from the queue and '
  'the default partition. If a table lock takes more than 200 ms, the function gives up and returns the reason in '
  '`hindrance`; the next run tries again. Moving rows blocks everybody, for about a second with 100,000 rows. So if '
  'the default partition has more than p_max_rows rows, the function moves no rows and creates no partition. p_now '
  'replaces the current time.';

create table crm.feed_offset (
  only_row boolean primary key default true check (only_row),
  added bigint not null default 0,
  cursor_secret bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table crm.feed_offset is
  'The number added to a transaction id to get a position in the feed. If a database is restored into another cluster, '
  'transaction ids start from small numbers: then crm.continue_feed() must be called to raise this number.';
comment on column crm.feed_offset.cursor_secret is
  'Signs the cursors of the feed (crm.feed_cursor_text). If it changes, every earlier cursor becomes invalid.';
alter table crm.feed_offset enable row level security, force row level security;
insert into crm.feed_offset default values;
create function crm.feed_position() returns bigint
language plpgsql volatile set search_path = ''
as $$ begin return pg_current_xact_id()::text::bigint + (select o.added from crm.feed_offset o); end $$;
comment on function crm.feed_position() is 'The position in the feed of the events that this transaction writes.';
create function crm.feed_horizon() returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select o.added from crm.feed_offset o);
end
$$;
comment on function crm.feed_horizon() is
  'Every transaction below this position has ended, in the snapshot of the statement. An event below this position is '
  'visible now or never, so a reader that stays below it misses no late commit. Security definer, because verbs may '
  'not read crm.feed_offset.';
create table crm.events (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7_clock(),
  event crm.event_type not null,
  object_id uuid not null,
  facts jsonb not null,
  is_test boolean not null default false,
  caller_id uuid default crm.current_caller_id(),
  occurred_at timestamptz not null default now(),
  position bigint not null default crm.feed_position(),
  primary key (workspace_id, id)
) partition by range (id);
comment on table crm.events is
  'One row for each event, whether or not anybody subscribes. Written in the transaction of the change, by crm.emit '
  'and its variants for many objects, and by crm.send_test_event. Kept for 90 days in daily partitions. There are no '
  'foreign keys, because each event would lock the workspace''s row.';
comment on column crm.events.facts is
  'Facts that the object does not show, such as the previous stage. A delivery adds them to the object''s JSON.';
comment on column crm.events.is_test is
  'Whether the event is a test of a receiver: nothing happened in the workspace (crm.send_test_event).';
comment on column crm.events.caller_id is
  'The caller whose request caused the event (crm.current_caller_id); null if no request did.';
comment on column crm.events.position is
  'The place in the feed (crm.feed_position). Events of one transaction have the same position and are ordered by id.';
call crm.protect('crm.events');
create table crm.events_default partition of crm.events default;
comment on table crm.events_default is
  'Rows of crm.events whose day has no partition. Empty unless the job partition-events did not run for a week.';
call crm.protect('crm.events_default');
create index events_in_order on crm.events (workspace_id, position, id);
create index events_of_object on crm.events (workspace_id, object_id, position, id);
create function crm.continue_feed() returns bigint
language sql volatile set search_path = '' as $$
  update crm.feed_offset o
  set added = greatest(
    o.added,
    coalesce((select max(e.position) from crm.events e), 0) + 1000000000000 - pg_current_xact_id()::text::bigint
  )
  returning o.added
$$;
comment on function crm.continue_feed() is
  'Must be called once after a dump is restored into another cluster, before the first call of the API. New positions '
  'then begin a trillion above the greatest stored position. So new events come after every cursor that a client '
  'holds, even if the event of a cursor was lost with the old cluster. Reads all events. Returns the new offset.';

create function crm.sample_data(p_event crm.event_type) returns json
language plpgsql stable set search_path = '' as $$
declare
  -- The object_id of a test event.
  v_id jsonb := '{"id": "00000000-0000-0000-0000-000000000000"}';
  v_object_type text := (select t.object_type from crm.event_types t where t.event = p_event);
  v_row jsonb := crm.sample_row(v_object_type) || crm.sample_state(p_event) || v_id;
  v_contact jsonb := crm.sample_row('contact') || jsonb_build_object('id', v_row -> 'contact_id');
  v_company jsonb := crm.sample_row('company') || jsonb_build_object('id', v_row -> 'company_id');
  v_object json;
  v_facts jsonb := crm.sample_facts(p_event);
begin
  if p_event = 'lead.received' then
    return crm.lead_data(
      jsonb_populate_record(null::crm.deals, v_row || jsonb_build_object('lead', crm.sample_row('lead'))),
      jsonb_populate_record(null::crm.contacts, v_contact), jsonb_populate_record(null::crm.companies, v_company)
    );
  elsif p_event = 'contact.erased' then
    return v_id;
  end if;

  execute format(
    'select crm.%I(t) from jsonb_populate_record(null::crm.%I, $1) t', v_object_type || '_json',
    crm.table_of(v_object_type)
  ) into v_object using v_row;
  return case when v_facts = '{}' then v_object else crm.with_fields(v_object, v_facts::json) end;
end
$$;
comment on function crm.sample_data(crm.event_type) is
  'The `data` of a test event: a made-up object and made-up facts in the shape of that event. Like the event''s '
  'object_id, the object''s id is the nil UUID.';

create function crm.sample_row(p_object_type text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_object_type
    when 'deal' then '{
      "id":"01a0e82c-9612-7f96-8c94-f287038f6943", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "title":"Padaria Sol: plano anual", "status":"aberto", "value":12500.5, "recurring_value":990,
      "pipeline_id":"019cae6b-6600-723b-8f0d-244a4cb62c85", "stage_id":"019cae6b-6600-7ecd-8137-8bc9dc130008",
      "contact_id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924", "company_id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "expected_close_date":"2026-10-30",
      "source":"Formulário do site", "utm":{"source":"google","medium":"cpc","campaign":"primavera"},
      "custom_fields":{"segmento":"alimentação"}, "tags":["cliente-novo"], "external_id":"form-2026-0042",
      "stage_changed_at":"2026-10-01T12:00:00.480Z", "last_activity_at":"2026-10-01T12:40:00.000Z",
      "created_at":"2026-09-28T13:20:31.250Z", "updated_at":"2026-10-01T12:00:00.480Z"
    }'
    when 'activity' then '{
      "id":"01a0f77a-9100-7065-8186-3bf5d902262b", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943", "contact_id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "created_by_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "type":"reuniao", "title":"Apresentar a proposta", "description":"Levar a amostra",
      "due_at":"2026-10-08T14:00:00.000Z", "duration_minutes":40, "is_online_meeting":true,
      "meeting_url":"https://meet.example.com/abc", "status":"pendente", "is_overdue":false,
      "created_at":"2026-10-01T12:40:00.000Z", "updated_at":"2026-10-01T12:40:00.000Z"
    }'
    when 'contact' then '{
      "id":"01a0e82c-9612-7093-8e7d-5fdbaacfa924", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "name":"Ana Souza", "email":"ana@padariasol.com.br", "phone":"+55 19 91234-5678", "whatsapp":"+55 19 91234-5678",
      "job_title":"Compradora", "company_id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c",
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "instagram":"@padariasol",
      "custom_fields":{"segmento":"alimentação"}, "tags":["cliente-novo"], "external_id":"cliente-1042",
      "created_at":"2026-09-28T13:20:31.250Z", "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'company' then '{
      "id":"01a0e82c-9612-7f16-88cc-dd91548c5a8c", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "name":"Padaria Sol", "legal_name":"Padaria Sol Ltda.", "tax_id":"12ABC34501DE35", "domain":"padariasol.com.br",
      "website":"https://padariasol.com.br", "email":"contato@padariasol.com.br", "phone":"+55 19 3234-5678",
      "industry":"Alimentação", "employee_count":40, "instagram":"@padariasol",
      "address":{"street":"Rua das Flores","number":"100","district":"Centro","city":"Campinas","state":"SP","postal_code":"13010-000","country":"BR"},
      "owner_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8", "custom_fields":{"segmento":"alimentação"},
      "tags":["cliente-novo"], "external_id":"erp-207", "created_at":"2026-09-28T13:20:31.250Z",
      "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'note' then '{
      "id":"01a0f2d6-5d50-7edb-8465-624291e4053c", "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943",
      "author_id":"019cae6b-6600-7e31-8ab6-43c44f7a0ec8",
      "body":"Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim", "kind":"note",
      "source":"integration", "created_at":"2026-09-30T15:02:10.000Z", "updated_at":"2026-09-30T15:02:10.000Z"
    }'
    when 'proposal' then '{
      "id":"01a0f788-4ca0-7ecd-8137-8bc9dc130008", "workspace_id":"019cae6b-6600-721a-8323-0e03772a58af",
      "deal_id":"01a0e82c-9612-7f96-8c94-f287038f6943", "title":"Plano anual", "value":12500.5, "recurring_value":990,
      "status":"enviada", "sent_at":"2026-10-01T13:00:00.000Z", "expires_at":"2026-10-31T23:59:59.000Z",
      "created_at":"2026-10-01T12:55:00.000Z", "updated_at":"2026-10-01T13:00:00.000Z"
    }'
    when 'lead' then '{
      "first_name":"Ana", "last_name":"Souza", "email":"ana@padariasol.com.br", "phone":"+55 19 91234-5678",
      "company_name":"Padaria Sol", "external_id":"form-2026-0042", "value":12500.5, "recurring_value":990,
      "source":"Formulário do site", "utm":{"source":"google","medium":"cpc","campaign":"primavera"},
      "custom_fields":{"segmento":"alimentação"}
    }'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_row(text) is
  'The public fields of a made-up object of that type, or of a submitted lead, from the examples in the OpenAPI '
  'documents.';
create function crm.sample_state(p_event crm.event_type) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_event
    when 'deal.stage_changed' then '{"last_activity_at":null}'
    when 'deal.won' then '{
      "status":"ganho", "stage_id":"019cae6b-6600-772a-8c68-ec9bcdf7a8a1",
      "stage_changed_at":"2026-10-09T12:30:00.000Z", "won_at":"2026-10-09T12:30:00.000Z",
      "closed_at":"2026-10-09T12:30:00.000Z", "updated_at":"2026-10-09T12:30:00.000Z"
    }'
    when 'deal.lost' then '{
      "status":"perdido", "stage_id":"019cae6b-6600-776f-875e-6129fe30135b",
      "stage_changed_at":"2026-10-09T12:30:00.000Z", "loss_reason_id":"019cae6b-6600-7afd-8e23-aa4248234701",
      "loss_note":"Escolheu outro fornecedor", "lost_at":"2026-10-09T12:30:00.000Z",
      "closed_at":"2026-10-09T12:30:00.000Z", "updated_at":"2026-10-09T12:30:00.000Z"
    }'
    when 'activity.overdue' then '{"is_overdue":true}'
    when 'proposal.viewed' then '{
      "status":"visualizada", "viewed_at":"2026-10-02T11:05:44.000Z", "updated_at":"2026-10-02T11:05:44.000Z"
    }'
    when 'deal.created' then '{
      "stage_id":"019cae6b-6600-7aef-8305-ec9888267c39", "stage_changed_at":"2026-09-28T13:20:31.250Z",
      "last_activity_at":null, "updated_at":"2026-09-28T13:20:31.250Z"
    }'
    when 'proposal.accepted' then '{
      "status":"aceita", "viewed_at":"2026-10-02T11:05:44.000Z", "accepted_at":"2026-10-08T15:10:27.000Z",
      "updated_at":"2026-10-08T15:10:27.000Z"
    }'
    when 'proposal.rejected' then '{
      "status":"recusada", "viewed_at":"2026-10-02T11:05:44.000Z", "rejected_at":"2026-10-08T15:10:27.000Z",
      "rejection_reason":"Preço acima do orçamento", "updated_at":"2026-10-08T15:10:27.000Z"
    }'
    when 'contact.updated' then '{
      "job_title":"Diretora", "phone":"+55 19 99876-5432", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'company.updated' then '{
      "employee_count":45, "website":"https://www.padariasol.com.br", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'deal.updated' then '{
      "value":14000, "expected_close_date":"2026-11-15", "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'deal.reopened' then '{
      "stage_id":"019cae6b-6600-776f-875e-6129fe30135b", "stage_changed_at":"2026-10-09T12:30:00.000Z",
      "updated_at":"2026-10-12T11:00:00.000Z"
    }'
    when 'activity.updated' then '{
      "due_at":"2026-10-09T14:00:00.000Z", "owner_id":"01a0f2d6-5d50-7e8a-8a23-4b4c121b44f5",
      "updated_at":"2026-10-05T17:20:09.300Z"
    }'
    when 'activity.completed' then '{
      "status":"concluida", "completed_at":"2026-10-08T14:45:00.000Z", "updated_at":"2026-10-08T14:45:00.000Z"
    }'
    when 'contact.merged' then '{"updated_at":"2026-10-05T17:20:09.300Z"}'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_state(crm.event_type) is
  'The fields of a made-up object that show that the event has happened.';
create function crm.sample_facts(p_event crm.event_type) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case p_event
    when 'deal.stage_changed' then '{
      "previous_stage_id":"019cae6b-6600-7aef-8305-ec9888267c39",
      "previous_pipeline_id":"019cae6b-6600-723b-8f0d-244a4cb62c85"
    }'
    when 'deal.stale' then '{"days_without_movement":15,"threshold_days":14}'
    when 'activity.overdue' then '{"overdue_since":"2026-10-08T14:00:00.000Z"}'
    when 'contact.updated' then '{"changed_fields":["job_title","phone"]}'
    when 'company.updated' then '{"changed_fields":["employee_count","website"]}'
    when 'deal.updated' then '{"changed_fields":["expected_close_date","value"]}'
    when 'deal.reopened' then '{"changed_fields":["closed_at","loss_note","loss_reason_id","lost_at","status"]}'
    when 'deal.contact_added' then '{"added_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b","role":"decisor"}'
    when 'deal.contact_removed' then '{"removed_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b"}'
    when 'activity.updated' then '{"changed_fields":["due_at","owner_id"]}'
    when 'activity.completed' then '{"changed_fields":["completed_at","status"]}'
    when 'contact.merged' then '{"merged_contact_id":"01a0f2d6-5d50-7943-84a6-fd90039f598b"}'
    else '{}'::jsonb
  end;
end
$$;
comment on function crm.sample_facts(crm.event_type) is 'Made-up facts of an event; an empty object if it has none.';
create function crm.changed_field_names() returns text[]
language sql immutable as $$
  select array[
    'address', 'archived_at', 'closed_at', 'company_id', 'completed_at', 'contact_id', 'created_at', 'created_by_id',
    'custom_fields', 'deal_id', 'description', 'domain', 'due_at', 'duration_minutes', 'email', 'employee_count',
    'erased_at', 'expected_close_date', 'external_id', 'industry', 'instagram', 'is_online_meeting', 'job_title',
    'last_activity_at', 'legal_name', 'linkedin', 'location', 'loss_note', 'loss_reason_id', 'lost_at', 'meeting_url',
    'merged_into_id', 'name', 'notes', 'owner_id', 'phone', 'phone2', 'pipeline_id', 'recurring_value', 'source',
    'stage_changed_at', 'stage_id', 'status', 'tags', 'tax_id', 'title', 'type', 'utm', 'value', 'website', 'whatsapp',
    'won_at'
  ]
$$;
comment on function crm.changed_field_names() is
  'The names that changed_fields of an updated event can have, whatever the object, in alphabetical order.';

create table crm.webhook_subscriptions (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  key_id uuid,
  event_types crm.event_type[] not null check (cardinality(event_types) >= 1),
  target_url text not null check (char_length(target_url) between 1 and 2048),
  target_host text not null generated always as (lower(coalesce(
    substring(target_url from '(?i)^https?:[/\\]*([^/\\?#:]+|\[[^]]*\])'), target_url
  ))) stored,
  is_active boolean not null default true,
  deactivated_at timestamptz,
  deactivated_reason text check (deactivated_reason in ('deleted', 'failures', 'key_revoked')),
  failure_count integer not null default 0,
  slow_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  behind_since timestamptz,
  behind_position bigint,
  behind_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  filters jsonb,
  payload text not null default 'full' check (payload in ('full', 'ids')),
  header jsonb,
  notice_due_at timestamptz,
  name text check (char_length(name) between 1 and 80),
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id),
  check (is_active = (deactivated_at is null)),
  check ((behind_since is null) = (behind_position is null) and (behind_since is null) = (behind_id is null)),
  unique (id)
);
comment on table crm.webhook_subscriptions is
  'Which event types go to which URL. A subscription is never deleted: an inactive subscription keeps its history '
  '(spec 3).';
comment on column crm.webhook_subscriptions.key_id is
  'The key that created the subscription. Revoking the key ends the subscription, except with keep_webhooks '
  '(app.key_revoke). Null if the subscription was created in the console; the audit log then names the person.';
comment on column crm.webhook_subscriptions.target_host is
  'The host name of the target, without the port. The attempts to a host are limited across all workspaces.';
comment on column crm.webhook_subscriptions.deactivated_reason is
  'Why the subscription is inactive: deleted, failures (the fifth attempt of a delivery failed) or key_revoked. If it '
  'was deleted, its waiting deliveries are cancelled, otherwise held.';
comment on column crm.webhook_subscriptions.slow_since is
  'When attempts began to time out. Until the receiver answers again, only one attempt is made at a time.';
comment on column crm.webhook_subscriptions.behind_since is
  'When the subscription fell behind: too many deliveries waited, so crm.fan_out_within_bound creates none for new '
  'events. The job webhook-catch-up creates these deliveries later, from the events.';
comment on column crm.webhook_subscriptions.behind_position is
  'A position in the feed, with behind_id: up to this place, every event has its delivery. Null unless the '
  'subscription is behind.';
comment on column crm.webhook_subscriptions.filters is
  'Which events of its types the subscription gets (crm.passes_filters): for pipeline_id, stage_id and owner_id a list '
  'of ids, for changed_fields a list of names. Null means all events of its types.';
comment on column crm.webhook_subscriptions.payload is
  'What `data` in a delivery contains: `full`, the object; `ids`, only its id.';
comment on column crm.webhook_subscriptions.header is
  'The additional header that each attempt sends, as {"name": "X-Key"}, or null. Its value is in crm.webhook_secrets.';
comment on column crm.webhook_subscriptions.notice_due_at is
  'When a dispatcher may next send the mail about a subscription that failures deactivated. Taking the mail '
  '(crm.notice_claim) sets a later time, in case sending fails. Null if there is no mail to send.';
comment on column crm.webhook_subscriptions.name is
  'The name that people gave the subscription. If null, the console shows the URL.';
call crm.protect('crm.webhook_subscriptions');
create index webhook_subscriptions_behind on crm.webhook_subscriptions (workspace_id, id) where behind_since is not null;
create index webhook_subscriptions_notices on crm.webhook_subscriptions (notice_due_at) where notice_due_at is not null;
create trigger touch before update on crm.webhook_subscriptions for each row execute function crm.touch();
create function crm.note_deactivation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.is_active then
    new.deactivated_at := null;
    new.deactivated_reason := null;
  else
    new.deactivated_at := coalesce(new.deactivated_at, now());
  end if;
  if new.is_active or new.deactivated_reason is distinct from 'failures' then
    new.notice_due_at := null;
  elsif tg_op = 'UPDATE' and old.is_active then
    new.notice_due_at := now();
  end if;
  if new.deactivated_reason = 'deleted' then
    -- The waiting deliveries are cancelled, so there is nothing to catch up on.
    new.behind_since := null;
    new.behind_position := null;
    new.behind_id := null;
  end if;
  return new;
end
$$;
comment on function crm.note_deactivation() is
  'Trigger: sets deactivated_at, clears the reason when a subscription becomes active, makes the mail about failures '
  'due, and ends the catch-up of a deleted subscription.';
create trigger note_deactivation before insert or update of is_active on crm.webhook_subscriptions
  for each row execute function crm.note_deactivation();
create table crm.webhook_secrets (
  workspace_id uuid not null,
  subscription_id uuid not null,
  secret bytea not null,
  next_secret bytea,
  next_from timestamptz,
  header bytea,
  check ((next_secret is null) = (next_from is null)),
  primary key (workspace_id, subscription_id),
  foreign key (workspace_id, subscription_id) references crm.webhook_subscriptions (workspace_id, id)
);
comment on table crm.webhook_secrets is
  'Signing secrets, encrypted with a key that the database never has, so that nobody can sign with a dump of this '
  'table. Each secret is encrypted for its subscription_id, so that it cannot be decrypted from another row. The table '
  'is separate, so that crm_api can write secrets but read none.';
comment on column crm.webhook_secrets.next_secret is
  'The new secret during a rotation with overlap. Until next_from it makes a second signature, afterwards the only '
  'signature.';
comment on column crm.webhook_secrets.header is
  'The value of the subscription''s own header, encrypted like a secret. The two encryptions have different contexts, '
  'so that nobody can swap a header and a secret. Null if there is no header.';
call crm.protect('crm.webhook_secrets');
create function crm.holds_webhooks(p_workspace_id uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select w.suspended or not w.public_api from crm.workspaces w
    where w.id = p_workspace_id and w.id = coalesce(crm.current_workspace_id(), w.id)
  );
end
$$;
comment on function crm.holds_webhooks(uuid) is
  'Whether all deliveries of a workspace are held, because the workspace is suspended or has no public API. Security '
  'definer, because verbs may not read the workspace''s settings. Callers can ask only about their own workspace.';
create function crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return (
    select k.next_from from crm.webhook_secrets k
    where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id and k.next_from > now()
  );
end
$$;
comment on function crm.old_secret_until(uuid, uuid) is
  'Until when the old secret of a subscription still signs; null if no overlap is in progress.';
create index webhook_subscriptions_listed on crm.webhook_subscriptions (workspace_id, is_active, created_at, id);
create index webhook_subscriptions_of_key on crm.webhook_subscriptions (workspace_id, key_id, is_active, created_at, id);
create function api.webhook_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('data', coalesce(json_agg(s.record order by s.created_at desc, s.id desc), '[]'))
    from (
      -- At most 50 are active, so the limit cuts off only inactive subscriptions.
      select crm.subscription_json(l) as record, l.created_at, l.id from crm.webhook_subscriptions l
      where l.workspace_id = crm.current_workspace_id()
      order by l.is_active desc, l.created_at desc, l.id desc limit 500
    ) s
  );
end
$$;
comment on function api.webhook_list(jsonb) is
  'Lists the active and the newest inactive subscriptions, 500 at most, newest first (spec 4.5).';
create function crm.check_active_subscriptions(p_workspace_id uuid, p_field text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- Without the lock, simultaneous calls would not count each other's subscriptions.
  perform pg_advisory_xact_lock(crm.lock_number('subscriptions of ' || p_workspace_id));
  -- A cap, because every write may create a delivery for each active subscription, and a dispatcher that claims
  -- deliveries may read all these subscriptions.
  if (
    select count(*) from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active
  ) >= 50 then
    perform api.fail('validation_error', array[p_field], 'O workspace já tem 50 assinaturas ativas, o máximo');
  end if;
end
$$;
comment on function crm.check_active_subscriptions(uuid, text) is
  'Raises validation_error for p_field if a workspace already has 50 active subscriptions. Other calls of this '
  'function for the workspace wait until the transaction ends.';
create function crm.check_new_subscription(p_subscription crm.webhook_subscriptions) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_created integer;
  v_different integer;
begin
  perform crm.check_active_subscriptions(p_subscription.workspace_id, 'target_url');
  -- Inactive subscriptions are kept for ever, so two limits bound how many are created in 30 days. The limit of 500
  -- counts subscriptions with the same target and events once, because automation tools subscribe each time a workflow
  -- is switched on. The limit of 5,000 counts all subscriptions.
  select
    count(*),
    count(distinct (s.target_url, s.event_types)) filter (
      where (s.target_url, s.event_types) <> (p_subscription.target_url, p_subscription.event_types)
    )
  into v_created, v_different
  from crm.webhook_subscriptions s
  where s.workspace_id = p_subscription.workspace_id and s.id >= crm.uuid_v7_floor(now() - interval '30 days');
  if v_different >= 500 then
    perform api.fail(
      'validation_error', '{target_url}', 'O workspace já criou 500 assinaturas diferentes em 30 dias, o máximo'
    );
  elsif v_created >= 5000 then
    perform api.fail('validation_error', '{target_url}', 'O workspace já criou 5.000 assinaturas em 30 dias, o máximo');
  end if;
end
$$;
comment on function crm.check_new_subscription(crm.webhook_subscriptions) is
  'Raises validation_error if the workspace has 50 active subscriptions, created 5,000 subscriptions in the last 30 '
  'days, or created 500 in these days that differ in target or events from each other and from p_subscription.';
create function crm.listed_ids(p_filters jsonb, p_field text) returns uuid[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select i.id::uuid
    from jsonb_array_elements_text(
      case jsonb_typeof(p_filters -> p_field)
        when 'array' then p_filters -> p_field
        when 'string' then jsonb_build_array(p_filters -> p_field)
      end
    ) with ordinality i (id, n)
    order by i.n
  );
end
$$;
comment on function crm.listed_ids(jsonb, text) is 'The ids of a filter, which may be one id or a list.';
create function crm.header_name(p_args jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$ begin return nullif(nullif(p_args -> 'header', 'null'), '{}'); end $$;
comment on function crm.header_name(jsonb) is
  'The header in the arguments, in the form of crm.webhook_subscriptions.header; null if it is absent, null or empty.';
create function crm.check_filters(p_workspace_id uuid, p_filters jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_pipelines uuid[] := crm.listed_ids(p_filters, 'pipeline_id');
  v_stages uuid[] := crm.listed_ids(p_filters, 'stage_id');
  v_owners uuid[] := crm.listed_ids(p_filters, 'owner_id');
  v_missing text[];
begin
  v_missing := array_remove(array[
    case when exists (
      select from unnest(v_pipelines) i (id)
      where not exists (select from crm.pipelines t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.pipeline_id' end,
    case when exists (
      select from unnest(v_stages) i (id)
      where not exists (select from crm.stages t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.stage_id' end,
    case when exists (
      select from unnest(v_owners) i (id)
      where not exists (select from crm.members t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.owner_id' end
  ], null);
  if v_missing <> '{}' then perform api.fail('invalid_reference', v_missing); end if;
  if v_pipelines <> '{}' and exists (
    select from crm.stages t
    where t.workspace_id = p_workspace_id and t.id = any (v_stages) and t.pipeline_id <> all (v_pipelines)
  ) then
    perform api.fail(
      'validation_error', array['filters.stage_id'], 'A etapa deve ser de um dos pipelines de filters.pipeline_id'
    );
  end if;
  v_missing := array(
    select 'filters.changed_fields.' || f.n - 1
    from jsonb_array_elements_text(p_filters -> 'changed_fields') with ordinality f (name, n)
    where f.name <> all (crm.changed_field_names())
  );
  if v_missing <> '{}' then
    perform api.fail(
      'validation_error', v_missing, 'Nenhum registro tem este campo entre os de changed_fields dos eventos updated'
    );
  end if;
  return nullif(jsonb_strip_nulls(jsonb_build_object(
    'pipeline_id', nullif(to_jsonb(v_pipelines), '[]'), 'stage_id', nullif(to_jsonb(v_stages), '[]'),
    'owner_id', nullif(to_jsonb(v_owners), '[]'), 'changed_fields', p_filters -> 'changed_fields'
  )), '{}');
end
$$;
comment on function crm.check_filters(uuid, jsonb) is
  'The filters of a subscription as they are stored, with a list of ids for each field; null if there is no filter. '
  'Raises invalid_reference for ids that the workspace does not have. Raises validation_error for field names that no '
  'event has in changed_fields, and for a stage outside the filter''s pipelines, because no event would pass.';
create function crm.add_subscription(s crm.webhook_subscriptions, p_secret text, p_header text)
returns crm.webhook_subscriptions
language plpgsql set search_path = '' as $$
begin
  perform crm.check_new_subscription(s);
  insert into crm.webhook_subscriptions (
    workspace_id, id, key_id, event_types, target_url, filters, payload, header, name
  )
  values (
    s.workspace_id, s.id, s.key_id, s.event_types, s.target_url, crm.check_filters(s.workspace_id, s.filters),
    coalesce(s.payload, 'full'), s.header, s.name
  )
  returning * into s;
  insert into crm.webhook_secrets (workspace_id, subscription_id, secret, header)
  values (s.workspace_id, s.id, decode(p_secret, 'base64'), decode(p_header, 'base64'));
  return s;
end
$$;
comment on function crm.add_subscription(crm.webhook_subscriptions, text, text) is
  'Stores a subscription, its encrypted secret, and the encrypted value of its own header (both in base64). Raises the '
  'codes of crm.check_new_subscription and crm.check_filters.';
create function api.webhook_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_subscription crm.webhook_subscriptions := jsonb_populate_record(null::crm.webhook_subscriptions, p_args);
begin
  v_subscription.header := crm.header_name(p_args);
  -- Without this check, a call that began before its key was revoked would create a subscription that outlives the key.
  if not crm.lock_key(crm.current_caller_id()) then perform api.fail('revoked_api_key'); end if;
  v_subscription.workspace_id := crm.current_workspace_id();
  v_subscription.key_id := crm.current_caller_id();
  v_subscription := crm.add_subscription(
    v_subscription, p_args ->> 'encrypted_secret', p_args ->> 'encrypted_header'
  );
  return json_build_object(
    'id', v_subscription.id, 'event_types', v_subscription.event_types, 'target_url', v_subscription.target_url,
    'is_active', v_subscription.is_active, 'created_at', crm.iso(v_subscription.created_at),
    'filters', v_subscription.filters, 'payload', v_subscription.payload, 'header', v_subscription.header,
    'name', v_subscription.name
  );
end
$$;
comment on function api.webhook_create(jsonb) is
  'Creates a subscription for the calling key (spec 4.5). A workspace has at most 50 active subscriptions. The edge '
  'function chooses the id, encrypts encrypted_secret and encrypted_header (base64) for it, and shows the plain secret '
  'once, in the reply. Raises revoked_api_key if the key was revoked during the call, and the codes of '
  'crm.add_subscription.';
create function crm.change_subscription(p_workspace_id uuid, p_id uuid, p_args jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set
    event_types = case
      when p_args ? 'event_types'
        then array(select jsonb_array_elements_text(p_args -> 'event_types'))::crm.event_type[]
      else s.event_types
    end,
    filters = case when p_args ? 'filters' then crm.check_filters(p_workspace_id, p_args -> 'filters') else s.filters end,
    payload = case when p_args ? 'payload' then coalesce(p_args ->> 'payload', 'full') else s.payload end,
    header = case when p_args ? 'header' then crm.header_name(p_args) else s.header end,
    name = case when p_args ? 'name' then nullif(p_args ->> 'name', '') else s.name end
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  if p_args ? 'header' then
    update crm.webhook_secrets k set header = decode(p_args ->> 'encrypted_header', 'base64')
    where k.workspace_id = p_workspace_id and k.subscription_id = p_id;
  end if;
end
$$;
comment on function crm.change_subscription(uuid, uuid, jsonb) is
  'Changes those of event_types, filters, payload, header and name that are in the arguments. Null or an empty value '
  'removes filters, header or name. The new values apply to later events, and to earlier events that have no delivery '
  'yet because the subscription is behind. Waiting deliveries are sent with the new payload and header. Raises '
  'not_found and the codes of crm.check_filters.';
create function api.webhook_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.change_subscription(crm.current_workspace_id(), (p_args ->> 'id')::uuid, p_args);
  return crm.subscription_json(s) from crm.webhook_subscriptions s
  where s.workspace_id = crm.current_workspace_id() and s.id = (p_args ->> 'id')::uuid;
end
$$;
comment on function api.webhook_update(jsonb) is
  'Changes a subscription, even an inactive one (crm.change_subscription), and returns it.';
create function api.webhook_delete(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'deleted'
  where s.workspace_id = crm.current_workspace_id() and s.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  return null;
end
$$;
comment on function api.webhook_delete(jsonb) is
  'Deactivates a subscription and keeps its history (spec 4.5); its waiting deliveries are cancelled. The answer is '
  'the same if the subscription was already inactive.';

create type api.subscription as (
  id uuid, event_types crm.event_type[], target_url text, is_active boolean, failure_count integer,
  last_success_at text, last_failure_at text, created_at text, key_id uuid, deactivated_at text,
  deactivated_reason text, held boolean, behind_since text, old_secret_until text, filters jsonb, payload text,
  header jsonb, name text
);
comment on type api.subscription is 'A webhook subscription: its public fields, in order.';
create function crm.subscription_json(t crm.webhook_subscriptions) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.event_types, t.target_url, t.is_active, t.failure_count, crm.iso(t.last_success_at),
    crm.iso(t.last_failure_at), crm.iso(t.created_at), t.key_id, crm.iso(t.deactivated_at), t.deactivated_reason,
    crm.holds_webhooks(t.workspace_id), crm.iso(t.behind_since), crm.iso(crm.old_secret_until(t.workspace_id, t.id)),
    t.filters, t.payload, t.header, t.name
  )::api.subscription)
$$;
comment on function crm.subscription_json(crm.webhook_subscriptions) is
  'A row as public JSON, with the fields of api.subscription.';

create function crm.delivery_id(p_event_id uuid, p_subscription_id uuid) returns uuid
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_id bytea := substring(uuid_send(p_event_id) for 8)
    || substring(sha256(uuid_send(p_event_id) || uuid_send(p_subscription_id)) for 8);
begin
  -- Set the variant, two bits that are the same in every UUID (RFC 9562).
  return encode(set_byte(v_id, 8, get_byte(v_id, 8) & 63 | 128), 'hex');
end
$$;
comment on function crm.delivery_id(uuid, uuid) is
  'The id of an event''s delivery to a subscription: the first half of the event''s id (its time), then a hash of both '
  'ids. So an event never gets two deliveries for a subscription, ids sort like events, and each shows its partition.';
create table crm.webhook_deliveries (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  event_id uuid not null,
  subscription_id uuid not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  series integer not null default 1,
  attempts integer not null default 0 check (attempts between 0 and 5),
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  ended_badly boolean generated always as (state in ('failed', 'cancelled')) stored,
  primary key (workspace_id, id)
) partition by range (id);
comment on table crm.webhook_deliveries is
  'One event for one subscription. The id (crm.delivery_id) is the delivery_id that the receiver gets on every '
  'attempt. Kept for 30 days, in partitions by the day of the event. There are no foreign keys, because events are '
  'dropped with their partition, and a foreign key would lock the subscription''s row for each delivery.';
comment on column crm.webhook_deliveries.state is
  'pending: an attempt will follow, once the subscription is active and the workspace may send. delivered: an attempt '
  'succeeded. failed: five attempts failed. cancelled: the subscription was deleted first.';
comment on column crm.webhook_deliveries.series is
  'The number of the series of up to five attempts. It grows when an ended delivery is sent again.';
comment on column crm.webhook_deliveries.attempts is
  'Recorded attempts in this series. If the dispatcher dies during an attempt, the attempt is not recorded, because '
  'the receiver did not fail. The next attempt then has the same number.';
comment on column crm.webhook_deliveries.next_attempt_at is
  'When the next attempt of a pending delivery is due. The trigger enqueue_changed copies every change to the queue.';
call crm.protect('crm.webhook_deliveries');
create table crm.webhook_deliveries_default partition of crm.webhook_deliveries default;
comment on table crm.webhook_deliveries_default is
  'Rows of crm.webhook_deliveries whose day has no partition. Empty unless the job partition-deliveries did not run '
  'for a week.';
call crm.protect('crm.webhook_deliveries_default');
create index webhook_deliveries_of_subscription on crm.webhook_deliveries (subscription_id, id);
create index webhook_deliveries_ended_badly on crm.webhook_deliveries (subscription_id, id) where ended_badly;
create table crm.webhook_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null,
  series integer not null,
  number integer not null check (number between 1 and 5),
  status integer,
  reason text,
  duration_ms integer not null,
  finished_at timestamptz not null default clock_timestamp(),
  answer text check (char_length(answer) between 1 and 1024),
  body_digest bytea,
  primary key (workspace_id, delivery_id, series, number)
) partition by range (delivery_id);
comment on table crm.webhook_attempts is
  'The outcome of each attempt. Kept for 30 days like its delivery, in partitions by the day of the event.';
comment on column crm.webhook_attempts.status is 'The HTTP status; null if the headers did not arrive completely.';
comment on column crm.webhook_attempts.reason is
  'Why the attempt failed, such as timeout_connect or http_503; null if it succeeded.';
comment on column crm.webhook_attempts.answer is
  'The beginning of the body of the response, as text (answer_text.ts). Null if the body was empty or not text. A '
  'receiver may repeat what it was sent, so an erasure clears the answers that mention the person (crm.erase_answers).';
comment on column crm.webhook_attempts.body_digest is
  'SHA-256 of the body sent. `data` is the object as it was at the attempt, so a body made later may differ.';
call crm.protect('crm.webhook_attempts');
create table crm.webhook_attempts_default partition of crm.webhook_attempts default;
comment on table crm.webhook_attempts_default is
  'Rows of crm.webhook_attempts whose day has no partition. Empty unless the job partition-attempts did not run for a '
  'week.';
call crm.protect('crm.webhook_attempts_default');
create function crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) returns json
language plpgsql stable set search_path = '' as $$
begin
  return json_build_object(
    'lead', crm.lead_json(d, c.id, o.id), 'contact', case when c.id is not null then crm.contact_json(c) end,
    'company', case when o.id is not null then crm.company_json(o) end, 'source', d.source, 'utm', d.utm,
    'external_id', d.external_id, 'submitted', d.lead
  );
end
$$;
comment on function crm.lead_data(crm.deals, crm.contacts, crm.companies) is
  'The `data` of lead.received: the lead, its contact and company (if any) as they are now, and the body of the call.';
create function crm.event_data(e crm.events, p_object_type text) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_object json;
begin
  if e.event = 'lead.received' then
    return (
      select crm.lead_data(d, c, o)
      from crm.deals d
      -- The contact and company of the lead, or those that replaced them in a merge.
      left join crm.contacts a on a.workspace_id = d.workspace_id and a.id = (e.facts ->> 'contact_id')::uuid
      left join crm.companies b on b.workspace_id = d.workspace_id and b.id = (e.facts ->> 'company_id')::uuid
      left join crm.contacts c on c.workspace_id = d.workspace_id and c.id = coalesce(a.merged_into_id, a.id)
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = coalesce(b.merged_into_id, b.id)
      where d.workspace_id = e.workspace_id and d.id = e.object_id
    );
  elsif e.event = 'contact.erased' then
    return json_build_object('id', e.object_id);
  end if;

  case p_object_type
    when 'deal' then
      select crm.deal_json(d) into v_object from crm.deals d
      where d.workspace_id = e.workspace_id and d.id = e.object_id;
    when 'contact' then
      select crm.contact_json(c) into v_object from crm.contacts c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'company' then
      select crm.company_json(c) into v_object from crm.companies c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'activity' then
      select crm.activity_json(a) into v_object from crm.activities a
      where a.workspace_id = e.workspace_id and a.id = e.object_id;
    when 'note' then
      select crm.note_json(n) into v_object from crm.notes n
      where n.workspace_id = e.workspace_id and n.id = e.object_id;
    when 'proposal' then
      select crm.proposal_json(p) into v_object from crm.proposals p
      where p.workspace_id = e.workspace_id and p.id = e.object_id;
  end case;
  if e.facts = '{}' then return v_object; end if;
  if e.event = 'deal.contact_added' then
    -- The event does not store the role, because the role may name a person, and would outlive that person's erasure.
    v_object := crm.with_fields(v_object, json_build_object('role', (
      select k.role from crm.deal_contacts k
      where k.workspace_id = e.workspace_id and k.deal_id = e.object_id
        and k.contact_id = (e.facts ->> 'added_contact_id')::uuid
    )));
  end if;
  return crm.with_fields(v_object, e.facts::json);
end
$$;
comment on function crm.event_data(crm.events, text) is
  'The `data` of a delivery (spec 6.2): the object as it is now, with the event''s facts. p_object_type: the '
  'object_type of the event in crm.event_types.';
create function crm.object_name(p_workspace_id uuid, p_object_type text, p_object_id uuid) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case p_object_type
    when 'deal' then (
      select d.title from crm.deals d where d.workspace_id = p_workspace_id and d.id = p_object_id
    )
    when 'contact' then (
      select c.name from crm.contacts c
      where c.workspace_id = p_workspace_id and c.id = p_object_id and c.erased_at is null
    )
    when 'company' then (
      select c.name from crm.companies c where c.workspace_id = p_workspace_id and c.id = p_object_id
    )
    when 'activity' then (
      select a.title from crm.activities a where a.workspace_id = p_workspace_id and a.id = p_object_id
    )
    when 'note' then (
      select d.title from crm.notes n join crm.deals d on d.workspace_id = n.workspace_id and d.id = n.deal_id
      where n.workspace_id = p_workspace_id and n.id = p_object_id
    )
    when 'proposal' then (
      select p.title from crm.proposals p where p.workspace_id = p_workspace_id and p.id = p_object_id
    )
  end;
end
$$;
comment on function crm.object_name(uuid, text, uuid) is
  'The present name or title of an event''s object; for a note, the title of its deal. Null for an erased contact and '
  'for the object of a test event. The event does not store the name, because the name would outlive an erasure.';
create function crm.passes_filters(
  p_filters jsonb, p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb
) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_deal_id uuid;
  v_owner_id uuid;
  v_deal crm.deals;
begin
  if p_filters ? 'changed_fields' and p_event::text like '%.updated'
    and not p_facts -> 'changed_fields' ?| array(select jsonb_array_elements_text(p_filters -> 'changed_fields')) then
    return false;
  end if;
  if not p_filters ?| '{pipeline_id,stage_id,owner_id}' then return true; end if;

  case (select t.object_type from crm.event_types t where t.event = p_event)
    when 'deal' then v_deal_id := p_object_id;
    when 'activity' then
      select a.deal_id, a.owner_id into v_deal_id, v_owner_id from crm.activities a
      where a.workspace_id = p_workspace_id and a.id = p_object_id;
    when 'note' then
      select n.deal_id into v_deal_id from crm.notes n where n.workspace_id = p_workspace_id and n.id = p_object_id;
    when 'proposal' then
      select p.deal_id into v_deal_id from crm.proposals p where p.workspace_id = p_workspace_id and p.id = p_object_id;
    when 'contact' then
      select c.owner_id into v_owner_id from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_object_id;
    when 'company' then
      select c.owner_id into v_owner_id from crm.companies c where c.workspace_id = p_workspace_id and c.id = p_object_id;
    else null;
  end case;
  if v_deal_id is not null then
    select * into v_deal from crm.deals d where d.workspace_id = p_workspace_id and d.id = v_deal_id;
  end if;
  -- If the object lacks a filtered field, the value here is null, and no filter accepts null.
  return coalesce(
    (not p_filters ? 'pipeline_id' or p_filters -> 'pipeline_id' ? v_deal.pipeline_id::text)
      and (not p_filters ? 'stage_id' or p_filters -> 'stage_id' ? v_deal.stage_id::text)
      and (not p_filters ? 'owner_id' or p_filters -> 'owner_id' ? coalesce(v_owner_id, v_deal.owner_id)::text),
    false
  );
end
$$;
comment on function crm.passes_filters(jsonb, uuid, crm.event_type, uuid, jsonb) is
  'Whether every filter of a subscription lets an event pass, compared with the object as it is now. pipeline_id and '
  'stage_id are compared with the deal: the object itself, or the deal of an activity, note or proposal. owner_id is '
  'compared with the object''s owner, or with the deal''s owner if the object has none. An object that lacks a '
  'filtered field does not pass. changed_fields restricts only `updated` events.';
create function crm.delivery_body(p_delivery_id uuid, e crm.events, p_payload text default 'full') returns text
language plpgsql stable set search_path = '' as $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_body json;
begin
  v_body := json_build_object(
    'event', e.event, 'event_id', e.id, 'workspace_id', e.workspace_id, 'object_type', v_object_type,
    'object_id', e.object_id,
    'data', case
      when p_payload = 'ids' then json_build_object('id', e.object_id)
      when e.is_test then crm.sample_data(e.event)
      else crm.event_data(e, v_object_type)
    end,
    'occurred_at', crm.iso(e.occurred_at), 'actor_id', e.caller_id, 'delivery_id', p_delivery_id
  );
  return case when e.is_test then crm.with_fields(v_body, '{"test": true}') else v_body end;
exception when others then
  -- If one body cannot be built, the claim of a whole batch must not fail.
  raise log 'crm.delivery_body of event %: % (%)', e.id, sqlerrm, sqlstate;
  return null;
end
$$;
comment on function crm.delivery_body(uuid, crm.events, text) is
  'The JSON text to send (spec 6.2), with the object as it is now, or a sample and "test": true. With the payload ids, '
  '`data` has only the id of the object. Null if the text cannot be built.';

create sequence crm.webhook_leases;
comment on sequence crm.webhook_leases is 'The numbers of leases (lease_token), one for each claim of a delivery.';
create table crm.webhook_queue (
  workspace_id uuid not null,
  subscription_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  shard smallint not null generated always as ((get_byte(uuid_send(workspace_id), 15) & 15)::smallint) stored,
  state text not null check (state in ('ready', 'waiting', 'leased', 'held')),
  due_at timestamptz not null,
  lease_until timestamptz,
  lease_token bigint,
  host text,
  claim_horizon bigint,
  primary key (workspace_id, delivery_id),
  check ((state = 'leased') = (lease_until is not null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table crm.webhook_queue is
  'A row for each pending delivery. Written by claims, crm.settle_subscription and triggers on crm.webhook_deliveries. '
  'The dispatcher finds deliveries here, so it never reads ended deliveries.';
comment on column crm.webhook_queue.event_id is
  'The event of the delivery, copied so that a claim need not read the delivery.';
comment on column crm.webhook_queue.shard is
  'One of 16 parts of the queue, by workspace. Each part has its own lock for claims (crm.webhook_shards).';
comment on column crm.webhook_queue.state is
  'ready: may be sent now. waiting: becomes ready at due_at. leased: a dispatcher is sending it. held: claims ignore '
  'it, because its subscription is inactive or its workspace may not send.';
comment on column crm.webhook_queue.lease_token is
  'Fencing token of the last lease, cleared when the outcome is recorded. A dispatcher whose lease has ended cannot '
  'overwrite the outcome of the next dispatcher, and an outcome that is reported twice counts once.';
comment on column crm.webhook_queue.claim_horizon is
  'crm.feed_horizon() at the last claim: the body was made from a state that shows every transaction below it.';
call crm.protect('crm.webhook_queue');
create index webhook_queue_ready on crm.webhook_queue (shard, workspace_id, subscription_id, delivery_id)
  where state = 'ready';
create index webhook_queue_waiting on crm.webhook_queue (shard, due_at) where state = 'waiting';
create index webhook_queue_leased on crm.webhook_queue (shard, workspace_id, subscription_id) where state = 'leased';
create index webhook_queue_leased_of_host on crm.webhook_queue (host)
  where lease_until is not null and host is not null;
create index webhook_queue_not_ready on crm.webhook_queue (shard, workspace_id, subscription_id, delivery_id)
  where state <> 'ready' and lease_until is null;
create table crm.webhook_shards (
  shard smallint primary key check (shard between 0 and 15),
  last_workspace_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
comment on table crm.webhook_shards is
  'The shards of the queue. A claim locks the row of its shard, so that two claims together cannot exceed the limits '
  'of a workspace. Claims from other shards do not wait.';
comment on column crm.webhook_shards.last_workspace_id is
  'The last workspace whose subscriptions the last claim read completely; zeros if it reached all workspaces. The next '
  'claim begins after this workspace.';
alter table crm.webhook_shards enable row level security, force row level security;
insert into crm.webhook_shards (shard) select generate_series(0, 15);
create table crm.webhook_unsettled (
  workspace_id uuid not null,
  subscription_id uuid not null,
  shard smallint not null generated always as ((get_byte(uuid_send(workspace_id), 15) & 15)::smallint) stored,
  send_now boolean not null default false,
  sent_to uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (workspace_id, subscription_id)
);
comment on table crm.webhook_unsettled is
  'Subscriptions whose queue rows must still be held, cancelled or released, because the subscription or its workspace '
  'changed. Claims do this work in small steps (crm.settle_subscription), so that a change of a subscription does not '
  'wait for a long queue.';
comment on column crm.webhook_unsettled.send_now is
  'Whether deliveries that wait for their next attempt become due at once, as after a reactivation.';
comment on column crm.webhook_unsettled.sent_to is
  'The last delivery that became due because of send_now. Later steps begin after it, so each becomes due only once.';
call crm.protect('crm.webhook_unsettled');
create index webhook_unsettled_of_shard on crm.webhook_unsettled (shard);
create function crm.enqueue_added() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into crm.webhook_queue (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
  select
    d.workspace_id, d.subscription_id, d.id, d.event_id,
    case when d.next_attempt_at <= statement_timestamp() then 'ready' else 'waiting' end, d.next_attempt_at
  from added d
  where d.state = 'pending';
  return null;
end
$$;
comment on function crm.enqueue_added() is 'Trigger: puts new deliveries into the queue.';
create trigger enqueue_added after insert on crm.webhook_deliveries
  referencing new table as added for each statement execute function crm.enqueue_added();
create function crm.enqueue_changed() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_change record;
begin
  -- One statement for all ended deliveries, because crm.delivery_record usually ends many at a time.
  delete from crm.webhook_queue q using changed c
  where c.state <> 'pending' and q.workspace_id = c.workspace_id and q.delivery_id = c.id;

  for v_change in
    select c.*, c.attempts <> b.attempts as is_recorded
    from changed c join before b on b.workspace_id = c.workspace_id and b.id = c.id
    where c.state = 'pending'
      and (b.state <> c.state or b.next_attempt_at <> c.next_attempt_at or b.attempts <> c.attempts)
    order by c.workspace_id, c.id
  loop
    insert into crm.webhook_queue as q (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
    values (
      v_change.workspace_id, v_change.subscription_id, v_change.id, v_change.event_id,
      case when v_change.next_attempt_at <= v_now then 'ready' else 'waiting' end, v_change.next_attempt_at
    )
    on conflict (workspace_id, delivery_id) do update
    set
      due_at = excluded.due_at,
      -- An attempt in progress continues, unless this update records its outcome.
      state = case
        when q.state = 'held' or q.state = 'leased' and not v_change.is_recorded then q.state
        else excluded.state
      end,
      lease_until = case when not v_change.is_recorded then q.lease_until end,
      lease_token = case when not v_change.is_recorded then q.lease_token end;
  end loop;
  return null;
end
$$;
comment on function crm.enqueue_changed() is
  'Trigger: updates the queue after deliveries changed: their next attempt, their end, or a new series.';
create trigger enqueue_changed after update on crm.webhook_deliveries
  referencing old table as before new table as changed for each statement execute function crm.enqueue_changed();
create function crm.may_send(p_workspace_id uuid, p_subscription_id uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select s.is_active and not w.suspended and w.public_api
    from crm.webhook_subscriptions s join crm.workspaces w on w.id = s.workspace_id
    where s.workspace_id = coalesce(crm.current_workspace_id(), p_workspace_id) and s.id = p_subscription_id
  );
end
$$;
comment on function crm.may_send(uuid, uuid) is
  'Whether deliveries to a subscription are sent: it is active, and its workspace has the public API and is not '
  'suspended. Other deliveries are held. Security definer, because verbs may not read the workspace''s settings.';

create function crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns boolean
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_may_send boolean := crm.may_send(p_workspace_id, p_subscription_id);
  v_is_deleted boolean := exists (
    select from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.deactivated_reason = 'deleted'
  );
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
  v_sent_to uuid := coalesce(
    (
      select u.sent_to from crm.webhook_unsettled u
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id
    ),
    '00000000-0000-0000-0000-000000000000'
  );
  v_ids uuid[];
begin
  -- 500 rows at a time, because the dispatcher's claims do this work and must stay short.
  v_ids := array(
    select q.delivery_id from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
    order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id limit 500
    for update skip locked
  );
  if not v_may_send then
    v_ids := v_ids || array(
      select q.delivery_id from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
      order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id limit 500
      for update skip locked
    );
  end if;

  if v_is_deleted then
    update crm.webhook_deliveries d set state = 'cancelled'
    where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.state = 'pending';
    delete from crm.webhook_queue q where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  elsif not v_may_send then
    update crm.webhook_queue q set state = 'held'
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  else
    update crm.webhook_queue q
    set state = case when q.due_at <= statement_timestamp() then 'ready' else 'waiting' end
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
    if p_send_now then
      update crm.webhook_deliveries d set next_attempt_at = statement_timestamp()
      where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.next_attempt_at > statement_timestamp();
      v_sent_to := greatest(v_sent_to, v_ids[cardinality(v_ids)]);
      update crm.webhook_unsettled u set sent_to = v_sent_to
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id;
    end if;
  end if;
  -- Rows that other transactions had locked were skipped; a later call changes these rows.
  return not exists (
    select from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
  ) and (
    v_may_send or not exists (
      select from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
    )
  );
end
$$;
comment on function crm.settle_subscription(uuid, uuid, boolean) is
  'Brings up to 500 queue rows (1,000 to hold or cancel), oldest first, into the state that their subscription and '
  'workspace require: held, released, or (for a deleted subscription) cancelled and removed. Skips leased rows. '
  'Returns true if no row is left to change.';
create function crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- A claim may still be applying the earlier state, and delete the marker at its end. `do update` waits for the
  -- claim's lock on the marker. `do nothing` would not wait, and no marker would be left for the new state.
  insert into crm.webhook_unsettled as u (workspace_id, subscription_id, send_now)
  values (p_workspace_id, p_subscription_id, p_send_now)
  on conflict (workspace_id, subscription_id) do update
  set send_now = excluded.send_now, sent_to = excluded.sent_to;
end
$$;
comment on function crm.unsettle_subscription(uuid, uuid, boolean) is
  'Tells claims to hold, cancel or release the queue rows of a subscription.';
create function crm.unsettle_changed_subscription() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.unsettle_subscription(new.workspace_id, new.id, new.is_active);
  -- Settle the first rows here: most subscriptions have so few rows that nothing is left for claims.
  if crm.settle_subscription(new.workspace_id, new.id, new.is_active) then
    delete from crm.webhook_unsettled u where u.workspace_id = new.workspace_id and u.subscription_id = new.id;
  end if;
  return null;
end
$$;
comment on function crm.unsettle_changed_subscription() is
  'Trigger: holds, cancels or releases the first waiting deliveries of a changed subscription; claims do the rest.';
create trigger unsettle_changed_subscription
after update of is_active, deactivated_reason on crm.webhook_subscriptions for each row
when (old.is_active <> new.is_active or old.deactivated_reason is distinct from new.deactivated_reason)
execute function crm.unsettle_changed_subscription();
create function crm.settle_shard(p_shard smallint) returns void
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_marker crm.webhook_unsettled;
begin
  -- 20 subscriptions at most, so that a claim stays short if thousands became inactive together.
  for v_marker in
    select u.* from crm.webhook_unsettled u where u.shard = p_shard limit 20 for update skip locked
  loop
    -- The 50 ms count from the start of the claim, for all its shards together. A single step may take longer:
    -- cancelling 500 deliveries takes about 100 ms.
    exit when clock_timestamp() > statement_timestamp() + interval '50 ms';
    if crm.settle_subscription(v_marker.workspace_id, v_marker.subscription_id, v_marker.send_now) then
      delete from crm.webhook_unsettled u
      where u.workspace_id = v_marker.workspace_id and u.subscription_id = v_marker.subscription_id;
    end if;
  end loop;
end
$$;
comment on function crm.settle_shard(smallint) is
  'Settles up to 20 subscriptions of a shard with a marker in crm.webhook_unsettled, until the claim has taken 50 ms. '
  'Later claims visit the shards in another order, and settle the rest. The caller has locked the shard.';

create function crm.wake_deliveries(p_shard smallint) returns void
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  update crm.webhook_queue q
  set state = 'ready'
  where q.ctid = any (array(
    select w.ctid from crm.webhook_queue w
    where w.shard = p_shard and w.state = 'waiting' and w.due_at <= statement_timestamp()
    order by w.due_at limit 200
    for update skip locked
  ));

  update crm.webhook_queue q
  set state = 'ready', lease_until = null
  -- Skip locked rows, because waiting could deadlock: the transaction that locked a row to record its outcome may be
  -- waiting for a marker that this claim has locked.
  where q.ctid = any (array(
    select l.ctid from crm.webhook_queue l
    where l.shard = p_shard and l.state = 'leased' and l.lease_until <= statement_timestamp()
    for update skip locked
  ));
end
$$;
comment on function crm.wake_deliveries(smallint) is
  'Makes deliveries of a shard ready: waiting deliveries that are due, at most 200 in a call, and all deliveries whose '
  'lease has ended. The caller has locked the shard.';
create type crm.claim_candidate as (
  workspace_id uuid, subscription_id uuid, delivery_id uuid, host text, is_slow boolean,
  workspace_rank integer
);
comment on type crm.claim_candidate is
  'A ready delivery for which its subscription and its workspace have room. workspace_rank: if the delivery is '
  'claimed, its place among the workspace''s deliveries in flight.';
create function crm.claim_candidates(p_shard smallint, p_limit integer) returns crm.claim_candidate[]
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  -- How many subscriptions one round looks up, each in about 20 microseconds. At least 60, so that a round covers all
  -- subscriptions of a workspace (at most 50 are active).
  c_max_subscriptions constant integer := greatest(p_limit, 60);
  v_after uuid := (select s.last_workspace_id from crm.webhook_shards s where s.shard = p_shard);
  v_seen integer;
  v_last uuid;
  v_candidates crm.claim_candidate[];
begin
  loop
    with recursive waiting as (
      (
        select q.workspace_id, q.subscription_id, 1 as n from crm.webhook_queue q
        where q.state = 'ready' and (q.shard, q.workspace_id) > (p_shard, v_after) and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id limit 1
      )
      union all
      select next.workspace_id, next.subscription_id, w.n + 1
      from waiting w
      cross join lateral (
        select q.workspace_id, q.subscription_id from crm.webhook_queue q
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) > (p_shard, w.workspace_id, w.subscription_id)
          and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id limit 1
      ) next
      where w.n < c_max_subscriptions
    ),
    -- Count the deliveries in flight by an index search for each target, because the planner cannot know their number,
    -- and might plan a join for a wrong number.
    target as (
      select
        w.workspace_id, w.subscription_id, s.target_host, s.slow_since is not null as is_slow,
        s.is_active and not p.suspended and p.public_api as may_send,
        f.taken, f.workspace_taken,
        (
          select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = s.target_host
        ) as host_taken
      from waiting w
      join crm.webhook_subscriptions s on s.workspace_id = w.workspace_id and s.id = w.subscription_id
      join crm.workspaces p on p.id = w.workspace_id
      cross join lateral (
        select
          count(*) filter (where q.subscription_id = w.subscription_id)::integer as taken,
          count(*)::integer as workspace_taken
        from crm.webhook_queue q
        where q.state = 'leased' and (q.shard, q.workspace_id) >= (p_shard, w.workspace_id)
          and (q.shard, q.workspace_id) <= (p_shard, w.workspace_id)
      ) f
    ),
    -- Mark subscriptions whose deliveries must be held: an event may enqueue a delivery while its subscription is being
    -- deactivated.
    stray as (
      insert into crm.webhook_unsettled (workspace_id, subscription_id)
      select t.workspace_id, t.subscription_id from target t where not t.may_send
      on conflict do nothing
    ),
    candidate as (
      select
        t.workspace_id, t.subscription_id, d.delivery_id, t.target_host, t.is_slow, t.workspace_taken,
        t.taken + d.rank as subscription_rank
      from target t
      cross join lateral (
        select q.delivery_id, row_number() over (order by q.delivery_id) as rank
        from crm.webhook_queue q
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) >= (p_shard, t.workspace_id, t.subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (p_shard, t.workspace_id, t.subscription_id)
        order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id
        limit greatest(case when t.is_slow then 1 else 4 end - t.taken, 0)
      ) d
      where t.may_send and t.workspace_taken < 8 and t.host_taken < case when t.is_slow then 32 else 64 end
    ),
    ranked as (
      select
        c.*,
        c.workspace_taken
          + row_number() over (partition by c.workspace_id order by c.subscription_rank, c.delivery_id)
          as workspace_rank
      from candidate c
    ),
    chosen as (
      -- Workspaces come in random order. If the oldest event came first, a customer who recovers old events in many
      -- workspaces would always come first.
      select r.* from ranked r where r.workspace_rank <= 8 order by r.workspace_rank, random() limit p_limit
    )
    select
      array(
        select row(
          c.workspace_id, c.subscription_id, c.delivery_id, c.target_host, c.is_slow, c.workspace_rank
        )::crm.claim_candidate
        from chosen c
      ),
      (select count(*) from waiting),
      -- The second to last workspace, so that the next call begins with the last one. This call may not have seen all
      -- subscriptions of the last workspace.
      (
        select w.workspace_id from waiting w
        where w.workspace_id <> (select last.workspace_id from waiting last order by last.n desc limit 1)
        order by w.n desc limit 1
      )
    into v_candidates, v_seen, v_last;
    exit when v_seen > 0 or v_after = '00000000-0000-0000-0000-000000000000';
    v_after := '00000000-0000-0000-0000-000000000000';
  end loop;

  v_last := case when v_seen < c_max_subscriptions then '00000000-0000-0000-0000-000000000000' else v_last end;
  update crm.webhook_shards s set last_workspace_id = v_last where s.shard = p_shard and s.last_workspace_id <> v_last;
  return v_candidates;
end
$$;
comment on function crm.claim_candidates(smallint, integer) is
  'Up to p_limit ready deliveries of a shard that may be claimed: 4 in flight for a subscription (1 while it is slow), '
  '8 for a workspace. Workspaces take turns in random order; the subscriptions of a workspace take turns, the oldest '
  'event first. Reads p_limit subscriptions, but at least 60; the next call continues with the last workspace read. '
  'The caller has locked the shard.';
create function crm.delivery_claim(p_batch integer)
returns table (
  claimed_at double precision, workspace_id uuid, subscription_id uuid, delivery_id uuid, event_id uuid,
  lease_token bigint, event crm.event_type, target_url text, secret bytea, next_secret bytea, body text,
  header_name text, header_value bytea
)
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  -- Older events have no deliveries, which are kept for 30 days. With this bound, the plan skips their partitions.
  v_oldest uuid := crm.uuid_v7_floor(now() - interval '32 days');
  v_shard smallint;
  v_candidates crm.claim_candidate[] := '{}';
begin
  for v_shard in select s.shard from crm.webhook_shards s order by random() loop
    -- Search one shard at a time: the first shard usually has enough deliveries, and each search also reads the dead
    -- rows that claims left since the last vacuum.
    continue when not (
      exists (select from crm.webhook_queue q where q.shard = v_shard and q.state = 'ready')
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'waiting' and q.due_at <= statement_timestamp()
      )
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'leased' and q.lease_until <= statement_timestamp()
      )
      or exists (select from crm.webhook_unsettled u where u.shard = v_shard)
    );
    -- Skip a shard that another dispatcher has locked: that dispatcher claims the shard's deliveries.
    perform from crm.webhook_shards s where s.shard = v_shard for update skip locked;
    continue when not found;
    perform crm.wake_deliveries(v_shard);
    perform crm.settle_shard(v_shard);
    v_candidates := v_candidates || crm.claim_candidates(v_shard, p_batch);
    -- Search more shards until there are enough workspaces to fill the batch. So no workspace gets a second delivery
    -- before another workspace gets its first.
    exit when (select count(distinct c.workspace_id) from unnest(v_candidates) c) >= p_batch;
  end loop;
  if v_candidates = '{}' then return; end if;

  -- Lock the hosts, because claims from other shards may choose the same hosts. Lock them in order, so that two claims
  -- cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('webhook host ' || h.host) as number
    from (select distinct c.host from unnest(v_candidates) c) h
    order by number
  ) k;
  v_now := clock_timestamp();

  return query
  -- Materialized, so that the deliveries in flight to a host are counted once instead of once for each candidate.
  with host as materialized (
    select h.host, (
      select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = h.host
    ) as taken
    from (select distinct c.host from unnest(v_candidates) c) h
  ),
  ranked as (
    select
      c.*,
      h.taken
        + row_number() over (partition by c.host order by c.is_slow, c.workspace_rank, random())
        as host_rank
    from unnest(v_candidates) c
    join host h on h.host = c.host
  ),
  chosen as (
    select r.* from ranked r
    where r.host_rank <= case when r.is_slow then 32 else 64 end
    order by r.workspace_rank, random() limit p_batch
  ),
  claimed as (
    update crm.webhook_queue q
    set state = 'leased', lease_until = v_now + interval '60 s', lease_token = nextval('crm.webhook_leases'),
      -- A subquery, because it runs once for all deliveries.
      claim_horizon = (select crm.feed_horizon()),
      host = (select c.host from chosen c where c.workspace_id = q.workspace_id and c.delivery_id = q.delivery_id)
    where q.ctid = any (array(
        select r.ctid from chosen c
        cross join lateral (
          select q.ctid from crm.webhook_queue q
          where q.workspace_id = c.workspace_id and q.delivery_id = c.delivery_id
          offset 0
        ) r
      ))
      -- Not `=`: a plan for `=` might read the whole index of ready rows.
      and q.state is not distinct from 'ready'
    returning q.workspace_id, q.subscription_id, q.delivery_id, q.event_id, q.lease_token
  )
  select
    extract(epoch from v_now)::double precision,
    c.workspace_id, c.subscription_id, c.delivery_id, c.event_id, c.lease_token, (e.event).event, s.target_url,
    case when k.next_from <= v_now then k.next_secret else k.secret end,
    case when k.next_from > v_now then k.next_secret end,
    crm.delivery_body(c.delivery_id, e.event, s.payload), s.header ->> 'name', k.header
  from claimed c
  -- With these conditions Postgres reads only one row, whichever index the plan uses. A cached plan made for a
  -- workspace with few events may use any index, and then serves a workspace with a million events.
  cross join lateral (
    select e as event from crm.events e
    where e.workspace_id = c.workspace_id and e.id >= c.event_id and e.id <= c.event_id and e.id >= v_oldest
    order by e.id limit 1
  ) e
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id and s.id = c.subscription_id
  join crm.webhook_secrets k on k.workspace_id = c.workspace_id and k.subscription_id = c.subscription_id;
end
$$;
comment on function crm.delivery_claim(integer) is
  'Leases up to p_batch due deliveries for 60 seconds, and returns what the dispatcher needs to send them. claimed_at '
  'is the database''s time in seconds since 1970; next_secret is null if no rotation overlaps; header_name and '
  'header_value are null if the subscription has no header of its own. At most 64 deliveries are in flight to a host, '
  '32 of them to slow subscriptions; for the other limits see crm.claim_candidates. Dispatchers may claim at the same '
  'time, each from shards that it has locked.';

create function crm.retry_delay(p_failed_attempts integer) returns interval
language sql volatile
as $$
  select (array['30 s', '5 min', '30 min', '6 h']::interval[])[p_failed_attempts] * (1 + random() * 0.01)
$$;
comment on function crm.retry_delay(integer) is
  'The wait after p_failed_attempts failures (spec 6.5); null after the fifth.';
create type crm.recorded_attempt as (
  workspace_id uuid, subscription_id uuid, delivery_id uuid, lease_token bigint, series integer,
  attempt integer, state text, status integer, reason text, duration_ms integer, answer text, body_digest text,
  position bigint
);
comment on type crm.recorded_attempt is
  'A recorded attempt: its number, the state of its delivery afterwards, and its position in the list of outcomes.';
create function crm.delivery_record(p_outcomes json)
returns table (lease_token bigint, attempt integer, state text, deactivated boolean)
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  -- The workspaces in which no erasure is running. Read before the main statement, whose snapshot then shows the
  -- erasures that have ended.
  v_keeping uuid[] := array(
    select w.id
    from (
      select distinct o.workspace_id as id from json_to_recordset(p_outcomes) as o (workspace_id uuid, answer text)
      where o.answer is not null
    ) w
    where pg_try_advisory_xact_lock_shared(crm.erasure_lock(w.id))
  );
  v_recorded crm.recorded_attempt[];
  v_attempt crm.recorded_attempt;
  v_deactivating bigint[] := '{}';
  v_cancelled bigint[] := '{}';
  v_is_deleted boolean;
  v_target_url text;
begin
  -- Locked in order of id, so that two simultaneous calls cannot deadlock.
  with erased as materialized (
    select e.workspace_id, e.position from crm.webhook_erasures e where e.workspace_id = any (v_keeping)
  ),
  held as materialized (
    select o.*, q.subscription_id, q.claim_horizon
    from (
      select o.* from rows from (
        json_to_recordset(p_outcomes) as (
          workspace_id uuid, delivery_id uuid, lease_token bigint, status integer, reason text, duration_ms integer,
          answer text, body_digest text
        )
      ) with ordinality as o (
        workspace_id, delivery_id, lease_token, status, reason, duration_ms, answer, body_digest, position
      )
      -- Always true, but with this condition Postgres expects one outcome instead of a hundred. For a hundred outcomes
      -- it would scan whole partitions, because it does not know that each id is in only one partition.
      where o.lease_token between 0 and 9223372036854775807
      order by o.workspace_id, o.delivery_id
    ) o
    cross join lateral (
      select q.subscription_id, q.claim_horizon from crm.webhook_queue q
      where q.workspace_id = o.workspace_id and q.delivery_id = o.delivery_id and q.lease_token = o.lease_token
      for update
    ) q
  ),
  -- The trigger enqueue_changed puts these deliveries back into the queue, or removes them from it.
  recorded as (
    update crm.webhook_deliveries d
    set
      attempts = d.attempts + 1,
      state = case when h.reason is null then 'delivered' when d.attempts + 1 >= 5 then 'failed' else 'pending' end,
      next_attempt_at = coalesce(
        case when h.reason is not null then v_now + crm.retry_delay(d.attempts + 1) end,
        d.next_attempt_at
      )
    from held h
    where d.workspace_id = h.workspace_id and d.id = h.delivery_id and d.state = 'pending'
      -- With this condition, the plan reads only one row even if it uses the index by subscription.
      and d.subscription_id = h.subscription_id
    returning d.workspace_id, d.subscription_id, d.id, h.lease_token, d.series, d.attempts, d.state, h.status, h.reason,
      h.duration_ms,
      case
        when h.answer is not null and h.workspace_id = any (v_keeping) and not exists (
          select from erased e
          where e.workspace_id = h.workspace_id and (e.position < h.claim_horizon) is not true
        ) then h.answer
      end as answer,
      h.body_digest, h.position
  ),
  stored as (
    insert into crm.webhook_attempts (
      workspace_id, delivery_id, series, number, status, reason, duration_ms, finished_at, answer, body_digest
    )
    select
      r.workspace_id, r.id, r.series, r.attempts, r.status, r.reason, r.duration_ms, v_now, r.answer,
      decode(r.body_digest, 'hex')
    from recorded r
  )
  select array_agg(r::crm.recorded_attempt) into v_recorded from recorded r;

  -- In order of subscription, so that two simultaneous calls cannot deadlock. The outcomes of one subscription keep
  -- their order.
  for v_attempt in
    select r.*
    from (
      select a as attempt, bool_or(a.reason is not null) over (partition by a.workspace_id, a.subscription_id) as has_failed
      from unnest(v_recorded) a
    ) g
    cross join lateral (select (g.attempt).*) r
    cross join lateral (
      select s.failure_count, s.slow_since, s.last_success_at from crm.webhook_subscriptions s
      where s.workspace_id = r.workspace_id and s.id = r.subscription_id
      offset 0
    ) s
    -- Do not update at every success: hundreds of successes in a second would all update the same row.
    where g.has_failed or s.failure_count > 0 or s.slow_since is not null or s.last_success_at is null
      or s.last_success_at < v_now - interval '10 s'
    order by r.workspace_id, r.subscription_id, r.position
  loop
    if v_attempt.reason is null then
      update crm.webhook_subscriptions s
      set failure_count = 0, last_success_at = v_now, slow_since = null
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
        -- Only the first success of this call updates the row.
        and (s.failure_count > 0 or s.slow_since is not null or s.last_success_at is distinct from v_now);
      continue;
    end if;
    update crm.webhook_subscriptions s
    set
      failure_count = s.failure_count + 1,
      last_failure_at = v_now,
      slow_since = case
        when v_attempt.reason like 'timeout\_%' then coalesce(s.slow_since, v_now)
        when v_attempt.status is null then s.slow_since
      end
    where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
    returning s.deactivated_reason is not distinct from 'deleted' into v_is_deleted;
    -- The subscription was deleted while the delivery was in flight, so the deletion did not cancel the delivery.
    if v_is_deleted and v_attempt.state = 'pending' then
      update crm.webhook_deliveries d set state = 'cancelled'
      where d.workspace_id = v_attempt.workspace_id and d.id = v_attempt.delivery_id
        and d.subscription_id = v_attempt.subscription_id;
      v_cancelled := v_cancelled || v_attempt.lease_token;
    end if;
    if v_attempt.state = 'failed' then
      update crm.webhook_subscriptions s
      set is_active = false, deactivated_reason = 'failures'
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id and s.is_active
      returning s.target_url into v_target_url;
      if found then
        v_deactivating := v_deactivating || v_attempt.lease_token;
        perform crm.record_action(
          v_attempt.workspace_id, 'webhook_stopped', 'webhook', v_attempt.subscription_id, v_target_url,
          jsonb_build_object(
            'delivery_id', v_attempt.delivery_id, 'status', v_attempt.status, 'reason', v_attempt.reason
          )
        );
      end if;
    end if;
  end loop;

  return query
  select
    a.lease_token, a.attempt, case when a.lease_token = any (v_cancelled) then 'cancelled' else a.state end,
    a.lease_token = any (v_deactivating)
  from unnest(v_recorded) a;
end
$$;
comment on function crm.delivery_record(json) is
  'Records the outcomes of attempts in the order in which they ended, and schedules the next attempts. An outcome is '
  'an object with workspace_id, delivery_id, lease_token, status, reason (absent after a success), duration_ms, answer '
  'and body_digest (hexadecimal). An answer is dropped if its delivery may have been claimed before the last '
  'erasure in the workspace ended (crm.webhook_erasures). The fifth failure ends a delivery and deactivates the '
  'subscription (spec 6.5), and adds a line to the audit log. A failure after the subscription was deleted cancels the '
  'delivery. If another dispatcher has claimed the delivery meanwhile, the outcome changes nothing and is not returned. '
  'last_success_at may lag up to 10 s behind the newest success.';

create function crm.deliveries_due() returns boolean
language plpgsql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return exists (select from crm.webhook_queue q where q.state = 'ready')
    or exists (select from crm.webhook_unsettled)
    or exists (select from crm.webhook_subscriptions s where s.notice_due_at <= statement_timestamp())
    or exists (select from crm.webhook_queue q where q.state = 'leased' and q.lease_until <= statement_timestamp())
    or exists (
      select from crm.webhook_shards s
      where exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'waiting' and q.due_at <= statement_timestamp() + interval '15 s'
        offset 0
      )
    );
end
$$;
comment on function crm.deliveries_due() is
  'Whether a claim would find work now or within 15 seconds, or a mail is due (crm.notice_claim). The job '
  'webhook-dispatch asks every 10 seconds, so the dispatcher is awake at least 5 seconds before a delivery is due.';
create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  -- Due now: a delivery that is still ready because another claim had locked its shard, or because it was added later.
  -- A ready delivery does not count while its workspace has another one in flight, because the dispatcher that sends
  -- that one will claim the ready one.
  if exists (select from crm.webhook_unsettled) or exists (
    select from (select distinct q.workspace_id from (
      select q.workspace_id from crm.webhook_queue q where q.state = 'ready' limit 1000
    ) q) r
    where not exists (
      select from crm.webhook_queue l
      where l.state = 'leased'
        and (l.shard, l.workspace_id) >= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
        and (l.shard, l.workspace_id) <= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
    )
  ) then
    return 0;
  end if;
  select min(d.due_at) into v_next
  from crm.webhook_shards s
  cross join lateral (
    select q.due_at from crm.webhook_queue q
    where q.shard = s.shard and q.state = 'waiting' and q.due_at <= v_now + p_within
    order by q.due_at limit 1
  ) d;
  -- Null needs its own case, because greatest() ignores null.
  return case when v_next is not null then greatest(extract(epoch from v_next - v_now), 0) end;
end
$$;
comment on function crm.next_delivery_due(interval) is
  'Seconds until the next delivery is due; null if none becomes due within p_within. A dispatcher calls this when it '
  'has claimed all that it may, so deliveries that wait because their subscription or workspace is at its limit do not '
  'count.';
create function crm.poke_dispatcher() returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_url text;
  v_secret text;
begin
  if not crm.deliveries_due() then return; end if;
  -- On Supabase, pg_net calls the dispatcher. Elsewhere, the local scheduler listens for the notification. The
  -- statements are dynamic, because the schemas net and vault may not exist.
  if to_regproc('net.http_post') is null or to_regclass('vault.decrypted_secrets') is null then
    perform pg_notify('webhook_dispatch', '');
    return;
  end if;
  execute format(
    'select max(decrypted_secret) filter (where name = %L), max(decrypted_secret) filter (where name = %L) from %I.%I',
    'webhook_dispatcher_url', 'webhook_dispatcher_secret', 'vault', 'decrypted_secrets'
  ) into v_url, v_secret;
  if v_url is null or v_secret is null then
    raise warning 'webhook_dispatcher_url and webhook_dispatcher_secret are not in the vault: no dispatcher is called';
    return;
  end if;
  -- pg_net always puts its functions into the schema net.
  execute format('select %I.%I(url := $1, headers := $2)', 'net', 'http_post')
  using v_url, jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json');
end
$$;
comment on function crm.poke_dispatcher() is
  'Pokes the dispatcher if it has work now or within 15 seconds (crm.deliveries_due). Security definer, because '
  'members'' verbs call it and it reads the queue of every workspace.';
create function crm.resume_webhooks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Lock the shard first, as claims do. Otherwise this statement and a claim could deadlock, because claims lock
  -- markers in another order.
  perform from crm.webhook_shards p where p.shard = get_byte(uuid_send(new.id), 15) & 15 for update;
  perform crm.unsettle_subscription(s.workspace_id, s.id, false)
  from crm.webhook_subscriptions s
  where s.workspace_id = new.id and s.is_active;
  perform crm.poke_dispatcher();
  return null;
end
$$;
comment on function crm.resume_webhooks() is
  'Trigger: releases held deliveries and pokes the dispatcher when a workspace may send webhooks again. The deliveries '
  'kept their attempts and due times, so the dispatcher sends overdue deliveries at once.';
create trigger resume_webhooks after update of suspended, public_api on crm.workspaces for each row
when ((old.suspended or not old.public_api) and not new.suspended and new.public_api)
execute function crm.resume_webhooks();
create function crm.stuck_deliveries(p_bound integer) returns setof crm.webhook_queue
language plpgsql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
    select q.*
    from (
      (select q.* from crm.webhook_queue q where q.state = 'ready' limit p_bound)
      union all
      (select q.* from crm.webhook_queue q where q.state = 'leased' limit p_bound)
      union all
      select w.* from crm.webhook_shards s
      cross join lateral (
        select q.* from crm.webhook_queue q where q.shard = s.shard and q.state = 'waiting' order by q.due_at limit p_bound
      ) w
    ) q
    where q.due_at <= statement_timestamp() - interval '1 minute'
      and (q.lease_until is null or q.lease_until <= statement_timestamp())
      and crm.may_send(q.workspace_id, q.subscription_id)
      -- If an attempt is in progress in the workspace, the dispatcher is running, and the other deliveries only wait
      -- for a slow receiver.
      and not exists (
        select from crm.webhook_queue l
        where l.state = 'leased' and l.lease_until > statement_timestamp()
          and (l.shard, l.workspace_id) >= (q.shard, q.workspace_id)
          and (l.shard, l.workspace_id) <= (q.shard, q.workspace_id)
      );
end
$$;
comment on function crm.stuck_deliveries(integer) is
  'Deliveries that have been due for over a minute while the dispatcher does nothing for their workspace. Reads at '
  'most p_bound ready rows, p_bound leased rows, and p_bound waiting rows of each shard.';
create function crm.check_health() returns text
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Bounded, because anybody may call the health check.
  return case when exists (select from crm.stuck_deliveries(1000)) then 'degraded' else 'ok' end;
end
$$;
comment on function crm.check_health() is
  'The state of webhooks for the health check: degraded if a delivery of an active subscription has been due for over '
  'a minute and the dispatcher does nothing for its workspace; otherwise ok.';

create function crm.waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer) returns integer
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
begin
  return (
    select count(*)
    from (
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'ready'
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state <> 'ready' and q.lease_until is null
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'leased'
        limit p_limit
      )
      limit p_limit
    ) waiting
  );
end
$$;
comment on function crm.waiting_deliveries(uuid, uuid, integer) is
  'How many deliveries of a subscription are in the queue, counted up to p_limit.';
create function crm.queue_share(p_workspace_id uuid) returns integer
language plpgsql stable set search_path = '' as $$
begin
  return (
    select w.max_waiting_deliveries / greatest(
      (select count(*) from crm.webhook_subscriptions s where s.workspace_id = w.id and s.is_active), 1
    )::integer
    from crm.workspaces w
    where w.id = p_workspace_id
  );
end
$$;
comment on function crm.queue_share(uuid) is
  'How many deliveries may wait for one subscription. The active subscriptions share max_waiting_deliveries equally, '
  'so that the deliveries to a receiver that is down do not fill the queue for the others.';
create function crm.queue_room(p_workspace_id uuid, p_subscription_id uuid) returns integer
language plpgsql stable set search_path = '' as $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
begin
  return v_share - crm.waiting_deliveries(p_workspace_id, p_subscription_id, v_share);
end
$$;
comment on function crm.queue_room(uuid, uuid) is 'How many more deliveries may wait for a subscription now.';
create function crm.require_room(p_workspace_id uuid, p_subscription_id uuid) returns integer
language plpgsql stable set search_path = '' as $$
declare
  v_room integer := crm.queue_room(p_workspace_id, p_subscription_id);
begin
  if v_room <= 0 then perform crm.raise_code('queue_full'); end if;
  return v_room;
end
$$;
comment on function crm.require_room(uuid, uuid) is
  'Returns crm.queue_room, or raises queue_full if there is no room. Called for deliveries that somebody requests, '
  'such as a test.';
create function crm.subscribers(p_workspace_id uuid, p_event crm.event_type) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types) and s.filters is null
  );
end
$$;
comment on function crm.subscribers(uuid, crm.event_type) is
  'A workspace''s active subscriptions to a type of event, without subscriptions that have filters '
  '(crm.fan_out_filtered).';
create function crm.catch_up_lock(p_subscription_id uuid) returns bigint
language sql immutable set search_path = ''
as $$ select crm.lock_number('catch-up of ' || p_subscription_id) $$;
comment on function crm.catch_up_lock(uuid) is
  'The advisory lock of a subscription that is behind. A transaction that leaves a delivery to the catch-up holds the '
  'lock in share mode until the transaction ends. The last step of the catch-up takes the lock exclusively. By then '
  'all these transactions have ended, so the step sees every event that has no delivery.';
create function crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
  v_behind uuid[];
  v_full uuid[];
begin
  -- If the lock is not free, the catch-up is about to end: do not wait, but create the deliveries here.
  v_behind := array(
    select b.id
    from (
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.behind_since is not null
      offset 0
    ) b
    where pg_try_advisory_xact_lock_shared(crm.catch_up_lock(b.id))
  );
  if v_behind <> '{}' then
    -- Read in a new snapshot, because a catch-up may have ended before this transaction took the lock. No catch-up can
    -- end while this transaction holds the lock.
    v_behind := array(
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (v_behind) and s.behind_since is not null
    );
  end if;

  with chosen as materialized (
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.is_active and s.behind_since is null
      and crm.waiting_deliveries(s.workspace_id, s.id, v_share) + cardinality(p_event_ids) > v_share
    -- Skip locked rows, so that no request waits here. The transaction with the lock may be marking the same
    -- subscription. At worst, this creates a few more deliveries than the share allows.
    for no key update skip locked
  ),
  marked as (
    update crm.webhook_subscriptions s
    -- The catch-up starts at the horizon, below which every transaction has ended. A transaction that sees this mark
    -- and creates no deliveries ends later, so its events are above the horizon and the catch-up finds them.
    set behind_since = now(), behind_position = crm.feed_horizon() - 1, behind_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    from chosen c
    where s.workspace_id = p_workspace_id and s.id = c.id
    returning s.id
  )
  select coalesce(array_agg(m.id), '{}') into v_full from marked m;

  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where s.id <> all (v_behind || v_full);
  if found then perform set_config('app.events_enqueued', 'true', true); end if;
end
$$;
comment on function crm.fan_out_within_bound(uuid, uuid[], uuid[]) is
  'Creates the deliveries of events for subscriptions whose share of the queue has room. A subscription without room '
  'is marked as behind, and gets its deliveries from the job webhook-catch-up. Waits for no lock. Sets '
  'app.events_enqueued if it created a delivery.';
create function crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) returns boolean
language sql volatile
as $$ select p_is_behind or random() * p_max_waiting < p_deliveries * 10 $$;
comment on function crm.checks_queue(boolean, bigint, integer) is
  'Whether p_deliveries new deliveries must go through crm.fan_out_within_bound. Null if there is no subscription.';
create function crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' as $$
begin
  if p_subscription_ids = '{}' then return; end if;
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where not (
      select crm.checks_queue(
        false, cardinality(p_event_ids)::bigint * cardinality(p_subscription_ids), w.max_waiting_deliveries
      )
      from crm.workspaces w where w.id = p_workspace_id
    )
    and not exists (
      select from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.behind_since is not null and s.id = any (p_subscription_ids)
    );
  if found then
    perform set_config('app.events_enqueued', 'true', true);
  else
    perform crm.fan_out_within_bound(p_workspace_id, p_event_ids, p_subscription_ids);
  end if;
end
$$;
comment on function crm.fan_out(uuid, uuid[], uuid[]) is
  'Enqueues a delivery of each event for each subscription in the caller''s transaction, as far as the queue has room '
  '(crm.fan_out_within_bound). Sets app.events_enqueued if there is a delivery. The caller ensures that the '
  'subscriptions are active and have the events'' types, and that their filters let the events pass.';
create function crm.fan_out_filtered(p_workspace_id uuid, p_event crm.event_type, p_event_ids uuid[]) returns void
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_subscription_id uuid;
  v_passing uuid[];
begin
  for v_subscription_id, v_passing in
    select s.id, array(
      select e.id from unnest(p_event_ids) i (id)
      join crm.events e on e.workspace_id = p_workspace_id and e.id = i.id
      where crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts)
    )
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types) and s.filters is not null
  loop
    if v_passing <> '{}' then perform crm.fan_out(p_workspace_id, v_passing, array[v_subscription_id]); end if;
  end loop;
end
$$;
comment on function crm.fan_out_filtered(uuid, crm.event_type, uuid[]) is
  'Does the same as crm.fan_out, for the active subscriptions with filters. p_event: the type of all these events.';

create type crm.caught_up as (
  workspace_id uuid, subscription_id uuid, behind_since timestamptz, position bigint, id uuid,
  is_done boolean, queued bigint
);
comment on type crm.caught_up is
  'How far a subscription was caught up: the place reached in the feed, whether every event now has its delivery, how '
  'many deliveries were queued.';
create function crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamptz) returns crm.caught_up
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
set lock_timeout = '500ms' as $$
declare
  r crm.caught_up := row(s.workspace_id, s.id, s.behind_since, s.behind_position, s.behind_id, false, 0);
  v_room integer := crm.queue_room(s.workspace_id, s.id);
  -- 30 days, because deliveries are kept that long. Two days, because a transaction with earlier events may have been
  -- open that long when the subscription fell behind (api.event_list).
  v_from uuid := crm.uuid_v7_floor(
    greatest(s.created_at, s.behind_since - interval '2 days', now() - interval '30 days')
  );
  v_step integer;
  v_seen integer;
  v_added integer;
  v_last_position bigint;
  v_last_id uuid;
begin
  while v_room > 0 and clock_timestamp() < p_deadline loop
    v_step := least(v_room, 5000);
    with next as materialized (
      select
        e.position, e.id,
        e.event = any (s.event_types) and not e.is_test and (
          s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts)
        ) as is_owed
      from crm.events e
      where e.workspace_id = s.workspace_id
        and (e.position, e.id) > (r.position, r.id) and e.position < crm.feed_horizon() and e.id >= v_from
      order by e.position, e.id limit v_step
    ),
    added as (
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
      select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from next n where n.is_owed
      on conflict (workspace_id, id) do nothing
      returning 1
    )
    select
      (select count(*) from next), (select count(*) from added), l.position, l.id
    into v_seen, v_added, v_last_position, v_last_id
    from (select) one
    left join lateral (select n.position, n.id from next n order by n.position desc, n.id desc limit 1) l on true;

    r.position := coalesce(v_last_position, r.position);
    r.id := coalesce(v_last_id, r.id);
    r.queued := r.queued + v_added;
    v_room := v_room - v_added;
    if v_seen < v_step then
      exit when v_room = 0;
      -- The lock is granted once all transactions that left deliveries out have ended. Later transactions find the lock
      -- taken, and create their deliveries themselves.
      begin
        perform pg_advisory_xact_lock(crm.catch_up_lock(s.id));
      exception
        -- A transaction that left deliveries out is still open. The next run tries again.
        when lock_not_available then
          exit;
      end;
      with rest as materialized (
        select e.id from crm.events e
        where e.workspace_id = s.workspace_id and (e.position, e.id) > (r.position, r.id) and e.id >= v_from
          and e.event = any (s.event_types) and not e.is_test
          and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts))
          and not exists (
            select from crm.webhook_deliveries d
            where d.workspace_id = s.workspace_id and d.id = crm.delivery_id(e.id, s.id)
          )
        order by e.position, e.id limit v_room + 1
      ),
      added as (
        insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
        select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from rest n
        on conflict (workspace_id, id) do nothing
      )
      select count(*) into v_added from rest;
      r.queued := r.queued + v_added;
      r.is_done := v_added <= v_room;
      exit;
    end if;
  end loop;
  return r;
end
$$;
comment on function crm.catch_up(crm.webhook_subscriptions, timestamptz) is
  'Creates the deliveries that a subscription lacks, in the order of the feed, as many as the queue has room for, '
  'until p_deadline. Does not lock the subscription''s row, because recording outcomes would wait for that lock. When '
  'the caller has caught up all its subscriptions, it stores the place that each reached.';
create function crm.catch_up_subscriptions() returns bigint
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions;
  r crm.caught_up;
  v_all crm.caught_up[] := '{}';
  v_queued bigint := 0;
begin
  for s in
    select b.* from crm.webhook_subscriptions b where b.behind_since is not null and b.is_active order by random()
  loop
    exit when clock_timestamp() > statement_timestamp() + interval '2 s';
    -- One catch-up or recovery at a time in a workspace: two transactions that insert the same rows could deadlock.
    continue when not pg_try_advisory_xact_lock(crm.lock_number('recovery of ' || s.workspace_id));
    r := crm.catch_up(s, statement_timestamp() + interval '2 s');
    v_all := v_all || r;
    v_queued := v_queued + r.queued;
  end loop;

  with reached as (
    select b.workspace_id, b.id, c.position as reached_position, c.id as reached_id, c.is_done
    from unnest(v_all) c
    join crm.webhook_subscriptions b on b.workspace_id = c.workspace_id and b.id = c.subscription_id
    -- Skips a subscription that was deleted meanwhile, even if it has fallen behind again after a reactivation.
    where b.behind_since = c.behind_since
    -- The next run repeats the work for rows that are locked now.
    for no key update of b skip locked
  )
  update crm.webhook_subscriptions b
  set
    behind_since = case when not c.is_done then b.behind_since end,
    behind_position = case when not c.is_done then c.reached_position end,
    behind_id = case when not c.is_done then c.reached_id end
  from reached c
  where b.workspace_id = c.workspace_id and b.id = c.id;

  if v_queued > 0 then perform crm.poke_dispatcher(); end if;
  return v_queued;
end
$$;
comment on function crm.catch_up_subscriptions() is
  'Catches up the subscriptions that are behind, for about 2 seconds, and returns how many deliveries it created. A '
  'killed run changes nothing.';

create function crm.require_own_workspace(p_workspace_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if p_workspace_id is distinct from coalesce(crm.current_workspace_id(), p_workspace_id) then
    raise exception 'The workspace % is not the caller''s', p_workspace_id;
  end if;
end
$$;
comment on function crm.require_own_workspace(uuid) is
  'Raises an error if the workspace is not the caller''s. Called by security definer functions that take a workspace, '
  'because row-level security does not apply to them. The operator is in no workspace and may name any workspace.';
create function crm.redeliver(
  p_workspace_id uuid, p_subscription_id uuid, p_ids uuid[], out count integer, out not_queued uuid[]
)
language plpgsql security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  v_leased uuid[];
  v_waiting uuid[];
  v_ended uuid[];
  v_room integer;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- Lock queue rows before deliveries, and both in order of id, as crm.delivery_record does, so that the two functions
  -- cannot deadlock.
  select
    coalesce(array_agg(q.delivery_id) filter (where q.state = 'leased'), '{}'),
    coalesce(array_agg(q.delivery_id) filter (where q.state <> 'leased'), '{}')
  into v_leased, v_waiting
  from (
    select q.delivery_id, q.state
    from (select distinct u.id from unnest(p_ids) u (id) order by u.id) i
    cross join lateral (
      select q.delivery_id, q.state from crm.webhook_queue q
      where q.workspace_id = p_workspace_id and q.delivery_id = i.id and q.subscription_id = p_subscription_id
      for update
    ) q
  ) q;
  v_ended := array(
    select i.id
    from (select distinct u.id from unnest(p_ids) u (id) where u.id <> all (v_leased || v_waiting)) i
    cross join lateral (
      select from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id
      offset 0
    ) d
    order by i.id
  );
  if v_ended <> '{}' then
    v_room := case
      when v_leased || v_waiting = '{}' then crm.require_room(p_workspace_id, p_subscription_id)
      else greatest(crm.queue_room(p_workspace_id, p_subscription_id), 0)
    end;
  end if;
  not_queued := coalesce(v_ended[v_room + 1:], '{}');
  v_ended := coalesce(v_ended[:v_room], '{}');
  update crm.webhook_deliveries d
  set
    state = 'pending',
    series = case when d.state = 'pending' then d.series else d.series + 1 end,
    attempts = case when d.state = 'pending' then d.attempts else 0 end,
    -- Not clock_timestamp(), which is later: functions of the queue that run in the same statement compare due times
    -- with statement_timestamp().
    next_attempt_at = statement_timestamp()
  -- In order of id, so that simultaneous calls do not deadlock.
  from (select u.id from unnest(v_waiting || v_ended) u (id) order by u.id) i
  where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id;
  -- Leased deliveries count too, because a dispatcher is sending them now.
  count := cardinality(v_leased) + cardinality(v_waiting) + cardinality(v_ended);
end
$$;
comment on function crm.redeliver(uuid, uuid, uuid[]) is
  'Sends deliveries of a subscription now, under the same ids. An ended delivery gets five new attempts, and its '
  'earlier attempts stay. A waiting delivery gets no additional attempts. Deliveries of an inactive subscription wait '
  'until it is reactivated. Takes older deliveries first. count: how many of these deliveries are in the queue now. '
  'not_queued: the ids for which the queue has no room. Raises queue_full if the queue has none of the deliveries and '
  'no room for any. Security definer, because verbs may not write deliveries.';
create function crm.send_test_event(
  p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type default null
) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_delivery_id uuid;
begin
  perform crm.require_own_workspace(p_workspace_id);
  perform crm.require_room(p_workspace_id, p_subscription_id);
  with event as (
    insert into crm.events (workspace_id, event, object_id, facts, is_test)
    select s.workspace_id, coalesce(p_event, s.event_types[1]), '00000000-0000-0000-0000-000000000000', '{}', true
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
    returning workspace_id, id
  )
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select e.workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id from event e
  returning id into v_delivery_id;
  return v_delivery_id;
end
$$;
comment on function crm.send_test_event(uuid, uuid, crm.event_type) is
  'Queues a test event for one subscription and returns the id of its delivery; null if there is no such subscription. '
  'p_event: the type of the event; null means the subscription''s first type. The object''s id is the nil UUID, and '
  'the data is a sample with "test": true, so a receiver that mistakes the test for a real event finds no record to '
  'change. Raises queue_full. Security definer, because verbs may not write events.';
create function crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  v_resumed bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  select count(*) into v_resumed
  from crm.webhook_subscriptions s
  join crm.webhook_queue q on q.shard = get_byte(uuid_send(s.workspace_id), 15) & 15
    and q.workspace_id = s.workspace_id and q.subscription_id = s.id
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
    and q.state <> 'ready' and q.lease_until is null;

  update crm.webhook_subscriptions s
  set is_active = true, failure_count = 0, slow_since = null
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active;
  return v_resumed;
end
$$;
comment on function crm.reactivate_subscription(uuid, uuid) is
  'Activates an inactive subscription and sets its failure_count to 0. Makes its waiting deliveries due now and '
  'returns their number. The first 500 become due in this call, the rest in later claims. Failed deliveries stay '
  'failed, until crm.redeliver sends them. Does not change an active subscription. Security definer, because verbs may '
  'not write deliveries.';
create function crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[])
returns table (id uuid, name crm.record_name, prefix text, is_revoked boolean)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform crm.require_own_workspace(p_workspace_id);
  return query
  select k.id, k.name, k.prefix, k.revoked_at is not null from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = any (p_key_ids);
end
$$;
comment on function crm.makers_of_subscriptions(uuid, uuid[]) is
  'The names and prefixes of keys that created subscriptions, and whether each key is revoked. Security definer, '
  'because crm_api cannot read keys.';
create function crm.resume_subscription(
  p_workspace_id uuid, p_id uuid, out was_inactive boolean, out resumed bigint, out revoked_key json
)
language plpgsql set search_path = '' as $$
declare
  v_key_id uuid;
begin
  select not s.is_active, s.key_id into was_inactive, v_key_id from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then return; end if;
  select json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) into revoked_key
  from crm.makers_of_subscriptions(p_workspace_id, array[v_key_id]) k
  where k.is_revoked;
  resumed := 0;
  if was_inactive then
    perform crm.check_active_subscriptions(p_workspace_id, 'active_subscriptions');
    resumed := crm.reactivate_subscription(p_workspace_id, p_id);
  end if;
end
$$;
comment on function crm.resume_subscription(uuid, uuid) is
  'Reactivates a subscription; raises validation_error if the workspace has 50 active subscriptions. was_inactive: '
  'null if there is no such subscription. resumed: how many deliveries were waiting. revoked_key: the key that created '
  'the subscription, if that key is revoked.';
create function crm.recover_deliveries(
  p_workspace_id uuid, p_subscription_id uuid, p_since timestamptz, p_until timestamptz,
  p_dry_run boolean default false, out count bigint, out next_since timestamptz
)
language plpgsql security definer set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  c_max_deliveries constant integer := 20000;
  c_step constant integer := 2000;
  v_room integer;
  v_step integer;
  v_from uuid := crm.uuid_v7_floor(p_since);
  v_to uuid := case when p_until is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else crm.uuid_v7_floor(p_until) end;
  v_types crm.event_type[];
  v_filters jsonb;
  v_next_id uuid;
  v_owed uuid[];
  v_added bigint;
  v_begun_at timestamptz;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- One recovery at a time, because each may take over a second, and a key may call 120 times a minute by default.
  perform pg_advisory_xact_lock(crm.lock_number('recovery of ' || p_workspace_id));
  v_begun_at := clock_timestamp();
  select s.event_types, s.filters into v_types, v_filters from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;

  v_room := least(crm.require_room(p_workspace_id, p_subscription_id), c_max_deliveries);
  -- Only time limits a dry run.
  if p_dry_run then v_room := 2147483647; end if;
  count := 0;
  loop
    v_step := least(v_room - count, c_step);
    v_next_id := null;
    select e.id into v_next_id from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < v_to
    order by e.id
    offset v_step limit 1;

    v_owed := array(
      select e.id from crm.events e
      where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < coalesce(v_next_id, v_to)
        and e.event = any (v_types) and not e.is_test
        and (v_filters is null or crm.passes_filters(v_filters, e.workspace_id, e.event, e.object_id, e.facts))
        and (
          select k.state from crm.webhook_deliveries k
          where k.workspace_id = p_workspace_id and k.id = crm.delivery_id(e.id, p_subscription_id)
        ) in ('delivered', 'pending') is not true
    );
    v_added := cardinality(v_owed);
    if not p_dry_run then
      insert into crm.webhook_deliveries as d (workspace_id, id, event_id, subscription_id, next_attempt_at)
      select p_workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id, statement_timestamp()
      from unnest(v_owed) e (id)
      -- A failed or cancelled delivery gets five new attempts under the same id, as in crm.redeliver.
      on conflict (workspace_id, id) do update
      set state = 'pending', series = d.series + 1, attempts = 0, next_attempt_at = excluded.next_attempt_at
      where d.state in ('failed', 'cancelled');
      get diagnostics v_added = row_count;
    end if;
    count := count + v_added;
    -- Stop 1.2 s after this call got the lock. The caller can call again for the remaining events.
    exit when v_next_id is null or count >= v_room
      or clock_timestamp() > v_begun_at + interval '1200 milliseconds';
    v_from := v_next_id;
  end loop;
  next_since := crm.uuid_v7_time(v_next_id);

  -- Lock the subscription after the deliveries, as crm.delivery_record does. If a transaction has deactivated the
  -- subscription meanwhile, this query finds no active row. A transaction that deactivates it later waits for this
  -- lock, and then finds the new deliveries.
  perform from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.is_active
  for no key update;
  if not found then perform api.fail('subscription_inactive'); end if;
end
$$;
comment on function crm.recover_deliveries(uuid, uuid, timestamptz, timestamptz, boolean) is
  'Queues the events of a period that a subscription did not receive: events without a delivery, and events whose '
  'delivery failed or was cancelled. Skips events whose delivery arrived or is waiting, so a repeated call sends '
  'nothing twice. Also skips test events, and events that the subscription''s filters exclude now. Takes the oldest '
  'events first, at most 20,000, and stops after little more than a second or when the queue has no more room. Raises '
  'queue_full if the queue has room for none. next_since: where the next call continues; null if nothing is left. With '
  'p_dry_run, only counts the events, without the limit of 20,000. Recoveries in one workspace wait for each other. '
  'The period goes back 30 days at most, and is compared with the time in an event''s id, when the event was stored. '
  'Security definer, because verbs may not write deliveries.';
create function crm.recover(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_since timestamptz := p_args ->> 'since';
  v_until timestamptz := p_args ->> 'until';
  v_recovered record;
begin
  -- A future `since` is usually a mistake in the time zone or the year.
  if v_since > now() then perform api.fail('validation_error', array['since'], 'Não pode estar no futuro'); end if;
  if v_until <= v_since then perform api.fail('validation_error', array['until'], 'Deve ser depois de since'); end if;
  -- Truncated to milliseconds, like the times in event ids and in the reply. Deliveries are kept for 30 days, so older
  -- events get none.
  v_since := greatest(v_since, date_trunc('milliseconds', now() - interval '30 days'));
  if not coalesce((p_args ->> 'before_creation')::boolean, false) then
    select greatest(v_since, date_trunc('milliseconds', s.created_at)) into v_since from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id;
  end if;
  select * into v_recovered from crm.recover_deliveries(
    p_workspace_id, p_subscription_id, v_since, v_until, coalesce((p_args ->> 'dry_run')::boolean, false)
  );
  return json_build_object(
    'count', v_recovered.count, 'has_more', v_recovered.next_since is not null,
    'next_since', crm.iso(v_recovered.next_since), 'since', crm.iso(v_since)
  );
end
$$;
comment on function crm.recover(uuid, uuid, jsonb) is
  'Runs crm.recover_deliveries with the arguments since, until, before_creation and dry_run. Without before_creation, '
  'the period begins no earlier than the subscription was created, because its receiver never asked for older events. '
  'Returns count, has_more, next_since, and since (where the period began). Raises validation_error, '
  'subscription_inactive, queue_full.';
create function crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_event <> all (s.event_types) then
    perform api.fail('validation_error', array['event_type'], 'A assinatura não tem este evento');
  end if;
end
$$;
comment on function crm.check_subscribed(crm.webhook_subscriptions, crm.event_type) is
  'Raises validation_error if a subscription does not include this event type, because its receiver does not expect '
  'such an event.';
create function crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform crm.require_own_workspace(p_workspace_id);
  update crm.webhook_secrets k
  set
    secret = case
      when p_overlap_seconds = 0 then p_secret
      -- If an earlier overlap has ended, next_secret is the current secret.
      when k.next_from <= now() then k.next_secret
      else k.secret
    end,
    next_secret = case when p_overlap_seconds > 0 then p_secret end,
    next_from = case when p_overlap_seconds > 0 then now() + make_interval(secs => p_overlap_seconds) end
  where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id;
end
$$;
comment on function crm.rotate_secret(uuid, uuid, bytea, integer) is
  'Gives a subscription a new secret (encrypted by the caller). During the overlap, the current secret signs each '
  'attempt, and the new secret adds a second signature. With an overlap of 0, only the new secret signs from now on. A '
  'rotation during an overlap replaces the new secret and keeps the current one, so that a client can repeat a call '
  'whose reply was lost. Security definer, because verbs may not read secrets.';

create function crm.own_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions;
begin
  select * into s from crm.webhook_subscriptions w
  where w.workspace_id = crm.current_workspace_id() and w.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  return s;
end
$$;
comment on function crm.own_subscription(uuid) is 'A subscription of the current workspace; raises not_found.';
create function crm.own_active_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription(p_id);
begin
  if not s.is_active then perform api.fail('subscription_inactive'); end if;
  return s;
end
$$;
comment on function crm.own_active_subscription(uuid) is
  'An active subscription of the current workspace; raises not_found, subscription_inactive.';
create function crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from crm.webhook_deliveries d
    where d.workspace_id = s.workspace_id and d.id = p_delivery_id and d.subscription_id = s.id
  ) then
    perform api.fail('not_found');
  end if;
end
$$;
comment on function crm.require_own_delivery(crm.webhook_subscriptions, uuid) is
  'Raises not_found if the subscription has no such delivery.';
create function crm.wake_dispatcher() returns void
language plpgsql set search_path = ''
as $$ begin perform set_config('app.events_enqueued', 'true', true); end $$;
comment on function crm.wake_dispatcher() is
  'Makes the edge function poke the dispatcher after its reply, as crm.fan_out does for an event with deliveries.';
create function api.webhook_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.subscription_overview(s.workspace_id, s.id);
end
$$;
comment on function api.webhook_get(jsonb) is
  'Returns a subscription with the key that created it and the outcomes of its deliveries in 7 days '
  '(crm.subscription_overviews).';
create function api.webhook_deliveries(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.delivery_page(s.workspace_id, s.id, p_args);
end
$$;
comment on function api.webhook_deliveries(jsonb) is
  'Returns a page of a subscription''s deliveries, newest event first, filtered by state, event, since and until.';
create function api.webhook_delivery(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.require_own_delivery(s, (p_args ->> 'delivery_id')::uuid);
  return crm.require_record(crm.delivery_detail(s.workspace_id, (p_args ->> 'delivery_id')::uuid));
end
$$;
comment on function api.webhook_delivery(jsonb) is
  'Returns a delivery of a subscription with its attempts, and the request that an attempt would send now.';
create function api.webhook_redeliver(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_delivery_id uuid := p_args ->> 'delivery_id';
begin
  perform crm.require_own_delivery(s, v_delivery_id);
  perform crm.own_active_subscription(s.id);
  perform crm.redeliver(s.workspace_id, s.id, array[v_delivery_id]);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.require_record(crm.delivery_summary(s.workspace_id, v_delivery_id)),
    json_build_object('held', crm.holds_webhooks(s.workspace_id))
  );
end
$$;
comment on function api.webhook_redeliver(jsonb) is
  'Sends a delivery of a subscription now, under the same id (crm.redeliver), and returns it. A repeated call adds no '
  'attempt while the delivery waits or is in flight.';
create function crm.redeliver_all(p_workspace_id uuid, p_subscription_id uuid, p_ids uuid[]) returns json
language plpgsql set search_path = '' as $$
declare
  v_known uuid[] := array(
    select i.id
    from unnest(p_ids) i (id)
    -- crm.delivery_summaries explains `offset 0`.
    cross join lateral (
      select d.event_id from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id
      offset 0
    ) d
    cross join lateral (
      select from crm.events e where e.workspace_id = p_workspace_id and e.id = d.event_id offset 0
    ) e
  );
  v_sent record;
begin
  select * into v_sent from crm.redeliver(p_workspace_id, p_subscription_id, v_known);
  return json_build_object(
    'count', v_sent.count,
    'not_queued', (
      select coalesce(json_agg(json_build_object('id', r.id, 'reason', r.reason) order by r.n), '[]')
      from (
        select
          i.id, min(i.n) as n,
          case
            when i.id <> all (v_known) then 'not_found'
            when i.id = any (v_sent.not_queued) then 'queue_full'
          end as reason
        from unnest(p_ids) with ordinality i (id, n)
        group by i.id
      ) r
      where r.reason is not null
    ),
    'held', crm.holds_webhooks(p_workspace_id)
  );
end
$$;
comment on function crm.redeliver_all(uuid, uuid, uuid[]) is
  'JSON of the result of crm.redeliver: count, held and not_queued. not_queued lists the ids that are not sent again, '
  'each with a reason: not_found (the subscription has no such delivery, or its event was dropped) or queue_full (the '
  'queue has no room for it). Raises queue_full if the queue has none of the deliveries and no room for any.';
create function api.webhook_redeliver_all(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_sent json := crm.redeliver_all(s.workspace_id, s.id, crm.listed_ids(p_args, 'ids'));
begin
  perform crm.wake_dispatcher();
  return v_sent;
end
$$;
comment on function api.webhook_redeliver_all(jsonb) is
  'Sends up to 100 deliveries of a subscription now, under the same ids (crm.redeliver_all). A repeated call adds no '
  'attempt to a delivery that waits or is in flight.';
create function api.webhook_test(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_event crm.event_type := p_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.check_subscribed(s, v_event);
  v_delivery_id := crm.send_test_event(s.workspace_id, s.id, v_event);
  perform crm.wake_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(s.workspace_id));
end
$$;
comment on function api.webhook_test(jsonb) is
  'Sends a test event to a subscription. It takes no Idempotency-Key, because a repeated test does no harm.';
create function api.webhook_reactivate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_outcome record;
begin
  -- A call that began before its key was revoked must not reactivate a subscription that the revocation deactivated.
  if not crm.lock_key(crm.current_caller_id()) then perform api.fail('revoked_api_key'); end if;
  select * into v_outcome from crm.resume_subscription(s.workspace_id, s.id);
  perform crm.wake_dispatcher();
  s := crm.own_subscription(s.id);
  return crm.with_fields(
    crm.subscription_json(s),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;
comment on function api.webhook_reactivate(jsonb) is
  'Reactivates a subscription and sends its waiting deliveries; does not change an active subscription. Returns the '
  'subscription with resumed and revoked_key (crm.resume_subscription). Raises revoked_api_key if the calling key was '
  'revoked during the call.';
create function api.webhook_recover(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_recovery json := crm.recover(s.workspace_id, s.id, p_args);
begin
  if p_args -> 'dry_run' is distinct from 'true' then perform crm.wake_dispatcher(); end if;
  return v_recovery;
end
$$;
comment on function api.webhook_recover(jsonb) is
  'Queues the events from since to until (now if absent) that a subscription did not receive (crm.recover).';
create function api.webhook_rotate_secret(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.rotate_secret(
    s.workspace_id, s.id, decode(p_args ->> 'encrypted_secret', 'base64'), (p_args ->> 'overlap_seconds')::integer
  );
  return crm.subscription_json(s);
end
$$;
comment on function api.webhook_rotate_secret(jsonb) is
  'Replaces the secret of a subscription (crm.rotate_secret). The edge function adds the plain secret to the reply.';

create function crm.shown_state(p_stored text, p_may_send boolean) returns text
language sql immutable parallel safe
as $$ select case when p_stored = 'pending' and not coalesce(p_may_send, false) then 'held' else p_stored end $$;
comment on function crm.shown_state(text, boolean) is
  'The state of a delivery as people see it: a pending delivery that may not be sent is held.';
create function crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, summary json)
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_may_send boolean := not crm.holds_webhooks(p_workspace_id);
begin
  return query
  select d.id, json_build_object(
    'id', d.id, 'event_id', d.event_id, 'subscription_id', d.subscription_id, 'target_url', s.target_url,
    'event', e.event, 'object_type', t.object_type, 'object_id', e.object_id,
    'object_name', crm.object_name(p_workspace_id, t.object_type, e.object_id), 'is_test', e.is_test,
    'state', crm.shown_state(d.state, m.may_send), 'attempts', d.attempts,
    'last_status', a.status, 'last_reason', a.reason, 'last_duration_ms', a.duration_ms,
    'last_attempt_at', crm.iso(a.finished_at),
    'next_attempt_at', case when d.state = 'pending' and m.may_send then crm.iso(d.next_attempt_at) end,
    'occurred_at', crm.iso(e.occurred_at), 'created_at', crm.iso(d.created_at)
  )
  from unnest(p_ids) wanted (id)
  -- The planner does not know that each id is in only one partition. `offset 0` makes it look up each id, instead of
  -- reading all deliveries of the workspace or subscription.
  cross join lateral (
    select * from crm.webhook_deliveries d where d.workspace_id = p_workspace_id and d.id = wanted.id offset 0
  ) d
  cross join lateral (
    select * from crm.events e where e.workspace_id = p_workspace_id and e.id = d.event_id offset 0
  ) e
  cross join lateral (
    select * from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = d.subscription_id offset 0
  ) s
  join crm.event_types t on t.event = e.event
  cross join lateral (select v_may_send and s.is_active as may_send) m
  left join lateral (
    -- A delivery that is sent again shows its previous attempt until the new series has an attempt.
    select * from crm.webhook_attempts a
    where a.workspace_id = p_workspace_id and a.delivery_id = d.id
    order by a.series desc, a.number desc limit 1
  ) a on true;
end
$$;
comment on function crm.delivery_summaries(uuid, uuid[]) is
  'JSON of deliveries, in no particular order: event, state (crm.shown_state), the receiver''s last response, times '
  '(spec 6.5). next_attempt_at is null if there is no next attempt.';
create function crm.delivery_summary(p_workspace_id uuid, p_id uuid) returns json
language plpgsql stable set search_path = ''
as $$ begin return (select s.summary from crm.delivery_summaries(p_workspace_id, array[p_id]) s); end $$;
comment on function crm.delivery_summary(uuid, uuid) is
  'JSON of one delivery as in crm.delivery_summaries; null if there is none.';
create function crm.delivery_ids(
  p_workspace_id uuid, p_subscription_id uuid, p_state text, p_event crm.event_type, p_since timestamptz,
  p_until timestamptz, p_cursor uuid, p_limit integer, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_before uuid := coalesce(
    least(p_cursor, case when p_until is not null then crm.uuid_v7_floor(p_until) end),
    'ffffffff-ffff-ffff-ffff-ffffffffffff'
  );
  v_from uuid := crm.uuid_v7_floor(coalesce(p_since, 'epoch'));
  v_is_filtered boolean := p_state is not null or p_event is not null;
  -- The most deliveries that one call reads. Without this limit, a call whose filter matches nothing would read all 30
  -- days. A filter by event halves the limit, because it also reads the event of each delivery.
  v_look integer := case when p_event is not null then 2500 when v_is_filtered then 5000 else p_limit + 1 end;
  v_may_send boolean := not crm.holds_webhooks(p_workspace_id);
  v_last uuid;
begin
  -- One statement for each index, because one statement for all cases could use no index. For a subscription, the
  -- condition and the order compare (subscription_id, id) as one row value, which only the subscription's index can
  -- serve. With a plain equality, the planner may expect that every row matches, and read the workspace's index. The
  -- separate conditions on the id select the partitions, and stop the scan at `since`.
  if p_subscription_id is null then
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.subscription_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id and d.id < v_before and d.id >= v_from
        order by d.id desc limit v_look
      ) w
      where (p_state is null or p_state = crm.shown_state(w.state, v_may_send and (
          select s.is_active from crm.webhook_subscriptions s
          where s.workspace_id = p_workspace_id and s.id = w.subscription_id
        )))
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if v_is_filtered and cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id < v_before and d.id >= v_from
      order by d.id desc
      offset v_look - 1 limit 1;
    end if;
  elsif p_state in ('failed', 'cancelled') then
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id and (d.subscription_id, d.id) < (p_subscription_id, v_before)
          and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
          and d.id < v_before and d.id >= v_from
          -- The partial index has this condition.
          and d.ended_badly
        order by d.subscription_id desc, d.id desc limit v_look
      ) w
      where w.state = p_state
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and (d.subscription_id, d.id) < (p_subscription_id, v_before)
        and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
        and d.id < v_before and d.id >= v_from and d.ended_badly
      order by d.subscription_id desc, d.id desc
      offset v_look - 1 limit 1;
    end if;
  else
    v_may_send := crm.may_send(p_workspace_id, p_subscription_id);
    ids := array(
      select w.id
      from (
        select d.id, d.event_id, d.state from crm.webhook_deliveries d
        where d.workspace_id = p_workspace_id and (d.subscription_id, d.id) < (p_subscription_id, v_before)
          and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
          and d.id < v_before and d.id >= v_from
        order by d.subscription_id desc, d.id desc limit v_look
      ) w
      where (p_state is null or p_state = crm.shown_state(w.state, v_may_send))
        and (p_event is null or p_event = (
          select e.event from crm.events e where e.workspace_id = p_workspace_id and e.id = w.event_id
        ))
      limit p_limit + 1
    );
    if v_is_filtered and cardinality(ids) <= p_limit then
      select d.id into v_last from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and (d.subscription_id, d.id) < (p_subscription_id, v_before)
        and d.subscription_id >= p_subscription_id and d.subscription_id = any (array[p_subscription_id])
        and d.id < v_before and d.id >= v_from
      order by d.subscription_id desc, d.id desc
      offset v_look - 1 limit 1;
    end if;
  end if;

  next_id := v_last;
  if cardinality(ids) > p_limit then
    ids := ids[:p_limit];
    next_id := ids[p_limit];
  end if;
end
$$;
comment on function crm.delivery_ids(uuid, uuid, text, crm.event_type, timestamptz, timestamptz, uuid, integer) is
  'The ids of a page of deliveries, newest event first: those of a subscription, or of the whole workspace if '
  'p_subscription_id is null. next_id: the id after which the next page begins; null if there is none. A page filtered '
  'by state looks at up to 5,000 deliveries, and a page filtered by event at up to 2,500. So a page may be short or '
  'empty although there is a next page.';
create function crm.delivery_page(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_page record;
begin
  select * into v_page from crm.delivery_ids(
    p_workspace_id, p_subscription_id, p_args ->> 'state', (p_args ->> 'event')::crm.event_type,
    (p_args ->> 'since')::timestamptz, (p_args ->> 'until')::timestamptz, (p_args ->> 'cursor')::uuid,
    coalesce((p_args ->> 'limit')::integer, 50)
  );
  return crm.page(
    array(select s.summary from crm.delivery_summaries(p_workspace_id, v_page.ids) s order by s.id desc),
    v_page.next_id
  );
end
$$;
comment on function crm.delivery_page(uuid, uuid, jsonb) is
  'A page of deliveries (crm.delivery_ids) by the arguments state, event, since, until, cursor and limit.';
create function crm.delivery_detail(p_workspace_id uuid, p_id uuid) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_delivery crm.webhook_deliveries;
  v_event crm.events;
  v_subscription crm.webhook_subscriptions;
  v_sent bytea;
  v_body text;
  v_other text;
begin
  select d.* into v_delivery from crm.webhook_deliveries d
  where d.workspace_id = p_workspace_id and d.id = p_id;
  select e.* into v_event from crm.events e
  where e.workspace_id = p_workspace_id and e.id = v_delivery.event_id;
  if not found then return null; end if;
  select s.* into v_subscription from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id;
  select a.body_digest into v_sent from crm.webhook_attempts a
  where a.workspace_id = p_workspace_id and a.delivery_id = p_id and a.body_digest is not null
  order by a.series desc, a.number desc limit 1;
  v_body := crm.delivery_body(p_id, v_event, v_subscription.payload);
  if v_delivery.state <> 'pending' and v_sent <> sha256(convert_to(v_body, 'UTF8')) then
    -- The subscription's payload form may have changed since the attempt.
    v_other := crm.delivery_body(p_id, v_event, case v_subscription.payload when 'ids' then 'full' else 'ids' end);
    if v_sent = sha256(convert_to(v_other, 'UTF8')) then v_body := v_other; end if;
  end if;
  return crm.with_fields(crm.delivery_summary(p_workspace_id, p_id), json_build_object(
    'attempts_made', (
      select coalesce(json_agg(json_build_object(
        'series', a.series, 'number', a.number, 'status', a.status, 'reason', a.reason,
        'duration_ms', a.duration_ms, 'finished_at', crm.iso(a.finished_at), 'answer', a.answer
      ) order by a.series, a.number), '[]')
      from (
        select a.* from crm.webhook_attempts a
        where a.workspace_id = p_workspace_id and a.delivery_id = p_id
        order by a.series desc, a.number desc limit 100
      ) a
    ),
    'body', v_body,
    'body_as_sent', v_sent = sha256(convert_to(v_body, 'UTF8')),
    'headers', crm.delivery_headers(v_delivery, v_event, v_subscription, v_body)
  ));
end
$$;
comment on function crm.delivery_detail(uuid, uuid) is
  'JSON of a delivery with its newest 100 attempts, oldest first, and the body and headers that an attempt would send '
  'now. Bodies are not stored: `body` is built from the object as it is now, and null if that fails. For an ended '
  'delivery, it has the other payload form (full or ids) if the last attempt sent exactly that. body_as_sent: whether '
  'the last attempt sent this body; null if none sent a body. Returns null if the delivery or its event is missing.';
create function crm.delivery_headers(
  d crm.webhook_deliveries, e crm.events, s crm.webhook_subscriptions, p_body text
) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_agg(json_build_object('name', h.name, 'value', h.value) order by h.n)
    from unnest(
      array[
        'Host', 'User-Agent', 'Accept', 'Content-Type', 'Content-Length', 'X-Service-Event', 'X-Service-Event-Id',
        'X-Service-Delivery-Id', 'X-Service-Timestamp', 'X-Service-Signature', 'X-Service-Signature-Next',
        s.header ->> 'name'
      ],
      array[
        regexp_replace(lower(substring(s.target_url from '://([^/?#]+)')), ':443$', ''), 'crm-webhooks/1', '*/*',
        'application/json', octet_length(convert_to(p_body, 'UTF8'))::text, e.event::text, e.id::text, d.id::text,
        floor(extract(epoch from now()))::text,
        'sha256=<HMAC-SHA256 em hexadecimal de X-Service-Timestamp, um ponto e o corpo, com o segredo da assinatura>',
        'sha256=<o mesmo, com o segredo novo>', '<o valor guardado, que não é mostrado>'
      ]
    ) with ordinality h (name, value, n)
    -- h.name is null if the subscription has no header of its own.
    where h.name <> 'X-Service-Signature-Next'
      or h.name is not null and crm.old_secret_until(d.workspace_id, d.subscription_id) is not null
  );
end
$$;
comment on function crm.delivery_headers(crm.webhook_deliveries, crm.events, crm.webhook_subscriptions, text) is
  'The headers that an attempt would send now (spec 6.3), as send_post.ts and sign.ts of the dispatcher write them. A '
  'description stands for each signature and for the value of the subscription''s own header, because the database '
  'cannot decrypt them. The second signature is sent during the overlap of a rotation.';

create function app.delivery_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{subscription_id, state, event, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_subscription_id uuid := (v_args ->> 'subscription_id')::uuid;
begin
  perform crm.require_workspace(v_args);
  if v_subscription_id is not null and not exists (
    select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_subscription_id
  ) then
    perform crm.raise_code('not_found', 'subscription_id');
  end if;
  return crm.delivery_page(v_workspace_id, v_subscription_id, v_args);
end
$$;
comment on function app.delivery_list(jsonb) is
  'Lists deliveries of a workspace or of one subscription, newest event first (spec 6.5): data, and meta with '
  'next_cursor and has_more. last_status, last_reason and last_duration_ms describe the last attempt. next_attempt_at '
  'is null if there is no next attempt. Arguments: workspace_id, subscription_id, state, event, since, until, cursor, '
  'limit (50 if absent). Codes: validation_error, not_found.';
create function app.delivery_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_detail json := crm.delivery_detail((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_detail is null then perform crm.raise_code('not_found', 'id'); end if;
  return v_detail;
end
$$;
comment on function app.delivery_get(jsonb) is
  'Returns a delivery with its attempts, and the body and headers that an attempt would send now '
  '(crm.delivery_detail). A delivery whose event was dropped is not_found. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found.';
create function app.delivery_retry(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select q.delivery_id from crm.webhook_queue q
    where q.workspace_id = v_workspace_id and q.state in ('waiting', 'held') and q.due_at > statement_timestamp()
    for update skip locked
  );
begin
  update crm.webhook_deliveries d
  set next_attempt_at = statement_timestamp()
  where d.workspace_id = v_workspace_id and d.id = any (v_ids) and d.state = 'pending';
  perform crm.poke_dispatcher();
  return json_build_object('retried', cardinality(v_ids));
end
$$;
comment on function app.delivery_retry(jsonb) is
  'Makes the waiting deliveries of a workspace due now, except locked ones, and pokes the dispatcher. Deliveries of an '
  'inactive subscription still wait until it is reactivated. Returns retried, the number of deliveries that were '
  'waiting. Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.delivery_redeliver(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_delivery crm.webhook_deliveries;
  v_event crm.event_type;
begin
  select d.* into v_delivery from crm.webhook_deliveries d
  where d.workspace_id = v_workspace_id and d.id = (v_args ->> 'id')::uuid;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  select e.event into v_event from crm.events e
  where e.workspace_id = v_workspace_id and e.id = v_delivery.event_id;
  -- Events are kept longer than deliveries, so an event is missing only if the job partition-deliveries did not run for
  -- weeks.
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  perform crm.require_active_subscription(v_workspace_id, v_delivery.subscription_id);
  perform crm.redeliver(v_workspace_id, v_delivery.subscription_id, array[v_delivery.id]);
  perform crm.record_action(
    v_workspace_id, 'delivery_redelivered', 'delivery', v_delivery.id, v_event::text,
    jsonb_build_object('subscription_id', v_delivery.subscription_id)
  );
  perform crm.poke_dispatcher();
  return crm.with_fields(
    crm.delivery_summary(v_workspace_id, v_delivery.id), json_build_object('held', crm.holds_webhooks(v_workspace_id))
  );
end
$$;
comment on function app.delivery_redeliver(jsonb) is
  'Sends a delivery now, under the same id. An ended delivery gets five new attempts. A waiting delivery gets no '
  'additional attempts. Returns the delivery as delivery_list does, with held: whether it waits because the workspace '
  'is suspended or has no public API. Arguments: workspace_id, id. Codes: validation_error, not_found, '
  'subscription_inactive, queue_full.';

create function crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb default '{}')
returns void
language plpgsql set search_path = '' as $$
declare
  v_event_id uuid;
  v_subscription_ids uuid[];
begin
  -- Compute the position here. A call of crm.feed_position(), the column's default, would take a fifth of the time that
  -- an event takes.
  insert into crm.events (workspace_id, event, object_id, facts, position)
  select p_workspace_id, p_event, p_object_id, p_facts, pg_current_xact_id()::text::bigint + o.added
  from crm.feed_offset o
  returning id, array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, p_workspace_id, p_event, p_object_id, p_facts))
  ) into v_event_id, v_subscription_ids;
  -- Usually no subscription gets the event. Then skip crm.fan_out, because inserting no rows into a partitioned table
  -- takes as long as inserting one row.
  if v_subscription_ids <> '{}' then perform crm.fan_out(p_workspace_id, array[v_event_id], v_subscription_ids); end if;
exception when others then
  -- Best effort (spec 3): an error here must not undo the write that the event is about. The write fails only if the
  -- record's searched text cannot be written either, because then no search would ever find the record.
  raise log 'crm.emit % of %: % (%)', p_event, p_object_id, sqlerrm, sqlstate;
  -- Write the searched text now. Without the event, the job index-texts does not learn of the change.
  perform crm.keep_texts(p_workspace_id, split_part(p_event::text, '.', 1), array[p_object_id]);
end
$$;
comment on function crm.emit(uuid, crm.event_type, uuid, jsonb) is
  'Stores an event in the caller''s transaction. Queues a delivery (crm.fan_out) for each active subscription to the '
  'event''s type, if the subscription''s filters let the event pass. Raises an error only if it can write neither the '
  'event nor the record''s searched text. Only the owner may execute it.';
create function crm.emit_event() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(new.workspace_id, tg_argv[0]::crm.event_type, new.id);
  return null;
end
$$;
comment on function crm.emit_event() is 'Trigger: emits an event of the type in its argument for the row.';
create function crm.emit_all_created() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_event crm.event_type := tg_argv[0];
  v_is_checked boolean;
  v_stored record;
begin
  -- v_is_checked is null if there is no subscription. Then the last insert below returns no ids of events, because
  -- returning them would take a third as long as storing the events.
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and v_event = any (s.event_types);
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      returning workspace_id, id, object_id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and v_event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, v_event, e.object_id, '{}'));
    -- There is no delivery if no filter lets a record pass.
    if found then perform set_config('app.events_enqueued', 'true', true); end if;
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        returning workspace_id, id
      )
      select e.workspace_id, array_agg(e.id) as ids from stored e group by e.workspace_id
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_event)
      );
      perform crm.fan_out_filtered(v_stored.workspace_id, v_event, v_stored.ids);
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_all_created %: % (%)', v_event, sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, split_part(v_event::text, '.', 1), array_agg(c.id)) from created c
  group by c.workspace_id;
  return null;
end
$$;
comment on function crm.emit_all_created() is
  'Trigger: emits an event for each new row of the statement, all at once. Otherwise does the same as crm.emit. Its '
  'argument is the type of the events.';
create function crm.facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid)
returns table (event crm.event_type, facts jsonb)
language sql stable as $$
  select f.event, f.facts
  from (
    values
      ('deal.created'::crm.event_type, '{}'::jsonb),
      ('lead.received', jsonb_build_object('contact_id', p_contact_id, 'company_id', p_company_id))
  ) f (event, facts)
  where p_lead is not null or f.event = 'deal.created'
$$;
comment on function crm.facts_of_new_deal(jsonb, uuid, uuid) is
  'The events of a new deal in order, with their facts: deal.created, and for a deal from a lead also lead.received '
  'with the lead''s contact and company.';
create function crm.emit_deals_created() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_is_checked boolean;
  v_stored record;
begin
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and s.event_types && '{deal.created,lead.received}';
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
      returning workspace_id, event, id, object_id, facts
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and e.event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts));
    -- There is no delivery if all subscriptions are to lead.received and no deal comes from a lead, or if no filter
    -- lets a deal pass.
    if found then perform set_config('app.events_enqueued', 'true', true); end if;
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
        returning workspace_id, event, id
      )
      select e.workspace_id, e.event, array_agg(e.id) as ids from stored e group by e.workspace_id, e.event
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_stored.event)
      );
      perform crm.fan_out_filtered(v_stored.workspace_id, v_stored.event, v_stored.ids);
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o
    cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_deals_created: % (%)', sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, 'deal', array_agg(c.id)) from created c group by c.workspace_id;
  return null;
end
$$;
comment on function crm.emit_deals_created() is
  'Trigger: emits the events of all new deals of the statement (crm.facts_of_new_deal), as crm.emit_all_created does.';
create trigger emit_created after insert on crm.contacts referencing new table as created
  for each statement execute function crm.emit_all_created('contact.created');
create trigger emit_created after insert on crm.companies referencing new table as created
  for each statement execute function crm.emit_all_created('company.created');
create trigger emit_created after insert on crm.deals referencing new table as created
  for each statement execute function crm.emit_deals_created();
create trigger emit_created after insert on crm.activities
  for each row execute function crm.emit_event('activity.created');
create trigger emit_created after insert on crm.notes for each row execute function crm.emit_event('note.created');

create function crm.emit_stale_deals() returns void
language plpgsql set search_path = '' as $$
declare
  v_workspace record;
  v_deal record;
begin
  -- One statement for each workspace, so that the workspace's threshold bounds the part of the index that is read. A
  -- single statement for all workspaces would read the whole index.
  for v_workspace in select w.id, w.stale_after_days from crm.workspaces w loop
    for v_deal in
      select d.id, d.moved_at from crm.deals d
      where d.workspace_id = v_workspace.id
        and d.stale_unreported_since <= now() - make_interval(days => v_workspace.stale_after_days)
      -- Skip locked rows, so that the job cannot deadlock with calls. A call that has locked a deal is probably moving
      -- it. If it is not, the next run of the job reports the deal.
      for no key update skip locked
    loop
      update crm.deals d set stale_reported_for = d.moved_at
      where d.workspace_id = v_workspace.id and d.id = v_deal.id;
      perform crm.emit(
        v_workspace.id, 'deal.stale', v_deal.id,
        jsonb_build_object(
          'days_without_movement', floor(extract(epoch from now() - v_deal.moved_at) / 86400)::integer,
          'threshold_days', v_workspace.stale_after_days
        )
      );
    end loop;
  end loop;
end
$$;
comment on function crm.emit_stale_deals() is
  'Emits deal.stale for each open, unarchived deal that has not moved for stale_after_days; once until its next move.';
create function crm.emit_overdue_activities() returns void
language plpgsql set search_path = '' as $$
declare
  v_activity record;
begin
  for v_activity in
    select a.workspace_id, a.id, a.due_at
    -- Join the workspaces, because the index begins with the workspace.
    from crm.workspaces w join crm.activities a on a.workspace_id = w.id
    where a.overdue_unreported_at < now()
      and not exists (
        select from crm.deals d
        where d.workspace_id = a.workspace_id and d.id = a.deal_id and d.archived_at is not null
      )
    -- Skip locked rows for the same reason as in crm.emit_stale_deals.
    for no key update of a skip locked
  loop
    update crm.activities a set overdue_reported_for = a.due_at
    where a.workspace_id = v_activity.workspace_id and a.id = v_activity.id;
    perform crm.emit(
      v_activity.workspace_id, 'activity.overdue', v_activity.id,
      jsonb_build_object('overdue_since', crm.iso(v_activity.due_at))
    );
  end loop;
end
$$;
comment on function crm.emit_overdue_activities() is
  'Emits activity.overdue for every pending activity past its due date, once for each due date. Activities of an '
  'archived deal wait until it is restored.';

create function crm.emit_stage_changed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.stage_changed', new.id,
    jsonb_build_object('previous_stage_id', old.stage_id, 'previous_pipeline_id', old.pipeline_id)
  );
  return null;
end
$$;
comment on function crm.emit_stage_changed() is
  'Trigger: emits deal.stage_changed with the previous stage and pipeline.';
create trigger emit_stage_changed after update of stage_id on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id)
  execute function crm.emit_stage_changed();
create trigger emit_closed_lost after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'perdido')
  execute function crm.emit_event('deal.lost');
create trigger emit_closed_won after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'ganho')
  execute function crm.emit_event('deal.won');

create function crm.changed_fields(p_before jsonb, p_after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select f.name from unnest(crm.changed_field_names()) f (name)
    where p_before -> f.name is distinct from p_after -> f.name
  );
end
$$;
comment on function crm.changed_fields(jsonb, jsonb) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed '
  'fields. The function looks for the public fields of all records. So a column that clients do not see must not have '
  'the name of another record''s public field.';
create function crm.emit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_changed_fields text[] := '{}';
begin
  if tg_op = 'UPDATE' then
    v_changed_fields := crm.changed_fields(to_jsonb(old), to_jsonb(new));
    if v_changed_fields = '{}' then return null; end if;
  end if;
  perform crm.emit(
    new.workspace_id, tg_argv[0]::crm.event_type, new.id, jsonb_build_object('changed_fields', v_changed_fields)
  );
  return null;
end
$$;
comment on function crm.emit_change() is
  'Trigger: emits an event of the type in its argument. After an update, the event names the public fields that '
  'changed; if none changed, no event is emitted. After an insert, the event names no fields.';
create trigger emit_updated after update on crm.contacts
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.company_id is not distinct from new.company_id)
  )
  execute function crm.emit_change('contact.updated');
create trigger emit_updated after update on crm.companies
  for each row when (old.* is distinct from new.*) execute function crm.emit_change('company.updated');
create trigger emit_updated after update on crm.deals
  for each row when (
    old.* is distinct from new.*
    and (
      pg_trigger_depth() = 0
      or (old.contact_id, old.company_id) is not distinct from (new.contact_id, new.company_id)
    )
  )
  execute function crm.emit_change('deal.updated');
create trigger emit_updated after update on crm.activities
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.contact_id is not distinct from new.contact_id)
  )
  execute function crm.emit_change('activity.updated');

create function crm.emit_deal_contacts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_fact text := case tg_argv[0] when 'deal.contact_added' then 'added_contact_id' else 'removed_contact_id' end;
  v_group record;
begin
  for v_group in
    select c.workspace_id, c.contact_id, array_agg(c.deal_id order by c.deal_id) as deal_ids
    from changed c
    join crm.deals d on d.workspace_id = c.workspace_id and d.id = c.deal_id
    -- Deleting the main contact's row removes only the role: the contact stays in the deal.
    where tg_op = 'INSERT' or d.contact_id is distinct from c.contact_id
    group by c.workspace_id, c.contact_id
  loop
    perform crm.emit_for_each(
      v_group.workspace_id, tg_argv[0]::crm.event_type, v_group.deal_ids,
      jsonb_build_object(v_fact, v_group.contact_id)
    );
  end loop;
  return null;
end
$$;
comment on function crm.emit_deal_contacts() is
  'Trigger: emits an event for the deal of each row of the statement. Its argument is the type of the events.';
create function crm.emit_contact_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.contact_added', new.deal_id, jsonb_build_object('added_contact_id', new.contact_id)
  );
  return null;
end
$$;
comment on function crm.emit_contact_role() is
  'Trigger: emits deal.contact_added when a contact''s role in a deal changes.';
create trigger emit_added after insert on crm.deal_contacts referencing new table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_added');
create trigger emit_removed after delete on crm.deal_contacts referencing old table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_removed');
create trigger emit_role after update of role on crm.deal_contacts
  for each row when (old.role is distinct from new.role)
  execute function crm.emit_contact_role();
create trigger emit_reopened after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'aberto')
  execute function crm.emit_change('deal.reopened');
create trigger emit_completed after update of status on crm.activities
  for each row when (old.status is distinct from new.status and new.status = 'concluida')
  execute function crm.emit_change('activity.completed');
create trigger emit_created_completed after insert on crm.activities
  for each row when (new.status = 'concluida')
  execute function crm.emit_change('activity.completed');
create trigger emit_first_view after update on crm.proposals
  for each row when (old.viewed_at is null and new.viewed_at is not null)
  execute function crm.emit_event('proposal.viewed');
create trigger emit_outcome_accepted after update of status on crm.proposals
  for each row when (old.status <> new.status and new.status = 'aceita')
  execute function crm.emit_event('proposal.accepted');
create trigger emit_outcome_rejected after update of status on crm.proposals
  for each row when (old.status <> new.status and new.status = 'recusada')
  execute function crm.emit_event('proposal.rejected');

create function crm.actor_json(p_caller_id uuid) returns json
language plpgsql stable security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_name text;
begin
  select k.name into v_name from crm.api_keys k where k.workspace_id = v_workspace_id and k.id = p_caller_id;
  if found then return json_build_object('type', 'key', 'id', p_caller_id, 'name', v_name); end if;
  select m.name into v_name from crm.members m where m.workspace_id = v_workspace_id and m.id = p_caller_id;
  if found then return json_build_object('type', 'member', 'id', p_caller_id, 'name', v_name); end if;
  select p.title into v_name from crm.proposals p where p.workspace_id = v_workspace_id and p.id = p_caller_id;
  if found then return json_build_object('type', 'link', 'id', p_caller_id, 'name', v_name); end if;
  return json_build_object('type', 'system', 'id', null, 'name', null);
end
$$;
comment on function crm.actor_json(uuid) is
  'The actor for a caller id of the current workspace, with its current name: an API key, a member, or the link of a '
  'proposal (named by the proposal''s title). The actor is `system` if the id is null or belongs to none of them. '
  'Security definer, because verbs may not read keys.';
create type crm.change as (
  id uuid, object_type text, object_id uuid, action crm.event_type, changed_fields jsonb, caller_id uuid,
  occurred_at timestamptz
);
comment on type crm.change is
  'An event as the change log reads it, with the names of the changed fields and without their values. object_type is '
  'null if the change log does not show the event.';
create function crm.changes_json(p_changes crm.change[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  -- Look up each caller once, because the changes of a page have few callers.
  v_actors jsonb := (
    select jsonb_object_agg(coalesce(k.caller_id::text, ''), crm.actor_json(k.caller_id))
    from (select distinct c.caller_id from unnest(p_changes) c) k
  );
begin
  return (
    select array_agg(json_build_object(
      'id', c.id, 'object_type', c.object_type, 'object_id', c.object_id, 'action', c.action,
      'changed_fields', coalesce(c.changed_fields, '[]'), 'actor', v_actors -> coalesce(c.caller_id::text, ''),
      'occurred_at', crm.iso(c.occurred_at)
    ))
    from unnest(p_changes) c
    where c.object_type is not null
  );
end
$$;
comment on function crm.changes_json(crm.change[]) is
  'JSON of those changes that the change log shows, in order; null if there are none.';
create function api.change_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  c_max constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_workspace_id uuid := crm.current_workspace_id();
  v_limit integer := p_args ->> 'limit';
  v_object_id uuid := p_args ->> 'object_id';
  v_object_type text := p_args ->> 'object_type';
  v_cursor uuid := p_args ->> 'cursor';
  v_since timestamptz := greatest((p_args ->> 'since')::timestamptz, now() - interval '90 days');
  v_until timestamptz := coalesce((p_args ->> 'until')::timestamptz, 'infinity');
  -- An event's id has the time of the write. occurred_at is when the transaction began, at most a minute earlier.
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute') else c_max end;
  -- The object type of each event type that the page shows.
  v_object_types jsonb := (
    select coalesce(jsonb_object_agg(t.event, t.object_type), '{}') from crm.event_types t
    where t.is_change and (v_object_type is null or t.object_type = v_object_type)
  );
  v_events crm.event_type[] := array(select jsonb_object_keys(v_object_types)::crm.event_type);
  v_position bigint;
  v_changes crm.change[];
  v_looked_at integer;
  v_next_id uuid;
begin
  -- One statement for each index. Both stop at the first change that the page has no room for, or after 5,000 events,
  -- shown or not. The next page begins where the statement stops.
  if v_object_id is null then
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < least(v_to, v_cursor)
          order by l.id desc limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  else
    select l.position into v_position from crm.events l where l.workspace_id = v_workspace_id and l.id = v_cursor;
    -- Computed before the query, because coalesce is not leakproof: with it in the condition below, row-level security
    -- would keep the index scan from starting at that position.
    v_position := coalesce(v_position, 9223372036854775807);
    v_cursor := coalesce(v_cursor, c_max);
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.object_id = v_object_id and l.id >= v_from and l.id < v_to
            and (l.position, l.id) < (v_position, v_cursor)
          order by l.position desc, l.id desc limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  end if;
  if cardinality(v_changes) > v_limit or v_looked_at > 5000 then
    v_changes := trim_array(v_changes, 1);
    v_next_id := v_changes[cardinality(v_changes)].id;
  end if;
  return crm.page(crm.changes_json(v_changes), v_next_id);
end
$$;
comment on function api.change_list(jsonb) is
  'A page of the change log, newest first. The changes of a workspace are in descending order of event id. The changes '
  'of one object are in the reversed order of the feed. Goes back 90 days. Reads at most 5,000 events, so a page may '
  'be short or empty although there is a next page.';
create function api.change_summary(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  c_most constant integer := 20000;
  c_highlights constant integer := 25;
  v_workspace_id uuid := crm.current_workspace_id();
  v_since timestamptz := greatest(
    coalesce((p_args ->> 'since')::timestamptz, date_trunc('hour', now() - interval '24 hours', 'UTC')),
    now() - interval '90 days'
  );
  v_until timestamptz := coalesce((p_args ->> 'until')::timestamptz, 'infinity');
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute')
    else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  v_actor uuid := case p_args ->> 'actor' when 'me' then crm.current_caller_id()::text else p_args ->> 'actor' end;
  v_not_actor uuid := case p_args ->> 'not_actor'
    when 'me' then crm.current_caller_id()::text else p_args ->> 'not_actor' end;
  v_looked integer;
  v_counts json;
  v_highlights json;
  v_left integer;
begin
  with looked as materialized (
    select l.id, l.event, l.object_id, l.facts ->> 'previous_stage_id' as from_stage_id, l.caller_id, l.occurred_at,
      l.is_test
    from crm.events l
    where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < v_to
    order by l.id desc limit c_most + 1
  ),
  shown as materialized (
    select e.* from looked e
    where not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
      and (v_actor is null or e.caller_id = v_actor) and (v_not_actor is null or e.caller_id is distinct from v_not_actor)
  ),
  highlight as materialized (
    select s.* from shown s
    where s.event in ('deal.created', 'deal.won', 'deal.lost', 'deal.reopened', 'deal.stage_changed')
  ),
  newest as materialized (select h.* from highlight h order by h.id desc limit c_highlights),
  named as (
    select n.*, d.title, d.value, d.stage_id
    from newest n join crm.deals d on d.workspace_id = v_workspace_id and d.id = n.object_id
  )
  select (select count(*) from looked),
    (
      select json_agg(json_build_object('action', c.event, 'count', c.count) order by c.count desc, c.event)
      from (select s.event, count(*) from shown s group by s.event) c
    ),
    (
      select json_agg(
        json_build_object(
          'action', n.event, 'occurred_at', crm.iso(n.occurred_at), 'deal_id', n.object_id, 'title', n.title,
          'value', n.value,
          'from_stage', (
            select s.name from crm.stages s where s.workspace_id = v_workspace_id and s.id = n.from_stage_id::uuid
          ),
          -- The event stores only the stage that the deal left. The stage that the deal entered is in the event of the
          -- deal's next move, which may be much later and by another caller.
          'to_stage', (
            select s.name from crm.stages s
            where n.event = 'deal.stage_changed' and s.workspace_id = v_workspace_id and s.id = coalesce(
              (
                select (m.facts ->> 'previous_stage_id')::uuid from crm.events m
                where m.workspace_id = v_workspace_id and m.object_id = n.object_id and m.id > n.id
                  and m.event = 'deal.stage_changed' and not m.is_test
                order by m.position, m.id limit 1
              ),
              n.stage_id
            )
          ),
          'actor', crm.actor_json(n.caller_id) ->> 'name'
        )
        order by n.id desc
      )
      from named n
    ),
    (select greatest(count(*) - c_highlights, 0) from highlight)
  into v_looked, v_counts, v_highlights, v_left;
  if v_looked > c_most then perform api.fail('too_many_records'); end if;
  return json_build_object(
    'since', crm.iso(v_since), 'until', crm.iso(nullif(v_until, 'infinity')), 'counts', coalesce(v_counts, '[]'),
    'highlights', coalesce(v_highlights, '[]'), 'highlights_left_out', v_left
  );
end
$$;
comment on function api.change_summary(jsonb) is
  'What happened in a period (by default since 24 hours ago, rounded down to the hour): how many events of each type, '
  'and the newest 25 events of deals that were created, moved, won, lost or reopened, with the deals'' names. Looks at '
  'no more than 20,000 events; raises too_many_records if there are more.';

create type crm.feed_cursor as (position bigint, id uuid, read_until timestamptz);
comment on type crm.feed_cursor is
  'A reader''s place in the feed. position and id: the last event that was looked at. read_until: every event stored '
  'before this time has been read, except events of transactions that are still open.';
create function crm.feed_cursor_tag(p_secret bytea, p_content bytea) returns bytea
language sql immutable parallel safe as $$
  -- A plain hash is as safe as HMAC here: its weakness lets an attacker sign only contents that are longer than a known
  -- one, and all cursors have the same length.
  select substring(sha256(p_secret || '\x01'::bytea || p_content) for 15)
$$;
comment on function crm.feed_cursor_tag(bytea, bytea) is
  'The signature of a cursor''s content: 15 bytes that only this database can compute.';
create function crm.feed_cursor_mask(p_secret bytea, p_tag bytea) returns bigint
language sql immutable parallel safe as $$
  select ('x' || encode(substring(sha256(p_secret || '\x02'::bytea || p_tag) for 8), 'hex'))::bit(64)::bigint
$$;
comment on function crm.feed_cursor_mask(bytea, bytea) is
  'The number that hides the position in a cursor with this tag. Cursors with different positions have different tags, '
  'and therefore different masks.';
create function crm.feed_cursor_text(c crm.feed_cursor) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  v_secret bytea := (select o.cursor_secret from crm.feed_offset o);
  v_rest bytea := uuid_send(c.id) || int8send(floor(extract(epoch from c.read_until) * 1000)::bigint);
  v_tag bytea := crm.feed_cursor_tag(v_secret, int8send(c.position) || v_rest);
begin
  return translate(
    encode(
      '\x02'::bytea || v_tag || int8send(c.position # crm.feed_cursor_mask(v_secret, v_tag)) || v_rest, 'base64'
    ),
    '+/', '-_'
  );
end
$$;
comment on function crm.feed_cursor_text(crm.feed_cursor) is
  'A cursor as clients get it: 48 bytes (version, tag, hidden position, id, read_until) as 64 characters of '
  'base64url. The position counts the transactions of all workspaces, so it is hidden. Equal cursors have equal '
  'texts. Security definer, because verbs may not read the secret.';
create function crm.feed_cursor_of(p_text text) returns crm.feed_cursor
language plpgsql stable security definer set search_path = '' as $$
declare
  v_secret bytea := (select o.cursor_secret from crm.feed_offset o);
  v_bytes bytea;
  v_tag bytea;
  v_rest bytea;
  v_position bigint;
begin
  if p_text !~ '^A[g-v][A-Za-z0-9_-]{62}$' then return null; end if;
  v_bytes := decode(translate(p_text, '-_', '+/'), 'base64');
  v_tag := substring(v_bytes from 2 for 15);
  v_rest := substring(v_bytes from 25);
  v_position := ('x' || encode(substring(v_bytes from 17 for 8), 'hex'))::bit(64)::bigint
    # crm.feed_cursor_mask(v_secret, v_tag);
  if crm.feed_cursor_tag(v_secret, int8send(v_position) || v_rest) <> v_tag then return null; end if;
  return row(
    v_position, encode(substring(v_rest for 16), 'hex')::uuid,
    to_timestamp(('x' || encode(substring(v_rest from 17), 'hex'))::bit(64)::bigint / 1000.0)
  )::crm.feed_cursor;
end
$$;
comment on function crm.feed_cursor_of(text) is
  'The cursor in a text of crm.feed_cursor_text; null for a text that this database did not sign. Security definer, '
  'because verbs may not read the secret.';
create function crm.feed_item(e crm.events) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_data json;
begin
  begin
    v_data := crm.event_data(e, v_object_type);
  exception when others then
    -- An event whose `data` cannot be built must not block the feed's readers for ever.
    raise log 'crm.feed_item of event %: % (%)', e.id, sqlerrm, sqlstate;
  end;
  return json_build_object(
    'id', e.id, 'event', e.event, 'workspace_id', e.workspace_id, 'object_type', v_object_type,
    'object_id', e.object_id, 'data', v_data, 'occurred_at', crm.iso(e.occurred_at),
    'actor_id', e.caller_id
  );
end
$$;
comment on function crm.feed_item(crm.events) is
  'An event as the feed shows it, with the object as it is now; `data` is null if it cannot be built.';
create function crm.feed_start(p_args jsonb) returns crm.feed_cursor
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_start crm.feed_cursor := row(0, '00000000-0000-0000-0000-000000000000', '-infinity')::crm.feed_cursor;
  -- The feed goes back 30 days. A reader without a cursor begins an hour later, so that its cursor is still valid when
  -- it asks for the second page.
  v_oldest timestamptz := case when not p_args ? 'cursor' then now() - interval '30 days' + interval '1 hour' end;
  v_since timestamptz := least(greatest((p_args ->> 'since')::timestamptz, v_oldest), now());
  v_horizon bigint := crm.feed_horizon();
  v_position bigint;
  v_id uuid;
begin
  if p_args ? 'cursor' then
    v_start := crm.feed_cursor_of(p_args ->> 'cursor');
    if v_start is null then
      perform api.fail('invalid_cursor', array['cursor'], 'Deve ser o meta.next_cursor de uma resposta desta lista');
    end if;
    -- A cursor beyond the horizon is from before a restore of the database. Nobody knows which events its reader
    -- missed.
    if v_start.read_until < now() - interval '30 days' or v_start.position >= v_horizon then
      perform api.fail('cursor_expired');
    end if;
    if not p_args ? 'since' then return v_start; end if;
  end if;

  -- The page can begin after the newest event stored before `since`, because transactions that begin at `since` or
  -- later get higher positions. The minute allows for a clock that is set back. Only the two days before `since` are
  -- searched: if they have no event, there is little to skip.
  select e.position, e.id into v_position, v_id
  from crm.events e
  where e.workspace_id = crm.current_workspace_id() and e.id < crm.uuid_v7_floor(v_since - interval '1 minute')
    and e.id >= crm.uuid_v7_floor(v_since - interval '2 days')
  order by e.id desc limit 1;
  if v_position >= v_horizon then
    -- A cursor must stay below the horizon.
    v_start.position := v_horizon - 1;
    v_start.id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  elsif (v_position, v_id) > (v_start.position, v_start.id) then
    v_start.position := v_position;
    v_start.id := v_id;
  end if;
  v_start.read_until := greatest(v_start.read_until, v_since);
  return v_start;
end
$$;
comment on function crm.feed_start(jsonb) is
  'Where a page of the feed begins: at the cursor or at `since`, whichever is later; without both, nearly 30 days ago. '
  'Raises invalid_cursor and cursor_expired.';
create function api.event_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_start crm.feed_cursor := crm.feed_start(p_args);
  v_last crm.feed_cursor := v_start;
  v_horizon bigint := crm.feed_horizon();
  -- Skip old partitions: an unread event can be there only if its transaction was open for over two days.
  v_from uuid := crm.uuid_v7_floor(v_start.read_until - interval '2 days');
  v_limit integer := p_args ->> 'limit';
  v_since timestamptz := p_args ->> 'since';
  v_types crm.event_type[];
  v_object_id uuid := p_args ->> 'object_id';
  v_rows refcursor;
  e crm.events;
  v_looked integer := 0;
  v_bytes integer := 0;
  v_item json;
  v_items json[] := '{}';
  v_has_more boolean := true;
begin
  if p_args ? 'event_types' then
    v_types := array(select jsonb_array_elements_text(p_args -> 'event_types')::crm.event_type);
  end if;
  -- One statement for each index.
  if v_object_id is null then
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id()
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id limit 5001;
  else
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id() and l.object_id = v_object_id
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id limit 5001;
  end if;
  loop
    fetch v_rows into e;
    if not found then
      v_has_more := false;
      exit;
    end if;
    exit when v_looked = 5000 or cardinality(v_items) = v_limit;
    if (v_types is null or e.event = any (v_types)) and (v_since is null or e.occurred_at >= v_since) and not e.is_test then
      v_item := crm.feed_item(e);
      v_bytes := v_bytes + octet_length(v_item::text);
      exit when v_bytes > crm.max_page_bytes() and cardinality(v_items) > 0;
      v_items := array_append(v_items, v_item);
    end if;
    v_looked := v_looked + 1;
    -- The event's transaction began at occurred_at, so all events at higher positions were written after that time.
    v_last := row(e.position, e.id, greatest(e.occurred_at, v_start.read_until))::crm.feed_cursor;
  end loop;
  close v_rows;
  if not v_has_more then
    -- Rounded down to the hour, so that the cursor's text changes at most once an hour while no event arrives.
    v_last.read_until := date_trunc('hour', now(), 'UTC');
  end if;
  return json_build_object(
    'data', array_to_json(v_items),
    'meta', json_build_object('next_cursor', crm.feed_cursor_text(v_last), 'has_more', v_has_more)
  );
end
$$;
comment on function api.event_list(jsonb) is
  'A page of the feed: the events after a cursor by (position, id), without test events. Reads at most 5,000 events '
  'and ends at crm.max_page_bytes, so a page may be short or empty although there is a next page.';

create function crm.chosen_matches(p_record text, p_walk crm.walk, p_ids uuid[], p_words text[] default null)
returns uuid[]
language plpgsql stable set search_path = '' as $$
declare
  v_matches uuid[];
begin
  if coalesce(p_ids, '{}') = '{}' then
    return '{}';
  elsif p_walk.chosen is null then
    select w.matches into v_matches from crm.kept_walk(p_record, '{}', null, null, null, p_ids) w;
  else
    execute format(
      'select array_agg(w.id) from (%s) w where w.is_match%s', p_walk.chosen,
      case when p_words is not null then
        ' and not exists (select from unnest($5) s (word) where strpos(w.text, s.word) = 0)'
      end
    ) into v_matches using null::uuid, null::uuid, null::integer, p_ids, p_words;
  end if;
  return coalesce(v_matches, '{}');
end
$$;
comment on function crm.chosen_matches(text, crm.walk, uuid[], text[]) is
  'Filters p_ids and keeps their order. An id stays if its record matches the walk''s filters and its current text has '
  'all of p_words (if given). If the walk is empty, an id stays if the unfiltered list contains its record.';
create function crm.kept_search(
  p_walk crm.walk, p_record text, p_args jsonb, p_words text[], p_before uuid, p_from uuid, p_step integer,
  out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_way text := case when p_walk.ways is not null then crm.shortest_way(p_walk, p_before, p_from, p_step) end;
  -- Without another filter, nearly all records with the words match, so little more than a page is enough.
  v_enough integer := case when p_args - '{q,limit,cursor,since,until,expand}'::text[] = '{}'
    then v_limit + 51 else 2 * p_step
  end;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  ids := '{}';
  for v_round in 1 .. 2 loop
    -- strpos(), because LIKE takes several times as long, and even longer for a repetitive word such as `aaaab`.
    if v_way is null then
      -- Read the texts before the records, because few records have the words.
      select array_agg(w.id), array_agg(w.id) filter (
        where not exists (select from unnest(p_words) s (word) where strpos(w.text, s.word) = 0)
      )
      into v_walked, v_matches
      from (
        select x.id, x.text from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = p_record and x.id < v_before
          and x.id >= p_from
        order by x.id desc limit v_rows
      ) w;
      next_id := v_walked[v_rows];
      -- Look up only v_enough records. Without another filter, the list leaves out only archived records, and these are
      -- few.
      if cardinality(v_matches) > v_enough then
        v_matches := v_matches[:v_enough];
        next_id := v_matches[v_enough];
      end if;
      v_matches := crm.chosen_matches(p_record, p_walk, v_matches);
    else
      execute format(
        $sql$
        select array_agg(w.id), array_agg(w.id) filter (
          where w.is_match and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = $4 and x.id = w.id
              and not exists (select from unnest($5) s (word) where strpos(x.text, s.word) = 0)
          )
        )
        from (%s limit $3) w
        $sql$,
        v_way
      ) into v_walked, v_matches using v_before, p_from, v_rows, p_record, p_words;
      next_id := v_walked[v_rows];
    end if;
    ids := ids || v_matches;
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Read twice as many rows as would fill the page if the words are as frequent in older rows. Read fewer rows for a
    -- long search, because long words take longer to compare.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. If few older records have them too, the index finds those fast.
    select * into v_found from crm.search(
      p_record, p_words, v_before, p_from, p_step, greatest(v_enough - cardinality(ids), 1)
    );
    ids := ids || crm.chosen_matches(p_record, p_walk, v_found.ids);
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;
comment on function crm.kept_search(crm.walk, text, jsonb, text[], uuid, uuid, integer) is
  'The ids of a page of a list with `q`, found in the stored texts; more ids than the limit if there is a next page. '
  'Reads at most 5 * p_step rows, and finds further records by crm.search. next_id: where the next page continues.';
create function crm.search_page(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250,
  p_kept boolean default false, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_walk crm.walk;
  v_words text[] := crm.search_words(p_args ->> 'q');
  -- The most texts that are computed and compared one by one: fewer for a long search, as in crm.kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose stored text may be missing or out of date; null if there are too many.
  v_pending uuid[] := crm.pending_texts(p_record, 16 * p_step);
begin
  if not p_kept or (v_pending = '{}') is not true then v_walk := crm.walk_for(p_record, p_args); end if;
  if v_pending is null then
    -- Too many to list: treat every row read as pending.
    execute format(
      'select array_agg(w.id) from (%s limit $3) w', crm.shortest_way(v_walk, p_before, p_from, p_step)
    ) into v_pending using p_before, p_from, v_rows;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.kept_search(v_walk, p_record, p_args, v_words, p_before, p_from, p_step) s;
    if v_pending = '{}' then return; end if;
  end if;
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc limit v_rows
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
      select c.id from unnest(crm.chosen_matches(p_record, v_walk, v_pending, v_words)) c (id)
    ) m
    order by m.id desc
  );
end
$$;
comment on function crm.search_page(text, jsonb, uuid, uuid, integer, boolean) is
  'The ids of a page of a list with `q`; more ids than the limit if there is a next page. Combines the result of '
  'crm.kept_search with the pending records: those whose texts may have changed since they were stored. Computes and '
  'compares the texts of at most 2 * p_step pending records. If too many are pending, does so for at most 2 * p_step '
  'rows of the list, and skips crm.kept_search. next_id: where the next page continues; null if there is none. p_kept: '
  'the call has no filter except q, so statements with cached plans are used.';

create table crm.search_progress (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,
  reached_at timestamptz not null default now()
);
comment on table crm.search_progress is
  'The place in the feed up to which the searched texts are up to date. A workspace in crm.search_backlog has its own '
  'place.';
comment on column crm.search_progress.position is
  'The crm.feed_horizon of the job''s last run: the texts for all events below this position are written.';
comment on column crm.search_progress.reached_at is
  'When the job last ran. Events that the job has not read were written later, or by a transaction that was open then.';
alter table crm.search_progress enable row level security, force row level security;
insert into crm.search_progress default values;
create table crm.search_backlog (
  workspace_id uuid primary key,
  position bigint not null,
  event_id uuid not null,
  reached_at timestamptz not null
);
comment on table crm.search_backlog is
  'Workspaces with changes whose texts are still to be written. A workspace stays here if a run of the job could not '
  'finish it, for example after an import. Other workspaces do not wait for it.';
comment on column crm.search_backlog.event_id is 'The last event read, at `position`; at first the lowest possible id.';
comment on column crm.search_backlog.reached_at is 'crm.search_progress.reached_at when the workspace fell behind.';
call crm.protect('crm.search_backlog');
create function crm.pending_texts(p_record text, p_most integer) returns uuid[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_done crm.search_backlog;
  v_from uuid;
  -- With this bound, the plan skips the partitions of the coming week.
  v_to uuid := crm.uuid_v7_floor(now() + interval '1 day');
  v_looked integer;
  v_ids uuid[];
begin
  select v_workspace_id, coalesce(b.position, p.position), coalesce(b.event_id, crm.uuid_v7_floor('epoch')),
    coalesce(b.reached_at, p.reached_at)
  into v_done
  from crm.search_progress p left join crm.search_backlog b on b.workspace_id = v_workspace_id;
  -- Two days earlier, for the reason given in api.event_list.
  v_from := crm.uuid_v7_floor(v_done.reached_at - interval '2 days');
  select count(*), array_agg(distinct e.object_id) filter (where crm.text_changed(e.event, e.facts) = p_record)
  into v_looked, v_ids
  from (
    select l.event, l.facts, l.object_id from crm.events l
    where l.workspace_id = v_workspace_id and (l.position, l.id) > (v_done.position, v_done.event_id)
      and l.id >= v_from and l.id < v_to
    order by l.position, l.id limit p_most + 1
  ) e;
  return case when v_looked <= p_most then coalesce(v_ids, '{}') end;
end
$$;
comment on function crm.pending_texts(text, integer) is
  'The records of the current workspace whose text may have changed since it was indexed; null if there are more than '
  'p_most events since then. Security definer, because verbs may not read the job''s progress.';
create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  v_list record;
  v_rows crm.record_keys[];
begin
  select l.target, l.sql into v_list from crm.list_filters(p_record) l where l.kind = 'list';
  if v_list.sql is null then return; end if;
  perform crm.lock_texts_of(p_workspace_id);
  execute format(
    'select array(select row(t.id, t.tags, t.custom_fields, %s)::crm.record_keys from %s t'
    ' where t.workspace_id = $1 and t.id = any ($2))',
    v_list.sql, v_list.target
  ) into v_rows using p_workspace_id, p_ids;
  insert into crm.search_texts as kept (workspace_id, record, id, text)
  select p_workspace_id, p_record, r.id, r.search_text from unnest(v_rows) r
  on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
  perform crm.keep_values(p_workspace_id, p_record, v_rows);
end
$$;
comment on function crm.keep_texts(uuid, text, uuid[]) is
  'Writes the current searched texts and indexed values of records. Does nothing for a kind of records without '
  'search.';
create function crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) returns integer
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  v_events crm.events[];
  v_changed record;
begin
  -- If another transaction, such as an erasure, is writing texts of the workspace, leave the work to the next run.
  if not pg_try_advisory_xact_lock(crm.lock_number('texts of ' || p_done.workspace_id)) then return 0; end if;
  v_events := array(
    select l from crm.events l
    where l.workspace_id = p_done.workspace_id and (l.position, l.id) > (p_done.position, p_done.event_id)
      and l.position < p_horizon and l.id >= crm.uuid_v7_floor(p_done.reached_at - interval '2 days')
    order by l.position, l.id limit p_most
  );
  for v_changed in
    select c.record, array_agg(distinct c.id) as ids
    from (select crm.text_changed(e.event, e.facts) as record, e.object_id as id from unnest(v_events) e) c
    where c.record is not null
    group by c.record
  loop
    perform crm.keep_texts(p_done.workspace_id, v_changed.record, v_changed.ids);
  end loop;
  if cardinality(v_events) < p_most then
    delete from crm.search_backlog b where b.workspace_id = p_done.workspace_id;
  else
    update crm.search_backlog b
    set position = v_events[p_most].position, event_id = v_events[p_most].id
    where b.workspace_id = p_done.workspace_id;
  end if;
  return cardinality(v_events);
end
$$;
comment on function crm.index_texts_of(crm.search_backlog, bigint, integer) is
  'Writes the texts of the next changes in a workspace of the backlog, for at most p_most events below p_horizon, and '
  'returns the number of events. Removes the workspace from the backlog if none is left. Returns 0 while another '
  'transaction writes texts of the workspace.';
create function crm.index_texts(p_most interval default '1500 milliseconds') returns integer
language plpgsql set search_path = ''
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_end timestamptz := clock_timestamp() + p_most;
  v_horizon bigint;
  v_next crm.search_backlog;
  v_looked integer;
  v_count integer := 0;
begin
  perform crm.lock_texts();
  v_horizon := crm.feed_horizon();
  -- Lateral, so that each workspace takes one index look-up. A plain join would read all events of two days.
  insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
  select w.id, p.position, crm.uuid_v7_floor('epoch'), p.reached_at
  from crm.search_progress p
  cross join crm.workspaces w
  cross join lateral (
    select from crm.events e
    where e.workspace_id = w.id and e.position >= p.position and e.position < v_horizon
      and e.id >= crm.uuid_v7_floor(p.reached_at - interval '2 days')
    order by e.position limit 1
  ) changed
  on conflict do nothing;
  update crm.search_progress p set position = v_horizon, reached_at = now() where p.position < v_horizon;
  -- Take 500 events of each workspace in turn, so that an import in one workspace does not delay the others.
  loop
    v_looked := 0;
    for v_next in select b.* from crm.search_backlog b order by b.reached_at, b.position loop
      exit when clock_timestamp() >= v_end;
      begin
        v_looked := v_looked + crm.index_texts_of(v_next, v_horizon, 500);
      exception when others then
        -- The workspace stays in the backlog, and `deno task doctor` reports it. The other workspaces go on.
        raise log 'crm.index_texts of %: % (%)', v_next.workspace_id, sqlerrm, sqlstate;
      end;
    end loop;
    v_count := v_count + v_looked;
    exit when v_looked = 0 or clock_timestamp() >= v_end;
  end loop;
  perform crm.index_defined(v_end);
  return v_count;
end
$$;
comment on function crm.index_texts(interval) is
  'Writes the searched texts and indexed values of the records that changed since the last run, then the values of '
  'newly defined fields, and returns how many events it read. Ends after p_most, because erasures wait for it.';

create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable as $$
  select case p_event
    when 'company.created' then 'company'
    when 'company.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'legal_name', 'tax_id', 'domain', 'email', 'external_id', 'phone', 'tags', 'custom_fields']
        then 'company'
      end
    when 'contact.created' then 'contact'
    when 'contact.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'email', 'job_title', 'external_id', 'phone', 'phone2', 'whatsapp', 'tags', 'custom_fields']
        then 'contact'
      end
    when 'deal.created' then 'deal'
    when 'deal.updated' then
      case when p_facts -> 'changed_fields' ?| array['title', 'external_id', 'tags', 'custom_fields']
        then 'deal'
      end
  end
$$;
comment on function crm.text_changed(crm.event_type, jsonb) is
  'The kind of the record whose searched text, tags or custom fields an event changes; null if it changes none.';


create function crm.timeline(p_deals uuid[], p_contact_id uuid, p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_scopes jsonb := crm.own_key() #> '{key,scopes}';
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_entries json[];
  v_ids uuid[];
  v_next_id uuid;
  v_found integer;
begin
  with entry as (
    select e.* from (
      select d.id, 'deal' as type, d.id as deal_id, null::uuid as from_id, null::uuid as to_id
      from crm.deals d
      where v_scopes ? 'deals:read' and d.workspace_id = v_workspace_id and d.id = any (p_deals) and d.id < v_before
      union all
      select a.id, 'activity', a.deal_id, null, null
      from unnest(p_deals) x (id)
      cross join lateral (
        select t.id, t.deal_id from crm.activities t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (x.id, v_before) and t.deal_id >= x.id
        order by t.deal_id desc, t.id desc limit v_limit + 1
      ) a
      where v_scopes ? 'activities:read'
      union all
      (
        select t.id, 'activity', t.deal_id, null, null from crm.activities t
        where p_contact_id is not null and v_scopes ? 'activities:read' and t.workspace_id = v_workspace_id
          and (t.contact_id, t.id) < (p_contact_id, v_before) and t.contact_id >= p_contact_id
          and not t.deal_id = any (p_deals)
        order by t.contact_id desc, t.id desc limit v_limit + 1
      )
      union all
      select n.id, 'note', n.deal_id, null, null
      from unnest(p_deals) x (id)
      cross join lateral (
        select t.id, t.deal_id from crm.notes t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (x.id, v_before) and t.deal_id >= x.id
        order by t.deal_id desc, t.id desc limit v_limit + 1
      ) n
      where v_scopes ? 'notes:read'
      union all
      -- Only for the newest 20 deals, because looking up each deal reads the partitions of 90 days.
      select m.id, 'stage_change', m.deal_id, m.from_id, m.to_id
      from (
        -- The stage that a deal entered is stored in the event of the deal's next move, as the stage that the deal
        -- left.
        select l.id, x.id as deal_id, l.from_id, lead(l.from_id) over (partition by x.id order by l.id) as to_id
        from unnest(p_deals[:20]) x (id)
        cross join lateral (
          select t.id, t.event, t.is_test, (t.facts ->> 'previous_stage_id')::uuid as from_id from crm.events t
          where t.workspace_id = v_workspace_id and t.object_id = x.id
          order by t.position desc, t.id desc limit 1000
        ) l
        where v_scopes ? 'deals:read' and l.event = 'deal.stage_changed' and not l.is_test
      ) m
      where m.id < v_before
    ) e
    order by e.id desc limit v_limit + 1
  ),
  shown as (
    select e.id, json_build_object(
      'id', e.id, 'type', e.type, 'occurred_at', crm.iso(crm.uuid_v7_time(e.id)),
      'deal', json_build_object(
        'id', d.id, 'name', d.title,
        'status', case when v_scopes ? 'deals:read' then d.status end,
        'value', case when v_scopes ? 'deals:read' then d.value end
      ),
      'activity', (
        select crm.activity_json(t) from crm.activities t
        where e.type = 'activity' and t.workspace_id = v_workspace_id and t.id = e.id
      ),
      'note', (
        select crm.note_json(t) from crm.notes t
        where e.type = 'note' and t.workspace_id = v_workspace_id and t.id = e.id
      ),
      'from_stage', (select s.name from crm.stages s where s.workspace_id = v_workspace_id and s.id = e.from_id),
      'to_stage', (
        select s.name from crm.stages s
        where e.type = 'stage_change' and s.workspace_id = v_workspace_id and s.id = coalesce(e.to_id, d.stage_id)
      )
    ) as json
    from entry e
    join crm.deals d on d.workspace_id = v_workspace_id and d.id = e.deal_id
  ),
  sized as (
    select s.*, sum(pg_column_size(s.json)) over (order by s.id desc) as bytes,
      row_number() over (order by s.id desc) as n
    from shown s
  )
  select array_agg(s.json order by s.id desc), array_agg(s.id order by s.id desc), (select count(*) from entry)
  into v_entries, v_ids, v_found
  from sized s
  where (s.n = 1 or s.bytes <= crm.max_page_bytes()) and s.n <= v_limit;
  if v_found > cardinality(v_ids) then v_next_id := v_ids[cardinality(v_ids)]; end if;
  return crm.page(v_entries, v_next_id);
end
$$;
comment on function crm.timeline(uuid[], uuid, jsonb) is
  'A page of what happened with these deals, and of the contact''s activities, newest first. Leaves out the kinds of '
  'entries that the key has no scope to read. Without deals:read, shows only the id and the name of a deal. Shows '
  'moves to another stage only for the newest 20 deals, the last 90 days and the newest 1,000 events of a deal.';
create function api.company_timeline(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid := p_args ->> 'id';
begin
  perform api.company_get(p_args);
  return crm.timeline(crm.newest_deals('company_id', v_id, 250), null, p_args);
end
$$;
comment on function api.company_timeline(jsonb) is
  'The timeline of a company, latest entry first: the entries of its 250 newest deals. Raises not_found, merged.';
create function crm.deals_of_contact(p_contact_id uuid, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
begin
  return array(
    select d.id
    from (
      select m.id from unnest(crm.newest_deals('contact_id', p_contact_id, p_most)) m (id)
      union
      (
        select k.deal_id from crm.deal_contacts k
        -- Compared as one row value, which only one index can serve (as in api.<name>_list).
        where k.workspace_id = crm.current_workspace_id() and k.contact_id >= p_contact_id
          and (k.contact_id, k.deal_id) < (p_contact_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by k.contact_id desc, k.deal_id desc limit p_most
      )
    ) d
    order by d.id desc limit p_most
  );
end
$$;
comment on function crm.deals_of_contact(uuid, integer) is
  'The ids of the newest p_most deals that have the contact as their main contact or as an additional contact.';
create function api.contact_timeline(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid := p_args ->> 'id';
begin
  perform api.contact_get(p_args);
  return crm.timeline(crm.deals_of_contact(v_id, 250), v_id, p_args);
end
$$;
comment on function api.contact_timeline(jsonb) is
  'The timeline of a contact, latest entry first: the entries of the contact''s 250 newest deals '
  '(crm.deals_of_contact), and the contact''s activities in other deals. Raises not_found, merged.';
create type crm.found as (
  type text, id uuid, name text, email text, phone text, company_id uuid, status text, value numeric, rank integer
);
comment on type crm.found is
  'A record that a search found. rank: crm.name_rank; 3 if the record was found only through its company.';
create function crm.name_rank(p_name text, p_q text) returns integer
language sql immutable parallel safe
as $$ select case when crm.fold(p_name) = p_q then 0 when starts_with(crm.fold(p_name), p_q) then 1 else 2 end $$;
comment on function crm.name_rank(text, text) is
  'How well a name fits the folded words of a search. 0: equals them; 1: begins with them; 2: otherwise.';
create function crm.find_records(p_q text, p_limit integer, p_types text[], p_by_company boolean) returns setof crm.found
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_words jsonb := jsonb_build_object('q', p_q, 'limit', p_limit);
  v_q text := crm.fold(btrim(p_q));
  v_companies uuid[] := '{}';
  v_contacts uuid[] := '{}';
  v_deals uuid[] := '{}';
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if p_by_company then
    -- First the companies with this very name, which may be older than all that the search finds.
    v_companies := array(
      select c.id from crm.companies c
      where c.workspace_id = v_workspace_id and c.name_key = crm.name_key(p_q) and c.archived_at is null
      order by c.id desc limit p_limit
    );
    v_companies := v_companies || array(
      select k.id
      from crm.search_page('company', v_words, c_last, c_first, p_kept => true) s
      cross join lateral unnest(s.ids) with ordinality k (id, position)
      where k.id <> all (v_companies) order by k.position
    );
  end if;
  if 'contact' = any (p_types) then
    v_contacts := (select s.ids from crm.search_page('contact', v_words, c_last, c_first, p_kept => true) s);
  end if;
  if 'deal' = any (p_types) then
    v_deals := (select s.ids from crm.search_page('deal', v_words, c_last, c_first, p_kept => true) s);
  end if;
  v_companies := v_companies[:p_limit];
  return query
    select f.type, f.id, f.name, f.email, f.phone, f.company_id, f.status, f.value,
      case when f.is_direct then crm.name_rank(f.name, v_q) else 3 end
    from (
      select 'company' as type, c.id, c.name::text, c.email::text, c.phone::text, null::uuid as company_id,
        null::text as status, null::numeric as value, true as is_direct
      from crm.companies c
      where 'company' = any (p_types) and c.workspace_id = v_workspace_id and c.id = any (v_companies)
      union all
      select 'contact', c.id, c.name, c.email, c.phone, c.company_id, null, null, c.id = any (v_contacts)
      from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = any (v_contacts[:p_limit] || array(
        select of.id from unnest(v_companies[:10]) x (id)
        cross join lateral (
          select t.id from crm.contacts t
          where t.workspace_id = v_workspace_id and (t.company_id, t.id) < (x.id, c_last) and t.company_id >= x.id
            and t.company_id is not null and t.archived_at is null
          order by t.company_id desc, t.id desc limit 10
        ) of
        where 'contact' = any (p_types)
      ))
      union all
      select 'deal', d.id, d.title, null, null, d.company_id, d.status, d.value, d.id = any (v_deals)
      from crm.deals d
      where d.workspace_id = v_workspace_id and d.id = any (v_deals[:p_limit] || array(
        select of.id from unnest(v_companies[:10]) x (id)
        cross join lateral (
          select t.id from crm.deals t
          where t.workspace_id = v_workspace_id and (t.company_id, t.id) < (x.id, c_last) and t.company_id >= x.id
            and t.archived_at is null
          order by t.company_id desc, t.id desc limit 10
        ) of
        where 'deal' = any (p_types)
      ))
    ) f;
end
$$;
comment on function crm.find_records(text, integer, text[], boolean) is
  'The current workspace''s records of these types (company, contact, deal) with all the words, p_limit of each: the '
  'companies with this very name, then the newest. p_by_company: finds companies, and also the ten newest contacts and '
  'deals of each of the first ten companies found.';
create function api.search_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  v_scopes jsonb := crm.own_key() #> '{key,scopes}';
  v_types jsonb := coalesce(p_args -> 'types', '["company", "contact", "deal"]');
  v_limit integer := p_args ->> 'limit';
begin
  return (
    select json_build_object('data', coalesce(json_agg(r.json), '[]'))
    from (
      select json_build_object(
        'type', f.type, 'id', f.id, 'name', f.name, 'email', f.email, 'phone', f.phone,
        'company', (
          select json_build_object('id', c.id, 'name', c.name) from crm.companies c
          where v_scopes ? 'companies:read' and c.workspace_id = crm.current_workspace_id() and c.id = f.company_id
        ),
        'status', f.status, 'value', f.value
      ) as json
      from crm.find_records(
        p_args ->> 'q', v_limit,
        array(
          select t.type
          from (values ('company', 'companies:read'), ('contact', 'contacts:read'), ('deal', 'deals:read')) t (type, scope)
          where v_types ? t.type and v_scopes ? t.scope
        ),
        v_scopes ? 'companies:read'
      ) f
      order by f.rank, f.id desc limit v_limit
    ) r
  );
end
$$;
comment on function api.search_list(jsonb) is
  'Companies, contacts and deals with all the words, best matches first, then the newest contacts and deals of the '
  'first ten companies found. Leaves out the types that the key has no scope to read.';
create function crm.duplicates(p_record text, p_column text, p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set jit = off as $$
declare
  c_most constant integer := 2000;
  v_limit integer := p_args ->> 'limit';
  v_table text := crm.table_of(p_record);
  v_kind text := p_record || ' duplicates';
  v_after text;
  v_values text[];
  v_records json[];
  v_last text;
  v_groups json[];
  v_ends text[];
  v_next text;
  v_next_id uuid;
  v_cursor uuid;
begin
  if p_args ? 'cursor' then
    -- A cursor stores the id of the next page's first record, not its value, so that no erasure must search cursors for
    -- e-mail addresses. The client has not seen this record, so it has hardly changed its value.
    execute format(
      'select t.%I::text from crm.list_cursors c join crm.%I t on t.workspace_id = c.workspace_id and t.id = c.id'
      ' where c.workspace_id = $1 and c.cursor = $2 and c.record = $3 and c.sort = $4',
      p_column, v_table
    ) into v_after using crm.current_workspace_id(), (p_args ->> 'cursor')::uuid, v_kind, p_column;
    if v_after is null then
      perform api.fail(
        'invalid_cursor', array['cursor'],
        'Deve ser o meta.next_cursor de uma resposta desta lista com o mesmo by, das últimas 24 horas; se é, o registro '
        'em que a página começaria mudou: recomece sem cursor'
      );
    end if;
  end if;
  execute format(
    'select array_agg(w.value), array_agg(w.record) from ('
    'select t.%1$I::text as value, json_build_object(''id'', t.id, ''name'', t.name) as record from crm.%2$I t'
    ' where t.workspace_id = $1 and t.%1$I <> '''' and t.archived_at is null%3$s'
    ' order by t.%1$I, t.id limit $2) w',
    p_column, v_table, case when v_after is not null then format(' and t.%I >= %L', p_column, v_after) end
  ) into v_values, v_records using crm.current_workspace_id(), c_most + 1;
  -- Unread records may have the last value too, so leave that value to the next page. But if all records read have the
  -- same value, show it now, because the next page would read the same records.
  if cardinality(v_values) > c_most and v_values[1] <> v_values[c_most + 1] then v_last := v_values[c_most + 1]; end if;
  with grouped as (
    select v.value, min(v.position) as at, count(*) as count, (array_agg(v.record order by v.position))[:10] as records
    from unnest(v_values, v_records) with ordinality v (value, record, position)
    where v.value is distinct from v_last
    group by v.value
  ),
  shown as (
    select g.*, row_number() over (order by g.at) as n from grouped g where g.count > 1
  )
  select
    (
      select array_agg(json_build_object('value', s.value, 'count', s.count, 'records', s.records) order by s.at)
      from shown s where s.n <= v_limit + 1
    ),
    (select array_agg(s.value order by s.at) from shown s where s.n <= v_limit + 1),
    (select g.value from grouped g order by g.at desc limit 1)
  into v_groups, v_ends, v_next;
  if cardinality(v_groups) > v_limit then
    v_next := v_ends[v_limit];
  elsif coalesce(cardinality(v_values), 0) <= c_most then
    v_next := null;
  end if;
  if v_next is not null then
    execute format(
      'select t.id from crm.%1$I t where t.workspace_id = $1 and t.%2$I > $2 and t.archived_at is null'
      ' order by t.%2$I, t.id limit 1',
      v_table, p_column
    ) into v_next_id using crm.current_workspace_id(), v_next;
    if v_next_id is not null then v_cursor := crm.keep_cursor(v_kind, p_column, null, v_next_id); end if;
  end if;
  return crm.page(v_groups[:v_limit], v_cursor);
end
$$;
comment on function crm.duplicates(text, text, jsonb) is
  'A page of groups of unarchived records with the same value in a column, in the order of the column''s index. Reads '
  'at most 2,000 records, so a page may be short or empty although there is a next page. Raises invalid_cursor.';
create function api.contact_duplicates(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.duplicates(
    'contact', case p_args ->> 'by' when 'email' then 'email' when 'phone' then 'phone_e164' end, p_args
  );
end
$$;
comment on function api.contact_duplicates(jsonb) is
  'Groups of unarchived contacts with the same e-mail address or phone number. Raises invalid_cursor.';
create function api.company_duplicates(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.duplicates(
    'company',
    case p_args ->> 'by' when 'name' then 'name_key' when 'tax_id' then 'tax_id' when 'domain' then 'domain' end, p_args
  );
end
$$;
comment on function api.company_duplicates(jsonb) is
  'Groups of unarchived companies with the same name, tax id or domain. Raises invalid_cursor.';

create table crm.requests (
  workspace_id uuid not null,
  key_id uuid not null,
  id uuid not null,
  method text not null,
  path text not null,
  status smallint not null,
  error json,
  request_id uuid not null,
  duration_ms integer not null,
  primary key (workspace_id, key_id, id)
) partition by range (id);
comment on table crm.requests is
  'One row for each request with a valid key. If a key gets several 429 replies within a second, at least one of them '
  'has a row. Only crm.log_requests writes it, after the reply, so a crash may lose some rows. Kept for 7 days in '
  'daily partitions. There are no foreign keys, because each insert would lock the key''s row.';
comment on column crm.requests.id is 'A UUIDv7 with the time when the request began.';
comment on column crm.requests.path is
  'The path with the names of the query parameters, without values: /api-v1-contacts?email&limit.';
comment on column crm.requests.error is
  'The error as the client got it: code, message, first details. Null if the request succeeded.';
call crm.protect('crm.requests');
create table crm.requests_default partition of crm.requests default;
comment on table crm.requests_default is
  'Rows of crm.requests whose day has no partition. Empty unless the job partition-requests did not run for a week.';
call crm.protect('crm.requests_default');
create index requests_failed on crm.requests (workspace_id, key_id, id) where status >= 400;
create function crm.log_requests(p_entries json) returns void
language plpgsql security definer set search_path = '' as $$
declare
  -- The database's time, because an isolate's clock may be wrong, and the time selects the partition.
  v_now bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin
  insert into crm.requests (workspace_id, key_id, id, method, path, status, error, request_id, duration_ms)
  select
    e.workspace_id, e.key_id,
    -- A UUIDv7 with the random bits of the request id. crm.uuid_v7 would take a third of this statement's time.
    (lpad(to_hex(v_now - e.age_ms), 12, '0') || '-7' || substr(e.request_id::text, 16))::uuid,
    e.method, e.path, e.status, e.error, e.request_id, e.duration_ms
  from json_to_recordset(p_entries) e (
    workspace_id uuid, key_id uuid, age_ms integer, method text, path text, status smallint, error json,
    request_id uuid, duration_ms integer
  );
end
$$;
comment on function crm.log_requests(json) is
  'Writes requests to the log. age_ms: how long ago the request began. Security definer, because the edge functions '
  'have no rights on tables.';
create function crm.request_ids(
  p_workspace_id uuid, p_key_id uuid, p_status text, p_code text, p_path text, p_since timestamptz,
  p_until timestamptz, p_cursor uuid, p_limit integer, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  -- p_status (422 or 4xx) as a range. With p_code, the range begins at 400 or above, because only failed requests have
  -- a code.
  v_least integer := greatest(
    coalesce(replace(p_status, 'x', '0'), '0')::integer, case when p_code is not null then 400 end
  );
  v_most integer := coalesce(replace(p_status, 'x', '9'), '999');
  v_before uuid := coalesce(
    least(p_cursor, case when p_until is not null then crm.uuid_v7_floor(p_until) end),
    'ffffffff-ffff-ffff-ffff-ffffffffffff'
  );
  v_from uuid := crm.uuid_v7_floor(coalesce(p_since, 'epoch'));
  v_is_filtered boolean := p_status is not null or p_code is not null or p_path is not null;
  -- The most requests that one call reads. Without this limit, a call whose filter matches nothing would read all 7
  -- days.
  v_look integer := case when v_is_filtered then 5000 else p_limit + 1 end;
begin
  -- Two statements, because a single statement could not use the index of failed requests.
  if v_least >= 400 then
    ids := array(
      select w.id
      from (
        select r.id, r.status, r.path, r.error from crm.requests r
        where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id < v_before and r.id >= v_from
          and r.status >= 400
        order by r.id desc limit v_look
      ) w
      where w.status between v_least and v_most and (p_code is null or w.error ->> 'code' = p_code)
        and (p_path is null or starts_with(w.path, p_path))
      limit p_limit + 1
    );
    if cardinality(ids) <= p_limit then
      select r.id into next_id from crm.requests r
      where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id < v_before and r.id >= v_from
        and r.status >= 400
      order by r.id desc
      offset v_look - 1 limit 1;
    end if;
  else
    ids := array(
      select w.id
      from (
        select r.id, r.status, r.path from crm.requests r
        where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id < v_before and r.id >= v_from
        order by r.id desc limit v_look
      ) w
      where w.status between v_least and v_most and (p_path is null or starts_with(w.path, p_path))
      limit p_limit + 1
    );
    if v_is_filtered and cardinality(ids) <= p_limit then
      select r.id into next_id from crm.requests r
      where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id < v_before and r.id >= v_from
      order by r.id desc
      offset v_look - 1 limit 1;
    end if;
  end if;
  if cardinality(ids) > p_limit then
    ids := ids[:p_limit];
    next_id := ids[p_limit];
  end if;
end
$$;
comment on function crm.request_ids(uuid, uuid, text, text, text, timestamptz, timestamptz, uuid, integer) is
  'A page of the ids of a key''s requests, newest first. next_id: the id after which the next page begins; null if '
  'there is none. p_status: a status or a class of statuses (422, 4xx). p_code: the code of the error. p_path: the '
  'beginning of the path. A filtered page looks at up to 5,000 requests (5,000 failed requests if only these can '
  'match). So a page may be short or empty although there is a next page.';
create function crm.request_page(p_workspace_id uuid, p_key_id uuid, p_args jsonb) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_page record;
  v_records json[];
  v_last uuid;
begin
  select * into v_page from crm.request_ids(
    p_workspace_id, p_key_id, p_args ->> 'status', p_args ->> 'code', p_args ->> 'path',
    (p_args ->> 'since')::timestamptz, (p_args ->> 'until')::timestamptz, (p_args ->> 'cursor')::uuid,
    coalesce((p_args ->> 'limit')::integer, 50)
  );
  select array_agg(s.record order by s.id desc), (array_agg(s.id order by s.id))[1] into v_records, v_last
  from (
    select b.id, b.record, sum(octet_length(b.record::text)) over (order by b.id desc) as bytes
    from (
      select wanted.id, json_build_object(
        'request_id', r.request_id, 'started_at', crm.iso(crm.uuid_v7_time(r.id)), 'method', r.method,
        'path', r.path, 'status', r.status, 'duration_ms', r.duration_ms, 'error', r.error
      ) as record
      from unnest(v_page.ids) wanted (id)
      -- The planner does not know that each id is in only one partition. `offset 0` makes it look up each id.
      cross join lateral (
        select * from crm.requests r
        where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id = wanted.id offset 0
      ) r
    ) b
  ) s
  where s.bytes <= crm.max_page_bytes();
  -- If the records fill the page before all ids are shown, the next page begins after the last record shown. At least
  -- one record fits.
  if cardinality(v_records) < cardinality(v_page.ids) then v_page.next_id := v_last; end if;
  return crm.page(v_records, v_page.next_id);
end
$$;
comment on function crm.request_page(uuid, uuid, jsonb) is
  'A page of a key''s requests (crm.request_ids) by status, code, path, since, until, cursor and limit.';
create function api.me_requests(p_args jsonb) returns json
language plpgsql stable set search_path = ''
as $$ begin return crm.request_page(crm.current_workspace_id(), crm.current_caller_id(), p_args); end $$;
comment on function api.me_requests(jsonb) is 'Lists the requests of the calling key in the last 7 days, newest first.';
create function app.key_requests(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{status, code, path, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_key_id uuid := (v_args ->> 'id')::uuid;
begin
  if not exists (
    select from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.id = v_key_id
      and (k.client_id is null or crm.may_see_grants_of(v_workspace_id, k.member_id))
  ) then
    perform crm.raise_code('not_found', 'id');
  end if;
  return crm.request_page(v_workspace_id, v_key_id, v_args);
end
$$;
comment on function app.key_requests(jsonb) is
  'Lists the requests of a key, or of a grant that the caller may see, in the last 7 days, newest first: data, and '
  'meta with next_cursor and has_more. Arguments: workspace_id, id, status (422 or 4xx), code (of the error), path '
  '(its beginning), since, until, cursor, limit (50 if absent). Codes: validation_error, not_found.';
create function crm.request_failures(p_workspace_id uuid, p_key_id uuid) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_sort = off
set jit = off as $$
declare
  c_look constant integer := 5000;
  v_zone text := crm.zone_of(p_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  v_hour timestamptz := date_bin('1 hour', now(), 'epoch');
  v_from uuid := crm.uuid_v7_floor(crm.day_start(v_today - 6, v_zone));
begin
  return (
    with newest as materialized (
      select r.id, r.status, r.error ->> 'code' as code from crm.requests r
      where r.workspace_id = p_workspace_id and r.key_id = p_key_id and r.id >= v_from
      order by r.id desc limit c_look + 1
    ),
    looked_at as materialized (
      select crm.uuid_v7_time(n.id) as at, n.status, n.status >= 400 as is_failure, n.code
      from newest n
      order by n.id desc limit c_look
    ),
    extent as materialized (
      select e.is_partial, case when e.is_partial then (select min(l.at) from looked_at l) end as since
      from (select count(*) > c_look as is_partial from newest) e
    ),
    hours as (
      select
        date_bin('1 hour', l.at, 'epoch') as hour,
        count(*) as requests, count(*) filter (where l.is_failure) as failures
      from looked_at l group by 1
    ),
    days as (
      select
        (l.at at time zone v_zone)::date as day,
        count(*) as requests, count(*) filter (where l.is_failure) as failures
      from looked_at l group by 1
    ),
    statuses as (
      select l.status, count(*) as count from looked_at l where l.is_failure group by 1
    ),
    codes as (
      select l.code, l.status, count(*) as count
      from looked_at l
      where l.code is not null
      group by 1, 2
      order by 3 desc, 1, 2 limit 10
    ),
    busiest as (
      select date_bin('1 minute', l.at, 'epoch') as minute, count(*) as requests
      from looked_at l
      -- The rate limit does not count the calls that it refused.
      where l.status <> 429
      group by 1
      order by 2 desc, 1 desc limit 1
    )
    select json_build_object(
      'time_zone', v_zone,
      'is_partial', e.is_partial,
      'since', crm.iso(e.since),
      'hours', (
        select json_agg(
          json_build_object(
            'hour', crm.iso(h.hour),
            'requests', case when k.is_known then coalesce(c.requests, 0) end,
            'failures', case when k.is_known then coalesce(c.failures, 0) end
          ) order by h.hour
        )
        from generate_series(v_hour - interval '47 hours', v_hour, interval '1 hour') h (hour)
        cross join lateral (select e.since is null or h.hour + interval '1 hour' > e.since as is_known) k
        left join hours c on c.hour = h.hour
      ),
      'days', (
        select json_agg(
          json_build_object(
            'day', to_char(d.day, 'YYYY-MM-DD'),
            'requests', case when k.is_known then coalesce(c.requests, 0) end,
            'failures', case when k.is_known then coalesce(c.failures, 0) end
          ) order by d.day
        )
        from (select v_today - n as day from generate_series(0, 6) n) d
        cross join lateral (select e.since is null or crm.day_start(d.day + 1, v_zone) > e.since as is_known) k
        left join days c on c.day = d.day
      ),
      'statuses', (
        select coalesce(json_agg(s order by s.count desc, s.status), '[]') from statuses s
      ),
      'codes', (
        select coalesce(json_agg(c order by c.count desc, c.code, c.status), '[]') from codes c
      ),
      'busiest_minute', (
        select json_build_object('minute', crm.iso(b.minute), 'requests', b.requests) from busiest b
      ),
      'limit_per_minute', (
        select w.rate_limit_per_minute from crm.workspaces w where w.id = p_workspace_id
      )
    )
    from extent e
  );
end
$$;
comment on function crm.request_failures(uuid, uuid) is
  'JSON that says how many requests of a key failed, and why: requests and failures by hour (the last 48) and by day '
  '(the last 7, in the workspace''s time zone), oldest first; failures by status; the 10 commonest error codes; and '
  'the minute with the most admitted requests, beside the rate limit. Looks at the newest 5,000 requests of these '
  'days. If there are more, is_partial is true, since is the time when the oldest of the 5,000 began, and earlier '
  'hours and days have null.';

create function crm.notice_claim()
returns table (
  workspace_id uuid, subscription_id uuid, claim text, deactivated_at double precision, workspace_name text,
  time_zone text, target_url text, last_status integer, last_reason text, recipients text[]
)
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select s.workspace_id, s.id from crm.webhook_subscriptions s
    where s.notice_due_at <= clock_timestamp()
    order by s.notice_due_at limit 10
    for no key update skip locked
  ),
  claimed as (
    update crm.webhook_subscriptions s
    -- Give the mail up after a day, because it would come too late to help.
    set notice_due_at = case
      when s.deactivated_at > now() - interval '1 day' then clock_timestamp() + interval '15 minutes'
    end
    from due d
    where s.workspace_id = d.workspace_id and s.id = d.id
    returning s.*
  )
  select
    c.workspace_id, c.id, c.notice_due_at::text, extract(epoch from c.deactivated_at)::double precision, w.name::text,
    w.time_zone, c.target_url, a.status, a.reason,
    array(
      select m.email from crm.members m
      where m.workspace_id = c.workspace_id and m.is_active
        -- Somebody who has not accepted an invitation must learn nothing about the company.
        and (m.user_id is not null or m.invited_at is null)
        and (
          m.role = 'admin'
          or m.id = (
            select k.member_id from crm.api_keys k where k.workspace_id = c.workspace_id and k.id = c.key_id
          )
          -- The audit log names the person who created the subscription in the console.
          or m.id in (
            select l.member_id from crm.audit_log l
            where l.workspace_id = c.workspace_id and l.object_id = c.id and l.action = 'webhook_created'
              and l.id >= crm.uuid_v7_floor(c.created_at - interval '1 minute')
              and l.id < crm.uuid_v7_floor(c.created_at + interval '1 minute')
          )
        )
      order by m.created_at, m.id limit 50
    )
  from claimed c
  join crm.workspaces w on w.id = c.workspace_id
  left join lateral (
    select r.status, r.reason
    from (
      select d.id from crm.webhook_deliveries d
      where d.workspace_id = c.workspace_id and d.subscription_id = c.id and d.ended_badly
      order by d.id desc limit 10
    ) d
    join crm.webhook_attempts r on r.workspace_id = c.workspace_id and r.delivery_id = d.id
    order by r.finished_at desc limit 1
  ) a on true
  where c.notice_due_at is not null;
end
$$;
comment on function crm.notice_claim() is
  'Claims up to 10 due mails about deactivated subscriptions for 15 minutes, and returns their contents and '
  'recipients: the active admins and the member who created the subscription or its key. If the dispatcher that '
  'claimed a mail does not report it as sent (crm.notice_sent), a later claim returns the mail again, for a day. '
  'deactivated_at is in seconds since 1970. Reads all workspaces, so it is security definer and only for the '
  'dispatcher.';
create function crm.notice_sent(p_workspace_id uuid, p_subscription_id uuid, p_claim text) returns void
language sql volatile security definer set search_path = '' as $$
  update crm.webhook_subscriptions s set notice_due_at = null
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.notice_due_at = p_claim::timestamptz
$$;
comment on function crm.notice_sent(uuid, uuid, text) is
  'Marks the mail of a claim as sent, so that nobody sends it again. Changes nothing if the subscription has been '
  'reactivated, or if another dispatcher has claimed the mail.';

create table crm.lead_receipts (
  workspace_id uuid not null,
  external_id crm.external_id not null,
  deal_id uuid not null,
  contact_id uuid not null,
  company_id uuid,
  created_at timestamptz not null default now(),
  primary key (workspace_id, external_id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id)
);
comment on table crm.lead_receipts is
  'The ids in the first reply for an external_id, stored for good, so that a lead that is sent again gets the same '
  'ids.';
call crm.protect('crm.lead_receipts');
create function crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) returns json
language sql stable as $$
  select json_build_object(
    'deal_id', p_deal.id, 'contact_id', p_contact_id, 'company_id', p_company_id, 'workspace_id', p_deal.workspace_id,
    'status', p_deal.status, 'pipeline_id', p_deal.pipeline_id, 'stage_id', p_deal.stage_id,
    'owner_id', p_deal.owner_id, 'created_at', crm.iso(p_deal.created_at)
  )
$$;
comment on function crm.lead_json(crm.deals, uuid, uuid) is 'Public JSON of a lead (spec 2.4, `lead`).';
create function crm.lead_name(p_lead jsonb) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$ begin return btrim((p_lead ->> 'first_name') || ' ' || coalesce(p_lead ->> 'last_name', '')); end $$;
comment on function crm.lead_name(jsonb) is 'The full name in a lead''s body.';
create function crm.lead_company(p_name_key text) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid;
  v_merged crm.companies;
  v_survivor crm.companies;
begin
  select c.id into v_id from crm.companies c
  where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.archived_at is null
  order by c.id limit 1;
  if found then return v_id; end if;
  for v_merged in
    select * from crm.companies c
    where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.merged_into_id is not null
    order by c.id limit 100
  loop
    v_survivor := crm.company_survivor(v_merged.merged_into_id);
    if v_survivor.archived_at is null then return v_survivor.id; end if;
  end loop;
  return null;
end
$$;
comment on function crm.lead_company(text) is
  'The oldest unarchived company with this crm.name_key. If there is none, the unarchived company into which a company '
  'with this name was merged, locked against merging until the transaction ends. Null if there is neither.';
create function crm.name_words(p_name text) returns text
language sql immutable parallel safe
as $$ select regexp_replace(crm.fold(btrim(p_name)), '\s+', ' ', 'g') || ' ' $$;
comment on function crm.name_words(text) is
  'The words of a name for comparison, each followed by a space: lower case, without accents. "José  Lima" becomes '
  '"jose lima ".';
create function crm.is_of_person(p_email text, p_words text, c crm.contacts) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  -- With the same phone, two e-mails mean two people, and so do two first names. A name that begins with the other name
  -- means one person: "Ana Paula Souza" and "Ana" are one person, "Maria José" and "Maria Clara" are two.
  return (c.email is null or p_email is null) and (
    starts_with(crm.name_words(c.name), p_words) or starts_with(p_words, crm.name_words(c.name))
  );
end
$$;
comment on function crm.is_of_person(text, text, crm.contacts) is
  'Whether a contact that has a lead''s phone may be the person who sent the lead. p_email is the lead''s e-mail; '
  'p_words are the words of its first name (crm.name_words).';
create function crm.lead_contact(p_lead jsonb, out contact crm.contacts, out matched_by text)
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_email text := p_lead ->> 'email';
  v_phone text := crm.e164(p_lead ->> 'phone');
  v_words text;
  v_merged crm.contacts;
begin
  if v_email is not null then
    matched_by := 'email';
    select c.* into contact from crm.contacts c
    where c.workspace_id = v_workspace_id and c.email = v_email and c.archived_at is null
    order by c.id limit 1;
    if found then return; end if;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.email = v_email and c.merged_into_id is not null
      order by c.id limit 100
    loop
      contact := crm.contact_survivor(v_merged.merged_into_id);
      if contact.archived_at is null then return; end if;
    end loop;
  end if;
  if v_phone is not null then
    matched_by := 'phone';
    v_words := crm.name_words(p_lead ->> 'first_name');
    -- Read at most 100. If more contacts have this phone, it is made up or belongs to a switchboard, and identifies
    -- nobody.
    for contact in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.archived_at is null
      order by c.id limit 100
    loop
      if crm.is_of_person(v_email, v_words, contact) then return; end if;
    end loop;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.merged_into_id is not null
      order by c.id limit 100
    loop
      continue when not crm.is_of_person(v_email, v_words, v_merged);
      contact := crm.contact_survivor(v_merged.merged_into_id);
      -- If the lead and the contact that remained after the merge both have an e-mail, they are two people.
      if contact.archived_at is null and (contact.email is null or v_email is null) then return; end if;
    end loop;
  end if;
  contact := null;
  matched_by := null;
end
$$;
comment on function crm.lead_contact(jsonb) is
  'Finds the contact of a lead by e-mail, or else by phone (only if the first name fits and the lead or the contact '
  'has no e-mail). Takes the oldest unarchived contact, or else the contact into which a match was merged, locked '
  'until the transaction ends. matched_by is the field that found the contact. Null if there is none. Reads at most '
  '100 contacts with the phone, and 100 merged contacts for each field.';
create function crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  v_words text := ' ' || crm.name_words(c.name);
  v_last text := ' ' || crm.name_words(nullif(p_lead ->> 'last_name', ''));
begin
  return array_remove(array[
    case when not starts_with(v_words, ' ' || crm.name_words(p_lead ->> 'first_name')) then 'first_name' end,
    case when right(v_words, length(v_last)) <> v_last then 'last_name' end,
    case when c.email is distinct from coalesce(p_lead ->> 'email', c.email) then 'email' end,
    case when c.phone_e164 is distinct from coalesce(crm.e164(p_lead ->> 'phone'), c.phone_e164) then 'phone' end,
    case when c.company_id is distinct from coalesce(p_company_id, c.company_id) then 'company_name' end
  ], null);
end
$$;
comment on function crm.lead_differences(jsonb, crm.contacts, uuid) is
  'The fields of a lead that have other values in its contact, in the order of spec 2.3. Names are compared by '
  'crm.name_words, phones by crm.e164, the company by its id.';
create function crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) returns crm.contacts
language plpgsql set search_path = '' as $$
begin
  -- Never fill in the e-mail: a contact found by e-mail has or had this e-mail, and a contact found by phone may be
  -- another person. If no field is missing, update nothing, because updated_at must not change.
  if (nullif(c.phone, '') is null and p_phone is not null) or (c.company_id is null and p_company_id is not null) then
    update crm.contacts t
    set phone = coalesce(nullif(t.phone, ''), p_phone), company_id = coalesce(t.company_id, p_company_id)
    where t.workspace_id = c.workspace_id and t.id = c.id
    returning t.* into c;
  end if;
  return c;
end
$$;
comment on function crm.fill_in_contact(crm.contacts, text, uuid) is
  'Gives a contact the phone and the company of a lead, each only if the contact has none. Returns the contact.';
create function crm.lead_result(
  p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean,
  p_company_created boolean default false, p_contact_created boolean default false,
  p_matched_by text default null, p_differences text[] default '{}'
) returns json
language sql stable as $$
  select json_build_object(
    'lead', crm.lead_json(p_deal, p_contact_id, p_company_id),
    'idempotent', p_idempotent,
    'created', json_build_object(
      'company', p_company_created, 'contact', p_contact_created, 'deal', not p_idempotent
    ),
    'matched_by', p_matched_by,
    'differences', p_differences
  )
$$;
comment on function crm.lead_result(crm.deals, uuid, uuid, boolean, boolean, boolean, text, text[]) is
  'The reply to POST leads (spec 2.4). The defaults are for a known external_id, when nothing was created or compared.';
create function api.lead_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_id text := p_args ->> 'external_id';
  v_email text := p_args ->> 'email';
  v_phone text := crm.e164(p_args ->> 'phone');
  v_name_key text := crm.name_key(p_args ->> 'company_name');
  v_known record;
  v_owner_id uuid;
  v_company_id uuid;
  v_found record;
  v_contact crm.contacts;
  v_matched_by text;
  v_differences text[] := '{}';
  v_deal crm.deals;
begin
  -- Leads that could create the same record wait for each other.
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', v_external_id, 'contact email', v_email, 'contact phone', v_phone, 'company name', v_name_key
  ));

  -- Most leads come from new people, so one statement first checks whether the company or the contact may exist.
  -- Further statements search only for those that may.
  select r.deal_id, r.contact_id, r.company_id, s.pipeline_id, s.stage_id,
    exists (
      select from crm.companies c where c.workspace_id = v_workspace_id and c.name_key = v_name_key
    ) as has_company,
    exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.email = v_email)
      or exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone)
      as has_contact
  into v_known
  from (select) lead
  left join crm.lead_receipts r on r.workspace_id = v_workspace_id and r.external_id = v_external_id
  left join crm.stage_of_new_deal((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s on true;
  if v_known.deal_id is not null then
    perform api.mark_replayed();
    select * into v_deal from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_known.deal_id;
    return crm.lead_result(v_deal, v_known.contact_id, v_known.company_id, true);
  end if;

  -- Checked only now: a lead that is sent again was answered above, and may be older than the definition of a field.
  perform crm.checked_values('deal', p_args);
  if v_known.stage_id is null then
    -- No stage was found: this call raises the error.
    select s.pipeline_id, s.stage_id into v_known.pipeline_id, v_known.stage_id
    from crm.choose_stage((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s;
  end if;
  v_owner_id := coalesce(
    case when p_args ? 'owner_id' then crm.active_member((p_args ->> 'owner_id')::uuid) end,
    crm.default_owner()
  );
  if v_owner_id is null then perform api.fail('owner_unresolved'); end if;
  if v_known.has_company then v_company_id := crm.lead_company(v_name_key); end if;
  if v_known.has_contact then
    v_found := crm.lead_contact(p_args);
    v_contact := v_found.contact;
    v_matched_by := v_found.matched_by;
  end if;

  -- One statement, because each statement has a fixed cost.
  with company as (
    insert into crm.companies (workspace_id, name, owner_id)
    select v_workspace_id, p_args ->> 'company_name', v_owner_id
    where v_name_key is not null and v_company_id is null
    returning id
  ),
  contact as (
    insert into crm.contacts (workspace_id, name, email, phone, company_id, owner_id)
    select v_workspace_id, crm.lead_name(p_args), v_email, p_args ->> 'phone',
      coalesce(v_company_id, (select id from company)), v_owner_id
    where v_contact.id is null
    returning id
  ),
  deal as (
    insert into crm.deals (
      workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
      source, utm, custom_fields, external_id, lead
    )
    select v_workspace_id, crm.lead_name(p_args), (p_args ->> 'value')::numeric, (p_args ->> 'recurring_value')::numeric,
      v_known.pipeline_id, v_known.stage_id, coalesce(v_contact.id, (select id from contact)),
      coalesce(v_company_id, (select id from company)), v_owner_id,
      p_args ->> 'source', p_args -> 'utm', p_args -> 'custom_fields', v_external_id, p_args
    returning *
  ),
  receipt as (
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id)
    select d.workspace_id, d.external_id, d.id, d.contact_id, d.company_id from deal d
    where d.external_id is not null
  )
  select * into v_deal from deal;

  if v_contact.id is not null then
    v_contact := crm.fill_in_contact(v_contact, p_args ->> 'phone', v_deal.company_id);
    v_differences := crm.lead_differences(p_args, v_contact, v_deal.company_id);
  end if;
  return crm.lead_result(
    v_deal, v_deal.contact_id, v_deal.company_id, false, v_company_id is null and v_name_key is not null,
    v_contact.id is null, v_matched_by, v_differences
  );
end
$$;
comment on function api.lead_create(jsonb) is
  'Creates a lead, or returns the result of an earlier call with the same external_id (spec 2.3, 2.4, 4.1). p_args is '
  'the body without nulls; the deal keeps it.';

create function crm.lock_batch(p_record text, p_items jsonb, p_is_stored boolean) returns void
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_ids uuid[] := array(
    select (i -> 'args' ->> 'id')::uuid from jsonb_array_elements(p_items) i
    where i ->> 'op' = 'update' or (i ->> 'op' = 'get' and p_is_stored)
  );
  v_deal_ids uuid[];
begin
  if exists (select from jsonb_array_elements(p_items) i where i ->> 'op' = 'upsert') then
    perform crm.lock_all_matches();
  end if;
  -- Lock the deals too, because each activity and note sets moved_at on its deal.
  if p_record in ('activity', 'note') then
    v_deal_ids := array(
      select (i -> 'args' ->> 'deal_id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'create'
      union
      select t.deal_id from crm.activities t
      where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      union
      select t.deal_id from crm.notes t
      where p_record = 'note' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
    );
  end if;
  -- Lock the companies and contacts that the items refer to first, because a merge or an erasure locks a contact or a
  -- company before the records that refer to it.
  perform crm.lock_referred(
    array(select (i #>> '{args,company_id}')::uuid from jsonb_array_elements(p_items) i),
    array(
      select (i #>> '{args,contact_id}')::uuid from jsonb_array_elements(p_items) i
      union
      select d.contact_id from crm.deals d where d.workspace_id = v_workspace_id and d.id = any (v_deal_ids)
    )
  );
  -- Lock records in order of id, so that two batches with the same records cannot deadlock, whatever the order of their
  -- items.
  if p_record <> 'note' then
    execute format(
      'select from crm.%I t where t.workspace_id = $1 and t.id = any ($2) order by t.id for no key update',
      crm.table_of(p_record)
    ) using v_workspace_id, v_ids;
  end if;
  perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_deal_ids)
  order by t.id for no key update;
end
$$;
comment on function crm.lock_batch(text, jsonb, boolean) is
  'Locks all rows that the items of a batch will lock later, in an order that all batches share; if the reply is stored '
  '(p_is_stored), also the records that items only read. An erasure waits for these locks, and then finds the reply. A '
  'note is not locked, but its deal.';
create function crm.run_batch_item(p_record text, p_item jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_op text := p_item ->> 'op';
  v_reply json;
begin
  -- The call itself requires only the write scope, which does not include reading.
  if v_op = 'get' and not crm.has_scope(crm.table_of(p_record) || ':read') then
    perform api.fail(
      'insufficient_scope', array['op'], format('Ler exige o escopo "%s:read"', crm.table_of(p_record))
    );
  end if;
  perform set_config('app.found', '', true);
  v_reply := crm.run_verb(p_record || '_' || v_op, p_item -> 'args');
  return jsonb_build_object(
    'status', case when v_op = 'create' or (v_op = 'upsert' and not crm.is_marked('app.found')) then 201 else 200 end,
    'id', v_reply ->> 'id'
  ) || case
    when v_reply ->> 'differences' <> '[]' then jsonb_build_object('differences', v_reply -> 'differences')
    when v_op = 'get' then jsonb_build_object('record', v_reply)
    else '{}'
  end;
end
$$;
comment on function crm.run_batch_item(text, jsonb) is
  'Runs an item as the call for a single record would. Returns its status, the id of its record, the fields that an '
  'upsert did not write, and the record that was read.';
create function crm.check_atomic_batch(p_results jsonb[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_details json := (
    select json_agg(f.detail)
    from (
      select json_build_object(
        'field', concat_ws('.', format('items[%s]', r.position - 1), d.field), 'message', d.message, 'id', d.id,
        'kind', d.kind, 'choices', d.choices, 'code', coalesce(d.code, r.result -> 'error' ->> 'code')
      ) as detail
      from unnest(p_results) with ordinality r (result, position)
      left join lateral jsonb_to_recordset(nullif(r.result -> 'error' -> 'details', 'null'))
        d (field text, message text, id uuid, kind text, choices json, code text) on true
      where r.result ? 'error'
      order by r.position
    ) f
  );
begin
  if v_details is not null then
    raise exception using errcode = 'CRM00', message = 'batch_failed', detail = v_details::text;
  end if;
end
$$;
comment on function crm.check_atomic_batch(jsonb[]) is
  'Raises batch_failed if an item failed. The details name the invalid fields of every failed item, or the item itself '
  'if its error names no field; the edge function adds the texts for the items'' codes.';
create function crm.bound_details(p_results jsonb[]) returns jsonb[]
language plpgsql immutable set search_path = '' as $$
declare
  v_left integer := 100;
  v_details jsonb;
  v_most integer;
begin
  if (
    select coalesce(sum(greatest(jsonb_array_length(nullif(r #> '{error,details}', 'null')), 1)), 0)
    from unnest(p_results) r
    where r ? 'error'
  ) <= v_left then
    return p_results;
  end if;
  v_left := v_left - (select count(*) from unnest(p_results) r where r ? 'error');
  for v_at in 1 .. cardinality(p_results) loop
    v_details := nullif(p_results[v_at] #> '{error,details}', 'null');
    continue when jsonb_array_length(v_details) is null or jsonb_array_length(v_details) <= 1;
    v_most := 1 + least(v_left, jsonb_array_length(v_details) - 1);
    v_left := v_left - v_most + 1;
    v_details := jsonb_path_query_array(v_details, '$[0 to $end]', jsonb_build_object('end', v_most - 1));
    p_results[v_at] := jsonb_set(p_results[v_at], '{error,details}', v_details);
  end loop;
  return p_results;
end
$$;
comment on function crm.bound_details(jsonb[]) is
  'Returns the results of a batch with at most 100 error details, as in any reply: the first detail of each item, then '
  'further details in order. The number is limited because the reply is stored, and every erasure searches the stored '
  'replies.';
create function crm.name_holder(p_record text, p_item jsonb, p_result jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  if p_result #>> '{error,code}' is distinct from 'external_id_taken'
    or p_result #>> '{error,details,0,id}' is not null then
    return p_result;
  end if;
  return jsonb_set(p_result, '{error,details,0,id}', coalesce(
    crm.external_id_holders(p_record, array[p_item #>> '{args,external_id}']) -> (p_item #>> '{args,external_id}'), 'null'
  ));
end
$$;
comment on function crm.name_holder(text, jsonb, jsonb) is
  'Returns the result of an item. If its error is external_id_taken and names no record, an earlier item of the group '
  'created the record with this external_id; adds that record''s id.';
create function crm.all_create(p_record text, p_items jsonb[]) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_external_ids text[];
begin
  if exists (
    select from unnest(p_items) i
    where not i ? 'error' and i ->> 'op' is distinct from 'create' and (
      i ->> 'op' <> 'upsert'
      or p_record not in ('contact', 'company')
      or i #>> '{args,match_by}' <> 'external_id'
      or coalesce(i #>> '{args,external_id}', '') = ''
      or i #>> '{args,name}' is null
    )
  ) then
    return false;
  end if;
  v_external_ids := array(select i #>> '{args,external_id}' from unnest(p_items) i where i ->> 'op' = 'upsert');
  -- An upsert after another item with the same external_id changes that item's record, so the upsert creates none.
  return v_external_ids = '{}' or (
    not exists (
      select from unnest(p_items) i
      where i #>> '{args,external_id}' = any (v_external_ids)
      group by i #>> '{args,external_id}'
      having count(*) > 1
    )
    and crm.external_id_holders(p_record, v_external_ids) = '{}'
  );
end
$$;
comment on function crm.all_create(text, jsonb[]) is
  'Whether every item creates a record: each item is a creation, or an upsert by an external_id that no record has '
  'yet, as in a first import. Ignores items that the edge function found invalid. Returns false for an upsert of a '
  'deal, because a deal''s external_id is not unique.';
create function crm.item_error(p_failure crm.failure, p_record text, p_item jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_error record;
begin
  select e.error_code, e.details into v_error
  from crm.error_of(p_failure, p_record || '_' || (p_item ->> 'op'), p_item -> 'args') e;
  return jsonb_build_object('error', jsonb_build_object('code', v_error.error_code, 'details', v_error.details));
end
$$;
comment on function crm.item_error(crm.failure, text, jsonb) is 'The result of an item that ended with an exception.';
create function crm.refuse_taken(p_record text, p_items jsonb[], p_results jsonb[], p_names_holder boolean)
returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_external_ids text[] := array(select i #>> '{args,external_id}' from unnest(p_items) i);
  v_holders jsonb;
begin
  if array_remove(v_external_ids, null) = '{}' then return p_results; end if;
  v_holders := crm.external_id_holders(p_record, v_external_ids);
  for v_at in 1 .. cardinality(p_items) loop
    if p_results[v_at] is null and v_holders ? v_external_ids[v_at] then
      p_results[v_at] := jsonb_build_object('error', jsonb_build_object(
        'code', 'external_id_taken',
        'details', jsonb_build_array(jsonb_build_object(
          'field', 'external_id', 'message', null,
          'id', case when p_names_holder then v_holders -> v_external_ids[v_at] end
        ))
      ));
    end if;
  end loop;
  return p_results;
end
$$;
comment on function crm.refuse_taken(text, jsonb[], jsonb[], boolean) is
  'Returns p_results, with the error external_id_taken for each item whose external_id a record already has. Called '
  'before the insert, because the unique index would refuse the whole statement without naming the item.';
create function crm.refuse_invalid(p_record text, p_items jsonb[], p_results jsonb[]) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_failure crm.failure;
begin
  for v_at in 1 .. cardinality(p_items) loop
    continue when p_results[v_at] is not null;
    begin
      execute format('select crm.%I($1)', p_record || '_new') using p_items[v_at] -> 'args';
      -- Undo the block and so its subtransaction. Otherwise each item's locks would keep a subtransaction until the
      -- call ends.
      raise exception using errcode = 'CRM01';
    exception
      when sqlstate 'CRM01' then
        null;
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        p_results[v_at] := crm.item_error(v_failure, p_record, p_items[v_at]);
    end;
  end loop;
  return p_results;
end
$$;
comment on function crm.refuse_invalid(text, jsonb[], jsonb[]) is
  'Returns p_results, with an error for each item that fails its checks, for example because of an unknown reference. '
  'Writes nothing.';
create function crm.create_together(p_record text, p_items jsonb[], p_is_atomic boolean) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_results jsonb[] := array(select case when i ? 'error' then i end from unnest(p_items) i);
  v_round integer := 0;
  v_is_checked boolean := false;
  v_at integer[];
  v_ids uuid[];
begin
  if not crm.all_create(p_record, p_items) then return v_results; end if;
  loop
    v_round := v_round + 1;
    -- In an atomic batch, only the first round names the record that has the external_id. In later rounds, this batch
    -- may have created the record, and would undo it with the failed batch.
    v_results := crm.refuse_taken(p_record, p_items, v_results, v_round = 1 or not p_is_atomic);
    -- Take the first item with each external_id. If the item is created, the next round refuses the others.
    v_at := array(
      select min(i.position)
      from unnest(p_items) with ordinality i (item, position)
      where v_results[i.position] is null
      group by coalesce(
        case when p_record in ('contact', 'company') then '=' || (i.item #>> '{args,external_id}') end, i.position::text
      )
      order by 1
    );
    exit when v_at = '{}';
    begin
      v_ids := crm.insert_together(p_record, array(select p_items[a] from unnest(v_at) a));
      for v_n in 1 .. cardinality(v_at) loop
        v_results[v_at[v_n]] := jsonb_build_object('status', 201, 'id', v_ids[v_n]);
      end loop;
    exception
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        -- The items passed their checks, and the insert fails again: leave them to crm.run_group, which finds the
        -- failing item by running them one after another.
        exit when v_is_checked;
        v_results := crm.refuse_invalid(p_record, p_items, v_results);
        v_is_checked := true;
    end;
  end loop;
  return v_results;
end
$$;
comment on function crm.create_together(text, jsonb[], boolean) is
  'If every item creates a record, creates all valid items by one insert, which is half the work of an insert for '
  'each. Returns the results, with null for each item that is left to crm.run_group.';
create function crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_results jsonb[] := crm.create_together(p_record, p_items, p_is_atomic);
  v_tried jsonb[];
  v_from integer := 1;
  v_to integer := cardinality(p_items);
  v_at integer;
  v_failure crm.failure;
begin
  while v_from <= cardinality(p_items) loop
    begin
      v_tried := v_results;
      for v_position in v_from .. v_to loop
        continue when v_results[v_position] is not null;
        v_at := v_position;
        v_tried[v_at] := crm.run_batch_item(p_record, p_items[v_at]);
      end loop;
      v_results := v_tried;
      v_from := v_to + 1;
      v_to := cardinality(p_items);
    exception
      -- The whole call fails with service_unavailable and keeps nothing, so that the client can repeat it.
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        v_results[v_at] := crm.item_error(v_failure, p_record, p_items[v_at]);
        -- The items before the failed item run a second time and are kept. Then the items after the failed item run. No
        -- item runs more than twice.
        v_to := case when v_at > v_from then v_at - 1 else cardinality(p_items) end;
    end;
  end loop;
  -- An earlier item of the group may have created the record that has the external_id. When the error was built, the
  -- record had been undone. Now the record exists again, so the error can name it.
  if not p_is_atomic then
    for v_position in 1 .. cardinality(p_items) loop
      v_results[v_position] := crm.name_holder(p_record, p_items[v_position], v_results[v_position]);
    end loop;
  end if;
  return v_results;
end
$$;
comment on function crm.run_group(text, jsonb[], boolean) is
  'Runs items in order and returns their results. The items between two failures share a subtransaction, because a '
  'subtransaction for each item could exceed the 64 that Postgres caches for a transaction. A deadlock or lock timeout '
  'ends the whole call.';
create function crm.run_batch(p_record text, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  c_group constant integer := 10;
  v_items jsonb[] := array(select i from jsonb_array_elements(p_args -> 'items') i);
  v_is_atomic boolean := p_args -> 'atomic' is not distinct from 'true';
  v_results jsonb[];
begin
  perform crm.lock_batch(p_record, p_args -> 'items', p_args ? 'is_stored');
  for v_first in 1 .. cardinality(v_items) by c_group loop
    -- Once the reply is as large as a page of a list may be, the remaining reads fail.
    if pg_column_size(v_results) > crm.max_page_bytes() then
      v_items := array(
        select case when i.item ->> 'op' = 'get' and i.position >= v_first
          then '{"error": {"code": "too_many_records", "details": null}}' else i.item
        end
        from unnest(v_items) with ordinality i (item, position)
        order by i.position
      );
    end if;
    v_results := v_results || crm.run_group(p_record, v_items[v_first : v_first + c_group - 1], v_is_atomic);
  end loop;
  v_results := crm.bound_details(v_results);
  if v_is_atomic then perform crm.check_atomic_batch(v_results); end if;
  return crm.unless_dry_run(p_args, (
    select json_build_object(
      'results', json_agg(
        -- Without the id of a record that a dry run does not create.
        jsonb_build_object('index', r.position - 1)
          || case when p_args ? 'dry_run' and r.result ->> 'status' = '201' then r.result - 'id' else r.result end
        order by r.position
      ),
      'summary', json_build_object(
        'created', count(*) filter (where r.result ->> 'status' = '201'),
        'updated', count(*) filter (where r.result ->> 'status' = '200' and not r.result ? 'record'),
        'failed', count(*) filter (where r.result ? 'error')
      )
    )
    from unnest(v_results) with ordinality r (result, position)
  ));
end
$$;
comment on function crm.run_batch(text, jsonb) is
  'Runs the items of a batch in order. A failed item writes nothing. The other items stay, except in an atomic batch, '
  'which undoes them. A deadlock or lock timeout ends the whole call. The edge function adds the status and the text '
  'of each error.';
create function api.contact_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('contact', p_args); end $$;
comment on function api.contact_batch(jsonb) is
  'Runs up to 100 creates, updates, upserts and reads. Raises batch_failed if an item of an atomic batch fails.';
create function api.company_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('company', p_args); end $$;
comment on function api.company_batch(jsonb) is 'Like api.contact_batch, for companies.';
create function api.deal_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('deal', p_args); end $$;
comment on function api.deal_batch(jsonb) is 'Like api.contact_batch, for deals.';
create function api.activity_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('activity', p_args); end $$;
comment on function api.activity_batch(jsonb) is 'Like api.contact_batch, for activities, without upserts.';
create function api.note_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('note', p_args); end $$;
comment on function api.note_batch(jsonb) is 'Like api.contact_batch, for notes, with creates and reads only.';

create function crm.insert_together(p_record text, p_items jsonb[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  case p_record
    when 'activity' then
      with made as (
        insert into crm.activities (
          workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
          duration_minutes, is_online_meeting, meeting_url, location, status
        )
        select
          crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
          t.description, t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
        from unnest(array(select crm.activity_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'company' then
      with made as (
        insert into crm.companies (
          workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
          instagram, address, owner_id, notes, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
          t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags,
          t.external_id
        from unnest(array(select crm.company_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'contact' then
      with made as (
        insert into crm.contacts (
          workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin,
          notes, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
          t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, t.tags, t.external_id
        from unnest(array(select crm.contact_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'deal' then
      with made as (
        insert into crm.deals (
          workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
          expected_close_date, source, utm, custom_fields, tags, external_id
        )
        select
          crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
          t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.tags, t.external_id
        from unnest(array(select crm.deal_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
    when 'note' then
      with made as (
        insert into crm.notes (
          workspace_id, deal_id, author_id, body, kind, source
        )
        select
          crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
        from unnest(array(select crm.note_new(i -> 'args') from unnest(p_items) i)) t
        returning id
      )
      select array_agg(m.id) into v_ids from made m;
  end case;
  return v_ids;
end
$$;
comment on function crm.insert_together(text, jsonb[]) is
  'Creates the records of a batch by one insert, because half the time of an insert is a fixed cost. Returns their '
  'ids in order.';

create table crm.operations (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(clock_timestamp()),
  kind text not null check (kind in ('contact_erasure', 'contact_merge', 'company_merge')),
  object_id uuid not null,
  arguments jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
  result jsonb not null default '{}',
  progress jsonb,
  caller text,
  steps integer not null default 0,
  work bigint not null default 0,
  failures integer not null default 0,
  error_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (workspace_id, id),
  check ((state in ('done', 'failed')) = (ended_at is not null)),
  check (state <> 'done' or progress is null)
);
comment on table crm.operations is
  'Erasures and merges that are too large for one call. The job run-operations runs them in steps. Finished operations '
  'are kept for 90 days, failed operations until they are repeated.';
comment on column crm.operations.object_id is 'The contact to erase, or the record that was merged into another one.';
comment on column crm.operations.result is 'What was done so far: numbers, and ids of records.';
comment on column crm.operations.progress is
  'Where the next step continues. For an erasure, also what identifies the person in texts. Callers never see this '
  'column.';
comment on column crm.operations.caller is
  'The setting app.caller of the call, so that the events of the steps name the caller.';
comment on column crm.operations.work is 'An estimate of the work of all steps, in rows or kilobytes read or written.';
comment on column crm.operations.failures is
  'Failed steps since the last successful step. The tenth failure ends the operation.';
comment on column crm.operations.error_code is 'Why the last step failed (spec 7); null if the step succeeded.';
create unique index operations_unfinished on crm.operations (workspace_id, kind, object_id) where state <> 'done';
create index operations_due on crm.operations (workspace_id, id) where state in ('queued', 'running');
call crm.protect('crm.operations');
create function crm.operation_json(o crm.operations) returns json
language plpgsql stable set search_path = '' as $$
begin
  return json_build_object(
    'id', o.id,
    'kind', o.kind,
    'state', o.state,
    'arguments', json_build_object(
      'id', o.arguments -> 'id', 'merge_id', o.arguments -> 'merge_id', 'texts', o.arguments -> 'texts'
    ),
    'cleared', o.result -> 'cleared',
    'texts_naming', case when o.state = 'done' then o.result -> 'texts_naming' end,
    'moved', o.result -> 'moved',
    'error', o.error_code,
    'created_at', crm.iso(o.created_at),
    'updated_at', crm.iso(o.updated_at),
    'ended_at', crm.iso(o.ended_at)
  );
end
$$;
comment on function crm.operation_json(crm.operations) is 'JSON of an operation: ids and numbers, no names.';
create function crm.own_operation(p_id uuid) returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select crm.operation_json(o) from crm.operations o
    where o.workspace_id = crm.current_workspace_id() and o.id = p_id
  );
end
$$;
comment on function crm.own_operation(uuid) is
  'An operation of the current workspace, or null. Security definer, because callers may not read the column progress.';
create function crm.unfinished_operation(p_kind text, p_object_id uuid) returns json
language plpgsql security definer set search_path = '' as $$
declare
  o crm.operations;
begin
  select * into o from crm.operations u
  where u.workspace_id = crm.current_workspace_id() and u.kind = p_kind and u.object_id = p_object_id and u.state <> 'done';
  if o.state = 'failed' then
    update crm.operations f
    set state = 'queued', failures = 0, error_code = null, ended_at = null, updated_at = clock_timestamp()
    where f.workspace_id = o.workspace_id and f.id = o.id and f.state = 'failed'
    returning * into o;
  end if;
  return case when o.id is not null then crm.operation_json(o) end;
end
$$;
comment on function crm.unfinished_operation(text, uuid) is
  'The unfinished operation on a record of the current workspace; null if there is none. Restarts a failed operation, '
  'because clients retry by repeating their call. Security definer, because callers may not read the column progress.';
create function api.operation_get(p_args jsonb) returns json
language plpgsql stable set search_path = ''
as $$ begin return crm.require_record(crm.own_operation((p_args ->> 'id')::uuid)); end $$;
comment on function api.operation_get(jsonb) is 'Returns an operation of the workspace; raises not_found.';
create function crm.sum_counts(p_counts jsonb, p_added jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select coalesce(p_counts, '{}') || jsonb_object_agg(a.key, a.value::bigint + coalesce((p_counts ->> a.key)::bigint, 0))
    from jsonb_each_text(p_added) a
  );
end
$$;
comment on function crm.sum_counts(jsonb, jsonb) is
  'Adds the numbers in p_added to the numbers with the same names in p_counts.';
create function crm.next_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
begin
  o.state := 'running';
  if o.kind = 'contact_erasure' then
    o := crm.erase_step(o);
  else
    o := crm.merge_step(o);
  end if;
  o.updated_at := clock_timestamp();
  o.failures := 0;
  o.error_code := null;
  if o.progress is null then
    o.state := 'done';
    o.ended_at := o.updated_at;
  end if;
  return o;
end
$$;
comment on function crm.next_step(crm.operations) is
  'Runs the next step (some hundred rows) and returns the changed operation, done if its progress is null.';
create function crm.begin_operation(o crm.operations, p_work bigint) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  -- Even on a busy database, the call must end long before its statement_timeout of 8 s.
  v_end timestamptz := clock_timestamp() + interval '2 seconds';
begin
  o.id := crm.uuid_v7(clock_timestamp());
  o.state := 'queued';
  o.caller := current_setting('app.caller', true);
  o.steps := 0;
  o.work := 0;
  o.failures := 0;
  o.created_at := clock_timestamp();
  while o.state <> 'done' and o.work < p_work and clock_timestamp() < v_end loop
    o := crm.next_step(o);
    o.steps := o.steps + 1;
  end loop;
  if o.state <> 'done' then insert into crm.operations select o.*; end if;
  return o;
end
$$;
comment on function crm.begin_operation(crm.operations, bigint) is
  'Runs steps of a new operation until it has done p_work (rows and kilobytes) or 2 s have passed, and leaves the rest '
  'to the job. An operation that ends within the call is not stored.';
create function crm.take_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform set_config('app.workspace_id', new.workspace_id::text, true), set_config('app.caller', new.caller, true);
  return crm.next_step(new);
end
$$;
comment on function crm.take_step() is
  'Trigger: runs a step of the operation as the operation''s caller. A step runs in a trigger, because each row that a '
  'merge moves outside a trigger would also emit an event of its own (50_emission_of_changes.sql).';
create trigger take_step before update of steps on crm.operations
  for each row when (new.steps > old.steps)
  execute function crm.take_step();
create function crm.run_operations(p_most interval default '1 second') returns integer
language plpgsql set search_path = ''
set lock_timeout = '500ms' as $$
declare
  v_end timestamptz := clock_timestamp() + p_most;
  v_next record;
  v_count integer := 0;
begin
  loop
    -- Take the oldest operation of each workspace, so that no workspace delays another. Skip locked rows, because two
    -- runs may overlap.
    select o.workspace_id, o.id into v_next from crm.operations o
    where o.state in ('queued', 'running') and o.updated_at <= clock_timestamp() - o.failures * interval '5 seconds'
      and not exists (
        select from crm.operations e
        where e.workspace_id = o.workspace_id and e.state in ('queued', 'running') and e.id < o.id
      )
    order by o.updated_at limit 1
    for update skip locked;
    exit when not found;
    begin
      update crm.operations o set steps = o.steps + 1 where o.workspace_id = v_next.workspace_id and o.id = v_next.id;
    exception when others then
      raise log 'crm.run_operations %: % (%)', v_next.id, sqlerrm, sqlstate;
      update crm.operations o
      set
        failures = o.failures + 1,
        error_code = case when sqlstate ~ '^(55P03|40P01|53)' then 'service_unavailable' else 'internal_error' end,
        state = case when o.failures < 9 then 'running' else 'failed' end,
        updated_at = clock_timestamp(),
        ended_at = case when o.failures >= 9 then clock_timestamp() end
      where o.workspace_id = v_next.workspace_id and o.id = v_next.id;
    end;
    v_count := v_count + 1;
    exit when clock_timestamp() >= v_end;
  end loop;
  perform set_config('app.workspace_id', '', true), set_config('app.caller', '', true);
  return v_count;
end
$$;
comment on function crm.run_operations(interval) is
  'Runs steps of operations, workspaces in turn, until p_most has passed, and returns the number of steps. A failed '
  'step is undone and repeated, after a longer pause each time. The tenth failure in a row ends the operation as '
  'failed. If the session is killed, its run is undone, and the next run repeats the steps.';

create index contacts_merged on crm.contacts (workspace_id, merged_into_id) where merged_into_id is not null;
create index companies_merged on crm.companies (workspace_id, merged_into_id) where merged_into_id is not null;
create function crm.filled_custom_fields(p_fields jsonb, p_other jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  v_filled jsonb;
  v_key text;
begin
  if p_fields is null or p_other is null then return coalesce(p_fields, p_other); end if;
  for v_key in select o.key from jsonb_object_keys(p_other) o (key)
    where coalesce(p_fields -> o.key, 'null') = 'null' order by o.key
  loop
    v_filled := p_fields || jsonb_build_object(v_key, p_other -> v_key);
    if (select count(*) from jsonb_object_keys(v_filled)) <= 50 and octet_length(v_filled::text) <= 10240 then
      p_fields := v_filled;
    end if;
  end loop;
  return p_fields;
end
$$;
comment on function crm.filled_custom_fields(jsonb, jsonb) is
  'Returns p_fields. Each field that is missing or null gets its value from p_other, within the limits of spec 8.';
create function crm.emit_for_each(
  p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb
) returns void
language plpgsql set search_path = '' as $$
declare
  v_event_ids uuid[];
begin
  if cardinality(p_object_ids) is null then return; end if;
  with stored as (
    insert into crm.events (workspace_id, event, object_id, facts)
    select p_workspace_id, p_event, o.id, p_facts from unnest(p_object_ids) o (id)
    returning id
  )
  select array_agg(e.id) into v_event_ids from stored e;
  perform crm.fan_out(p_workspace_id, v_event_ids, crm.subscribers(p_workspace_id, p_event));
  perform crm.fan_out_filtered(p_workspace_id, p_event, v_event_ids);
exception when others then
  raise log 'crm.emit_for_each % of % objects: % (%)', p_event, cardinality(p_object_ids), sqlerrm, sqlstate;
end
$$;
comment on function crm.emit_for_each(uuid, crm.event_type, uuid[], jsonb) is
  'Emits one event for each of many objects. Each call of crm.emit would be a subtransaction, and more than 64 of them '
  'slow down all other transactions. Does nothing if p_object_ids is null.';
create function crm.move_children(
  p_workspace_id uuid, p_table text, p_column text, p_from uuid, p_to uuid, p_event crm.event_type
) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  -- Lock in order of id, as other runs and batches do, to avoid deadlocks.
  execute format(
    'with next as (
       select t.id from crm.%1$I t where t.workspace_id = $1 and t.%2$I = $2 order by t.id limit 200 for no key update
     ), moved as (
       update crm.%1$I t set %2$I = $3 from next n where t.workspace_id = $1 and t.id = n.id returning t.id
     )
     select array_agg(m.id) from moved m',
    p_table, p_column
  ) into v_ids using p_workspace_id, p_from, p_to;
  if p_event is not null then
    perform crm.emit_for_each(
      p_workspace_id, p_event, v_ids, jsonb_build_object('changed_fields', jsonb_build_array(p_column))
    );
  end if;
  return coalesce(v_ids, '{}');
end
$$;
comment on function crm.move_children(uuid, text, text, uuid, uuid, crm.event_type) is
  'Changes p_column from p_from to p_to in at most 200 rows, emits an event for each row, and returns the rows'' ids. '
  'p_event is null for a change that clients cannot see.';
create function crm.move_deal_contacts(p_workspace_id uuid, p_from uuid, p_to uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_rows crm.deal_contacts[];
  v_ids uuid[] := array(
    select k.deal_id from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_from limit 200
  );
begin
  -- Wait for calls that add a contact to one of these deals: such a call holds the deal's lock.
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_ids) order by d.id for no key update;
  with gone as (
    delete from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_from and k.deal_id = any (v_ids)
    returning k.*
  )
  select array_agg(g::crm.deal_contacts) into v_rows from gone g;
  insert into crm.deal_contacts as kept (workspace_id, deal_id, contact_id, role, created_at)
  select r.workspace_id, r.deal_id, p_to, r.role, r.created_at from unnest(v_rows) r
  on conflict (workspace_id, deal_id, contact_id) do update set role = excluded.role
  where kept.role is null and excluded.role is not null;
  return v_ids;
end
$$;
comment on function crm.move_deal_contacts(uuid, uuid, uuid) is
  'Replaces the additional contact p_from by p_to in at most 200 deals, and returns these deals. If a deal has both '
  'contacts, p_to keeps its role; without a role, it gets the role of p_from.';
create function crm.merge_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  v_contact boolean := o.kind = 'contact_merge';
  v_column text := case when v_contact then 'contact_id' else 'company_id' end;
  v_into uuid;
  v_ids uuid[];
  v_name text;
begin
  -- Read the remaining record in each step, because it may have been merged into another one since the last step.
  if v_contact then
    select c.merged_into_id into v_into from crm.contacts c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  else
    select c.merged_into_id into v_into from crm.companies c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  end if;
  o.progress := coalesce(o.progress, '{}');
  -- Move earlier merges first, to keep chains short. Move activities before deals, because a PATCH of an activity locks
  -- the activity before its deal.
  foreach v_name in array case
    when v_contact then '{contacts,activities,deals,deal_contacts}'::text[]
    else '{companies,contacts,deals}'
  end
  loop
    v_ids := case when v_name = 'deal_contacts' then crm.move_deal_contacts(o.workspace_id, o.object_id, v_into)
    else crm.move_children(
      o.workspace_id, v_name,
      case when v_name = 'companies' or v_contact and v_name = 'contacts' then 'merged_into_id' else v_column end,
      o.object_id, v_into,
      case
        when v_name = 'activities' then 'activity.updated'
        when v_name = 'deals' then 'deal.updated'
        when v_name = 'contacts' and not v_contact then 'contact.updated'
      end::crm.event_type
    ) end;
    if v_name = 'deals' then perform crm.move_receipts(o.workspace_id, v_column, v_ids, o.object_id, v_into); end if;
    -- Count each row twice, because its event costs as much as its update.
    o.work := o.work + 1 + 2 * cardinality(v_ids);
    o.result := jsonb_build_object('moved', crm.sum_counts(
      o.result -> 'moved',
      jsonb_build_object(
        case when v_name = 'companies' or v_contact and v_name = 'contacts' then 'merged' else v_name end,
        cardinality(v_ids)
      )
    ));
    if v_ids <> '{}' then return o; end if;
  end loop;
  o.progress := null;
  return o;
end
$$;
comment on function crm.merge_step(crm.operations) is
  'Takes at most 200 rows of one table that refer to a merged record, and makes them refer to the remaining record. '
  'The operation is done when no such row is left. No new rows appear, because nothing may refer to a merged '
  'record any more.';
create function crm.move_receipts(p_workspace_id uuid, p_column text, p_deal_ids uuid[], p_from uuid, p_to uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- Receipts are found by their deals, because an index for them would slow down every lead. If the deal has another
  -- contact now, the receipt keeps the id of the merged contact, whose URL redirects to the remaining contact (301).
  execute format(
    'update crm.lead_receipts r set %1$I = $4
     from crm.deals d
     where d.workspace_id = $1 and d.id = any ($2)
       and r.workspace_id = $1 and r.external_id = d.external_id and r.%1$I = $3',
    p_column
  ) using p_workspace_id, p_deal_ids, p_from, p_to;
end
$$;
comment on function crm.move_receipts(uuid, text, uuid[], uuid, uuid) is
  'Makes the receipts of leads, found by their deals, refer to another contact or company.';
create function crm.begin_merge() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  o crm.operations;
begin
  o.workspace_id := new.workspace_id;
  o.kind := tg_argv[0];
  o.object_id := new.id;
  o.arguments := jsonb_build_object('id', new.merged_into_id, 'merge_id', new.id);
  o.result := '{"moved": {"activities": 0, "contacts": 0, "deals": 0, "deal_contacts": 0, "merged": 0}}';
  if o.kind = 'contact_merge' then
    perform crm.emit(
      new.workspace_id, 'contact.merged', new.merged_into_id, jsonb_build_object('merged_contact_id', new.id)
    );
  end if;
  -- About 600 records and their events, which take half a second.
  perform crm.begin_operation(o, 1200);
  return null;
end
$$;
comment on function crm.begin_merge() is
  'Trigger: emits contact.merged if a contact was merged. Moves some hundred rows from the merged record to the record '
  'into which it was merged, with their events (crm.merge_step). The job run-operations moves the other rows.';
create trigger emit_merged after update of merged_into_id on crm.contacts
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('contact_merge');
create trigger emit_merged after update of merged_into_id on crm.companies
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('company_merge');

create function crm.lock_matches_of_contacts(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'contact email', c.email, 'contact phone', c.phone_e164, 'contact external_id', c.external_id
    )
    from crm.contacts c
    where c.workspace_id = crm.current_workspace_id() and c.id = any (p_ids)
  ));
end
$$;
comment on function crm.lock_matches_of_contacts(uuid[]) is
  'Makes leads and upserts that look for one of these contacts wait until the transaction ends.';
create function crm.lock_company_merges(p_exclusive boolean) returns void
language plpgsql set search_path = '' as $$
declare
  v_number bigint := crm.lock_number('company merges ' || crm.current_workspace_id());
begin
  if p_exclusive then
    perform pg_advisory_xact_lock(v_number);
  else
    perform pg_advisory_xact_lock_shared(v_number);
  end if;
end
$$;
comment on function crm.lock_company_merges(boolean) is
  'Makes a merge of companies (exclusive) and the merges of contacts in a workspace wait for each other. A merge of '
  'companies locks the company, then its contacts. A merge of contacts locks the contacts, then the company that one '
  'of them gets. Without this lock, the two merges could deadlock.';
create function crm.merge_json(p_record json, p_kind text, p_merge_id uuid) returns json
language plpgsql set search_path = '' as $$
declare
  v_operation json := crm.unfinished_operation(p_kind, p_merge_id);
begin
  if v_operation is null then return p_record; end if;
  return crm.with_fields(p_record, json_build_object('operation', v_operation));
end
$$;
comment on function crm.merge_json(json, text, uuid) is
  'The reply to a merge: the remaining record, and the operation that moves the rows of the merged record, until the '
  'operation is done.';
create function api.contact_merge(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.contacts;
  v_other crm.contacts;
  v_filled crm.contacts;
  v_next uuid;
begin
  if v_merge_id = v_id then perform api.fail('validation_error', array['merge_id'], 'Deve ser outro contato'); end if;
  perform crm.lock_company_merges(false);
  perform crm.lock_matches_of_contacts(array[v_id, v_merge_id]);
  -- In order of id, so that two merges of the same contacts cannot deadlock.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.contact_lock(v_id);
    else
      -- This lock also waits for transactions that are creating a deal or an activity for this contact. Later
      -- transactions of this kind wait for this lock.
      select c.* into v_other from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    -- This call is repeated, for example because the first reply was lost. Fill in nothing, because the record may have
    -- changed since.
    return crm.merge_json(crm.contact_json(v_winner), 'contact_merge', v_merge_id);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Este contato já foi unido a outro', array[v_other.merged_into_id]
    );
  elsif v_other.erased_at is not null then
    perform api.fail('record_erased', array['merge_id']);
  end if;

  v_filled := crm.contact_filled(v_winner, v_other);
  if v_filled.company_id is distinct from v_winner.company_id then
    -- The application may be merging that company in a transaction that does not see the update below. Wait for that
    -- transaction, and take the company that remains.
    select coalesce(c.merged_into_id, c.id) into v_filled.company_id from crm.companies c
    where c.workspace_id = v_workspace_id and c.id = v_filled.company_id
    for key share;
  end if;
  update crm.contacts c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    -- The external_id moves to the remaining contact only if that contact has none. Otherwise the merged contact keeps
    -- it, so that no third contact can take it.
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then v_winner := crm.contact_save(v_filled); end if;
  return crm.merge_json(crm.contact_json(v_winner), 'contact_merge', v_merge_id);
end
$$;
comment on function api.contact_merge(jsonb) is
  'Merges the contact merge_id into the contact id, fills the empty fields of the remaining contact and returns it; a '
  'repeated call only returns it. Raises not_found, record_merged, record_erased, validation_error, invalid_reference.';
create function api.company_merge(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.companies;
  v_other crm.companies;
  v_filled crm.companies;
  v_next uuid;
begin
  if v_merge_id = v_id then perform api.fail('validation_error', array['merge_id'], 'Deve ser outra empresa'); end if;
  perform crm.lock_company_merges(true);
  -- Leads and upserts that look for one of these companies wait.
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'company name', c.name_key, 'company tax_id', c.tax_id, 'company domain', c.domain,
      'company external_id', c.external_id
    )
    from crm.companies c
    where c.workspace_id = v_workspace_id and c.id in (v_id, v_merge_id)
  ));
  -- Locked in order of id, as in api.contact_merge.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.company_lock(v_id);
    else
      select c.* into v_other from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    return crm.merge_json(crm.company_json(v_winner), 'company_merge', v_merge_id);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Esta empresa já foi unida a outra', array[v_other.merged_into_id]
    );
  end if;

  v_filled := crm.company_filled(v_winner, v_other);
  update crm.companies c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then v_winner := crm.company_save(v_filled); end if;
  return crm.merge_json(crm.company_json(v_winner), 'company_merge', v_merge_id);
end
$$;
comment on function api.company_merge(jsonb) is
  'Merges the company merge_id into the company id, fills the empty fields of the remaining company and returns it; a '
  'repeated call only returns it. Raises not_found, record_merged, validation_error, invalid_reference.';

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
comment on function crm.url_decoded(text) is 'The text with %XX decoded; unchanged if the result is not UTF-8.';
create function crm.words(p_text text) returns text
language sql immutable parallel safe
as $$
  select nullif(
    ' ' || btrim(regexp_replace(crm.fold(p_text) collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g')) || ' ', '  '
  )
$$;
comment on function crm.words(text) is
  'The words of a text in lower case, without accents, and each between spaces, such as " ana souza ". So a search for '
  'a name matches only whole words. Null if the text has no words.';
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
create function crm.json_text(p_fields jsonb) returns text
language sql immutable parallel safe
as $$ select regexp_replace(p_fields::text, '\\[nrtbf]', ' ', 'g') $$;
comment on function crm.json_text(jsonb) is 'The text of an object or list, in which words can be searched.';
create function crm.without_mentions(p_fields jsonb, p_traces crm.traces) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when jsonb_typeof(p_fields) = 'object' then (
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(p_fields) f
    where crm.mentions(
      f.key || ' ' || case jsonb_typeof(f.value) when 'string' then f.value #>> '{}' else crm.json_text(f.value) end,
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
  'Returns p_traces with the traces of a lead that the person sent. Used only for the texts of the lead''s own deal, '
  'because searching a thousand deals for the traces of a thousand leads would take a million searches.';
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

create table crm.texts_naming (
  workspace_id uuid not null,
  contact_id uuid not null,
  object text not null,
  id uuid not null,
  fields text[] not null default '{}',
  digest bytea,
  primary key (workspace_id, contact_id, object, id)
);
comment on table crm.texts_naming is
  'Records that still named a person when the contact was erased. A later call can clear and count only these records, '
  'because the names for a new search are gone.';
comment on column crm.texts_naming.fields is
  'For a deal of the contact: the fields of its origin (crm.origin_fields) that contain any word of the person''s '
  'name. A call with `texts` clears them.';
comment on column crm.texts_naming.digest is
  'SHA-256 of the record''s texts. If the texts now have another digest, they have changed, and the name may be gone.';
call crm.protect('crm.texts_naming');
create function crm.erase_activities(
  p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, out changed bigint
)
language plpgsql set search_path = '' as $$
begin
  perform from crm.activities a where a.workspace_id = p_workspace_id and a.id = any (p_ids) order by a.id for update;
  update crm.activities a
  set (title, description, location, meeting_url) = (e.title, e.description, e.location, e.meeting_url)
  from (
    select
      i.id,
      case when p_texts or crm.mentions(i.title, t.traces) then crm.activity_label(i.type) else i.title end as title,
      case when not p_texts then i.description end as description,
      case when not (p_texts or crm.mentions(i.location, t.traces)) then i.location end as location,
      case when not (p_texts or crm.mentions(i.meeting_url, t.traces)) then i.meeting_url end as meeting_url
    from crm.activities i
    left join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    cross join lateral (select crm.with_lead(p_traces, d.lead) as traces) t
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) e
  where a.workspace_id = p_workspace_id and a.id = e.id
    and (a.title, a.description, a.location, a.meeting_url)
      is distinct from (e.title, e.description, e.location, e.meeting_url);
  get diagnostics changed = row_count;
end
$$;
comment on function crm.erase_activities(uuid, uuid[], crm.traces, boolean) is
  'Replaces a title, and clears a location or meeting_url, if it mentions the person. With p_texts, replaces or clears '
  'all texts of the activities.';
create function crm.erase_proposals(
  p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, out changed bigint
)
language plpgsql set search_path = '' as $$
begin
  perform from crm.proposals p where p.workspace_id = p_workspace_id and p.id = any (p_ids) order by p.id for update;
  update crm.proposals p
  set (title, rejection_reason) = (e.title, e.rejection_reason)
  from (
    select
      i.id,
      case when p_texts or crm.mentions(i.title, crm.with_lead(p_traces, d.lead)) then 'Proposta' else i.title end as title,
      case when not p_texts then i.rejection_reason end as rejection_reason
    from crm.proposals i
    join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) e
  where p.workspace_id = p_workspace_id and p.id = e.id
    and (p.title, p.rejection_reason) is distinct from (e.title, e.rejection_reason);
  get diagnostics changed = row_count;
end
$$;
comment on function crm.erase_proposals(uuid, uuid[], crm.traces, boolean) is
  'Replaces the titles that mention the person. With p_texts, replaces the titles of all these proposals and clears '
  'the reasons for rejection.';
create type crm.deal_traces as (deal_id uuid, traces crm.traces, origin_traces crm.traces);
comment on type crm.deal_traces is
  'What identifies a person in a deal''s texts (traces), and in its source, utm and external_id (origin_traces).';
create function crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) returns crm.deal_traces
language plpgsql immutable set search_path = '' as $$
declare
  v_traces crm.traces := crm.with_lead(p_traces, d.lead);
begin
  return (
    d.id,
    v_traces,
    case
      when p_names is null then v_traces
      else (v_traces.words || crm.single_names(p_names || crm.lead_name(d.lead)), v_traces.numbers)::crm.traces
    end
  );
end
$$;
comment on function crm.deal_traces_of(crm.deals, crm.traces, text[]) is
  'The traces of a person in a deal. p_names: the person''s names. Each word of a name is a trace in source, utm and '
  'external_id, because in Genoveva''s own deal "indicação de Genoveva" names her. If p_names is null, the words are '
  'not added.';
create function crm.has_name(p_id text, p_traces crm.traces) returns boolean
language sql immutable set search_path = '' as $$
  select crm.mentions(p_id, p_traces) or exists (
    select from unnest(p_traces.words) w (words)
    where length(w.words) >= 6
      and position(replace(w.words, ' ', '') in replace(crm.words(crm.url_decoded(p_id)), ' ', '')) > 0
  )
$$;
comment on function crm.has_name(text, crm.traces) is
  'Whether an external id contains a trace of a person. A trace of four letters or more may also be part of a word, '
  'because programs write "form-QUARESMA7".';
create function crm.origin_fields(d crm.deals, p_traces crm.traces, p_texts boolean) returns text[]
language sql immutable set search_path = '' as $$
  select array_remove(array[
    case when crm.mentions(d.source, p_traces) then 'source' end,
    case when crm.mentions(d.external_id, p_traces) or p_texts and crm.has_name(d.external_id, p_traces)
      then 'external_id'
    end
  ], null) || array(
    select 'utm.' || u.key from jsonb_object_keys(d.utm) u (key)
    where not crm.without_mentions(d.utm, p_traces) ? u.key
  )
$$;
comment on function crm.origin_fields(crm.deals, crm.traces, boolean) is
  'The fields of a deal''s origin that mention the person: source, external_id, utm.<key>. With p_texts, also an '
  'external_id in which the name is only part of a word.';
create function crm.erase_deals(
  p_workspace_id uuid, p_contact_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[],
  out deals bigint, out lead_receipts bigint
)
language plpgsql set search_path = '' as $$
declare
  v_deals crm.deal_traces[];
begin
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (p_ids) order by d.id for update;
  v_deals := array(
    select crm.deal_traces_of(d, p_traces, p_names) from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
  );
  -- After the external_id of a receipt is replaced, the same lead sent again counts as new. An external_id that names
  -- the person and that the deal no longer has is replaced even without p_texts, because a later call would not find
  -- it.
  update crm.lead_receipts r set external_id = 'apagado ' || gen_random_uuid()
  from unnest(v_deals) t
  join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
  where r.workspace_id = p_workspace_id and r.external_id = any (array[d.external_id, d.lead ->> 'external_id'])
    and (
      crm.mentions(r.external_id, t.traces)
      or (p_texts or r.external_id is distinct from d.external_id)
        and crm.has_name(r.external_id, t.origin_traces)
      or p_texts and r.external_id = d.external_id and exists (
        select from crm.texts_naming k
        where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = d.id
          and 'external_id' = any (k.fields)
      )
    );
  get diagnostics lead_receipts = row_count;
  update crm.deals d
  set (title, source, external_id, loss_note, utm, custom_fields, tags, lead) = (
    e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, e.tags, null
  )
  from (
    select
      o.id,
      case when p_texts or crm.mentions(o.title, t.traces) then 'Contato apagado' else o.title end as title,
      case when not 'source' = any (n.fields) then o.source end as source,
      case when not 'external_id' = any (n.fields) then o.external_id end as external_id,
      case when not p_texts then o.loss_note end as loss_note,
      o.utm - array(select substr(f.field, 5) from unnest(n.fields) f (field) where starts_with(f.field, 'utm.')) as utm,
      case when not p_texts then crm.without_mentions(o.custom_fields, t.traces) end as custom_fields,
      nullif(array(
        select g.tag from unnest(o.tags) with ordinality g (tag, position)
        where not crm.mentions(g.tag, t.traces) and not (p_texts and crm.has_name(g.tag, t.origin_traces))
        order by g.position
      ), '{}') as tags
    from unnest(v_deals) t
    join crm.deals o on o.workspace_id = p_workspace_id and o.id = t.deal_id
    left join crm.texts_naming k
      on k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = o.id
    cross join lateral (
      select case
        when p_texts then crm.origin_fields(o, t.origin_traces, true) || coalesce(k.fields, '{}')
        else crm.origin_fields(o, t.traces, false)
      end as fields
    ) n
  ) e
  where d.workspace_id = p_workspace_id and d.id = e.id
    -- Skip deals without traces, because their updated_at must not change.
    and (d.title, d.source, d.external_id, d.loss_note, d.utm, d.custom_fields, d.tags, d.lead)
      is distinct from (e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, e.tags, null::jsonb);
  get diagnostics deals = row_count;
  update crm.deal_contacts k
  set role = null
  from unnest(v_deals) t
  where k.workspace_id = p_workspace_id and k.deal_id = t.deal_id
    and crm.mentions(k.role, case when p_texts then t.origin_traces else t.traces end);
  if p_texts then
    delete from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = any (p_ids);
  else
    insert into crm.texts_naming (workspace_id, contact_id, object, id, fields)
    select p_workspace_id, p_contact_id, 'deal', d.id, n.fields
    from unnest(v_deals) t
    join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
    cross join lateral (select crm.origin_fields(d, t.origin_traces, true) as fields) n
    where n.fields <> '{}'
    on conflict (workspace_id, contact_id, object, id) do update set fields = excluded.fields;
  end if;
  -- Update the searched text now instead of in the job, because it contains the person's words.
  perform crm.keep_texts(p_workspace_id, 'deal', p_ids);
end
$$;
comment on function crm.erase_deals(uuid, uuid, uuid[], crm.traces, boolean, text[]) is
  'Clears the leads that the person sent. Replaces texts that mention the person in the short fields of deals, in the '
  'deals'' receipts and in the roles of their contacts. With p_texts, also clears the free texts about the deals, '
  'their custom fields, and each source, external_id, tag or utm value that contains a word of the names. Without '
  'p_texts, crm.texts_naming remembers which source, external_id and utm values contain such a word.';
create function crm.erase_deal_contacts(p_workspace_id uuid, p_contact_id uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[] := array(
    select k.deal_id from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id limit 100
  );
begin
  -- Wait for calls that are removing the contact from one of these deals: such a call holds the deal's lock.
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_ids) order by d.id for no key update;
  delete from crm.deal_contacts k
  where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.deal_id = any (v_ids);
  return v_ids;
end
$$;
comment on function crm.erase_deal_contacts(uuid, uuid) is
  'Removes a contact and its role from at most 100 deals, and returns the deals'' ids. A main contact stays in its '
  'deal without a role.';

create table crm.webhook_erasures (
  workspace_id uuid primary key,
  position bigint not null
);
comment on table crm.webhook_erasures is
  'The position (crm.feed_position) of the last transaction that erased a person in the workspace. The body of an '
  'attempt whose claim_horizon is not above it may have what was erased. A receiver may repeat the body, so '
  'crm.delivery_record drops the answer.';
call crm.protect('crm.webhook_erasures');
create function crm.erasure_lock(p_workspace_id uuid) returns bigint
language plpgsql stable set search_path = ''
as $$ begin return crm.lock_number('erasure in ' || p_workspace_id); end $$;
comment on function crm.erasure_lock(uuid) is
  'The advisory lock of erasures in a workspace. A transaction that stores answers of receivers holds it in share mode. '
  'An erasure takes it exclusively before it searches the answers, so it finds the answers that were stored before. '
  'crm.delivery_record does not wait for the lock: it drops the answers that come while an erasure has it.';
create function crm.drop_answers(p_workspace_id uuid) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_timeout text := current_setting('lock_timeout');
begin
  if not exists (select from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id) then return true; end if;
  begin
    -- Waits only briefly. Another erasure may take long, and a transaction that stores answers may wait for a
    -- subscription that this transaction has locked.
    perform set_config('lock_timeout', '500ms', true);
    perform pg_advisory_xact_lock(crm.erasure_lock(p_workspace_id));
    perform set_config('lock_timeout', v_timeout, true);
  exception when lock_not_available or deadlock_detected then
    return false;
  end;
  insert into crm.webhook_erasures as e (workspace_id, position) values (p_workspace_id, crm.feed_position())
  on conflict (workspace_id) do update set position = excluded.position;
  return true;
end
$$;
comment on function crm.drop_answers(uuid) is
  'Makes crm.delivery_record drop the answers to deliveries that are in flight in a workspace, or are claimed before '
  'this transaction ends. Returns false, and changes nothing, if another transaction has the lock for 500 ms.';
create function crm.json_unescaped(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if position('\' in p_text) = 0 then return p_text; end if;
  return (
    select string_agg(
      case
        when m.part[1] ~ '^\\u' and m.part[1] !~* '^\\u(d[89a-f]|00[01])'
          then chr(('x0000' || substr(m.part[1], 3))::bit(32)::integer)
        when m.part[1] ~ '^\\.' then ' '
        else m.part[1]
      end,
      '' order by m.n
    )
    from regexp_matches(p_text, '\\u[0-9A-Fa-f]{4}|\\.|[^\\]+|\\', 'g') with ordinality m (part, n)
  );
end
$$;
comment on function crm.json_unescaped(text) is
  'Decodes letters that are escaped in JSON, such as \u00e9, and replaces every other escape by a space, so that words '
  'can be searched. The text may end in the middle of an escape.';
create function crm.erase_answers(
  p_workspace_id uuid, p_after uuid, p_contact_ids uuid[], p_traces crm.traces, out last_id uuid, out work bigint,
  out changed bigint
)
language plpgsql set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  c_most constant integer := 1000;
begin
  select n.delivery_id into last_id
  from (
    select a.delivery_id from crm.webhook_attempts a
    where a.workspace_id = p_workspace_id and a.delivery_id > p_after
    order by a.delivery_id limit c_most
  ) n
  order by n.delivery_id desc limit 1;
  work := 0;
  changed := 0;
  if last_id is null then return; end if;
  update crm.webhook_attempts a
  set answer = null
  where a.workspace_id = p_workspace_id and a.delivery_id > p_after and a.delivery_id <= last_id
    and a.answer is not null and (
      crm.mentions(crm.json_unescaped(a.answer), p_traces)
      -- Clear every answer to an event about the contact, because a name that is cut off at the end of the answer
      -- matches no trace.
      or (
        select e.object_id = any (p_contact_ids) from crm.webhook_deliveries d
        join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
        where d.workspace_id = p_workspace_id and d.id = a.delivery_id
      )
    );
  get diagnostics changed = row_count;
  work := c_most / 10;
end
$$;
comment on function crm.erase_answers(uuid, uuid, uuid[], crm.traces) is
  'Reads the next thousand attempts of a workspace, and clears the answers that mention the person or that belong to '
  'an event about the contact itself. last_id is null after the last attempt.';

create function crm.keys_mentioning(p_keys text[], p_traces crm.traces) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  -- Search all keys as one text first. Searching them one by one takes three times as long, and few keys mention
  -- anybody.
  if crm.mentions(
    -- Decode each key alone, because a key that is not UTF-8 would keep the others from being decoded. Replace each %
    -- that remains by a space, so that crm.mentions decodes no key a second time.
    (
      select string_agg(
        case when position('%' in k.key) = 0 then k.key else translate(crm.url_decoded(k.key), '%', ' ') end, ' '
      )
      from unnest(p_keys) k (key)
    ),
    p_traces
  ) then
    return array(select k.key from unnest(p_keys) k (key) where crm.mentions(k.key, p_traces));
  end if;
  return '{}';
end
$$;
comment on function crm.keys_mentioning(text[], crm.traces) is 'The Idempotency-Keys that mention a person.';
create function crm.ids_of_person(p_workspace_id uuid, p_ids uuid[], p_contact_ids uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(f.id, null), '{}')
  from (
    select c.id from crm.contacts c
    where c.workspace_id = p_workspace_id and c.id = any (p_ids) and c.id = any (p_contact_ids)
    union all
    select d.id from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
      and (d.contact_id = any (p_contact_ids) or d.lead_contact_id = any (p_contact_ids))
    union all
    select a.id from crm.activities a
    join crm.deals d on d.workspace_id = a.workspace_id and d.id = a.deal_id
    where a.workspace_id = p_workspace_id and a.id = any (p_ids)
      and (a.contact_id = any (p_contact_ids) or d.contact_id = any (p_contact_ids))
    union all
    select n.id from crm.notes n
    join crm.deals d on d.workspace_id = n.workspace_id and d.id = n.deal_id
    where n.workspace_id = p_workspace_id and n.id = any (p_ids) and d.contact_id = any (p_contact_ids)
  ) f
$$;
comment on function crm.ids_of_person(uuid, uuid[], uuid[]) is
  'Returns an object. Its keys are the ids in p_ids that belong to these contacts, or to their deals, activities or '
  'notes.';
create function crm.record_now(p_workspace_id uuid, p_id uuid, p_in_detail boolean) returns json
language sql stable set search_path = '' as $$
  select coalesce(
    (select crm.contact_json(c) from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_id),
    (
      select case when p_in_detail then crm.deal_detail_json(d) else crm.deal_json(d) end
      from crm.deals d where d.workspace_id = p_workspace_id and d.id = p_id
    ),
    (select crm.activity_json(a) from crm.activities a where a.workspace_id = p_workspace_id and a.id = p_id),
    (select crm.note_json(n) from crm.notes n where n.workspace_id = p_workspace_id and n.id = p_id)
  )
$$;
comment on function crm.record_now(uuid, uuid, boolean) is
  'The contact, deal, activity or note with this id as it is now. p_in_detail: a deal as GET /:id shows it.';
create function crm.batch_without_person(
  p_workspace_id uuid, p_reply json, p_contact_ids uuid[], p_traces crm.traces
) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_objects jsonb := crm.ids_of_person(
    p_workspace_id,
    array(
      select (r #>> '{record,id}')::uuid from json_array_elements(p_reply -> 'results') r
      where r -> 'record' is not null
    ),
    p_contact_ids
  );
begin
  if v_objects = '{}' and not exists (
    select from jsonb_path_query(p_reply::jsonb, '$.results[*].error.details[*].field') f (field)
    where crm.mentions(f.field #>> '{}', p_traces)
  ) then
    return p_reply;
  end if;
  return json_build_object(
    'results', (
      select json_agg(
        case
          when v_objects ? (r.result #>> '{record,id}') then r.result || jsonb_build_object(
            'record', crm.record_now(p_workspace_id, (r.result #>> '{record,id}')::uuid, true)
          )
          -- Only an error from the edge function has a message. Its details name invalid fields as they were sent,
          -- including the keys of custom_fields.
          when r.result #> '{error,message}' is not null and jsonb_typeof(r.result #> '{error,details}') = 'array'
          then jsonb_set(r.result, '{error,details}', (
            select coalesce(jsonb_agg(
              case
                when crm.mentions(d.detail ->> 'field', p_traces)
                  then d.detail || jsonb_build_object('field', format('items[%s]', r.result ->> 'index'))
                else d.detail
              end
              order by d.n
            ), '[]')
            from jsonb_array_elements(r.result #> '{error,details}') with ordinality d (detail, n)
          ))
          else r.result
        end
        order by r.n
      )
      from jsonb_array_elements((p_reply -> 'results')::jsonb) with ordinality r (result, n)
    ),
    'summary', p_reply -> 'summary'
  );
end
$$;
comment on function crm.batch_without_person(uuid, json, uuid[], crm.traces) is
  'The reply to a batch, with the records of these contacts that it read as they are now. If the name of an invalid '
  'field mentions the person, the error names only the item instead. Messages need no check, because they quote '
  'nothing that was sent.';
create function crm.erase_replies(
  p_workspace_id uuid, p_after text, p_contact_ids uuid[], p_traces crm.traces, out last_key text,
  out bytes bigint, out changed bigint
)
language plpgsql set search_path = ''
set enable_seqscan = off as $$
declare
  v_keys text[];
  v_ids uuid[];
  -- An object, because looking up a key in an object is fast in every plan. An array is hashed only in some plans.
  v_objects jsonb;
  -- Only longer traces, because a short name occurs as a word in many keys, and the replies of other people must stay.
  v_long crm.traces := (
    array(select w.words from unnest(p_traces.words) w (words) where length(w.words) >= 6 limit 50),
    (p_traces.numbers)[1:50]
  );
  v_mentioning text[];
  v_rows bigint;
begin
  -- Take 256 KB of replies, but at least one reply. Postgres knows the length of a reply without reading its text.
  with next as (
    select i.key, octet_length(i.body) as bytes from crm.idempotency_keys i
    where i.workspace_id = p_workspace_id and i.key > p_after
    order by i.key limit 200
  )
  select array_agg(n.key order by n.key), max(n.key), sum(n.bytes) into v_keys, last_key, bytes
  from (select x.*, sum(x.bytes) over (order by x.key) - x.bytes as before from next x) n
  where n.before < 262144;
  changed := 0;
  if last_key is null then return; end if;
  -- The first id in a reply is the id of its record; in the reply to a lead, it is the id of the deal.
  v_ids := array(
    select f.id::uuid
    from (
      select case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(left(i.body, 1000) from '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
      end as id
      from crm.idempotency_keys i
      where i.workspace_id = p_workspace_id and i.key = any (v_keys)
    ) f
    where f.id is not null
  );
  v_objects := crm.ids_of_person(p_workspace_id, v_ids, p_contact_ids);
  v_mentioning := crm.keys_mentioning(v_keys, v_long);
  delete from crm.idempotency_keys i
  where i.workspace_id = p_workspace_id and i.key = any (v_keys) and (
    i.key = any (v_mentioning)
    or (
      v_objects ? case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(left(i.body, 1000) from '[0-9a-f]{8}-[0-9a-f-]{27}')
      end
      and crm.mentions(i.key, p_traces)
    )
  );
  get diagnostics changed = row_count;
  -- Give repeated requests the record as it is now. The JSON of a record begins with its id: {"id":"<uuid>".
  update crm.idempotency_keys i
  set body = n.body
  from (
    select r.key, (case
      when r.added is null then crm.record_now(p_workspace_id, r.id, false)
      else crm.with_fields(crm.record_now(p_workspace_id, r.id, false), r.added)
    end)::text as body
    from (
      select k.key, substr(k.body, 8, 36)::uuid as id, (
        -- What a creation or an upsert adds to the record: ids and names of fields.
        select json_object_agg(f.key, f.value) from json_each(k.body::json) f
        where f.key in ('created', 'matched_by', 'differences', 'possible_duplicates')
      ) as added
      from crm.idempotency_keys k
      where k.workspace_id = p_workspace_id and k.key = any (v_keys) and v_objects ? substr(k.body, 8, 36)
    ) r
  ) n
  where i.workspace_id = p_workspace_id and i.key = n.key and i.body <> n.body;
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
  update crm.idempotency_keys i
  set body = n.body
  from (
    select k.key, crm.batch_without_person(p_workspace_id, k.body::json, p_contact_ids, v_long)::text as body
    from crm.idempotency_keys k
    where k.workspace_id = p_workspace_id and k.key = any (v_keys) and starts_with(k.body, '{"results"')
      -- Check this first, because parsing a reply takes long, and most replies contain neither.
      and (position('"record"' in k.body) > 0 or position('"details"' in k.body) > 0)
  ) n
  where i.workspace_id = p_workspace_id and i.key = n.key and i.body <> n.body;
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
end
$$;
comment on function crm.erase_replies(uuid, text, uuid[], crm.traces) is
  'Reads the next stored replies (200, or 256 KB). Replaces a reply that shows a record of the person by the record as '
  'it is now. Deletes a reply if its key contains a trace of four characters or more; for a reply that shows a record '
  'of the person, any trace is enough. Removes the person from replies to batches (crm.batch_without_person). '
  'last_key is null after the last reply. Together the calls read all replies of 24 hours, because an index for this '
  'would slow down every creation.';

create function crm.texts_of(p_workspace_id uuid, p_object text, p_ids uuid[]) returns table (id uuid, texts text[])
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  case p_object
    when 'contact' then
      return query
      select c.id, array[
        c.name, c.email, c.phone, c.phone2, c.whatsapp, c.job_title, c.instagram, c.linkedin, c.notes, c.external_id,
        crm.json_text(c.custom_fields), array_to_string(c.tags, E'\n')
      ]
      from crm.contacts c where c.workspace_id = p_workspace_id and c.id = any (p_ids);
    when 'company' then
      return query
      select c.id, array[
        c.name, c.legal_name, c.email, c.phone, c.domain, c.website, c.linkedin, c.instagram, c.external_id, c.notes,
        crm.json_text(c.address), crm.json_text(c.custom_fields),
        array_to_string(c.tags, E'\n')
      ]
      from crm.companies c where c.workspace_id = p_workspace_id and c.id = any (p_ids);
    when 'deal' then
      return query
      select d.id, array[
        d.title, d.source, d.external_id, d.loss_note, crm.json_text(d.utm), crm.json_text(d.custom_fields),
        crm.json_text(d.lead), array_to_string(d.tags, E'\n'),
        (
          select string_agg(k.role, E'\n' order by k.contact_id) from crm.deal_contacts k
          where k.workspace_id = p_workspace_id and k.deal_id = d.id
        )
      ]
      from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (p_ids);
    when 'activity' then
      return query
      select a.id, array[a.title, a.description, a.location, a.meeting_url]
      from crm.activities a where a.workspace_id = p_workspace_id and a.id = any (p_ids);
    when 'note' then
      return query
      select n.id, array[n.body::text] from crm.notes n where n.workspace_id = p_workspace_id and n.id = any (p_ids);
    when 'proposal' then
      return query
      select p.id, array[p.title, p.rejection_reason]
      from crm.proposals p where p.workspace_id = p_workspace_id and p.id = any (p_ids);
  end case;
end
$$;
comment on function crm.texts_of(uuid, text, uuid[]) is 'The texts that clients and the application write in records.';
create function crm.find_naming(
  p_workspace_id uuid, p_contact_id uuid, p_object text, p_after uuid, p_traces crm.traces, out last_id uuid,
  out work bigint, out counted bigint
)
language plpgsql set search_path = '' as $$
declare
  -- How many records are remembered: no more than people can correct by hand, even if a name occurs in nearly every
  -- record.
  c_most constant integer := 1000;
  v_table text := crm.table_of(p_object);
  v_ids uuid[];
  v_remembered integer;
begin
  execute format(
    'select array(select t.id from crm.%I t where t.workspace_id = $1 and t.id > $2 order by t.id limit 200)', v_table
  ) into v_ids using p_workspace_id, p_after;
  last_id := v_ids[200];
  select count(*) into v_remembered from (
    select from crm.texts_naming k where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id limit c_most
  ) r;
  with read as (
    select t.id, t.texts, array_to_string(t.texts, E'\n') as text from crm.texts_of(p_workspace_id, p_object, v_ids) t
  ), naming as (
    select r.id, sha256(convert_to(r.text, 'UTF8')) as digest
    from read r
    -- First search all texts of a record together, which is faster. Then search each alone, because the digits of two
    -- fields together must not count as a phone number. A record with a % skips the first search, because a %XX in one
    -- text that is not UTF-8 would keep all texts from being decoded.
    where (position('%' in r.text) > 0 or crm.mentions(r.text, p_traces))
        and exists (select from unnest(r.texts) t (text) where crm.mentions(t.text, p_traces))
      or exists (
        select from crm.texts_naming k
        where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = p_object and k.id = r.id
          and k.fields <> '{}'
      )
  ), kept as (
    insert into crm.texts_naming as k (workspace_id, contact_id, object, id, digest)
    select p_workspace_id, p_contact_id, p_object, n.id, n.digest
    from (select n.*, row_number() over (order by n.id) as nth from naming n) n
    where n.nth <= c_most - v_remembered
    on conflict (workspace_id, contact_id, object, id) do update set digest = excluded.digest
  )
  select (select count(*) + sum(length(r.text)) / 1000 from read r), (select count(*) from naming) into work, counted;
  work := coalesce(work, 0);
end
$$;
comment on function crm.find_naming(uuid, uuid, text, uuid, crm.traces) is
  'Searches the next 200 records of a kind for a person, counts those that name the person, and remembers the first '
  'thousand. last_id is null after the last record.';
create function crm.recount_naming(p_workspace_id uuid, p_contact_id uuid) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_kind record;
  v_found bigint := 0;
  v_same uuid[];
begin
  for v_kind in
    select k.object, array_agg(k.id) as ids from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id
    group by k.object
  loop
    v_same := array(
      select t.id
      from crm.texts_of(p_workspace_id, v_kind.object, v_kind.ids) t
      join crm.texts_naming k
        on k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = v_kind.object and k.id = t.id
      where k.digest = sha256(convert_to(array_to_string(t.texts, E'\n'), 'UTF8'))
    );
    delete from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = v_kind.object
      and k.id <> all (v_same) and k.fields = '{}';
    v_found := v_found + cardinality(v_same);
  end loop;
  return v_found;
end
$$;
comment on function crm.recount_naming(uuid, uuid) is
  'How many of the remembered records still have the texts that named the person. Forgets the others without `fields`.';
create function crm.naming_json(p_workspace_id uuid, p_contact_id uuid, p_count bigint, p_is_minimum boolean) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'count', p_count,
    'is_minimum', p_is_minimum,
    'records', (
      select coalesce(jsonb_agg(jsonb_build_object('object', k.object, 'id', k.id) order by k.object, k.id), '[]')
      from (
        select n.object, n.id from crm.texts_naming n
        where n.workspace_id = p_workspace_id and n.contact_id = p_contact_id and n.digest is not null
        order by n.object, n.id limit 20
      ) k
    )
  );
end
$$;
comment on function crm.naming_json(uuid, uuid, bigint, boolean) is
  'How many records still name an erased person, and the first twenty. p_is_minimum: there may be more.';

create type crm.erasure as (
  words text[], numbers text[], names text[], known boolean, texts boolean, erased uuid[], walked uuid[],
  phase integer, nth integer, deal_id uuid, id uuid, key text, naming bigint
);
comment on type crm.erasure is
  'The state of an erasure: what identifies the person (words, numbers, names), the contacts erased, the contacts '
  'whose deals the steps read (walked), and the place that the steps have reached. known: false if an earlier call '
  'erased the contact, so that words, numbers and names are empty.';
create function crm.erasure_phases(e crm.erasure) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  -- Activities come before deals, because a PATCH of an activity locks the activity before its deal. `notes` waits for
  -- calls that are writing activities, so `deal_activities` runs again after it, to find those activities. Deals come
  -- after activities, notes and proposals, because the leads in the deals contain traces that these phases need.
  return case when e.known then '{merged}'::text[] else '{}' end || case when e.known or e.texts
    then '{activities,deal_activities,notes,deal_activities,proposals,deals,deal_contacts}'::text[] else '{}'
  end || case
    when e.known then '{given_proposals,given,replies,answers,contact,company,deal,activity,note,proposal}'::text[]
    -- Since the call without texts, a batch may have read a note or a deal, and a receiver may have got one.
    when e.texts then '{replies,answers}' else '{}'
  end;
end
$$;
comment on function crm.erasure_phases(crm.erasure) is 'The phases of an erasure, in order.';
create function crm.begin_erasure(p_workspace_id uuid, p_id uuid, p_texts boolean) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  v_contacts crm.contacts[] := array(
    select c from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_id
    union all
    select c from crm.contacts c where c.workspace_id = p_workspace_id and c.merged_into_id = p_id
  );
  v_traces crm.traces;
  e crm.erasure;
  o crm.operations;
begin
  e.known := (select c.erased_at is null from unnest(v_contacts) c where c.id = p_id);
  e.texts := p_texts;
  e.erased := array(select c.id from unnest(v_contacts) c);
  -- A merge may still be moving deals to this contact, so the contact's own deals are read last.
  e.walked := array(
    select u.object_id from crm.operations u
    where u.workspace_id = p_workspace_id and u.kind = 'contact_merge' and u.state <> 'done'
      and u.object_id = any (e.erased)
  ) || p_id;
  if e.known then
    v_traces := crm.traces_of(
      array(
        select unnest(array[
          c.name, c.email, c.instagram, c.linkedin,
          -- An id as short as "1" identifies nobody.
          case when char_length(c.external_id) >= 4 then c.external_id end
        ])
        from unnest(v_contacts) c
      ),
      array(select unnest(array[c.phone, c.phone2, c.whatsapp]) from unnest(v_contacts) c)
    );
    e.names := array(select distinct c.name from unnest(v_contacts) c);
    perform crm.contact_erase(p_workspace_id, array[p_id]);
    perform crm.keep_texts(p_workspace_id, 'contact', array[p_id]);
  end if;
  e.words := coalesce(v_traces.words, '{}');
  e.numbers := coalesce(v_traces.numbers, '{}');
  e.names := coalesce(e.names, '{}');
  e.phase := 1;
  o.workspace_id := p_workspace_id;
  o.kind := 'contact_erasure';
  o.object_id := p_id;
  o.arguments := jsonb_build_object('id', p_id, 'texts', p_texts);
  o.result := jsonb_build_object('cleared', jsonb_build_object(
    'contacts', e.known::integer, 'deals', 0, 'notes', 0, 'activities', 0, 'proposals', 0, 'lead_receipts', 0,
    'deal_contacts', 0, 'stored_replies', 0, 'webhook_answers', 0
  ));
  o.progress := to_jsonb(e);
  -- This work takes half a second if most texts are short.
  return crm.begin_operation(o, 5000);
end
$$;
comment on function crm.begin_erasure(uuid, uuid, boolean) is
  'Erases a contact that the transaction has locked, and as many copies of its data as fit into a call.';
create function crm.erasure_window(
  p_workspace_id uuid, p_table text, p_contact_id uuid, e crm.erasure, out ids uuid[], out deal_id uuid, out id uuid
)
language plpgsql set search_path = '' as $$
declare
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_deal_ids uuid[] := array(
    select d.id from crm.deals d
    where d.workspace_id = p_workspace_id and d.contact_id = p_contact_id and d.id >= e.deal_id
    order by d.id limit 100
  );
begin
  if p_table = 'notes' then
    -- Waits for transactions that are writing a note or an activity of these deals.
    perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_deal_ids) order by d.id for update;
  end if;
  execute format(
    'select array_agg(n.id), (array_agg(n.deal_id order by n.deal_id desc, n.id desc))[1],
       (array_agg(n.id order by n.deal_id desc, n.id desc))[1]
     from (
       select c.deal_id, c.id from unnest($2) d (id)
       cross join lateral (
         select t.deal_id, t.id from crm.%I t
         where t.workspace_id = $1 and t.deal_id = d.id and (d.id > $3 or t.id > $4)
         order by t.id limit 200
       ) c
       order by c.deal_id, c.id limit 200
     ) n',
    p_table
  ) into ids, deal_id, id using p_workspace_id, v_deal_ids, e.deal_id, e.id;
  ids := coalesce(ids, '{}');
  -- All rows of these deals have been read: the next window begins after the last deal.
  if cardinality(ids) < 200 then
    deal_id := v_deal_ids[100];
    id := c_last;
  end if;
end
$$;
comment on function crm.erasure_window(uuid, text, uuid, crm.erasure) is
  'The next 200 rows of a table that refers to deals, in the next 100 deals of a contact. deal_id and id: the place '
  'after which the next window begins. deal_id is null after the last row.';
create function crm.erase_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  e crm.erasure := jsonb_populate_record(null::crm.erasure, o.progress);
  v_phases text[] := crm.erasure_phases(e);
  v_phase text := v_phases[e.phase];
  v_traces crm.traces := (e.words, e.numbers);
  v_by_contact boolean := v_phase in (
    'activities', 'deal_activities', 'notes', 'proposals', 'deals', 'deal_contacts'
  );
  v_contact_id uuid;
  v_kind text := case when v_phase = 'deal_activities' then 'activities' else v_phase end;
  v_ids uuid[] := '{}';
  v_work bigint := 0;
  v_changed bigint := 0;
  v_receipts bigint := 0;
  v_is_over boolean;
begin
  e.nth := coalesce(e.nth, 1);
  e.id := coalesce(e.id, c_first);
  e.deal_id := coalesce(e.deal_id, c_first);
  v_contact_id := case when v_by_contact then e.walked[e.nth] end;
  case
    when v_phase is null then
      v_is_over := true;
    when v_phase in ('activities', 'deals', 'given') then
      -- At most 100, because each changed row emits an event.
      v_ids := case v_phase
        when 'activities' then array(
          select a.id from crm.activities a
          where a.workspace_id = o.workspace_id and a.contact_id = v_contact_id and a.id > e.id order by a.id limit 100
        )
        when 'deals' then array(
          select d.id from crm.deals d
          where d.workspace_id = o.workspace_id and d.contact_id = v_contact_id and d.id > e.id order by d.id limit 100
        )
        -- Deals that a lead of the person created and that have another contact now.
        else array(
          select d.id from crm.deals d
          where d.workspace_id = o.workspace_id and d.lead_contact_id = any (e.erased) and (d.contact_id = any (e.walked)) is not true
            and d.id > e.id
          order by d.id limit 100
        )
      end;
      if v_phase = 'activities' then
        v_changed := crm.erase_activities(o.workspace_id, v_ids, v_traces, e.texts);
      else
        v_kind := 'deals';
        select r.deals, r.lead_receipts into v_changed, v_receipts
        from crm.erase_deals(
          o.workspace_id, o.object_id, v_ids, v_traces, e.texts and v_phase = 'deals',
          case when v_phase = 'deals' then e.names end
        ) r;
      end if;
      v_is_over := cardinality(v_ids) < 100;
      e.id := v_ids[100];
    when v_phase in ('deal_activities', 'notes', 'proposals') then
      select w.ids, w.deal_id, w.id into v_ids, e.deal_id, e.id
      from crm.erasure_window(o.workspace_id, v_kind, v_contact_id, e) w;
      case v_phase
        when 'deal_activities' then v_changed := crm.erase_activities(o.workspace_id, v_ids, v_traces, e.texts);
        when 'notes' then
          update crm.notes n set body = 'Texto apagado'
          where e.texts and n.workspace_id = o.workspace_id and n.id = any (v_ids) and n.body <> 'Texto apagado';
          get diagnostics v_changed = row_count;
        else v_changed := crm.erase_proposals(o.workspace_id, v_ids, v_traces, e.texts);
      end case;
      v_is_over := e.deal_id is null;
    when v_phase = 'deal_contacts' then
      v_ids := crm.erase_deal_contacts(o.workspace_id, v_contact_id);
      v_changed := cardinality(v_ids);
      v_is_over := v_changed < 100;
    when v_phase = 'given_proposals' then
      -- This phase precedes `given`, because crm.erase_proposals needs the traces in the leads, and `given` clears the
      -- leads. No window of deals (crm.erasure_window), because there are few proposals.
      v_kind := 'proposals';
      v_ids := array(
        select p.id
        from crm.deals d join crm.proposals p on p.workspace_id = d.workspace_id and p.deal_id = d.id
        where d.workspace_id = o.workspace_id and d.lead_contact_id = any (e.erased) and (d.contact_id = any (e.walked)) is not true
          and p.id > e.id
        order by p.id limit 100
      );
      v_changed := crm.erase_proposals(o.workspace_id, v_ids, v_traces, false);
      v_is_over := cardinality(v_ids) < 100;
      e.id := v_ids[100];
    when v_phase = 'merged' then
      v_kind := 'contacts';
      v_ids := array(
        select c.id from crm.contacts c
        where c.workspace_id = o.workspace_id and c.merged_into_id = o.object_id and c.erased_at is null
        order by c.id limit 100
      );
      perform crm.contact_erase(o.workspace_id, v_ids);
      perform crm.keep_texts(o.workspace_id, 'contact', v_ids);
      v_changed := cardinality(v_ids);
      v_is_over := v_changed < 100;
    when v_phase = 'replies' then
      v_kind := 'stored_replies';
      select r.last_key, r.bytes / 1000, r.changed into e.key, v_work, v_changed
      from crm.erase_replies(o.workspace_id, coalesce(e.key, ''), e.erased || e.walked, v_traces) r;
      v_work := coalesce(v_work, 0) + case when e.key is not null then 200 else 0 end;
      v_is_over := e.key is null;
    when v_phase = 'answers' then
      v_kind := 'webhook_answers';
      if e.id = c_first and not crm.drop_answers(o.workspace_id) then
        -- Ends the call with the earlier steps done; the job then repeats this step until it has the lock.
        o.work := o.work + 5000;
        return o;
      end if;
      select r.last_id, r.work, r.changed into e.id, v_work, v_changed
      from crm.erase_answers(o.workspace_id, e.id, e.erased, v_traces) r;
      v_is_over := e.id is null;
    else
      select f.last_id, f.work, f.counted into e.id, v_work, v_changed
      from crm.find_naming(o.workspace_id, o.object_id, v_phase, e.id, v_traces) f;
      e.naming := coalesce(e.naming, 0) + v_changed;
      v_is_over := e.id is null;
      v_changed := 0;
      v_kind := 'contacts';
  end case;
  if v_phase is not null then
    o.result := jsonb_set(o.result, '{cleared}', crm.sum_counts(
      o.result -> 'cleared', jsonb_build_object(v_kind, v_changed, 'lead_receipts', v_receipts)
    ));
  end if;
  -- Count the traces too, because each text is searched for all traces. Count a changed row twice more, because it also
  -- emits an event.
  o.work := o.work + 1
    + (v_work + cardinality(v_ids)) * (1 + (cardinality(e.words) + cardinality(e.numbers)) / 20) + 2 * v_changed;
  if v_is_over then
    e.id := null;
    e.deal_id := null;
    e.nth := e.nth + 1;
    if not v_by_contact or e.nth > cardinality(e.walked) then
      e.nth := 1;
      e.phase := e.phase + 1;
    end if;
  end if;
  if e.phase <= cardinality(v_phases) then
    o.progress := to_jsonb(e);
  else
    o.progress := null;
    if not e.known then e.naming := crm.recount_naming(o.workspace_id, o.object_id); end if;
    o.result := jsonb_set(
      o.result, '{texts_naming}', crm.naming_json(o.workspace_id, o.object_id, coalesce(e.naming, 0), not e.known)
    );
  end if;
  return o;
end
$$;
comment on function crm.erase_step(crm.operations) is
  'Runs the next step of an erasure: at most 200 records of one kind, or the answers to 1,000 attempts. The last steps '
  'count the records that still name the person.';
create function crm.erase_contact(p_id uuid, p_texts boolean) returns json
language plpgsql security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  o crm.operations;
  v_reply json;
begin
  select * into o from crm.operations u
  where u.workspace_id = v_workspace_id and u.kind = 'contact_erasure' and u.object_id = p_id and u.state <> 'done'
  for update;
  if not found then
    o := crm.begin_erasure(v_workspace_id, p_id, p_texts);
  elsif o.state = 'failed' or p_texts and not (o.arguments ->> 'texts')::boolean then
    -- Restart from the first phase, because earlier phases may have skipped texts. An operation that is not done can
    -- restart, because it still knows who the person is.
    update crm.operations u
    set
      arguments = u.arguments || jsonb_build_object('texts', p_texts or (u.arguments ->> 'texts')::boolean),
      progress = u.progress || jsonb_build_object(
        'texts', p_texts or (u.arguments ->> 'texts')::boolean,
        'phase', 1, 'nth', 1, 'deal_id', null, 'id', null, 'key', null, 'naming', 0
      ),
      state = 'queued', failures = 0, error_code = null, ended_at = null, updated_at = clock_timestamp()
    where u.workspace_id = v_workspace_id and u.id = o.id
    returning * into o;
  end if;
  v_reply := json_build_object(
    'id', p_id,
    'erased_at', (
      select crm.iso(c.erased_at) from crm.contacts c where c.workspace_id = v_workspace_id and c.id = p_id
    ),
    'cleared', o.result -> 'cleared',
    'texts_naming', case when o.state = 'done' then o.result -> 'texts_naming' end
  );
  return case
    when o.state = 'done' then v_reply
    else crm.with_fields(v_reply, json_build_object('operation', crm.operation_json(o)))
  end;
end
$$;
comment on function crm.erase_contact(uuid, boolean) is
  'Erases a contact of the current workspace and the contacts merged into it. The transaction must have locked the '
  'contact. Also erases the copies of their data in their deals, including deals that their leads created and that '
  'have another contact now. What does not fit into a call becomes an operation. A call during the operation returns '
  'the operation; with p_texts, the operation then also erases texts. Security definer, because verbs may not change '
  'notes, receipts or stored replies.';
create trigger emit_erased after update of erased_at on crm.contacts
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function crm.emit_event('contact.erased');
create function api.contact_erase(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_contact crm.contacts;
begin
  -- Make leads wait, because a lead that has just found the contact could fill in the erased fields.
  perform crm.lock_matches_of_contacts(array[v_id]);
  select c.* into v_contact from crm.contacts c
  where c.workspace_id = v_workspace_id and c.id = v_id
  for update;
  if not found then
    perform api.fail('not_found');
  elsif v_contact.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[v_contact.merged_into_id]);
  end if;
  return crm.erase_contact(v_id, coalesce((p_args ->> 'texts')::boolean, false));
end
$$;
comment on function api.contact_erase(jsonb) is
  'Erases a contact for good. Returns when it was erased, what was cleared, and how many texts still name the person. '
  'For an erased contact, `texts` clears the texts that an earlier call left. Raises not_found, record_merged.';

create function crm.parse_moment(p_text text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare
  v_at timestamptz;
begin
  -- Check the form first, because Postgres also accepts texts such as 'tomorrow', and dates whose order of day and
  -- month depends on a setting.
  if p_text !~ '^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$' then return null; end if;
  v_at := p_text::timestamptz;
  return case when v_at >= '0001-01-01T00:00:00Z' and v_at < '9999-12-31T23:59:59.9995Z' then v_at end;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    return null;
end
$$;
comment on function crm.parse_moment(text) is
  'Parses an ISO 8601 date and time with an offset, such as 2027-01-31T12:00:00Z. Null for any other form, for a date '
  'that does not exist, and for a time outside the years 1 to 9999.';
create function crm.parse_argument(p_rule text, p_field text, p_value jsonb, out value jsonb, out errors jsonb)
language plpgsql stable set search_path = '' as $$
declare
  -- The vertical tab is written as x0b, because Postgres before 16 reads its escape as the letter v.
  v_text text := case jsonb_typeof(p_value)
    when 'string' then btrim(p_value #>> '{}', e' \t\n\x0b\f\r\u00a0\u2028\u2029\u3000\ufeff')
  end;
  v_number numeric := case jsonb_typeof(p_value) when 'number' then p_value::numeric end;
  v_least integer;
  v_most integer;
  v_choices text[];
  v_valid boolean;
  v_message text;
  v_network record;
begin
  value := coalesce(to_jsonb(v_text), p_value);
  errors := '[]';
  case p_rule
    when 'workspace_id', 'id', 'new_id', 'member_id', 'deal_id', 'pipeline_id', 'subscription_id', 'client_id',
      'object_id', 'cursor'
    then
      value := to_jsonb(lower(v_text));
      v_valid := v_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
      v_message := 'Deve ser um UUID';
    when 'object' then
      v_valid := v_text in (
        'member', 'key', 'pipeline', 'stage', 'loss_reason', 'deal', 'proposal', 'subscription', 'delivery'
      );
      v_message := 'Deve ser um tipo de registro conhecido';
    when 'name', 'title', 'member_name', 'client_name', 'path', 'type', 'key', 'q', 'label' then
      v_most := case p_rule when 'type' then 40 when 'key' then 60 when 'q' then 100 when 'label' then 120 else 255 end;
      v_valid := char_length(v_text) between 1 and v_most;
      v_message := format('Deve ter de 1 a %s caracteres', v_most);
    when 'email', 'member_email' then
      value := to_jsonb(lower(v_text));
      -- The pattern of the API, so that the API and the application accept the same addresses.
      v_valid := char_length(v_text) <= 254 and v_text ~ (
        '^(?=.{1,64}@)[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*'
        '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'
      );
      v_message := 'Deve ser um e-mail válido';
    when 'role', 'object_type', 'payload', 'state' then
      v_choices := case p_rule
        when 'role' then '{admin, gestor, vendedor}'
        when 'object_type' then '{company, contact, deal}'
        when 'payload' then '{full, ids}'
        when 'state' then '{pending, held, delivered, failed, cancelled}'
      end;
      v_valid := v_text = any (v_choices);
      v_message := 'Deve ser um de ' || crm.quoted_choices(v_choices);
    when 'suspended', 'public_api', 'is_active', 'is_default', 'keep_webhooks', 'refuses_undefined_fields',
      'before_creation', 'dry_run', 'atomic'
    then
      v_valid := jsonb_typeof(p_value) = 'boolean';
      v_message := 'Deve ser true ou false';
    when 'rate_limit_per_minute', 'stale_after_days', 'limit', 'overlap_seconds' then
      v_least := case p_rule when 'overlap_seconds' then 0 else 1 end;
      v_most := case p_rule
        when 'rate_limit_per_minute' then 1000000 when 'stale_after_days' then 3650 when 'limit' then 200
        when 'overlap_seconds' then 604800
      end;
      v_valid := v_number between v_least and v_most and v_number = trunc(v_number);
      v_message := format('Deve ser um número inteiro de %s a %s', v_least, v_most);
    when 'time_zone' then
      -- Refuse names that Postgres knows and Deno does not, such as posix/UTC or localtime.
      v_valid := v_text ~ '^(UTC|[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$'
        and exists (select from pg_catalog.pg_timezone_names z where z.name = v_text);
      v_message := 'Deve ser um fuso horário da IANA, como America/Sao_Paulo';
    when 'status' then
      v_valid := v_text ~ '^[1-5](\d\d|xx)$';
      v_message := 'Deve ser um status HTTP, como 422, ou uma classe, como 4xx';
    when 'code' then
      v_valid := v_text ~ '^[a-z_]{1,60}$';
      v_message := 'Deve ser um código de erro, como validation_error';
    when 'webhook_name' then
      -- An empty text removes the name.
      v_valid := char_length(v_text) <= 80;
      v_message := 'Deve ter até 80 caracteres';
    when 'ids' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100
        and not p_value @? '$[*] ? (!(@ like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" flag "i"))';
      v_message := 'Deve ser uma lista de 1 a 100 UUIDs';
    when 'items' then
      -- Checks only the number of items: the edge function has validated each item (_shared/http/batch_items.ts).
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100;
      v_message := 'Deve ser uma lista de 1 a 100 itens';
    when 'choices' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100;
      v_message := 'Deve ser uma lista de 1 a 100 textos';
    when 'value', 'recurring_value' then
      v_valid := v_number between 0 and 1e15;
      v_message := 'Deve ser um número de 0 a 1000000000000000';
    when 'expires_at', 'since', 'until' then
      v_valid := crm.parse_moment(v_text) is not null;
      v_message := 'Deve ser uma data e hora ISO 8601 com fuso, por exemplo 2027-01-31T12:00:00Z';
    when 'prefix' then
      v_valid := v_text ~ '^svc_[0-9A-Za-z]{8}$';
      v_message := 'Deve ser o começo de uma chave, com 12 caracteres';
    when 'hash', 'token_hash' then
      v_valid := v_text ~ '^[0-9a-f]{64}$';
      v_message := 'Deve ser um SHA-256 em hexadecimal';
    when 'secret', 'encrypted_header' then
      v_valid := v_text ~ '^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
      v_message := 'Deve estar em base64';
    when 'filters', 'header' then
      -- Checks only the type: the caller checks the contents (api-v1-webhooks/filters.ts, own_header.ts).
      v_valid := jsonb_typeof(p_value) = 'object';
      v_message := 'Deve ser um objeto';
    when 'target_url' then
      -- Checks only the length: the caller checks that the URL is https and public (_shared/webhooks/target.ts).
      value := p_value;
      v_valid := char_length(p_value #>> '{}') between 1 and 2048 and jsonb_typeof(p_value) = 'string';
      v_message := 'Deve ter de 1 a 2048 caracteres';
    when 'event', 'event_type' then
      v_valid := v_text = any (enum_range(null::crm.event_type)::text[]);
      v_message := 'Deve ser um evento do catálogo';
    when 'event_types' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]'
        and p_value <@ to_jsonb(enum_range(null::crm.event_type));
      v_message := 'Deve ser uma lista de eventos do catálogo, com pelo menos um';
    when 'allowed_network' then
      select n.network, n.is_exact into v_network from crm.parse_network(v_text) n;
      value := to_jsonb(v_network.network::text);
      v_valid := v_network.is_exact;
      v_message := case
        when v_network.network is null then 'Deve ser um endereço ou uma rede, como 203.0.113.7 ou 203.0.113.0/24'
        else format('A rede deste endereço se escreve %s', v_network.network)
      end;
    when 'allowed_networks' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) <= 20;
      v_message := 'Deve ser uma lista com no máximo 20 redes';
      if v_valid then
        select coalesce(jsonb_agg(distinct n.value), '[]'), coalesce(jsonb_agg(n.errors order by e.n), '[]')
        into value, errors
        from jsonb_array_elements(p_value) with ordinality e (value, n)
        cross join lateral crm.parse_argument('allowed_network', p_field || '.' || e.n - 1, e.value) n;
        errors := jsonb_path_query_array(errors, '$[*][*]');
      end if;
    when 'scope' then
      v_valid := v_text ~ '^[a-z][a-z0-9_-]{0,59}:(read|write|manage)$';
      v_message := 'Deve ter a forma <recurso>:read, <recurso>:write ou <recurso>:manage';
    when 'scopes' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]';
      v_message := 'Deve ser uma lista com pelo menos um escopo';
      if v_valid then
        select jsonb_agg(distinct_scope.value order by distinct_scope.n) into value
        from (
          select e.value, min(e.n) as n from jsonb_array_elements(p_value) with ordinality e (value, n) group by e.value
        ) distinct_scope;
        errors := coalesce((
          select jsonb_agg(f.error order by e.n)
          from jsonb_array_elements(p_value) with ordinality e (value, n)
          cross join lateral crm.parse_argument('scope', p_field || '.' || e.n - 1, e.value) s
          cross join lateral jsonb_array_elements(s.errors) f (error)
        ), '[]');
      end if;
    when 'stages' then
      v_valid := jsonb_typeof(p_value) = 'array' and not p_value @? '$[*] ? (@.type() != "object")';
      v_message := 'Deve ser uma lista de etapas, cada uma com name e type';
      if v_valid then
        select
          coalesce(jsonb_agg(jsonb_build_object('name', n.value, 'type', t.value) order by e.n), '[]'),
          coalesce(jsonb_agg(n.errors || t.errors order by e.n), '[]')
        into value, errors
        from jsonb_array_elements(p_value) with ordinality e (value, n)
        cross join lateral crm.parse_argument('name', p_field || '.' || e.n - 1 || '.name', e.value -> 'name') n
        cross join lateral crm.parse_argument('type', p_field || '.' || e.n - 1 || '.type', e.value -> 'type') t;
        errors := jsonb_path_query_array(errors, '$[*][*]');
      end if;
  end case;
  if v_valid is not true then
    errors := jsonb_build_array(jsonb_build_object('field', p_field, 'message', v_message));
  end if;
end
$$;
comment on function crm.parse_argument(text, text, jsonb) is
  'Validates one argument of a verb of schema app by the rule for its name. `value` is normalized (trimmed, ids and '
  'e-mails in lower case, each scope once). `errors` lists the invalid fields with their Portuguese messages. p_field '
  'is the name of the field in an error, such as stages.0.type.';
create function crm.check_args(p_args jsonb, p_required text[], p_optional text[] default '{}') returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_field text;
  v_value jsonb;
  v_parsed record;
  v_args jsonb := '{}';
  v_errors jsonb := '[]';
begin
  for v_field, v_value in select * from jsonb_each(p_args) loop
    if v_field <> all (p_required || p_optional) then
      -- Refuse the name, because a caller who misspelled a name would believe that the field was changed.
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo desconhecido');
    elsif v_value <> 'null' then
      v_parsed := crm.parse_argument(v_field, v_field, v_value);
      v_args := jsonb_set(v_args, array[v_field], v_parsed.value);
      v_errors := v_errors || v_parsed.errors;
    end if;
  end loop;
  foreach v_field in array p_required loop
    if not v_args ? v_field then
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo obrigatório');
    end if;
  end loop;
  if v_errors <> '[]' then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
  return v_args;
end
$$;
comment on function crm.check_args(jsonb, text[], text[]) is
  'Validates and normalizes the arguments of a verb of schema app; null means absent. Raises validation_error with '
  'every field that is missing, unknown or invalid.';

create function crm.trusted_email(p_email text, p_confirmed_at timestamptz, p_is_sso_user boolean) returns text
language sql immutable parallel safe as $$
  -- Only an address that Supabase Auth confirmed by mail counts, because with single sign-on a company's own service
  -- may claim any address. An address in .invalid does not count: it cannot exist (RFC 2606), and all placeholder
  -- admins of app.workspace_create share it.
  select case
    when p_confirmed_at is not null and not p_is_sso_user and lower(p_email) not like '%.invalid' then lower(p_email)
  end
$$;
comment on function crm.trusted_email(text, timestamptz, boolean) is
  'The e-mail of a person in auth.users, in lower case, if it may link the person to a member; otherwise null.';
create function crm.session_email(
  p_user_id uuid, p_session_id uuid, out is_live boolean, out email text, out needs_code boolean, out of_app boolean
)
language plpgsql set search_path = '' as $$
begin
  is_live := false;
  -- Dynamic, because Supabase Auth creates the schema auth, and the local stack creates a copy.
  if to_regclass('auth.sessions') is null or to_regclass('auth.users') is null then return; end if;
  execute format(
    $sql$
      select true, crm.trusted_email(u.email, u.email_confirmed_at, u.is_sso_user),
        coalesce(s.aal::text, 'aal1') = 'aal1' and exists (
          select from %1$I.mfa_factors f where f.user_id = u.id and f.status::text = 'verified'
        ),
        to_jsonb(s) ->> 'oauth_client_id' is not null
      from %1$I.sessions s
      join %1$I.users u on u.id = s.user_id
      where s.id = $2 and s.user_id = $1 and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    $sql$,
    'auth'
  ) into is_live, email, needs_code, of_app using p_user_id, p_session_id;
  is_live := is_live is not null;
end
$$;
comment on function crm.session_email(uuid, uuid) is
  'Whether a session of Supabase Auth exists and has not ended, and the person''s e-mail as in crm.trusted_email. The '
  'e-mail comes from auth.users, because a person can write some of the token''s claims. needs_code: the person has a '
  'verified second factor, and no code was entered in this session (aal1). of_app: an app got this session by OAuth.';
create function crm.has_no_person(p_user_id uuid) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_is_free boolean := true;
begin
  if p_user_id is not null then
    execute format('select not exists (select from %I.users u where u.id = $1 and u.deleted_at is null)', 'auth')
    into v_is_free using p_user_id;
  end if;
  return v_is_free;
end
$$;
comment on function crm.has_no_person(uuid) is 'Whether this user_id is null or belongs to a deleted person.';
create function crm.confirmed_since(p_user_id uuid, p_at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_is_so boolean;
begin
  execute format(
    'select exists (select from %I.users u where u.id = $1 and u.invited_at is not null and u.email_confirmed_at >= $2)',
    'auth'
  ) into v_is_so using p_user_id, p_at;
  return v_is_so;
end
$$;
comment on function crm.confirmed_since(uuid, timestamptz) is
  'Whether a person who was invited by mail confirmed the address at or after p_at. Following the link in the mail '
  'shows consent.';
create function crm.link_member(p_user_id uuid, p_email text) returns void
language plpgsql set search_path = '' as $$
declare
  v_member record;
begin
  for v_member in
    -- Count accepted and declined invitations too: if only one of several invitations is still open, the person may
    -- have followed the mail of another.
    select c.*
    from (
      select m.*, count(*) filter (where m.invited_at is not null) over () as invitations from crm.members m
      where lower(m.email) = p_email
    ) c
    where c.user_id is distinct from p_user_id
  loop
    continue when not crm.has_no_person(v_member.user_id);
    -- An invited person becomes a member only by consent. Following the mail of the invitation shows consent. With
    -- several invitations, nothing shows which mail the person followed.
    continue when v_member.invited_at is not null
      and (v_member.invitations > 1 or not crm.confirmed_since(p_user_id, v_member.invited_at));
    update crm.members m set user_id = p_user_id
    where m.workspace_id = v_member.workspace_id and m.id = v_member.id
      and m.user_id is not distinct from v_member.user_id
      and not exists (
        select from crm.members o where o.user_id = p_user_id and o.workspace_id = v_member.workspace_id
      );
    if found then
      insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
      values (v_member.workspace_id, v_member.id, 'member_signed_in', 'member', v_member.id, v_member.name);
    end if;
  end loop;
end
$$;
comment on function crm.link_member(uuid, text) is
  'Links the person to each member with this confirmed e-mail, in any workspace, who is linked to nobody or to a '
  'deleted person. A member invited by an admin is linked only if the person followed the mail of that invitation. A '
  'person who already has an account must accept the invitation instead (crm.open_invitations).';
create function crm.open_invitations(p_user_id uuid) returns setof crm.members
language plpgsql stable security definer set search_path = '' as $$
declare
  v_email text;
begin
  if p_user_id is null then return; end if;
  execute format(
    'select crm.trusted_email(u.email, u.email_confirmed_at, u.is_sso_user) from %I.users u where u.id = $1', 'auth'
  ) into v_email using p_user_id;
  return query
    select m.* from crm.members m
    where lower(m.email) = v_email and m.is_active and m.invited_at is not null and m.user_id is distinct from p_user_id
      and crm.has_no_person(m.user_id)
      and not exists (select from crm.members o where o.user_id = p_user_id and o.workspace_id = m.workspace_id)
    order by m.id limit 100;
end
$$;
comment on function crm.open_invitations(uuid) is
  'The members that a person may become by accepting an invitation, the oldest 100. Security definer, because the '
  'members may be in any workspace.';
create function crm.roles_included(p_role text) returns text[]
language sql immutable parallel safe as $$
  select case p_role
    when 'admin' then array['vendedor', 'gestor', 'admin']
    when 'gestor' then array['vendedor', 'gestor']
    else array['vendedor']
  end
$$;
comment on function crm.roles_included(text) is
  'The roles whose rights a member with this role has: a gestor also has the rights of a vendedor, and an admin has '
  'the rights of both.';
create function crm.identify_session(
  p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_any_workspace boolean
) returns crm.caller
language plpgsql set search_path = '' as $$
declare
  v_caller crm.caller;
  v_session record;
  v_memberships integer;
begin
  select * into v_session from crm.session_email(p_user_id, p_session_id);
  -- Refuse a session that still needs a code, or somebody who has only the password could skip the code. Refuse an app's
  -- session: after the app adds a second factor, Supabase Auth gives the session a token that does not name the app.
  if not v_session.is_live or v_session.needs_code or v_session.of_app then
    v_caller.error_code := 'invalid_session';
    return v_caller;
  end if;
  if v_session.email is not null then perform crm.link_member(p_user_id, v_session.email); end if;

  select m.id, m.workspace_id, m.id, crm.roles_included(m.role), count(*) over ()
  into v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes, v_memberships
  from crm.members m
  where m.user_id = p_user_id and m.is_active and (p_workspace_id is null or m.workspace_id = p_workspace_id)
  order by m.id limit 1;
  -- A person without a membership may answer an invitation, but may call nothing that requires a role.
  if v_caller.id is null and p_any_workspace then
    select i.id, i.workspace_id, i.id, '{invited}' into v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes
    from crm.open_invitations(p_user_id) i
    where p_workspace_id is null or i.workspace_id = p_workspace_id
    limit 1;
  end if;
  v_caller.user_id := p_user_id;
  -- Calls by a member in any 60 seconds: enough for several tabs that each ask every 2 seconds.
  v_caller.rate_limit := 600;
  v_caller.error_code := case
    -- An unknown workspace and somebody else's workspace get the same answer.
    when v_caller.id is null then 'not_a_member'
    when v_memberships > 1 and not p_any_workspace then 'workspace_required'
  end;
  return v_caller;
end
$$;
comment on function crm.identify_session(uuid, uuid, uuid, boolean) is
  'The caller for a signed-in person: the member in p_workspace_id or, if that is null, in the person''s only '
  'workspace. With p_any_workspace, the caller is the person''s first member if there are several, and the member of '
  'an open invitation if there is none. A suspended workspace is admitted, because its people must see why nothing '
  'works.';
create function app.call(
  p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb
) returns api.reply
language plpgsql security definer set search_path = '' as $$
declare
  v_caller crm.caller := crm.identify_session(p_user_id, p_session_id, p_workspace_id, p_role is null);
begin
  -- app.session_list marks the calling session by this setting.
  perform set_config('app.session', p_session_id::text, true);
  return crm.answer_request(
    v_caller,
    p_role,
    p_verb,
    -- A verb that requires no role takes no workspace_id, and verbs refuse unknown arguments.
    case when p_role is null then p_args
      else p_args || jsonb_build_object('workspace_id', v_caller.workspace_id) end,
    null,
    null
  );
end
$$;
comment on function app.call(uuid, uuid, uuid, text, text, jsonb) is
  'The door for signed-in people: answers one request, given the ids of the person and the session from a verified '
  'token. p_workspace_id null: the person''s only workspace. p_role: the lowest role that may call; null admits any '
  'member, and anybody with an open invitation. If p_role is given, workspace_id in p_args is the member''s own. '
  'p_verb null, p_args null: as in api.call.';

create function crm.run_app_verb(p_verb text, p_args jsonb) returns json
language plpgsql security definer set search_path = '' as $$
begin
  -- 90_rights.sql makes crm_app the owner. If the function were restored under another owner, or altered to
  -- run with the rights of its caller, row-level security would not apply to verbs.
  if current_user <> 'crm_app' then raise exception 'crm.run_app_verb runs as %, not as crm_app', current_user; end if;
  -- Static calls, whose plans Postgres caches, because it would plan a dynamic statement at every call. The resource is
  -- compared first, so that few comparisons run: Postgres prepares each comparison again in every transaction.
  case split_part(p_verb, '_', 1)
    when 'custom' then
      case p_verb
        when 'custom_field_archive' then return app.custom_field_archive(p_args);
        when 'custom_field_create' then return app.custom_field_create(p_args);
        when 'custom_field_list' then return app.custom_field_list(p_args);
        when 'custom_field_restore' then return app.custom_field_restore(p_args);
        when 'custom_field_update' then return app.custom_field_update(p_args);
      end case;
    when 'delivery' then
      case p_verb
        when 'delivery_get' then return app.delivery_get(p_args);
        when 'delivery_list' then return app.delivery_list(p_args);
        when 'delivery_redeliver' then return app.delivery_redeliver(p_args);
      end case;
    when 'funnel' then
      case p_verb
        when 'funnel_deal' then return app.funnel_deal(p_args);
        when 'funnel_get' then return app.funnel_get(p_args);
      end case;
    when 'grant' then
      case p_verb
        when 'grant_create' then return app.grant_create(p_args);
        when 'grant_list' then return app.grant_list(p_args);
        when 'grant_revoke' then return app.grant_revoke(p_args);
      end case;
    when 'invitation' then
      case p_verb
        when 'invitation_accept' then return app.invitation_accept(p_args);
        when 'invitation_decline' then return app.invitation_decline(p_args);
      end case;
    when 'key' then
      case p_verb
        when 'key_create' then return app.key_create(p_args);
        when 'key_get' then return app.key_get(p_args);
        when 'key_list' then return app.key_list(p_args);
        when 'key_requests' then return app.key_requests(p_args);
        when 'key_revoke' then return app.key_revoke(p_args);
        when 'key_rotate' then return app.key_rotate(p_args);
        when 'key_update' then return app.key_update(p_args);
      end case;
    when 'member' then
      case p_verb
        when 'member_invite' then return app.member_invite(p_args);
        when 'member_leave' then return app.member_leave(p_args);
        when 'member_list' then return app.member_list(p_args);
        when 'member_reinvite' then return app.member_reinvite(p_args);
        when 'member_update' then return app.member_update(p_args);
      end case;
    when 'proposal' then
      case p_verb
        when 'proposal_link' then return app.proposal_link(p_args);
        when 'proposal_send' then return app.proposal_send(p_args);
      end case;
    when 'subscription' then
      case p_verb
        when 'subscription_create' then return app.subscription_create(p_args);
        when 'subscription_delete' then return app.subscription_delete(p_args);
        when 'subscription_get' then return app.subscription_get(p_args);
        when 'subscription_list' then return app.subscription_list(p_args);
        when 'subscription_reactivate' then return app.subscription_reactivate(p_args);
        when 'subscription_recover' then return app.subscription_recover(p_args);
        when 'subscription_redeliver' then return app.subscription_redeliver(p_args);
        when 'subscription_rotate' then return app.subscription_rotate(p_args);
        when 'subscription_test' then return app.subscription_test(p_args);
        when 'subscription_update' then return app.subscription_update(p_args);
      end case;
    when 'workspace' then
      case p_verb
        when 'workspace_choices' then return app.workspace_choices(p_args);
        when 'workspace_get' then return app.workspace_get(p_args);
        when 'workspace_search' then return app.workspace_search(p_args);
        when 'workspace_update' then return app.workspace_update(p_args);
      end case;
    else
      case p_verb
        when 'action_list' then return app.action_list(p_args);
        when 'contact_import' then return app.contact_import(p_args);
        when 'deal_proposal_create' then return app.deal_proposal_create(p_args);
        when 'event_list' then return app.event_list(p_args);
        when 'session_list' then return app.session_list(p_args);
      end case;
  end case;
end
$$;
comment on function crm.run_app_verb(text, jsonb) is
  'Calls the verb with this name as crm_app, which owns this security definer function. Lists every verb that an '
  'endpoint for members declares.';

create function crm.workspace_json(w crm.workspaces) returns json
language sql stable as $$
  select json_build_object(
    'id', w.id, 'name', w.name, 'suspended', w.suspended, 'public_api', w.public_api,
    'rate_limit_per_minute', w.rate_limit_per_minute, 'stale_after_days', w.stale_after_days,
    'time_zone', w.time_zone, 'refuses_undefined_fields', w.refuses_undefined_fields,
    'created_at', crm.iso(w.created_at)
  )
$$;
comment on function crm.workspace_json(crm.workspaces) is 'JSON of a workspace and its plan, for the operator.';
create function app.workspace_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}', '{member_name, member_email}');
  v_workspace_id uuid;
begin
  insert into crm.workspaces (name) values (v_args ->> 'name') returning id into v_workspace_id;
  return json_build_object(
    'id', v_workspace_id,
    'member_id', app.member_invite(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', coalesce(v_args ->> 'member_name', 'Administrador'),
      -- An address that cannot exist (RFC 2606), so nobody can sign in as this member.
      'email', coalesce(v_args ->> 'member_email', 'admin@workspace.invalid'),
      'role', 'admin'
    )) -> 'id',
    'pipeline_id', app.pipeline_create(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', 'Vendas',
      'is_default', true,
      'stages', '[
        {"name": "Prospecção", "type": "pre-venda"}, {"name": "Proposta", "type": "venda"},
        {"name": "Ganho", "type": "won"}, {"name": "Perdido", "type": "lost"}
      ]'::jsonb
    )) -> 'id'
  );
end
$$;
comment on function app.workspace_create(jsonb) is
  'Creates a workspace that is ready for its first lead, with an admin, and a default pipeline of four stages. The '
  'admin signs in with member_email. Without this argument nobody can sign in. Returns id, member_id, pipeline_id. '
  'Arguments: name, member_name, member_email. Codes: validation_error.';
create function crm.workspaces_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.name, w.id), '[]')
    from crm.members m
    join crm.workspaces w on w.id = m.workspace_id
    where m.user_id = crm.current_user_id() and m.is_active
  );
end
$$;
comment on function crm.workspaces_of_current_user() is
  'The workspaces of the signed-in person, by name. Security definer, because row-level security shows a member one '
  'workspace only.';
create function crm.invitations_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', i.id, 'workspace_id', w.id, 'workspace_name', w.name, 'role', i.role, 'invited_at', crm.iso(i.invited_at)
    ) order by w.name, w.id), '[]')
    from crm.open_invitations(crm.current_user_id()) i
    join crm.workspaces w on w.id = i.workspace_id
  );
end
$$;
comment on function crm.invitations_of_current_user() is
  'The open invitations of the signed-in person, by the workspace''s name. Security definer, because row-level '
  'security shows a member one workspace only.';
create function app.workspace_choices(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return json_build_object(
    'data', crm.workspaces_of_current_user(), 'invitations', crm.invitations_of_current_user()
  );
end
$$;
comment on function app.workspace_choices(jsonb) is
  'Lists the workspaces of the signed-in person, so that later calls can name one of them, and the person''s open '
  'invitations. Both lists are empty for the operator. Arguments: none. Codes: validation_error.';
create function crm.answer_invitation(p_id uuid, p_accepts boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := crm.current_user_id();
  v_member crm.members;
begin
  select i.* into v_member from crm.open_invitations(v_user_id) i where i.id = p_id;
  if found then
    update crm.members m set user_id = case when p_accepts then v_user_id end, is_active = p_accepts
    where m.workspace_id = v_member.workspace_id and m.id = p_id and m.is_active
      -- If two answers arrive at the same time, the second answer changes nothing.
      and m.user_id is not distinct from v_member.user_id;
  end if;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
  values (
    v_member.workspace_id, p_id, case when p_accepts then 'invitation_accepted' else 'invitation_declined' end,
    'member', p_id, v_member.name
  );
end
$$;
comment on function crm.answer_invitation(uuid, boolean) is
  'Links the signed-in person to the member of an open invitation, or deactivates that member. Raises not_found. '
  'Security definer, because members may not link people.';
create function app.invitation_accept(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.answer_invitation((crm.check_args(p_args, '{id}') ->> 'id')::uuid, true);
  return app.workspace_choices('{}');
end
$$;
comment on function app.invitation_accept(jsonb) is
  'Makes the signed-in person the member whom an admin invited. Returns the result of workspace_choices. Arguments: '
  'id. Codes: validation_error, not_found.';
create function app.invitation_decline(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.answer_invitation((crm.check_args(p_args, '{id}') ->> 'id')::uuid, false);
  return app.workspace_choices('{}');
end
$$;
comment on function app.invitation_decline(jsonb) is
  'Declines an invitation of the signed-in person: the member becomes inactive. Returns the result of '
  'workspace_choices. Arguments: id. Codes: validation_error, not_found.';
create function crm.workspace_usage(p_workspace_id uuid) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_zone text := crm.zone_of(p_workspace_id);
  v_today timestamptz := crm.day_start((now() at time zone v_zone)::date, v_zone);
  v_calls_today bigint;
  v_calls_7_days bigint;
begin
  -- Each count has a bound, so that it is fast in a workspace of any size.
  select coalesce(sum(c.calls) filter (where c.hour >= v_today), 0), coalesce(sum(c.calls), 0)
  into v_calls_today, v_calls_7_days
  from (
    select c.hour, c.calls from crm.key_calls c
    where c.workspace_id = p_workspace_id and c.hour >= v_today - interval '6 days'
    order by c.hour desc limit 20000
  ) c;
  return json_build_object(
    'calls_today', v_calls_today,
    'calls_7_days', v_calls_7_days,
    'active_keys', (
      select count(*) from (
        select from crm.api_keys k
        where k.workspace_id = p_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
        limit 5000
      ) k
    ),
    'active_webhooks', (
      select count(*) from (
        select from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active limit 1000
      ) s
    ),
    'active_members', (
      select count(*) from (
        select from crm.members m where m.workspace_id = p_workspace_id and m.is_active limit 5000
      ) m
    ),
    'waiting_deliveries', (
      select count(*) from (select from crm.webhook_queue q where q.workspace_id = p_workspace_id limit 10000) q
    )
  );
end
$$;
comment on function crm.workspace_usage(uuid) is
  'The usage of a workspace: calls of all keys today and in 7 days (in the workspace''s time zone), working keys '
  '(counted up to 5,000), active webhooks (1,000), active members (5,000), and deliveries that wait for an attempt '
  '(10,000). Calls are counted in the newest 20,000 rows of crm.key_calls, up to a minute late.';
create function crm.workspace_overview(w crm.workspaces) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_member crm.members;
begin
  select m.* into v_member from crm.members m where m.workspace_id = w.id and m.id = crm.current_member_id();
  return crm.with_fields(crm.workspace_json(w), json_build_object(
    'member', case
      when v_member.id is not null then json_build_object(
        'id', v_member.id, 'name', v_member.name, 'email', v_member.email, 'role', v_member.role
      )
    end,
    'workspaces', crm.workspaces_of_current_user(),
    'usage', crm.workspace_usage(w.id),
    -- Show alerts and first steps only to callers whose role can act on them.
    'alerts', case when v_member.role = 'vendedor' then '[]' else crm.workspace_alerts(w) end,
    'first_steps', case when v_member.role = 'admin' then crm.workspace_first_steps(w) end
  ));
end
$$;
comment on function crm.workspace_overview(crm.workspaces) is
  'JSON of a workspace with its usage, the calling member (null for the operator), that person''s workspaces, alerts '
  '(an empty list for a vendedor), and first_steps (null unless the caller is an admin).';
create function app.workspace_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace crm.workspaces;
begin
  select w.* into v_workspace from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid;
  if not found then perform crm.raise_code('not_found', 'workspace_id'); end if;
  return crm.workspace_overview(v_workspace);
end
$$;
comment on function app.workspace_get(jsonb) is
  'Returns a workspace with its plan, its usage (calls_today, calls_7_days, active_keys, active_webhooks, '
  'active_members, waiting_deliveries), the calling member, that person''s workspaces, alerts and first_steps. '
  'Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.workspace_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id}', '{name, suspended, public_api, rate_limit_per_minute, stale_after_days, time_zone, refuses_undefined_fields}'
  );
  v_before crm.workspaces;
  v_after crm.workspaces;
  v_changes jsonb;
begin
  -- A member who could change the plan could lift a suspension.
  if crm.current_member_id() is not null and v_args ?| array['suspended', 'public_api', 'rate_limit_per_minute'] then
    perform crm.raise_code('validation_error', f, 'Só o operador do serviço muda o plano')
    from unnest(array['suspended', 'public_api', 'rate_limit_per_minute']) f
    where v_args ? f;
  end if;
  select w.* into v_before from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  if not found then perform crm.raise_code('not_found', 'workspace_id'); end if;
  -- Changes to members take the same lock, so the caller may have lost the role while this call waited for it.
  perform crm.require_role_still(v_before.id, 'admin');
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id');
  if v_changes = '{}' then return crm.workspace_overview(v_before); end if;
  update crm.workspaces w
  set
    name = coalesce(v_args ->> 'name', w.name),
    stale_after_days = coalesce((v_args ->> 'stale_after_days')::numeric::integer, w.stale_after_days),
    time_zone = coalesce(v_args ->> 'time_zone', w.time_zone),
    refuses_undefined_fields = coalesce((v_args ->> 'refuses_undefined_fields')::boolean, w.refuses_undefined_fields)
  where w.id = v_before.id
  returning w.* into v_after;
  -- A separate statement, because members may not write the columns of the plan.
  if v_args ?| array['suspended', 'public_api', 'rate_limit_per_minute'] then
    update crm.workspaces w
    set
      suspended = coalesce((v_args ->> 'suspended')::boolean, w.suspended),
      public_api = coalesce((v_args ->> 'public_api')::boolean, w.public_api),
      rate_limit_per_minute = coalesce((v_args ->> 'rate_limit_per_minute')::numeric::integer, w.rate_limit_per_minute)
    where w.id = v_before.id
    returning w.* into v_after;
  end if;
  perform crm.record_action(v_after.id, 'workspace_updated', 'workspace', v_after.id, v_after.name, v_changes);
  return crm.workspace_overview(v_after);
end
$$;
comment on function app.workspace_update(jsonb) is
  'Changes the name, settings or plan of a workspace; an absent argument changes nothing. Members may change name, '
  'stale_after_days, time_zone and refuses_undefined_fields only. Returns the workspace as workspace_get does. '
  'Arguments: workspace_id, name, suspended, public_api, rate_limit_per_minute, stale_after_days, time_zone, '
  'refuses_undefined_fields. Codes: validation_error, not_found, insufficient_role (for a member who is no longer an '
  'admin).';
create function app.workspace_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return (select coalesce(json_agg(crm.workspace_json(w) order by w.id), '[]') from crm.workspaces w);
end
$$;
comment on function app.workspace_list(jsonb) is
  'Lists every workspace, oldest first. For the operator alone. Arguments: none. Codes: validation_error.';
create function app.workspace_find(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{object, id}');
  v_workspace_id uuid;
begin
  execute format('select t.workspace_id from crm.%I t where t.id = $1', case v_args ->> 'object'
    when 'key' then 'api_keys'
    when 'subscription' then 'webhook_subscriptions'
    when 'delivery' then 'webhook_deliveries'
    else crm.table_of(v_args ->> 'object')
  end) into v_workspace_id using (v_args ->> 'id')::uuid;
  -- While a workspace moves, two nodes have the record, but only the node where the workspace lives has the workspace's
  -- row.
  if not exists (select from crm.workspaces w where w.id = v_workspace_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  return json_build_object('workspace_id', v_workspace_id);
end
$$;
comment on function app.workspace_find(jsonb) is
  'Finds the workspace of a record, so that the operator can name a record by its id alone. For the operator alone, '
  'because it reaches every workspace. May scan a whole table, because most tables have no index by id alone. '
  'Arguments: object (member, key, pipeline, stage, loss_reason, deal, proposal, subscription, delivery), id. Codes: '
  'validation_error, not_found.';
create function app.action_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}', '{cursor, limit}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_cursor uuid := coalesce((v_args ->> 'cursor')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_limit integer := coalesce((v_args ->> 'limit')::numeric::integer, 50);
  v_ids uuid[] := array(
    select l.id from crm.audit_log l
    where l.workspace_id = v_workspace_id and l.id < v_cursor
    order by l.id desc limit v_limit + 1
  );
begin
  return crm.page(
    (
      select array_agg(json_build_object(
        'id', l.id, 'at', crm.iso(l.created_at),
        'actor', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
        'action', l.action,
        'object', json_build_object(
          'type', l.object_type, 'id', l.object_id, 'name', coalesce(p.title, w.name, l.object_name)
        ),
        'details', l.details
      ) order by l.id desc)
      from crm.audit_log l
      left join crm.members m on m.workspace_id = l.workspace_id and m.id = l.member_id
      left join crm.proposals p
        on l.object_type = 'proposal' and p.workspace_id = l.workspace_id and p.id = l.object_id
      left join crm.webhook_subscriptions w
        on l.object_type = 'webhook' and w.workspace_id = l.workspace_id and w.id = l.object_id
      where l.workspace_id = v_workspace_id and l.id = any (v_ids[: v_limit])
    ),
    case when cardinality(v_ids) > v_limit then v_ids[v_limit] end
  );
end
$$;
comment on function app.action_list(jsonb) is
  'Lists the changes in a workspace''s audit log: data (id, at, actor, action, object, details), newest first, and '
  'meta (next_cursor, has_more). The actor is null for operator and dispatcher. Arguments: workspace_id, cursor '
  '(meta.next_cursor of the previous page), limit (50 if absent, 200 at most). Codes: validation_error, not_found.';

create index api_keys_working on crm.api_keys (workspace_id, member_id) where revoked_at is null;
create function crm.member_json(m crm.members, p_working_keys bigint) returns json
language sql stable as $$
  select json_build_object(
    'id', m.id, 'workspace_id', m.workspace_id, 'name', m.name, 'email', m.email, 'role', m.role,
    'is_active', m.is_active, 'has_signed_in', m.user_id is not null, 'working_keys', p_working_keys,
    'created_at', crm.iso(m.created_at)
  )
$$;
comment on function crm.member_json(crm.members, bigint) is
  'JSON of a member for the operator and the console. working_keys: how many of the member''s keys work.';
create function crm.require_role_still(p_workspace_id uuid, variadic p_roles text[]) returns void
language plpgsql stable set search_path = '' as $$
begin
  if crm.current_member_id() is not null and not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and m.role = any (p_roles) and m.is_active
  ) then
    perform crm.raise_code('insufficient_role');
  end if;
end
$$;
comment on function crm.require_role_still(uuid, text[]) is
  'Raises insufficient_role if the calling member no longer has one of these roles. For verbs that wait for a lock '
  'after the door has read the role, because the transaction that held the lock may have taken the role away.';
create function crm.require_invitations_left(p_workspace_id uuid, p_member_id uuid default null) returns void
language plpgsql set search_path = '' as $$
declare
  v_hour_ago uuid := crm.uuid_v7_floor(now() - interval '1 hour');
begin
  -- No limit for the operator, whose invitations send no mail.
  if crm.current_member_id() is null then return; end if;
  -- One invitation at a time, so that each counts the earlier invitations. Changes of members take the same lock, so
  -- the caller may have lost the role meanwhile.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  perform crm.require_role_still(p_workspace_id, 'admin');
  if (
    select count(*) >= 30 or count(*) filter (where l.object_id = p_member_id) >= 3
    from (
      select l.object_id from crm.audit_log l
      where l.workspace_id = p_workspace_id and l.id >= v_hour_ago and l.action = 'member_invited'
    ) l
  ) then
    perform crm.raise_code('too_many_invitations');
  end if;
end
$$;
comment on function crm.require_invitations_left(uuid, uuid) is
  'Raises too_many_invitations if a workspace sent 30 invitations in the last hour, or 3 to this member. Each '
  'invitation is a mail to an address that an admin chose, and Supabase Auth sends a limited number of mails for all '
  'workspaces together.';
create function crm.invited_member_json(m crm.members, p_working_keys bigint) returns json
language plpgsql stable set search_path = '' as $$
begin
  return case
    when crm.current_member_id() is null then crm.member_json(m, p_working_keys)
    else crm.with_fields(crm.member_json(m, p_working_keys), json_build_object(
      'invited_to', (select w.name from crm.workspaces w where w.id = m.workspace_id),
      'invited_by', (
        select o.name from crm.members o where o.workspace_id = m.workspace_id and o.id = crm.current_member_id()
      )
    ))
  end;
end
$$;
comment on function crm.invited_member_json(crm.members, bigint) is
  'JSON of an invited member. If the caller is a member, also the names for the mail: invited_to (the workspace) and '
  'invited_by (the caller).';
create function app.member_invite(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name, email, role}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member crm.members;
begin
  perform crm.require_invitations_left(v_workspace_id);
  insert into crm.members (workspace_id, name, email, role, invited_at)
  values (
    v_workspace_id, v_args ->> 'name', v_args ->> 'email', v_args ->> 'role',
    case when crm.current_member_id() is not null then now() end
  )
  on conflict (workspace_id, lower(email)) do nothing
  returning * into v_member;
  if not found then
    perform crm.raise_code('email_taken', 'email', 'O workspace já tem um membro com este e-mail');
  end if;
  perform crm.record_action(
    v_workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role)
  );
  return crm.invited_member_json(v_member, 0);
end
$$;
comment on function app.member_invite(jsonb) is
  'Adds an active member, who signs in by a confirmed e-mail. The e-mail is unique in the workspace regardless of '
  'case. A person who already has an account must accept an invitation by a member, but need not accept one by the '
  'operator. The caller of this verb sends the mail. Returns crm.invited_member_json. Arguments: workspace_id, name, '
  'email, role (admin, gestor, vendedor). Codes: validation_error, not_found, email_taken, insufficient_role, '
  'too_many_invitations (the last two only for members).';
create function app.member_reinvite(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_member crm.members;
begin
  select m.* into v_member from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid and m.is_active;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  if v_member.user_id is not null then perform crm.raise_code('already_signed_in'); end if;
  perform crm.require_invitations_left(v_member.workspace_id, v_member.id);
  perform crm.record_action(
    v_member.workspace_id, 'member_invited', 'member', v_member.id, v_member.name,
    jsonb_build_object('email', v_member.email, 'role', v_member.role, 'again', true)
  );
  return crm.invited_member_json(v_member, (
    select count(*) from (
      select from crm.api_keys k
      where k.workspace_id = v_member.workspace_id and k.member_id = v_member.id
        and k.revoked_at is null and k.client_id is null and crm.is_working(k)
      limit 1000
    ) k
  ));
end
$$;
comment on function app.member_reinvite(jsonb) is
  'Records in the audit log that an active member who has not signed in yet was invited again. Returns the member, so '
  'that the caller can send the mail. Arguments: workspace_id, id. Codes: validation_error, not_found, '
  'already_signed_in, insufficient_role, too_many_invitations.';
create function crm.require_other_admin(p_workspace_id uuid, p_member_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  -- Two kinds of admins do not count. An admin whom app.workspace_create added without an address cannot sign in with
  -- the placeholder in .invalid (RFC 2606). An admin whose invitation is still open may decline it.
  if not exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id <> p_member_id and m.role = 'admin' and m.is_active
      and (m.user_id is not null or m.invited_at is null and right(m.email, 8) <> '.invalid')
  ) then
    perform crm.raise_code('last_admin');
  end if;
end
$$;
comment on function crm.require_other_admin(uuid, uuid) is
  'Raises last_admin if no other active admin of the workspace can sign in.';
create function crm.changed_member_json(m crm.members) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_keys json;
  v_managers integer;
begin
  select coalesce(json_agg(json_build_object(
    'id', k.id, 'name', k.name, 'prefix', k.prefix, 'scopes', k.scopes, 'expires_at', crm.iso(k.expires_at)
  ) order by k.id), '[]')
  into v_keys
  from (
    select k.* from crm.api_keys k
    where k.workspace_id = m.workspace_id and k.member_id = m.id and k.revoked_at is null and k.client_id is null
      and crm.is_working(k)
    order by k.id limit 1000
  ) k;
  select count(*) into v_managers from (
    select from crm.members o
    where o.workspace_id = m.workspace_id and o.is_active and o.role in ('admin', 'gestor')
    limit 1000
  ) o;
  return crm.with_fields(
    crm.member_json(m, json_array_length(v_keys)), json_build_object('keys', v_keys, 'active_managers', v_managers)
  );
end
$$;
comment on function crm.changed_member_json(crm.members) is
  'JSON of a changed member, with two more fields: keys (the member''s keys that still work) and active_managers (the '
  'number of active admins and gestores in the workspace).';
create function app.member_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{name, role, is_active}');
  v_before crm.members;
  v_after crm.members;
  v_changes jsonb;
begin
  -- One change of members at a time: if the last two admins demote each other, the second call is refused.
  perform from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  perform crm.require_role_still((v_args ->> 'workspace_id')::uuid, 'admin');
  select m.* into v_before from crm.members m
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  v_after := v_before;
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id' - 'id');
  if v_changes <> '{}' then
    v_after := jsonb_populate_record(v_before, v_args - 'workspace_id' - 'id');
    -- The operator may remove the last admin, because the operator can add another one without signing in.
    if crm.current_member_id() is not null and v_before.role = 'admin' and v_before.is_active
      and (v_after.role <> 'admin' or not v_after.is_active) then
      perform crm.require_other_admin(v_before.workspace_id, v_before.id);
    end if;
    update crm.members m
    set name = v_after.name, role = v_after.role, is_active = v_after.is_active
    where m.workspace_id = v_before.workspace_id and m.id = v_before.id;
    perform crm.record_action(v_after.workspace_id, 'member_updated', 'member', v_after.id, v_after.name, v_changes);
  end if;

  return crm.changed_member_json(v_after);
end
$$;
comment on function app.member_update(jsonb) is
  'Changes the name or role of a member, or deactivates or reactivates a member; an absent argument changes nothing. '
  'An inactive member cannot sign in, and gets no new records or notes. The keys of the member keep working (spec 5), '
  'but cannot write notes (no_author_available, spec 2.2). Returns the member with keys (those neither revoked nor '
  'expired, oldest first, 1,000 at most) and active_managers, the number of active admins and gestores (1,000 at '
  'most). If that number is 0, a lead that names no owner is refused (owner_unresolved, spec 4.1), unless the creator '
  'of the key that sends it is active. Arguments: workspace_id, id, name, role, is_active. Codes: validation_error, '
  'not_found, last_admin (no active admin who can sign in would remain; the operator may do this), insufficient_role.';
create function crm.leave_workspace() returns crm.members
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_member crm.members;
begin
  update crm.members m set is_active = false, user_id = null, invited_at = now()
  where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
    and m.user_id = crm.current_user_id()
  returning m.* into v_member;
  return v_member;
end
$$;
comment on function crm.leave_workspace() is
  'Deactivates the calling member and unlinks the person, so that an admin who activates the member again must also '
  'invite the person again. Returns null if the member is no longer active. Security definer, because members may not '
  'link people.';
create function app.member_leave(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member crm.members;
begin
  -- One change of members at a time, as in app.member_update: if the last two admins leave, the second call is refused.
  perform from crm.workspaces w where w.id = v_workspace_id for no key update;
  if exists (
    select from crm.members m
    where m.workspace_id = v_workspace_id and m.id = crm.current_member_id() and m.role = 'admin' and m.is_active
  ) then
    perform crm.require_other_admin(v_workspace_id, crm.current_member_id());
  end if;
  v_member := crm.leave_workspace();
  if v_member.id is null then perform crm.raise_code('not_found', 'workspace_id'); end if;
  perform crm.record_action(v_workspace_id, 'member_left', 'member', v_member.id, v_member.name);
  return crm.changed_member_json(v_member);
end
$$;
comment on function app.member_leave(jsonb) is
  'Takes the signed-in person out of the workspace: the member becomes inactive and unlinked. Returns the result of '
  'member_update. Arguments: workspace_id. Codes: validation_error, last_admin, not_found (for a caller who is not an '
  'active member, such as the operator).';
create function app.member_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return json_build_object('data', (
    select coalesce(json_agg(crm.member_json(m, coalesce(k.working, 0)) order by m.id), '[]')
    from (select m.* from crm.members m where m.workspace_id = v_workspace_id order by m.id limit 1000) m
    left join (
      select w.member_id, count(*) as working
      from (
        select k.member_id from crm.api_keys k
        where k.workspace_id = v_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
        limit 5000
      ) w
      group by w.member_id
    ) k on k.member_id = m.id
  ));
end
$$;
comment on function app.member_list(jsonb) is
  'Lists the members of a workspace, active or not: data, oldest first, 1,000 at most. working_keys leaves out the '
  'keys of apps, and counts at most 5,000 keys of the workspace. Arguments: workspace_id. Codes: validation_error, '
  'not_found.';

create function crm.is_working(k crm.api_keys) returns boolean
language sql stable
as $$ select k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) $$;
comment on function crm.is_working(crm.api_keys) is 'Whether a key is neither revoked nor expired.';
create function crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) returns json
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select json_agg(
      json_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'calls', coalesce(c.calls, 0)) order by d.day
    )
    from (select p_last - n as day from generate_series(0, p_count - 1) n) d
    left join unnest(p_days, p_calls) c (day, calls) on c.day = d.day
  );
end
$$;
comment on function crm.calls_by_day(date[], bigint[], date, integer) is
  'JSON of the calls in each of the p_count days up to p_last, oldest first. p_days and p_calls: the days that had '
  'calls, and their numbers of calls.';
create function crm.key_records(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, record json)
language plpgsql stable set search_path = '' as $$
declare
  v_zone text := crm.zone_of(p_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  v_from timestamptz := crm.day_start(v_today - 6, v_zone);
begin
  return query
    with counted as (
      select d.key_id, array_agg(d.day) as days, array_agg(d.calls) as calls, sum(d.calls)::bigint as total
      from (
        select c.key_id, (c.hour at time zone v_zone)::date as day, sum(c.calls)::bigint as calls
        from crm.count_calls(p_workspace_id, p_ids, v_from) c
        group by 1, 2
      ) d
      group by 1
    ),
    webhooks as (
      select s.key_id, count(*) as active from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.is_active
      group by 1
    )
    select k.id, json_build_object(
      'id', k.id,
      'name', k.name,
      'prefix', k.prefix,
      'scopes', k.scopes,
      'state', case when k.revoked_at is not null then 'revoked' when crm.is_working(k) then 'active' else 'expired' end,
      'creator', json_build_object('id', m.id, 'name', m.name, 'is_active', m.is_active),
      'created_at', crm.iso(k.created_at),
      'expires_at', crm.iso(k.expires_at),
      'revoked_at', crm.iso(k.revoked_at),
      'last_used_at', crm.iso(greatest(u.last_call_at, r.hits[cardinality(r.hits)])),
      'active_webhooks', coalesce(w.active, 0),
      'rotated_at', crm.iso(k.rotated_at),
      'old_secret_expires_at', case
        -- Without this check, a key without an earlier secret would show its own expiry here, because least() ignores
        -- nulls.
        when o.expires_at is not null and crm.is_working(k) then crm.iso(least(o.expires_at, k.expires_at))
      end,
      'allowed_networks', coalesce(k.allowed_networks::text[], '{}'),
      'calls', json_build_object(
        'total_7_days', coalesce(c.total, 0),
        'failed_7_days', (
          select count(*) from (
            select 1 from crm.requests q
            where q.workspace_id = p_workspace_id and q.key_id = k.id and q.id >= crm.uuid_v7_floor(v_from)
              and q.status >= 400
            limit 1000
          ) f
        ),
        'days', crm.calls_by_day(c.days, c.calls, v_today, 7)
      )
    )
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    -- At most one row, because a rotation ends all earlier secrets but one.
    left join crm.key_secrets o on o.workspace_id = k.workspace_id and o.key_id = k.id and o.expires_at > now()
    left join webhooks w on w.key_id = k.id
    left join counted c on c.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids) and k.client_id is null;
end
$$;
comment on function crm.key_records(uuid, uuid[]) is
  'JSON of a workspace''s keys without their secrets, in no particular order. calls: the calls of the last 7 days, by '
  'day in the workspace''s time zone, oldest first, and the failed requests, counted up to 1,000. '
  'old_secret_expires_at: until when the previous secret works; null if only the current secret works.';
create function crm.key_record(p_workspace_id uuid, p_id uuid) returns json
language plpgsql stable set search_path = ''
as $$ begin return (select r.record from crm.key_records(p_workspace_id, array[p_id]) r); end $$;
comment on function crm.key_record(uuid, uuid) is 'JSON of one key; null if the workspace has no such key.';
create function crm.key_for_update(p_workspace_id uuid, p_id uuid) returns crm.api_keys
language plpgsql set search_path = '' as $$
declare
  v_key crm.api_keys;
begin
  select k.* into v_key from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = p_id and k.client_id is null
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return v_key;
end
$$;
comment on function crm.key_for_update(uuid, uuid) is
  'A key of a workspace, locked against changes until the transaction ends. Raises not_found.';

create function crm.require_room_for_key(p_workspace_id uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- The operator may create more keys.
  if crm.current_member_id() is null then return; end if;
  -- One new key at a time, so that each counts the earlier keys.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  -- The member may have lost the role while this call waited for the lock.
  perform crm.require_role_still(p_workspace_id, 'admin', 'gestor');
  if (
    select count(*) from crm.api_keys k
    where k.workspace_id = p_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
  ) >= 100 then
    perform crm.raise_code('validation_error', 'name', 'A empresa já tem 100 chaves que funcionam, o máximo; revogue uma');
  end if;
end
$$;
comment on function crm.require_room_for_key(uuid) is
  'Raises validation_error if a workspace has 100 working keys and a member would add another. Each key has its own '
  'rate limit, so unlimited keys would mean unlimited calls. Raises insufficient_role if the member has lost the role.';
create function crm.refuse_scope_beyond_role(
  p_workspace_id uuid, p_scopes text[], p_code text, p_field text
) returns void
language plpgsql stable set search_path = '' as $$
declare
  -- Only scopes that some role may give: others grant nothing.
  v_scope text := crm.scope_beyond_role(p_workspace_id, crm.given_scopes(p_scopes, 'admin'));
begin
  if v_scope is not null then
    perform crm.raise_code(p_code, p_field, format('Só um admin pode dar a permissão "%s" a uma chave', v_scope));
  end if;
end
$$;
comment on function crm.refuse_scope_beyond_role(uuid, text[], text, text) is
  'Raises p_code for the field if the calling member would get a key with a scope that the member''s role may '
  'not give (crm.scopes_of_role): with the key, the member could do what the console refuses.';
create function crm.networks_of(p_args jsonb) returns cidr[]
language plpgsql immutable set search_path = ''
as $$ begin return nullif(array(select n::cidr from jsonb_array_elements_text(p_args -> 'allowed_networks') n), '{}'); end $$;
comment on function crm.networks_of(jsonb) is
  'The argument allowed_networks as it is stored: null if it is absent or empty, which allows every address.';
create function app.key_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, scopes, prefix, hash}', '{member_id, expires_at, allowed_networks}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member_id uuid := coalesce((v_args ->> 'member_id')::uuid, crm.current_member_id());
  v_scopes text[] := array(select jsonb_array_elements_text(v_args -> 'scopes'));
  v_key crm.api_keys;
begin
  perform crm.require_workspace(v_args);
  perform crm.require_room_for_key(v_workspace_id);
  perform crm.refuse_scope_beyond_role(v_workspace_id, v_scopes, 'validation_error', 'scopes');
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  if v_member_id is null then
    select m.id into v_member_id from crm.members m
    where m.workspace_id = v_workspace_id and m.is_active and m.role = 'admin'
    order by m.id limit 1;
    if not found then
      perform crm.raise_code('no_active_admin', 'member_id', 'O workspace não tem um admin ativo; informe um membro');
    end if;
  elsif not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_member_id) then
    perform crm.raise_code('invalid_reference', 'member_id');
  end if;

  insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, expires_at, allowed_networks)
  values (
    v_workspace_id,
    v_member_id,
    v_args ->> 'name',
    v_args ->> 'prefix',
    v_scopes,
    (v_args ->> 'expires_at')::timestamptz,
    crm.networks_of(v_args)
  )
  returning * into v_key;
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_workspace_id, v_key.id, v_key.prefix, decode(v_args ->> 'hash', 'hex'));
  perform crm.record_action(
    v_workspace_id, 'key_created', 'key', v_key.id, v_key.name,
    jsonb_build_object(
      'scopes', v_key.scopes, 'expires_at', crm.iso(v_key.expires_at), 'allowed_networks', v_key.allowed_networks
    )
  );
  return crm.key_record(v_workspace_id, v_key.id);
end
$$;
comment on function app.key_create(jsonb) is
  'Stores a new key with the hash of its secret. Its creator is member_id, otherwise the calling member, otherwise the '
  'oldest active admin. The creator is the default owner of the key''s records and the author of its notes: while that '
  'member is inactive, the key cannot write notes. A member cannot create a key if the workspace has 100 working keys, '
  'nor one with a scope that the member''s role may not give (crm.scopes_of_role). '
  'A well-formed scope that no endpoint requires is stored and grants nothing (spec 5.3). Returns the key. Arguments: '
  'workspace_id, name, scopes, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), member_id, expires_at '
  '(never if absent), allowed_networks (everywhere if absent or empty). Codes: validation_error, not_found, '
  'already_expired (the key could never be used), invalid_reference, no_active_admin, insufficient_role (only for '
  'members).';
create function app.key_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select k.id from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.client_id is null
    order by crm.is_working(k) desc, k.id desc limit 500
  );
begin
  return json_build_object('data', (
    select coalesce(json_agg(r.record order by array_position(v_ids, r.id)), '[]')
    from crm.key_records(v_workspace_id, v_ids) r
  ));
end
$$;
comment on function app.key_list(jsonb) is
  'Lists the keys of a workspace, 500 at most: working keys first, then revoked and expired keys, each newest first. '
  'Returns data. Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.key_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_hour timestamptz := date_bin('1 hour', now(), 'epoch');
  v_zone text := crm.zone_of(v_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  v_record json := crm.key_record(v_workspace_id, v_id);
begin
  if v_record is null then perform crm.raise_code('not_found', 'id'); end if;
  return (
    with counted as materialized (
      select c.hour, sum(c.calls)::bigint as calls
      from crm.count_calls(v_workspace_id, array[v_id], crm.day_start(v_today - 29, v_zone)) c
      group by 1
    )
    select crm.with_fields(v_record, json_build_object(
      'hours', (
        select json_agg(json_build_object('hour', crm.iso(h.hour), 'calls', coalesce(c.calls, 0)) order by h.hour)
        from generate_series(v_hour - interval '47 hours', v_hour, interval '1 hour') h (hour)
        left join counted c on c.hour = h.hour
      ),
      'days_30', (
        select crm.calls_by_day(array_agg(d.day), array_agg(d.calls), v_today, 30)
        from (
          select (c.hour at time zone v_zone)::date as day, sum(c.calls)::bigint as calls from counted c group by 1
        ) d
      ),
      'failures', crm.request_failures(v_workspace_id, v_id),
      'subscriptions', (
        select coalesce(json_agg(json_build_object(
          'id', s.id, 'target_url', s.target_url, 'is_active', s.is_active, 'event_types', s.event_types
        ) order by s.is_active desc, s.created_at desc, s.id desc), '[]')
        from (
          select * from crm.webhook_subscriptions w
          where w.workspace_id = v_workspace_id and w.key_id = v_id
          order by w.is_active desc, w.created_at desc, w.id desc limit 200
        ) s
      )
    ))
  );
end
$$;
comment on function app.key_get(jsonb) is
  'Returns a key with its calls in the last 48 hours and 30 days (oldest first), the failures of its requests '
  '(crm.request_failures), and the subscriptions that it created (active ones first, 200 at most). Arguments: '
  'workspace_id, id. Codes: validation_error, not_found.';
create function app.key_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{name, allowed_networks, expires_at}');
  v_name text := v_args ->> 'name';
  v_networks cidr[] := crm.networks_of(v_args);
  v_expires_at timestamptz := (v_args ->> 'expires_at')::timestamptz;
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_name <> v_key.name then
    perform crm.record_action(
      v_key.workspace_id, 'key_renamed', 'key', v_key.id, v_name, jsonb_build_object('previous_name', v_key.name)
    );
  end if;
  if v_args ? 'allowed_networks' and v_networks is distinct from v_key.allowed_networks then
    perform crm.record_action(
      v_key.workspace_id, 'key_networks_changed', 'key', v_key.id, coalesce(v_name, v_key.name),
      jsonb_build_object('from', v_key.allowed_networks, 'to', v_networks)
    );
  end if;
  -- Read from p_args, because v_args has no nulls: here null means that the key does not expire.
  if p_args ? 'expires_at' and v_expires_at is distinct from v_key.expires_at then
    if v_key.revoked_at is not null then
      perform crm.raise_code('key_revoked', 'id', 'A chave foi revogada; crie outra');
    end if;
    if v_expires_at <= now() then
      perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro; para parar a chave já, revogue');
    end if;
    -- An expired key will work again, so it counts like a new key.
    if not crm.is_working(v_key) then perform crm.require_room_for_key(v_key.workspace_id); end if;
    perform crm.record_action(
      v_key.workspace_id, 'key_expiry_changed', 'key', v_key.id, coalesce(v_name, v_key.name),
      jsonb_build_object('from', crm.iso(v_key.expires_at), 'to', crm.iso(v_expires_at))
    );
  end if;
  update crm.api_keys k
  set
    name = coalesce(v_name, k.name),
    allowed_networks = case when v_args ? 'allowed_networks' then v_networks else k.allowed_networks end,
    expires_at = case when p_args ? 'expires_at' then v_expires_at else k.expires_at end
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;
comment on function app.key_update(jsonb) is
  'Renames a key (even a revoked or expired one), replaces the networks from which it may be used, or changes when it '
  'expires. An expired key can thereby work again. Returns the key. Arguments: workspace_id, id, name, '
  'allowed_networks (an empty list: from everywhere), expires_at (null: never). Codes: validation_error, not_found, '
  'already_expired (not in the future), key_revoked (a revoked key cannot get another expiry), insufficient_role (only '
  'for members).';
create function app.key_rotate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, prefix, hash, overlap_seconds}');
  v_overlap_seconds integer := (v_args ->> 'overlap_seconds')::numeric::integer;
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_overlap_seconds not in (0, 3600, 86400, 604800) then
    perform crm.raise_code('validation_error', 'overlap_seconds', 'Deve ser um de 0, 3600, 86400, 604800');
  end if;
  if not crm.is_working(v_key) then
    perform crm.raise_code('key_revoked', 'id', 'A chave foi revogada ou expirou; crie outra');
  end if;
  perform crm.refuse_scope_beyond_role(v_key.workspace_id, v_key.scopes, 'insufficient_role', 'id');
  -- The current secret works until the overlap ends. A secret left by an earlier rotation ends now.
  update crm.key_secrets s
  set expires_at = now() + case when s.expires_at is null then make_interval(secs => v_overlap_seconds) else '0' end
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id
    and (s.expires_at is null or s.expires_at > now());
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_key.workspace_id, v_key.id, v_args ->> 'prefix', decode(v_args ->> 'hash', 'hex'));
  update crm.api_keys k
  set prefix = v_args ->> 'prefix', rotated_at = now()
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  perform crm.record_action(
    v_key.workspace_id, 'key_rotated', 'key', v_key.id, v_key.name,
    jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;
comment on function app.key_rotate(jsonb) is
  'Gives a working key a new secret, by its hash. The current secret works for overlap_seconds more, and any earlier '
  'secret ends at once. Id, scopes, limit, subscriptions and call counts stay. Returns the key. Arguments: '
  'workspace_id, id, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), overlap_seconds (0, 3600, 86400 '
  'or 604800). Codes: validation_error, not_found, key_revoked (the key is revoked or expired).';
create function app.key_revoke(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{keep_webhooks}');
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
  v_was_revoked boolean := v_key.revoked_at is not null;
  v_ended jsonb;
  v_kept jsonb;
begin
  if not v_was_revoked then
    update crm.api_keys k
    set revoked_at = now()
    where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  end if;

  -- A separate statement, because the lock on the key may have waited for calls (crm.lock_key). Only a new statement
  -- sees the subscriptions that those calls created.
  with ended as (
    update crm.webhook_subscriptions s
    set is_active = false, deactivated_reason = 'key_revoked'
    where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active
      and not coalesce((v_args ->> 'keep_webhooks')::boolean, false)
    returning s.id, s.target_url
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'target_url', e.target_url) order by e.id), '[]')
  into v_ended
  from ended e;
  select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'target_url', s.target_url) order by s.id), '[]')
  into v_kept
  from crm.webhook_subscriptions s
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active;
  if not v_was_revoked or v_ended <> '[]' then
    perform crm.record_action(
      v_key.workspace_id, 'key_revoked', 'key', v_key.id, v_key.name,
      jsonb_build_object('ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
    );
  end if;
  return crm.with_fields(
    crm.key_record(v_key.workspace_id, v_key.id),
    json_build_object('was_revoked', v_was_revoked, 'ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
  );
end
$$;
comment on function app.key_revoke(jsonb) is
  'Revokes a key for good, from its next call on. Ends its active subscriptions, except with keep_webhooks; their '
  'history stays. If the key is revoked already, only ends its subscriptions that are still active. Returns the key '
  'with was_revoked (whether it was revoked before this call), ended_subscriptions, and kept_subscriptions (those '
  'still active). Both lists have id and target_url, oldest first. Arguments: workspace_id, id, keep_webhooks (false '
  'if absent). Codes: validation_error, not_found.';

create function crm.subscription_overviews(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, overview json)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  v_zone text := crm.zone_of(p_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  -- A delivery's id begins with the time of its event, so a day is a range of ids.
  v_floors uuid[] := array(
    select crm.uuid_v7_floor(crm.day_start(v_today - n, v_zone)) from generate_series(6, 0, -1) n
  );
  -- 20,000 deliveries in total, so that 200 subscriptions cost as much as 20.
  v_newest integer := least(1000, greatest(100, 20000 / greatest(cardinality(p_ids), 1)));
  -- The attempts of 4,000 deliveries in total: fewer, because looking up attempts costs more than counting deliveries.
  v_measured integer := least(200, greatest(20, 4000 / greatest(cardinality(p_ids), 1)));
begin
  return query
  with counted as (
    select
      i.id,
      width_bucket(d.id, v_floors) as day,
      count(*) as seen,
      count(*) filter (where d.state = 'delivered') as delivered,
      count(*) filter (where d.state = 'failed') as failed,
      count(*) filter (where d.state = 'pending') as waiting
    from unnest(p_ids) i (id)
    cross join lateral (
      select d.id, d.state from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.subscription_id = i.id and d.id >= v_floors[1]
      order by d.id desc limit v_newest
    ) d
    group by 1, 2
  ),
  measured as (
    select
      i.id, count(*) as attempts, count(*) filter (where a.reason is null) as succeeded,
      percentile_disc(0.5) within group (order by a.duration_ms) filter (where a.status is not null) as median_ms,
      percentile_disc(0.95) within group (order by a.duration_ms) filter (where a.status is not null) as p95_ms
    from unnest(p_ids) i (id)
    cross join lateral (
      select d.id from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.subscription_id = i.id and d.id >= v_floors[1]
      order by d.id desc limit v_measured
    ) d
    cross join lateral (
      select a.status, a.reason, a.duration_ms from crm.webhook_attempts a
      where a.workspace_id = p_workspace_id and a.delivery_id = d.id
      offset 0
    ) a
    group by 1
  ),
  days as (
    select
      i.id,
      json_agg(json_build_object(
        'day', v_today - 7 + n, 'delivered', coalesce(c.delivered, 0), 'failed', coalesce(c.failed, 0),
        'waiting', coalesce(c.waiting, 0)
      ) order by n) as list,
      sum(c.seen) as total
    from unnest(p_ids) i (id)
    cross join generate_series(1, 7) n
    left join counted c on c.id = i.id and c.day = n
    group by i.id
  )
  select s.id, crm.with_fields(crm.subscription_json(s), json_build_object(
    'key', case when k.id is not null then json_build_object('id', k.id, 'name', k.name) end, 'days', d.list,
    'days_are_partial', coalesce(d.total, 0) >= v_newest,
    'recent', json_build_object(
      'attempts', coalesce(m.attempts, 0), 'success_rate', round(m.succeeded::numeric / m.attempts, 4),
      'median_ms', m.median_ms, 'p95_ms', m.p95_ms
    )
  ))
  from days d
  left join measured m on m.id = d.id
  join crm.webhook_subscriptions s on s.workspace_id = p_workspace_id and s.id = d.id
  left join crm.makers_of_subscriptions(
    p_workspace_id,
    array(
      select s.key_id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (p_ids) and s.key_id is not null
    )
  ) k on k.id = s.key_id;
end
$$;
comment on function crm.subscription_overviews(uuid, uuid[]) is
  'JSON of subscriptions for the operator and the console: the public fields, the key that created the subscription '
  '(null if created in the console), days and recent. days: the outcomes of the last 7 days in the workspace''s time '
  'zone, oldest first. They count the newest 1,000 deliveries of a subscription; for more than 20 subscriptions, '
  '20,000 deliveries in total, but at least 100 each. days_are_partial: whether there may be more deliveries. recent: '
  'how many attempts the newest 200 deliveries of these days had (20 to 200 in a long list), which share of the '
  'attempts succeeded, and how long the answered attempts took.';
create function crm.subscription_overview(p_workspace_id uuid, p_id uuid) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_overview json := (select o.overview from crm.subscription_overviews(p_workspace_id, array[p_id]) o);
begin
  if v_overview is null then perform crm.raise_code('not_found', 'id'); end if;
  return v_overview;
end
$$;
comment on function crm.subscription_overview(uuid, uuid) is
  'JSON of one subscription as in crm.subscription_overviews. Raises not_found.';
create function app.subscription_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = v_workspace_id
    order by s.is_active desc, s.created_at desc, s.id desc limit 200
  );
begin
  return json_build_object('data', (
    select coalesce(json_agg(o.overview order by array_position(v_ids, o.id)), '[]')
    from crm.subscription_overviews(v_workspace_id, v_ids) o
  ));
end
$$;
comment on function app.subscription_list(jsonb) is
  'Lists the subscriptions of a workspace without their secrets: data, active before inactive subscriptions, each '
  'newest first, 200 at most. Arguments: workspace_id. Codes: validation_error, not_found.';
create function app.subscription_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
begin
  return crm.subscription_overview((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
end
$$;
comment on function app.subscription_get(jsonb) is
  'Returns one subscription. Arguments: workspace_id, id. Codes: validation_error, not_found.';
create function crm.record_webhook_action(
  p_workspace_id uuid, p_id uuid, p_action text, p_details jsonb default '{}'
) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform crm.record_action(p_workspace_id, p_action, 'webhook', s.id, s.target_url, p_details)
  from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id;
end
$$;
comment on function crm.record_webhook_action(uuid, uuid, text, jsonb) is
  'Adds a line about a subscription to the audit log, with its URL as the name.';
create function app.subscription_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(
    p_args, '{workspace_id, new_id, event_types, target_url, secret}',
    '{filters, payload, header, encrypted_header, webhook_name}'
  ));
  v_subscription crm.webhook_subscriptions := jsonb_populate_record(null::crm.webhook_subscriptions, v_args);
begin
  v_subscription.id := v_args ->> 'new_id';
  v_subscription.header := crm.header_name(v_args);
  v_subscription.name := nullif(v_args ->> 'webhook_name', '');
  perform crm.add_subscription(v_subscription, v_args ->> 'secret', v_args ->> 'encrypted_header');
  perform crm.record_webhook_action(
    v_subscription.workspace_id, v_subscription.id, 'webhook_created',
    v_args - array['workspace_id', 'new_id', 'target_url', 'secret', 'encrypted_header']
  );
  return crm.subscription_overview(v_subscription.workspace_id, v_subscription.id);
end
$$;
comment on function app.subscription_create(jsonb) is
  'Creates a subscription that belongs to no key, so that no revoked key ends it. A workspace has at most 50 active '
  'subscriptions. Returns the subscription as subscription_get does. Arguments: workspace_id, new_id (chosen by the '
  'caller, because the secret is encrypted for it), event_types, target_url (the caller checks that it is public), '
  'secret (encrypted, in base64), filters, payload, header (its name), encrypted_header (base64), webhook_name. Codes: '
  'validation_error, invalid_reference, not_found.';
create function app.subscription_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id, id}', '{event_types, filters, payload, header, encrypted_header, webhook_name}'
  );
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_before jsonb;
begin
  select to_jsonb(s) into v_before from crm.webhook_subscriptions s
  where s.workspace_id = v_workspace_id and s.id = v_id
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  if v_args ? 'webhook_name' then v_args := v_args || jsonb_build_object('name', v_args -> 'webhook_name'); end if;
  perform crm.change_subscription(v_workspace_id, v_id, v_args);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_updated',
    (
      select coalesce(
        jsonb_object_agg(f.name, jsonb_build_object('from', v_before -> f.name, 'to', to_jsonb(s) -> f.name)), '{}'
      )
      from crm.webhook_subscriptions s cross join unnest('{event_types,filters,payload,header,name}'::text[]) f (name)
      where s.workspace_id = v_workspace_id and s.id = v_id and v_args ? f.name
    )
  );
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;
comment on function app.subscription_update(jsonb) is
  'Changes a subscription (crm.change_subscription) and returns it as subscription_get does. An empty object removes '
  'filters or header; an empty webhook_name removes the name. Arguments: workspace_id, id, event_types, filters, '
  'payload, header (its name), encrypted_header (base64), webhook_name. Codes: validation_error, invalid_reference, '
  'not_found.';
create function app.subscription_delete(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
begin
  if not exists (select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'deleted'
  where s.workspace_id = v_workspace_id and s.id = v_id and s.deactivated_reason is distinct from 'deleted';
  if found then perform crm.record_webhook_action(v_workspace_id, v_id, 'webhook_deactivated'); end if;
  return null;
end
$$;
comment on function app.subscription_delete(jsonb) is
  'Deactivates a subscription, cancels its waiting deliveries and keeps its history. Returns null. Arguments: '
  'workspace_id, id. Codes: validation_error, not_found.';

create function crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_is_active boolean;
begin
  select s.is_active into v_is_active from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;
  if not found then
    perform crm.raise_code('not_found', 'id');
  elsif not v_is_active then
    perform crm.raise_code(
      'subscription_inactive', 'subscription_id', 'A assinatura está inativa; reative-a antes', p_subscription_id::text
    );
  end if;
end
$$;
comment on function crm.require_active_subscription(uuid, uuid) is
  'Raises not_found if the workspace has no such subscription, and subscription_inactive if the subscription is '
  'inactive.';
create function app.subscription_test(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{event_type}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_event crm.event_type := v_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  perform crm.check_subscribed(s, v_event) from crm.webhook_subscriptions s
  where s.workspace_id = v_workspace_id and s.id = v_id;
  v_delivery_id := crm.send_test_event(v_workspace_id, v_id, v_event);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_tested', jsonb_build_object('delivery_id', v_delivery_id)
  );
  perform crm.poke_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(v_workspace_id));
end
$$;
comment on function app.subscription_test(jsonb) is
  'Sends a test event to a subscription: a normal delivery, signed, and retried if it fails. Returns delivery_id, and '
  'held: whether the delivery waits because the workspace is suspended or has no public API. Arguments: workspace_id, '
  'id, event_type (one of the subscription''s types; the first if absent). Codes: validation_error, not_found, '
  'subscription_inactive, queue_full.';
create function app.subscription_reactivate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_outcome record;
begin
  select * into v_outcome from crm.resume_subscription(v_workspace_id, v_id);
  if v_outcome.was_inactive is null then
    perform crm.raise_code('not_found', 'id');
  elsif v_outcome.was_inactive then
    perform crm.record_webhook_action(
      v_workspace_id, v_id, 'webhook_reactivated', jsonb_build_object('resumed', v_outcome.resumed)
    );
    perform crm.poke_dispatcher();
  end if;
  return crm.with_fields(
    crm.subscription_overview(v_workspace_id, v_id),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;
comment on function app.subscription_reactivate(jsonb) is
  'Reactivates a subscription, sets its failure_count to 0, and makes its waiting deliveries due now; does not change '
  'an active subscription. Returns the subscription with resumed and revoked_key. resumed: how many deliveries were '
  'waiting. revoked_key (id, name, prefix): the key that created the subscription, if that key is revoked; otherwise '
  'null. A workspace has at most 50 active subscriptions. Arguments: workspace_id, id. Codes: validation_error, '
  'not_found.';
create function app.subscription_recover(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, since}', '{until, before_creation, dry_run}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_recovery json;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  v_recovery := crm.recover(v_workspace_id, v_id, v_args);
  if (v_args ->> 'dry_run')::boolean then return v_recovery; end if;
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_recovered',
    jsonb_build_object(
      'since', v_recovery -> 'since', 'until', crm.iso((v_args ->> 'until')::timestamptz), 'count', v_recovery -> 'count'
    )
  );
  perform crm.poke_dispatcher();
  return v_recovery;
end
$$;
comment on function app.subscription_recover(jsonb) is
  'Queues the events between since and until (now if absent) that a subscription did not receive, oldest first, as '
  'many as the queue has room for (crm.recover). Without before_creation, begins no earlier than the subscription was '
  'created. Returns count, has_more, since (where the period began) and next_since (where the next call continues). '
  'With dry_run, only counts the events. Arguments: workspace_id, id, since, until, before_creation, dry_run. Codes: '
  'validation_error, not_found, subscription_inactive, queue_full.';
create function app.subscription_redeliver(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, ids}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_sent json;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  v_sent := crm.redeliver_all(v_workspace_id, v_id, crm.listed_ids(v_args, 'ids'));
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'deliveries_redelivered', jsonb_build_object('count', v_sent -> 'count')
  );
  perform crm.poke_dispatcher();
  return v_sent;
end
$$;
comment on function app.subscription_redeliver(jsonb) is
  'Sends up to 100 deliveries of a subscription now, under the same ids. Returns count, not_queued and held '
  '(crm.redeliver_all). Arguments: workspace_id, id, ids. Codes: validation_error, not_found, subscription_inactive, '
  'queue_full.';
create function app.subscription_read_secret(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_secret bytea;
begin
  select k.secret into v_secret from crm.webhook_secrets k
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.subscription_id = (v_args ->> 'id')::uuid
  for update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  -- Remove the line breaks that encode() inserts after every 76 characters.
  return json_build_object('secret', replace(encode(v_secret, 'base64'), e'\n', ''));
end
$$;
comment on function app.subscription_read_secret(jsonb) is
  'Returns the encrypted secret of a subscription in base64, locked until the transaction ends. With it the operator '
  'tests an encryption key before a rotation. For the operator alone. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found.';
create function app.subscription_rotate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, secret}', '{overlap_seconds}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_overlap_seconds integer := coalesce((v_args ->> 'overlap_seconds')::numeric::integer, 0);
begin
  if not exists (
    select from crm.webhook_secrets k where k.workspace_id = v_workspace_id and k.subscription_id = v_id
  ) then
    perform crm.raise_code('not_found', 'id');
  end if;
  perform crm.rotate_secret(v_workspace_id, v_id, decode(v_args ->> 'secret', 'base64'), v_overlap_seconds);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_rotated', jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;
comment on function app.subscription_rotate(jsonb) is
  'Replaces the signing secret of a subscription. For overlap_seconds (0 if absent, 604800 at most), the current '
  'secret keeps signing, and the new secret adds a second signature. Afterwards only the new secret signs. Returns the '
  'subscription as subscription_get does. Arguments: workspace_id, id, secret (encrypted, in base64), overlap_seconds. '
  'Codes: validation_error, not_found.';

create function crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set jit = off
set enable_sort = off set enable_incremental_sort = off as $$
begin
  return (
    with all_stage as materialized (
      select s.id, s.name, s.type, s.position, s.is_active from crm.stages s
      where s.workspace_id = p_workspace_id and s.pipeline_id = p_pipeline_id
    ),
    open_deal as materialized (
      select s.id as stage_id, d.id, d.value, d.created_at as at, false as more
      from all_stage s
      cross join lateral (
        select d.id, d.value, d.created_at from crm.deals d
        where d.workspace_id = p_workspace_id and d.status = 'aberto' and d.archived_at is null
          -- This means d.stage_id = s.id. A range of both columns expresses it, because only the index of open deals
          -- has this order. With an equality, the planner expects to find the stage's deals among the newest deals of
          -- the workspace, and for an empty stage it reads the whole workspace.
          and (d.stage_id, d.id) >= (s.id, '00000000-0000-0000-0000-000000000000'::uuid)
          and (d.stage_id, d.id) <= (s.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by d.stage_id desc, d.id desc limit 1001
      ) d
    ),
    stage as materialized (
      select s.* from all_stage s
      where s.is_active or s.id in (select d.stage_id from open_deal d)
      order by s.position limit 50
    ),
    outcome as materialized (
      select
        o.type, o.status,
        (select s.id from stage s where s.type = o.type and s.is_active order by s.position limit 1) as first_stage_id
      from (values ('won', 'ganho'), ('lost', 'perdido')) o (type, status)
    ),
    closed_deal as (
      select
        -- Closing a deal does not change its stage. So a closed deal is shown in its own stage only if that stage has
        -- the type won or lost, otherwise in the first active stage of that type.
        coalesce(s.id, o.first_stage_id) as stage_id,
        d.id, d.value, d.closed_at as at, d.more
      from outcome o
      cross join lateral (
        select d.id, d.stage_id, d.value, d.closed_at, count(*) over () > 1000 as more
        from (
          select d.id, d.stage_id, d.value, d.closed_at from crm.deals d
          where d.workspace_id = p_workspace_id and d.pipeline_id = p_pipeline_id and d.status = o.status
            and d.closed_at >= now() - interval '30 days' and d.archived_at is null
          order by d.closed_at desc, d.id desc limit 1001
        ) d
      ) d
      left join stage s on s.id = d.stage_id and s.type = o.type
    ),
    deal as materialized (
      select t.*, row_number() over (partition by t.stage_id order by t.at desc, t.id desc) as rank
      from (select * from open_deal union all select * from closed_deal) t
    ),
    total as (
      select
        d.stage_id,
        count(*) filter (where d.rank <= 1000) as deals_count,
        bool_or(d.more or d.rank > 1000) as is_partial,
        sum(d.value) filter (where d.rank <= 1000) as value_sum
      from deal d
      group by d.stage_id
    ),
    -- Materialized, because otherwise the join below would build the cards of all stages once for each stage.
    card as materialized (
      select
        c.stage_id,
        json_agg(
          json_build_object(
            'id', d.id, 'title', d.title, 'value', d.value, 'recurring_value', d.recurring_value, 'source', d.source,
            'owner', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
            'contact', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end,
            'company', case when o.id is not null then json_build_object('id', o.id, 'name', o.name) end,
            'created_at', crm.iso(d.created_at), 'stage_entered_at', crm.iso(d.stage_changed_at),
            'proposal_accepted_at', (
              select crm.iso(max(t.accepted_at)) from crm.proposals t
              where t.workspace_id = p_workspace_id and t.deal_id = d.id
            )
          )
          order by c.rank
        ) as list
      from deal c
      -- Lateral, because with a plain join the planner expects to need most of the workspace, and scans all of it.
      cross join lateral (select d.* from crm.deals d where d.workspace_id = p_workspace_id and d.id = c.id limit 1) d
      left join crm.members m on m.workspace_id = d.workspace_id and m.id = d.owner_id
      left join crm.contacts p on p.workspace_id = d.workspace_id and p.id = d.contact_id
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = d.company_id
      where c.rank <= 50
      group by c.stage_id
    )
    select coalesce(json_agg(json_build_object(
      'id', s.id, 'name', s.name, 'type', s.type, 'position', s.position,
      'deals_count', coalesce(t.deals_count, 0), 'deals_count_is_partial', coalesce(t.is_partial, false),
      'value_sum', coalesce(t.value_sum, 0), 'deals', coalesce(c.list, '[]')
    ) order by s.position), '[]')
    from stage s
    left join total t on t.stage_id = s.id
    left join card c on c.stage_id = s.id
  );
end
$$;
comment on function crm.funnel_stages(uuid, uuid) is
  'The stages of a pipeline that are active or have open deals, in order, 50 at most, each with its open, unarchived '
  'deals, newest first. Deals that were won or lost in the last 30 days are shown too: in their own stage if it has '
  'the type won or lost, otherwise in the first active stage of that type. deals_count and value_sum cover the newest '
  '1,000 deals of a stage; deals_count_is_partial: whether there are more. `deals` has the newest 50.';
create function app.funnel_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}', '{pipeline_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_pipeline crm.pipelines;
begin
  select p.* into v_pipeline from crm.pipelines p
  where p.workspace_id = v_workspace_id and p.is_active
    and (v_args ->> 'pipeline_id' is null or p.id = (v_args ->> 'pipeline_id')::uuid)
  order by p.is_default desc, p.id limit 1;
  if not found and v_args ? 'pipeline_id' then perform crm.raise_code('not_found', 'pipeline_id'); end if;
  return json_build_object(
    'as_of', crm.iso(statement_timestamp()),
    'pipelines', (
      select coalesce(
        json_agg(
          json_build_object('id', p.id, 'name', p.name, 'is_default', p.is_default) order by p.created_at, p.id
        ),
        '[]'
      )
      from (
        select p.* from crm.pipelines p
        where p.workspace_id = v_workspace_id and p.is_active
        order by p.created_at, p.id limit 100
      ) p
    ),
    'pipeline', case when v_pipeline.id is not null then
      json_build_object('id', v_pipeline.id, 'name', v_pipeline.name)
    end,
    'stages', crm.funnel_stages(v_workspace_id, v_pipeline.id)
  );
end
$$;
comment on function app.funnel_get(jsonb) is
  'Returns the funnel of an active pipeline (the named one, else the default, else the oldest): as_of, '
  'pipelines (the active ones, 100 at most), pipeline (null if none is active), stages (crm.funnel_stages). '
  'Arguments: workspace_id, pipeline_id. Codes: validation_error, not_found.';
create function app.funnel_deal(p_args jsonb) returns json
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  c_most constant integer := 20;
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_deal crm.deals;
  v_from uuid;
begin
  select * into v_deal from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_id;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  -- A deal has no events from before its creation, so older partitions are not read.
  v_from := crm.uuid_v7_floor(greatest(v_deal.created_at, now() - interval '90 days'));
  return json_build_object(
    'id', v_id, 'title', v_deal.title, 'status', v_deal.status, 'value', v_deal.value,
    'recurring_value', v_deal.recurring_value,
    'pipeline', (
      select json_build_object('id', p.id, 'name', p.name) from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.id = v_deal.pipeline_id
    ),
    'stage', (
      select json_build_object('id', s.id, 'name', s.name) from crm.stages s
      where s.workspace_id = v_workspace_id and s.id = v_deal.stage_id
    ),
    'owner', (
      select json_build_object('id', m.id, 'name', m.name) from crm.members m
      where m.workspace_id = v_workspace_id and m.id = v_deal.owner_id
    ),
    'company', (
      select json_build_object('id', c.id, 'name', c.name) from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_deal.company_id
    ),
    'contact', (
      select json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone,
        'role', (
          select k.role from crm.deal_contacts k
          where k.workspace_id = v_workspace_id and k.deal_id = v_id and k.contact_id = c.id
        )
      )
      from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_deal.contact_id
    ),
    'other_contacts', (
      select coalesce(json_agg(json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'role', k.role
      ) order by k.contact_id), '[]')
      from (
        select k.contact_id, k.role from crm.deal_contacts k
        where k.workspace_id = v_workspace_id and k.deal_id = v_id and k.contact_id is distinct from v_deal.contact_id
        order by k.contact_id limit c_most
      ) k
      join crm.contacts c on c.workspace_id = v_workspace_id and c.id = k.contact_id
    ),
    'source', v_deal.source, 'tags', coalesce(v_deal.tags, '{}'), 'expected_close_date', v_deal.expected_close_date,
    'loss_reason', (
      select json_build_object('id', l.id, 'name', l.name) from crm.loss_reasons l
      where l.workspace_id = v_workspace_id and l.id = v_deal.loss_reason_id
    ),
    'loss_note', v_deal.loss_note, 'created_at', crm.iso(v_deal.created_at),
    'stage_entered_at', crm.iso(v_deal.stage_changed_at), 'closed_at', crm.iso(v_deal.closed_at),
    'proposals', (
      select coalesce(json_agg(crm.deal_proposal_json(p) order by p.id desc), '[]')
      from (
        select t.* from crm.proposals t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) p
    ),
    'activities', (
      select coalesce(json_agg(json_build_object(
        'id', a.id, 'type', a.type, 'title', a.title, 'description', a.description, 'status', a.status,
        'due_at', crm.iso(a.due_at), 'completed_at', crm.iso(a.completed_at),
        'owner', json_build_object('id', m.id, 'name', m.name), 'created_at', crm.iso(a.created_at)
      ) order by a.id desc), '[]')
      from (
        select t.* from crm.activities t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) a
      join crm.members m on m.workspace_id = v_workspace_id and m.id = a.owner_id
    ),
    'notes', (
      select coalesce(json_agg(json_build_object(
        'id', n.id, 'body', n.body, 'author', json_build_object('id', m.id, 'name', m.name),
        'created_at', crm.iso(n.created_at)
      ) order by n.id desc), '[]')
      from (
        select t.* from crm.notes t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) n
      join crm.members m on m.workspace_id = v_workspace_id and m.id = n.author_id
    ),
    'events', (
      select coalesce(json_agg(json_build_object(
        'id', e.id, 'event', e.event, 'changed_fields', coalesce(e.facts -> 'changed_fields', '[]'),
        'occurred_at', crm.iso(e.occurred_at)
      ) order by e.position desc, e.id desc), '[]')
      from (
        select t.* from crm.events t
        where t.workspace_id = v_workspace_id and t.object_id = v_id and t.id >= v_from
        order by t.position desc, t.id desc limit c_most
      ) e
    )
  );
end
$$;
comment on function app.funnel_deal(jsonb) is
  'Returns a deal, archived or not, with the names of the records that it refers to, its main and other contacts, and '
  'its newest proposals, activities, notes and events (of the last 90 days), 20 of each at most. Arguments: '
  'workspace_id, id. Codes: validation_error, not_found.';

create function crm.deal_proposal_json(p crm.proposals) returns json
language sql stable as $$
  select crm.with_fields(
    crm.proposal_view_json(p),
    json_build_object('viewed_at', crm.iso(p.viewed_at), 'created_at', crm.iso(p.created_at))
  )
$$;
comment on function crm.deal_proposal_json(crm.proposals) is 'A proposal as the members of its workspace see it.';
create function app.deal_proposal_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(
    p_args, '{workspace_id, id, title, token_hash}', '{value, recurring_value, expires_at}'
  ));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'id')::uuid;
  v_proposal crm.proposals;
begin
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  v_proposal := crm.proposal_add(v_args, v_deal_id);
  perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash');
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.deal_proposal_create(jsonb) is
  'Creates a draft of a proposal for a deal, with a public link. The link opens nothing until the draft is sent. '
  'Returns the proposal. Arguments: workspace_id, id (of the deal), title, token_hash (SHA-256, hexadecimal), value, '
  'recurring_value (monthly), expires_at (never if absent). Codes: validation_error, not_found, already_expired '
  '(nobody could answer the proposal).';
create function app.proposal_link(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, token_hash}');
  v_proposal crm.proposals := crm.proposal_to_answer((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash');
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.proposal_link(jsonb) is
  'Replaces the public link of a proposal. The earlier link stops working, and a draft remains a draft. Returns the '
  'proposal. Arguments: workspace_id, id, token_hash (SHA-256, hexadecimal). Codes: validation_error, not_found, '
  'proposal_expired, proposal_closed.';

create function crm.scopes_of_role(p_role text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array[
    'leads:write', 'deals:read', 'deals:write', 'activities:read', 'activities:write', 'contacts:read',
    'contacts:write', 'companies:read', 'companies:write', 'notes:read', 'notes:write', 'pipelines:read',
    'workspace:read', 'events:read', 'changes:read'
  ]
  -- As in the console: a gestor may create webhooks, and keys that may erase contacts; an admin may also define custom
  -- fields.
  || case when p_role in ('gestor', 'admin') then array['contacts:manage', 'webhooks:manage'] else '{}' end
  || case when p_role = 'admin' then array['workspace:manage'] else '{}' end;
end
$$;
comment on function crm.scopes_of_role(text) is
  'The scopes that a member with this role may give an app. Like a key, an app reaches all records of the workspace. '
  'A `:manage` scope requires the role that may do the same in the console. Other scopes cannot be given.';
create function crm.given_scopes(p_scopes text[], p_role text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array(select s from unnest(p_scopes) s where s = any (crm.scopes_of_role(p_role)));
end
$$;
comment on function crm.given_scopes(text[], text) is
  'Returns those of a grant''s scopes that the member''s current role may give. When the member loses a role, the app '
  'loses the scopes that require this role.';
create function crm.scope_beyond_role(p_workspace_id uuid, p_scopes text[]) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (
    select s from crm.members m cross join unnest(p_scopes) s
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and s <> all (crm.scopes_of_role(m.role))
    limit 1
  );
end
$$;
comment on function crm.scope_beyond_role(uuid, text[]) is
  'One of the scopes that the calling member''s role may not give; null if there is none, or if no member calls.';
create function crm.identify_grant(p_user_id uuid, p_session_id uuid, p_client_id uuid) returns crm.caller
language plpgsql set search_path = '' as $$
declare
  v_caller crm.caller;
  v_is_live boolean;
begin
  select s.is_live into v_is_live from crm.session_email(p_user_id, p_session_id) s;
  if v_is_live then
    select
      case
        when k.revoked_at is not null or not m.is_active or m.user_id is distinct from k.user_id then 'revoked_api_key'
        when w.suspended then 'workspace_suspended'
        when not w.public_api then 'feature_disabled'
      end,
      k.id, k.workspace_id, k.member_id, crm.given_scopes(k.scopes, m.role), w.rate_limit_per_minute
    into v_caller.error_code, v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes, v_caller.rate_limit
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join crm.workspaces w on w.id = k.workspace_id
    where k.user_id = p_user_id and k.client_id = p_client_id
    -- The working grant if there is one, otherwise the grant that was revoked last.
    order by k.revoked_at desc nulls first limit 1;
  end if;
  if v_caller.id is null then v_caller.error_code := 'invalid_api_key'; end if;
  return v_caller;
end
$$;
comment on function crm.identify_grant(uuid, uuid, uuid) is
  'The caller for a verified token of an app: its grant. invalid_api_key: the session has ended, or the person never '
  'granted this client anything. revoked_api_key: the grant was revoked, or its member is no longer active.';
create function api.call_by_grant(
  p_user_id uuid, p_session_id uuid, p_client_id uuid, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text,
  p_request_hash bytea
) returns api.reply
language plpgsql security definer set search_path = '' as $$
begin
  return crm.answer_request(
    crm.identify_grant(p_user_id, p_session_id, p_client_id), p_scope, p_verb, p_args, p_idempotency_key, p_request_hash
  );
end
$$;
comment on function api.call_by_grant(uuid, uuid, uuid, text, text, jsonb, text, bytea) is
  'The door for apps: answers one request, given the ids in a verified token of Supabase Auth''s OAuth server. Every '
  'call reads the session, the member, the role and the grant. The other arguments are those of api.call.';
create function crm.end_webhooks_of_grant(p_workspace_id uuid, p_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'key_revoked'
  where s.workspace_id = p_workspace_id and s.key_id = p_id and s.is_active;
end
$$;
comment on function crm.end_webhooks_of_grant(uuid, uuid) is
  'Ends the active subscriptions that an app created, which would otherwise go on receiving events.';
create function crm.end_grant(p_workspace_id uuid, p_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update crm.api_keys k set revoked_at = now()
  where k.workspace_id = p_workspace_id and k.id = p_id and k.revoked_at is null;
  -- A separate statement, because the update may have waited for calls (crm.lock_key). Only a new statement sees the
  -- subscriptions that those calls created.
  perform crm.end_webhooks_of_grant(p_workspace_id, p_id);
end
$$;
comment on function crm.end_grant(uuid, uuid) is 'Revokes a grant for good, and ends its active subscriptions.';
create function crm.follow_member() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not new.is_active or new.user_id is distinct from old.user_id then
    perform crm.end_grant(k.workspace_id, k.id)
    from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
      and k.revoked_at is null;
  elsif 'webhooks:manage' <> all (crm.scopes_of_role(new.role)) then
    -- Wait for calls that are creating a subscription (crm.lock_key), so that the next statement sees the subscription.
    perform from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
    for no key update;
    perform crm.end_webhooks_of_grant(k.workspace_id, k.id)
    from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
      and k.revoked_at is null;
  end if;
  return null;
end
$$;
comment on function crm.follow_member() is
  'Trigger: when a member is deactivated or leaves, revokes the member''s grants and ends the grants'' subscriptions. '
  'When the new role may not manage webhooks, only ends the subscriptions. Scopes need no change, because every call '
  'compares them with the role. Security definer, because members may not change each other''s grants.';
create trigger grants_follow_member after update of role, is_active, user_id on crm.members
for each row
when (
  old.role is distinct from new.role or old.is_active is distinct from new.is_active
  or old.user_id is distinct from new.user_id
)
execute function crm.follow_member();
create function crm.store_grant(p_client_id uuid, p_name text, p_scopes text[]) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_member_id uuid := crm.current_member_id();
  v_user_id uuid := crm.current_user_id();
  v_former crm.api_keys;
  v_id uuid;
begin
  -- One grant of a person at a time, so that each counts and replaces the earlier grants.
  perform pg_advisory_xact_lock(crm.lock_number('grants of ' || v_user_id));
  -- If the member was deactivated first, this finds no member. A later deactivation waits for this lock, and then ends
  -- the new grant.
  perform from crm.members m
  where m.workspace_id = v_workspace_id and m.id = v_member_id and m.is_active and m.user_id = v_user_id
  for share;
  if not found then perform crm.raise_code('insufficient_role'); end if;
  select k.* into v_former from crm.api_keys k
  where k.user_id = v_user_id and k.client_id = p_client_id and k.revoked_at is null
  for no key update;
  if v_former.workspace_id = v_workspace_id and v_former.member_id = v_member_id then
    update crm.api_keys k set name = p_name, scopes = p_scopes
    where k.workspace_id = v_workspace_id and k.id = v_former.id;
    if 'webhooks:manage' <> all (p_scopes) then perform crm.end_webhooks_of_grant(v_workspace_id, v_former.id); end if;
    return v_former.id;
  end if;
  if v_former.id is not null then
    perform crm.end_grant(v_former.workspace_id, v_former.id);
    insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
    values (v_former.workspace_id, v_former.member_id, 'grant_revoked', 'grant', v_former.id, v_former.name);
  end if;
  if (
    select count(*) from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.member_id = v_member_id and k.client_id is not null
      and k.revoked_at is null
  ) >= 20 then
    perform crm.raise_code('validation_error', 'client_id', 'Você já autorizou 20 aplicativos, o máximo; revogue um');
  end if;
  insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, client_id, user_id)
  values (v_workspace_id, v_member_id, p_name, left(p_client_id::text, 8), p_scopes, p_client_id, v_user_id)
  returning id into v_id;
  return v_id;
end
$$;
comment on function crm.store_grant(uuid, text, text[]) is
  'Stores what the signed-in person grants a client in the current workspace, and returns the grant''s id. The token '
  'names no workspace, so a person can have only one grant for a client, and a former grant in another workspace ends. '
  'A former grant in the same workspace gets the new name and scopes, and keeps its subscriptions and rate limit. A '
  'member has 20 working grants at most, because each grant has its own rate limit. Security definer, because the '
  'former grant may be in another workspace.';
create function crm.grant_records(p_workspace_id uuid, p_ids uuid[]) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', k.id, 'client_id', k.client_id, 'client_name', k.name, 'scopes', crm.given_scopes(k.scopes, m.role),
      'member', json_build_object('id', m.id, 'name', m.name), 'created_at', crm.iso(k.created_at),
      'last_used_at', crm.iso(greatest(u.last_call_at, r.hits[cardinality(r.hits)]))
    ) order by k.id desc), '[]')
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids)
  );
end
$$;
comment on function crm.grant_records(uuid, uuid[]) is
  'JSON of a workspace''s grants, newest first, with the scopes that the member''s current role may give.';
create function crm.may_see_grants_of(p_workspace_id uuid, p_member_id uuid) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return crm.current_member_id() is null or crm.current_member_id() = p_member_id or exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and m.role = 'admin'
  );
end
$$;
comment on function crm.may_see_grants_of(uuid, uuid) is
  'Whether the caller may see and revoke a member''s grants: the member, an admin, or the operator.';
create function app.grant_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select k.id from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.client_id is not null and k.revoked_at is null
      and crm.may_see_grants_of(v_workspace_id, k.member_id)
    order by k.id desc limit 500
  );
begin
  return json_build_object(
    'data', crm.grant_records(v_workspace_id, v_ids),
    'grantable_scopes', to_json(coalesce((
      select crm.scopes_of_role(m.role) from crm.members m
      where m.workspace_id = v_workspace_id and m.id = crm.current_member_id()
    ), '{}'))
  );
end
$$;
comment on function app.grant_list(jsonb) is
  'Lists the working grants of the calling member, or of the whole workspace for an admin or the operator, newest '
  'first, 500 at most. Returns data, and grantable_scopes: what the member may give (crm.scopes_of_role). Arguments: '
  'workspace_id. Codes: validation_error, not_found.';
create function app.grant_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, client_id, client_name, scopes}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_scopes text[] := array(select jsonb_array_elements_text(v_args -> 'scopes'));
  v_refused text := crm.scope_beyond_role(v_workspace_id, v_scopes);
  v_id uuid;
begin
  if crm.current_user_id() is null then perform crm.raise_code('not_found', 'workspace_id'); end if;
  if v_refused is not null then
    perform crm.raise_code('validation_error', 'scopes', format('Seu papel não permite dar a permissão "%s"', v_refused));
  end if;
  v_id := crm.store_grant((v_args ->> 'client_id')::uuid, v_args ->> 'client_name', v_scopes);
  perform crm.record_action(
    v_workspace_id, 'grant_created', 'grant', v_id, v_args ->> 'client_name', jsonb_build_object('scopes', v_scopes)
  );
  return crm.grant_records(v_workspace_id, array[v_id]) -> 0;
end
$$;
comment on function app.grant_create(jsonb) is
  'Grants these scopes to an app for the signed-in member. client_id and client_name: the app''s client at Supabase '
  'Auth. Replaces the person''s former grant for this client (crm.store_grant). Returns the grant. Arguments: '
  'workspace_id, client_id, client_name, scopes. Codes: validation_error (also for a scope that the role may not '
  'give), not_found (for a caller who is not signed in, such as the operator), insufficient_role (for a member who was '
  'deactivated while the call waited).';
create function app.grant_revoke(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_grant crm.api_keys;
begin
  select k.* into v_grant from crm.api_keys k
  where k.workspace_id = v_workspace_id and k.id = (v_args ->> 'id')::uuid and k.client_id is not null
    and crm.may_see_grants_of(v_workspace_id, k.member_id)
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  if v_grant.revoked_at is null then
    perform crm.end_grant(v_workspace_id, v_grant.id);
    perform crm.record_action(v_workspace_id, 'grant_revoked', 'grant', v_grant.id, v_grant.name);
  end if;
  return crm.grant_records(v_workspace_id, array[v_grant.id]) -> 0;
end
$$;
comment on function app.grant_revoke(jsonb) is
  'Revokes a grant for good, from the app''s next call on, and ends its active subscriptions. A grant that is revoked '
  'already stays as it is. A member may revoke their own grants; an admin and the operator may revoke all. Returns the '
  'grant. Arguments: workspace_id, id. Codes: validation_error, not_found.';

create index webhook_subscriptions_stopped on crm.webhook_subscriptions (workspace_id, deactivated_at)
where deactivated_reason = 'failures';
create index api_keys_expiring on crm.api_keys (workspace_id, expires_at)
where expires_at is not null and revoked_at is null and client_id is null;
create function crm.workspace_alerts(w crm.workspaces) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'kind', a.kind, 'id', a.id, 'name', a.name, 'since', crm.iso(a.since), 'until', crm.iso(a.until)
    ) order by a.urgency, a.until, a.since desc, a.id), '[]')
    from (
      -- Read by the index webhook_subscriptions_stopped. Only the last 30 days count, because older waiting deliveries
      -- have been dropped.
      (
        select 1 as urgency, 'webhook_stopped' as kind, s.id,
          coalesce(s.name, substring(s.target_url from '//([^/?#]+)')) as name,
          s.deactivated_at as since, null::timestamptz as until
        from crm.webhook_subscriptions s
        where s.workspace_id = w.id and s.deactivated_reason = 'failures'
          and s.deactivated_at > now() - interval '30 days'
        order by s.deactivated_at desc limit 50
      )
      union all
      -- Read by the index api_keys_expiring.
      (
        select case when k.expires_at <= now() then 2 else 4 end,
          case when k.expires_at <= now() then 'key_expired' else 'key_expiring' end,
          k.id, k.name::text,
          case when k.expires_at <= now() then k.expires_at end,
          case when k.expires_at > now() then k.expires_at end
        from crm.api_keys k
        where k.workspace_id = w.id and k.revoked_at is null and k.client_id is null
          and k.expires_at > now() - interval '7 days' and k.expires_at <= now() + interval '14 days'
        order by k.expires_at limit 50
      )
      union all
      -- Read by the index webhook_subscriptions_listed. A single failed attempt needs no alert, because the next
      -- attempt, half a minute later, usually succeeds.
      (
        select 3, 'webhook_failing', s.id, coalesce(s.name, substring(s.target_url from '//([^/?#]+)')),
          coalesce(s.last_success_at, s.created_at), null
        from crm.webhook_subscriptions s
        where s.workspace_id = w.id and s.is_active and s.failure_count >= 3 and not w.suspended and w.public_api
        order by s.created_at limit 50
      )
    ) a
  );
end
$$;
comment on function crm.workspace_alerts(crm.workspaces) is
  'What somebody has to fix, the most urgent kind first: webhook_stopped (by failures, in the last 30 days), '
  'key_expired (in the last 7 days), webhook_failing (active, and at least its last three attempts failed; none while '
  'the workspace may not send), key_expiring (within 14 days). Within a kind, the newest alert comes first; of the '
  'expiring keys, the key that expires first. since: for a failing webhook, its last success, or its creation if no '
  'delivery succeeded. name: the name of the key or webhook, or the host of a webhook without a name. At most 50 each '
  'of stopped webhooks, keys and failing webhooks.';
create function crm.workspace_first_steps(w crm.workspaces) returns json
language plpgsql stable set search_path = '' as $$
declare
  -- The primary keys of both tables find the rows. crm.key_counters is a minute late, so crm.rate_limits is read for
  -- newer calls.
  v_call boolean := exists (
    select from crm.key_counters c
    join crm.api_keys k on k.workspace_id = c.workspace_id and k.id = c.key_id
    where c.workspace_id = w.id and k.client_id is null
  ) or exists (
    select from (
      select k.id from crm.api_keys k
      where k.workspace_id = w.id and k.client_id is null
      order by k.id desc limit 100
    ) k
    join crm.rate_limits r on r.key_id = k.id
  );
  v_steps record;
begin
  -- Return early, so that nothing else is read for an established workspace.
  if v_call and w.created_at < now() - interval '30 days' then return null; end if;
  -- Each exists() stops at the first row that it finds for the workspace in an index.
  select
    exists (select from crm.api_keys k where k.workspace_id = w.id and k.client_id is null) as key,
    v_call as call,
    exists (select from crm.webhook_subscriptions s where s.workspace_id = w.id) as webhook,
    exists (
      select from crm.webhook_subscriptions s where s.workspace_id = w.id and s.last_success_at is not null
    ) as delivery,
    exists (
      select from crm.members m
      -- Leave out the placeholder admin, which app.workspace_create adds if the operator names no e-mail.
      where m.workspace_id = w.id and m.is_active and m.email not like '%.invalid' order by m.id offset 1 limit 1
    ) as colleague
  into v_steps;
  if v_steps.key and v_steps.call and v_steps.webhook and v_steps.delivery and v_steps.colleague then return null; end if;
  return row_to_json(v_steps);
end
$$;
comment on function crm.workspace_first_steps(crm.workspaces) is
  'Which first steps a workspace has taken: key (it created a key), call (a key made a call), webhook (it created a '
  'webhook), delivery (a receiver confirmed a delivery or test event), colleague (a second active member, who may '
  'still have to accept the invitation). Null once all steps are taken. Also null 30 days after the workspace was '
  'created, if a key made a call: the workspace is then in use.';

create function crm.event_ids(
  p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_since timestamptz, p_until timestamptz,
  p_cursor uuid, p_limit integer, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_before uuid := coalesce(
    least(p_cursor, case when p_until is not null then crm.uuid_v7_floor(p_until) end), c_last
  );
  v_from uuid := crm.uuid_v7_floor(greatest(p_since, now() - interval '90 days'));
  -- The most events that one call reads. Without this limit, a call for a type that never occurred would read all 90
  -- days.
  v_look integer := case when p_event is null then p_limit + 1 else 5000 end;
  -- The cursor's place among the events of an object. Computed before the query, because coalesce is not leakproof:
  -- with it in the condition below, row-level security would keep the index scan from starting at this place.
  v_position bigint := coalesce(
    (select e.position from crm.events e where e.workspace_id = p_workspace_id and e.id = p_cursor),
    9223372036854775807
  );
  v_cursor uuid := coalesce(p_cursor, c_last);
  v_last uuid;
begin
  -- One statement for each index. Both stop at the first event that the page has no room for, or at the last event that
  -- the call may read (v_last).
  if p_object_id is null then
    select array_agg(s.id) filter (where s.is_shown), max(s.id::text) filter (where s.n = v_look)
    into ids, v_last
    from (
      select e.id, e.n, t.is_shown
      from (
        select l.id, l.event, row_number() over () as n
        from (
          select l.id, l.event from crm.events l
          where l.workspace_id = p_workspace_id and l.id < v_before and l.id >= v_from
          order by l.id desc limit v_look
        ) l
      ) e
      cross join lateral (select p_event is null or e.event = p_event as is_shown) t
      where t.is_shown or e.n = v_look
      limit p_limit + 1
    ) s;
  else
    select array_agg(s.id) filter (where s.is_shown), max(s.id::text) filter (where s.n = v_look)
    into ids, v_last
    from (
      select e.id, e.n, t.is_shown
      from (
        select l.id, l.event, row_number() over () as n
        from (
          select l.id, l.event from crm.events l
          where l.workspace_id = p_workspace_id and l.object_id = p_object_id and l.id < v_before and l.id >= v_from
            and (l.position, l.id) < (v_position, v_cursor)
          order by l.position desc, l.id desc limit v_look
        ) l
      ) e
      cross join lateral (select p_event is null or e.event = p_event as is_shown) t
      where t.is_shown or e.n = v_look
      limit p_limit + 1
    ) s;
  end if;
  ids := coalesce(ids, '{}');
  if cardinality(ids) > p_limit then
    ids := ids[: p_limit];
    next_id := ids[p_limit];
  else
    next_id := v_last;
  end if;
end
$$;
comment on function crm.event_ids(uuid, crm.event_type, uuid, timestamptz, timestamptz, uuid, integer) is
  'A page of the ids of events, newest first. next_id: the id after which the next page begins; null if there is none. '
  'A page filtered by type reads at most 5,000 events, so it may be short or empty although there is a next page.';
create function crm.deliveries_of_event(p_workspace_id uuid, p_event_id uuid, p_may_send boolean) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  -- A delivery's id begins with the first half of its event's id (crm.delivery_id), so the primary key finds the
  -- deliveries of an event.
  v_first uuid := left(p_event_id::text, 18) || '-0000-000000000000';
  v_last uuid := left(p_event_id::text, 18) || '-ffff-ffffffffffff';
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', d.id, 'subscription_id', d.subscription_id, 'name', s.name, 'target_url', s.target_url,
      'state', crm.shown_state(d.state, p_may_send and s.is_active), 'attempts', d.attempts
    ) order by d.created_at, d.id), '[]')
    from crm.webhook_deliveries d
    join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
    where d.workspace_id = p_workspace_id and d.id >= v_first and d.id <= v_last and d.event_id = p_event_id
  );
end
$$;
comment on function crm.deliveries_of_event(uuid, uuid, boolean) is
  'JSON of the deliveries of an event, which are kept for 30 days. p_may_send: whether the workspace may send.';
create function app.event_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{event, object_id, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_may_send boolean;
  v_page record;
begin
  perform crm.require_workspace(v_args);
  v_may_send := not crm.holds_webhooks(v_workspace_id);
  select * into v_page from crm.event_ids(
    v_workspace_id, (v_args ->> 'event')::crm.event_type, (v_args ->> 'object_id')::uuid,
    (v_args ->> 'since')::timestamptz, (v_args ->> 'until')::timestamptz, (v_args ->> 'cursor')::uuid,
    coalesce((v_args ->> 'limit')::numeric::integer, 50)
  );
  return crm.page(
    array(
      select json_build_object(
        'id', e.id, 'event', e.event, 'object_type', t.object_type, 'object_id', e.object_id,
        'object_name', crm.object_name(v_workspace_id, t.object_type, e.object_id), 'is_test', e.is_test,
        'changed_fields', coalesce(e.facts -> 'changed_fields', '[]'), 'occurred_at', crm.iso(e.occurred_at),
        'deliveries', crm.deliveries_of_event(v_workspace_id, e.id, v_may_send)
      )
      from unnest(v_page.ids) with ordinality w (id, n)
      -- The planner does not know in which partition an id is. `offset 0` makes it look up each id.
      cross join lateral (
        select * from crm.events e where e.workspace_id = v_workspace_id and e.id = w.id offset 0
      ) e
      join crm.event_types t on t.event = e.event
      order by w.n
    ),
    v_page.next_id
  );
end
$$;
comment on function app.event_list(jsonb) is
  'A page of the events of a workspace (crm.event_ids), newest first, each with its deliveries. Arguments: '
  'workspace_id, event, object_id, since, until, cursor, limit. Codes: validation_error, not_found.';

create function crm.import_company(p_name text, p_tax_id text) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_args constant jsonb := jsonb_build_object('match_by', 'tax_id', 'tax_id', p_tax_id);
  v_id uuid;
begin
  if p_tax_id is not null then
    v_id := coalesce((crm.company_match(v_args))[1], (
      select s.id
      from unnest(crm.company_match(v_args, true)) with ordinality m (id, position)
      cross join lateral crm.company_survivor(m.id) s
      where s.archived_at is null
      order by m.position limit 1
    ));
    if v_id is not null then return v_id; end if;
  end if;
  v_id := crm.lead_company(crm.name_key(p_name));
  -- Companies with the same name but different tax ids are different companies.
  if exists (
    select from crm.companies c
    where c.workspace_id = crm.current_workspace_id() and c.id = v_id and c.tax_id <> p_tax_id
  ) then
    return null;
  end if;
  return v_id;
end
$$;
comment on function crm.import_company(text, text) is
  'The company for a line of the file: the oldest unarchived company with the line''s tax id, or else the unarchived '
  'company into which a company with this tax id was merged, or else the company that crm.lead_company finds by name, '
  'unless that company has another tax id. Null if there is no such company.';
create function crm.import_company_key(p_args jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when p_args ->> 'company' is not null then
    -- No name begins with a line break.
    coalesce(E'\n' || (p_args ->> 'company_tax_id'), crm.name_key(p_args ->> 'company'))
  end;
end
$$;
comment on function crm.import_company_key(jsonb) is
  'What the lines of one company have in common: its tax id, or else its name. Null for a line without a company.';
create function crm.import_items(p_items jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_line record;
  v_id uuid;
  v_new jsonb := '[]';
  -- The position in v_new of each company to create, by its key and by its name.
  v_places jsonb := '{}';
  v_results jsonb := '{}';
  v_created jsonb;
begin
  -- Lines with a tax id come first, so that a line with only a name uses the company that a line with the tax id
  -- creates.
  for v_line in
    select distinct on (l.tax_id is null, l.key) l.*
    from (
      select
        i.item #>> '{args,company}' as name, i.item #>> '{args,company_tax_id}' as tax_id,
        crm.import_company_key(i.item -> 'args') as key, i.position
      from jsonb_array_elements(p_items) with ordinality i (item, position)
    ) l
    where l.key is not null
    order by l.tax_id is null, l.key, l.position
  loop
    v_id := crm.import_company(v_line.name, v_line.tax_id);
    if v_id is not null then
      v_results := v_results || jsonb_build_object(v_line.key, jsonb_build_object('id', v_id));
    elsif v_line.tax_id is not null or not v_places ? v_line.key then
      v_places := v_places || jsonb_build_object(
        v_line.key, jsonb_array_length(v_new), crm.name_key(v_line.name), jsonb_array_length(v_new)
      );
      v_new := v_new || jsonb_build_object(
        'op', 'create', 'args', jsonb_build_object('name', v_line.name, 'tax_id', v_line.tax_id)
      );
    end if;
  end loop;
  if v_new <> '[]' then
    v_created := crm.run_verb('company_batch', jsonb_build_object('items', v_new))::jsonb -> 'results';
    v_results := (
      select jsonb_object_agg(p.key, v_created -> p.value::integer) from jsonb_each_text(v_places) p
    ) || v_results;
  end if;
  return (
    select jsonb_agg(
      case
        when c.result ? 'error' then jsonb_build_object('error', c.result -> 'error')
        when i.item ? 'args' then jsonb_set(
          i.item, '{args}',
          (i.item -> 'args') - '{company,company_tax_id}'::text[]
            || case when c.result is null then '{}' else jsonb_build_object('company_id', c.result -> 'id') end
        )
        else i.item
      end
      order by i.position
    )
    from jsonb_array_elements(p_items) with ordinality i (item, position)
    cross join lateral (select v_results -> crm.import_company_key(i.item -> 'args') as result) c
  );
end
$$;
comment on function crm.import_items(jsonb) is
  'The items of an import with company_id in place of the company''s name and tax id. Creates the companies that do not '
  'exist. If a company cannot be created, the items with this company get the error.';
create function crm.import_values(p_ids uuid[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_object_agg(t.id, jsonb_build_object(
      'name', t.name, 'email', t.email, 'phone', t.phone, 'phone2', t.phone2, 'whatsapp', t.whatsapp,
      'job_title', t.job_title, 'instagram', t.instagram, 'linkedin', t.linkedin, 'notes', t.notes,
      'external_id', t.external_id, 'tags', array_to_string(t.tags, ', '),
      'company', (
        select c.name from crm.companies c where c.workspace_id = t.workspace_id and c.id = t.company_id
      )
    ) || coalesce(
      (
        select jsonb_object_agg('custom_fields.' || f.key, f.value) from jsonb_each_text(t.custom_fields) f
      ),
      '{}'
    )), '{}')
    from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = any (p_ids)
  );
end
$$;
comment on function crm.import_values(uuid[]) is
  'The contacts'' values in the fields that an import may change, as texts, by the contact''s id.';
create function crm.import_contacts(p_items jsonb, p_is_atomic boolean, p_is_dry boolean) returns json
language plpgsql security definer set search_path = '' as $$
declare
  v_reply jsonb;
  v_ids uuid[];
  v_before jsonb;
  v_after jsonb;
begin
  -- Lock before looking for companies, so that two imports or leads do not create the same company.
  perform crm.lock_all_matches();
  begin
    v_reply := crm.run_verb('contact_batch', jsonb_build_object(
      'items', crm.import_items(p_items), 'atomic', p_is_atomic
    ));
    if not p_is_dry then return v_reply::json; end if;
    v_ids := array(
      select (r ->> 'id')::uuid from jsonb_array_elements(v_reply -> 'results') r where r ->> 'status' = '200'
    );
    v_after := crm.import_values(v_ids);
    -- Undo the batch. The variables keep its results.
    raise exception using errcode = 'CRM02';
  exception
    when sqlstate 'CRM02' then
      v_before := crm.import_values(v_ids);
  end;
  return json_build_object(
    'results', (
      select json_agg(
        case r.result ->> 'status'
          -- Without the id, because the dry run creates no contact.
          when '201' then r.result - 'id'
          when '200' then r.result || jsonb_build_object('changes', (
            select coalesce(jsonb_agg(
              jsonb_build_object(
                'field', f.name, 'from', left(b.value ->> f.name, 200), 'to', left(a.value ->> f.name, 200)
              )
              order by f.name
            ), '[]')
            from jsonb_object_keys(b.value || a.value) f (name)
            where b.value ->> f.name is distinct from a.value ->> f.name
          ))
          else r.result
        end
        order by r.position
      )
      from jsonb_array_elements(v_reply -> 'results') with ordinality r (result, position)
      cross join lateral (select coalesce(v_before -> (r.result ->> 'id'), '{}') as value) b
      cross join lateral (select coalesce(v_after -> (r.result ->> 'id'), '{}') as value) a
    ),
    'summary', v_reply -> 'summary'
  );
end
$$;
comment on function crm.import_contacts(jsonb, boolean, boolean) is
  'Runs an import as crm_api, by the verbs of the API, in the caller''s workspace and with the member as the actor. If '
  'p_is_dry, undoes the import and shows for each existing contact the fields that would change, with the '
  'first 200 characters of their values. Security definer, because crm_app writes no records. crm_app may execute this '
  'function and no other verb of the API.';
create function app.contact_import(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.within_workspace(crm.check_args(p_args, '{workspace_id, items}', '{atomic, dry_run}'));
begin
  return crm.import_contacts(
    v_args -> 'items', coalesce((v_args ->> 'atomic')::boolean, false), coalesce((v_args ->> 'dry_run')::boolean, false)
  );
end
$$;
comment on function app.contact_import(jsonb) is
  'Imports up to 100 contacts as api.contact_batch does, each with the name of its company '
  '(crm.import_items), and returns its reply. With dry_run nothing is written, and each contact that exists '
  'has changes: field, from, to. Arguments: workspace_id, items, atomic, dry_run. Codes: validation_error, not_found.';

create function crm.found_by_id(p_workspace_id uuid, p_id uuid)
returns table (type text, id uuid, name text, detail text, parent_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
begin
  return query
    select 'key', k.id, k.name::text, k.prefix::text, null::uuid
    from crm.api_keys k
    where k.workspace_id = p_workspace_id and k.id = p_id and k.client_id is null
    union all
    select 'webhook', s.id, coalesce(s.name, s.target_url), s.target_url, null
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_id
    union all
    select o.type, p_id, o.name, null, null
    from (
      select t.type, crm.object_name(p_workspace_id, t.type, p_id) as name
      from unnest('{deal, contact, company, activity, note, proposal}'::text[]) t (type)
    ) o
    where o.name is not null
    union all
    select 'event', e.id, e.event::text, crm.object_name(p_workspace_id, t.object_type, e.object_id), e.object_id
    from crm.events e
    join crm.event_types t on t.event = e.event
    where e.workspace_id = p_workspace_id and e.id = p_id
    union all
    select 'delivery', d.id, e.event::text, coalesce(s.name, s.target_url), s.id
    from crm.webhook_deliveries d
    join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
    join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
    where d.workspace_id = p_workspace_id and d.id = p_id;
end
$$;
comment on function crm.found_by_id(uuid, uuid) is
  'What has this id in a workspace: a key, webhook, record, event or delivery. parent_id: the record of an event, the '
  'webhook of a delivery.';
create function crm.found_by_words(p_workspace_id uuid, p_q text)
returns table (type text, id uuid, name text, detail text, parent_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  v_q text := crm.fold(p_q);
  v_words text[] := regexp_split_to_array(v_q, '\s+');
begin
  return query
    select r.type, r.id, r.name, r.detail, null::uuid
    from (
      select f.*, row_number() over (partition by f.type order by f.rank, f.works desc, f.id desc) as place
      from (
        select w.type, w.id, w.name, w.detail, w.works, crm.name_rank(w.name, v_q) as rank
        from (
          -- Only the newest, because a workspace may have tens of thousands of revoked keys and deleted webhooks.
          (
            select 'key' as type, k.id, k.name::text, k.prefix::text as detail, crm.is_working(k) as works
            from crm.api_keys k
            where k.workspace_id = p_workspace_id and k.client_id is null
            order by k.id desc limit 1000
          )
          union all
          (
            select 'webhook', s.id, coalesce(s.name, s.target_url), s.target_url, s.is_active
            from crm.webhook_subscriptions s
            where s.workspace_id = p_workspace_id
            order by s.is_active desc, s.created_at desc, s.id desc limit 1000
          )
        ) w
        where not exists (
          select from unnest(v_words) q (word) where strpos(crm.fold(concat_ws(E'\n', w.name, w.detail)), q.word) = 0
        )
        union all
        select f.type, f.id, f.name, coalesce(
          (select c.name from crm.companies c where c.workspace_id = p_workspace_id and c.id = f.company_id),
          f.email, f.phone
        ), true, f.rank
        from crm.find_records(p_q, 50, '{company, contact, deal}', true) f
      ) f
    ) r
    where r.place <= 5
    order by array_position('{key, webhook, deal, contact, company}'::text[], r.type), r.place;
end
$$;
comment on function crm.found_by_words(uuid, text) is
  'Up to five matches each among the keys, webhooks, deals, contacts and companies that have all the words, best '
  'matches first. Of equally good matches, keys and webhooks that work come first. Finds records as api.search_list '
  'does, keys by name and prefix, webhooks by name and URL. Searches only the newest 1,000 keys and 1,000 webhooks, '
  'active webhooks first.';
create function app.workspace_search(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.within_workspace(crm.check_args(p_args, '{workspace_id, q}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_q text := v_args ->> 'q';
  v_found json;
begin
  if v_q ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select json_agg(f) into v_found from crm.found_by_id(v_workspace_id, v_q::uuid) f;
  end if;
  -- Without a match, search for q as a word, because a record may have a UUID as its id in another system.
  if v_found is null then
    select coalesce(json_agg(f), '[]') into v_found from crm.found_by_words(v_workspace_id, v_q) f;
  end if;
  return json_build_object('data', v_found);
end
$$;
comment on function app.workspace_search(jsonb) is
  'Finds keys, webhooks, deals, contacts and companies by words, or whatever has the id q (crm.found_by_id). Returns '
  'data: type, id, name, detail, parent_id. Arguments: workspace_id, q (1 to 100 characters). Codes: validation_error, '
  'not_found.';

create function crm.sessions_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
declare
  v_sessions json;
begin
  -- Dynamic, because Supabase Auth creates the schema auth. refreshed_at is in UTC, without a time zone.
  execute format(
    $sql$
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'is_current', s.id = $2, 'user_agent', s.user_agent, 'ip', s.ip,
        'created_at', crm.iso(s.created_at), 'last_used_at', crm.iso(s.used_at)
      ) order by s.id = $2 desc, s.used_at desc), '[]')
      from (
        select s.id, left(s.user_agent, 500) as user_agent, host(s.ip) as ip, s.created_at,
          greatest(s.created_at, s.refreshed_at at time zone 'utc') as used_at
        from %I.sessions s
        where s.user_id = $1 and s.oauth_client_id is null and (s.not_after is null or s.not_after > now())
        order by s.id = $2 desc, used_at desc limit 100
      ) s
    $sql$,
    'auth'
  )
  into v_sessions using crm.current_user_id(), nullif(current_setting('app.session', true), '')::uuid;
  return v_sessions;
end
$$;
comment on function crm.sessions_of_current_user() is
  'JSON of the person''s sessions, without the sessions of apps: the calling session first, then the most recently '
  'used, 100 at most. Security definer, because only Supabase Auth and the owner read auth.sessions.';
create function app.session_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return json_build_object('data', crm.sessions_of_current_user());
end
$$;
comment on function app.session_list(jsonb) is
  'Lists the sessions of the signed-in person: data (id, is_current, user_agent, ip, created_at, last_used_at). '
  'last_used_at: the last sign-in or refresh of the token, at most an hour before the last call. Arguments: none. '
  'Codes: validation_error.';

create table crm.jobs (
  name text primary key,
  every interval not null check (every >= interval '1 second'),
  command text not null,
  description text not null
);
comment on table crm.jobs is
  'Periodic tasks. Each command runs at its interval. pg_cron and the local scheduler run the same rows.';
alter table crm.jobs enable row level security, force row level security;
insert into crm.jobs (name, every, command, description) values
  ('webhook-dispatch', '10 seconds', 'select crm.poke_dispatcher()',
    'Wakes the dispatcher for retries that are due within 15 seconds, for deliveries whose poke was lost, and for mails'),
  ('webhook-catch-up', '10 seconds', 'select crm.catch_up_subscriptions()',
    'Makes the deliveries of subscriptions that are behind, as far as the queue has room'),
  ('deals-stale', '1 hour', 'select crm.emit_stale_deals()', 'Emits deal.stale for deals without movement'),
  ('activities-overdue', '1 minute', 'select crm.emit_overdue_activities()',
    'Emits activity.overdue for activities past their due date'),
  ('index-texts', '10 seconds', 'select crm.index_texts()',
    'Stores the searched texts of changed records; until then, searches compare these records one by one'),
  ('run-operations', '5 seconds', 'select crm.run_operations()',
    'Takes the next steps of erasures and merges that are too large for one call'),
  ('count-calls', '1 minute', 'select crm.drain_calls()', 'Counts the calls of each key by hour'),
  ('purge-key-calls', '1 day', $$delete from crm.key_calls where hour < now() - interval '90 days'$$,
    'Deletes the counted calls of keys after 90 days'),
  ('purge-key-secrets', '1 day', $$delete from crm.key_secrets where expires_at < now() - interval '30 days'$$,
    'Deletes secrets of keys 30 days after a rotation ended them'),
  ('purge-rate-limits', '1 day', 'select crm.purge_rate_limits()',
    'Deletes the rate limits of callers that made no call for a day'),
  ('purge-idempotency-keys', '1 day',
    $$with cursors as (delete from crm.list_cursors where created_at < now() - interval '48 hours')
    delete from crm.idempotency_keys where created_at < now() - interval '24 hours'$$,
    'Deletes Idempotency-Keys after 24 hours, and the cursors of sorted lists'),
  ('purge-operations', '1 day',
    $$delete from crm.operations where state = 'done' and ended_at < now() - interval '90 days'$$,
    'Deletes finished operations 90 days after their end'),
  ('partition-events', '1 hour', $$select crm.manage_partitions('crm.events')$$,
    'Creates the partitions for the events of the coming week, and drops events after 90 days'),
  ('partition-deliveries', '1 hour', $$select crm.manage_partitions('crm.webhook_deliveries')$$,
    'Creates the partitions for the deliveries of the coming week, and drops deliveries after 30 days'),
  ('partition-attempts', '1 hour', $$select crm.manage_partitions('crm.webhook_attempts')$$,
    'Creates the partitions for the attempts of the coming week, and drops attempts after 30 days'),
  ('partition-requests', '1 hour', $$select crm.manage_partitions('crm.requests')$$,
    'Creates the partitions for the requests of the coming week, and drops requests after 7 days'),
  ('purge-cron-history', '1 day', 'select crm.purge_cron_history()',
    'Deletes the history that pg_cron keeps of these jobs after 7 days');
select crm.manage_partitions(t.name)
from unnest(
  array['crm.events', 'crm.webhook_deliveries', 'crm.webhook_attempts', 'crm.requests']::regclass[]
) t (name);
create function crm.purge_cron_history() returns integer
language plpgsql set search_path = '' as $$
declare
  v_deleted integer;
begin
  if to_regclass('cron.job_run_details') is null then return 0; end if;
  -- Dynamic, because the schema cron may not exist.
  execute $sql$
    delete from cron.job_run_details d
    using cron.job j
    where j.jobid = d.jobid and j.jobname like 'crm:%'
      and coalesce(d.end_time, d.start_time) < now() - interval '7 days'
  $sql$;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function crm.purge_cron_history() is
  'Deletes pg_cron''s history of these jobs after 7 days, and returns the number of deleted runs. pg_cron itself '
  'deletes nothing, and adds 8,640 rows a day for a job that runs every 10 seconds.';
create function crm.cron_schedule(p_every interval) returns text
language sql stable set search_path = '' as $$
  select case
    -- pg_cron accepts seconds since version 1.5. Before 1.5, the shortest interval is a minute.
    when p_every < interval '1 minute' and regexp_match(e.extversion, '^(\d+)\.(\d+)')::integer[] >= array[1, 5]
      then extract(epoch from p_every)::integer || ' seconds'
    when p_every < interval '1 hour' then '*/' || greatest(1, extract(epoch from p_every)::integer / 60) || ' * * * *'
    when p_every < interval '1 day' then '7 */' || extract(epoch from p_every)::integer / 3600 || ' * * *'
    else '17 3 * * *'
  end
  from pg_catalog.pg_extension e
  where e.extname = 'pg_cron'
$$;
comment on function crm.cron_schedule(interval) is
  'Converts an interval of crm.jobs into a schedule of pg_cron; null without pg_cron.';
create function crm.schedule_jobs() returns integer
language plpgsql set search_path = '' as $$
declare
  v_job crm.jobs;
  v_count integer := 0;
begin
  if to_regnamespace('cron') is null then return 0; end if;
  for v_job in select * from crm.jobs order by name loop
    -- cron.schedule replaces a job of the same name, so this function may run repeatedly.
    execute 'select cron.schedule($1, $2, $3)'
      using 'crm:' || v_job.name, crm.cron_schedule(v_job.every), v_job.command;
    v_count := v_count + 1;
  end loop;
  if to_regproc('net.http_post') is null then
    raise warning 'pg_cron is enabled and pg_net is not: the job webhook-dispatch wakes no dispatcher, so webhooks are '
      'neither retried nor sent after a lost poke. Enable it: create extension pg_net with schema extensions';
  end if;
  return v_count;
end
$$;
comment on function crm.schedule_jobs() is
  'Schedules every row of crm.jobs with pg_cron and returns their number; 0 without pg_cron. Warns if pg_net is '
  'missing. Call it after changing crm.jobs.';
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_net') then
    create extension if not exists pg_net with schema extensions;
  end if;
exception
  -- A plain Postgres may have pg_net installed without loading it. Then the local scheduler wakes the dispatcher.
  when others then
    raise notice 'pg_net is not used: %', sqlerrm;
end
$$;
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
  end if;
exception
  -- A plain Postgres may have pg_cron installed without loading it. Then the local scheduler runs the jobs.
  when others then
    raise notice 'pg_cron is not used: %', sqlerrm;
end
$$;

create function app.job_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return (
    select coalesce(
      json_agg(
        json_build_object('name', j.name, 'every', j.every::text, 'description', j.description) order by j.name
      ),
      '[]'
    )
    from crm.jobs j
  );
end
$$;
comment on function app.job_list(jsonb) is
  'Lists the jobs, in order of name. `every` is an interval as Postgres writes it. Arguments: none. Codes: '
  'validation_error.';
create function app.job_run(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}');
  v_name text := v_args ->> 'name';
  v_command text;
  v_started_at timestamptz := clock_timestamp();
begin
  select j.command into v_command from crm.jobs j where j.name = v_name;
  if not found then
    perform crm.raise_code(
      'not_found', 'name', null, (select string_agg(format('"%s"', j.name), ', ' order by j.name) from crm.jobs j)
    );
  end if;
  -- Run as a job, because while a workspace moves, nodes.fence refuses the operator's writes but skips a job's rows.
  perform set_config('application_name', 'crm-job', true);
  begin
    execute v_command;
  exception when others then
    perform crm.raise_code('job_failed', 'name', 'A tarefa falhou', sqlerrm);
  end;
  return json_build_object(
    'name', v_name, 'duration_ms', round(extract(epoch from clock_timestamp() - v_started_at) * 1000)
  );
end
$$;
comment on function app.job_run(jsonb) is
  'Runs a job now, independently of its schedule. Returns name, duration_ms. Arguments: name. Codes: '
  'validation_error, not_found (its value lists the names), job_failed (its value is the reason).';

grant usage on schema api, app, crm to crm_functions;
grant execute on function
  api.call(bytea, text, text, jsonb, text, bytea, text), api.call_by_link(bytea, text, jsonb),
  api.call_by_grant(uuid, uuid, uuid, text, text, jsonb, text, bytea),
  app.call(uuid, uuid, uuid, text, text, jsonb),
  crm.check_health(), crm.delivery_claim(integer), crm.delivery_record(json), crm.log_requests(json),
  crm.next_delivery_due(interval), crm.notice_claim(), crm.notice_sent(uuid, uuid, text)
to crm_functions;
grant create on schema crm to crm_api, crm_app;
alter function crm.run_verb(text, jsonb) owner to crm_api;
alter function crm.run_app_verb(text, jsonb) owner to crm_app;
revoke create on schema crm from crm_api, crm_app;
grant usage on schema api, crm to crm_api;
grant select on crm.members, crm.pipelines, crm.stages, crm.loss_reasons to crm_api;
grant select, insert, update on crm.companies, crm.contacts, crm.deals, crm.activities to crm_api;
grant select, insert, update (role) on crm.deal_contacts to crm_api;
grant select, insert on crm.notes, crm.lead_receipts, crm.list_cursors to crm_api;
grant select on crm.search_texts, crm.record_values to crm_api;
grant select, insert, update (label, choices, archived_at, index_below) on crm.custom_fields to crm_api, crm_app;
grant select, update (status, rejection_reason) on crm.proposals to crm_api;
grant select, insert, update (is_active, deactivated_reason, event_types, filters, payload, header, name)
on crm.webhook_subscriptions to crm_api;
grant select (workspace_id, subscription_id, next_from), insert, update (header) on crm.webhook_secrets to crm_api;
grant select on crm.event_types, crm.events, crm.webhook_attempts, crm.webhook_deliveries to crm_api;
grant select on crm.requests to crm_api;
grant usage on schema app, api, crm to crm_app;
grant select on
  crm.activities, crm.companies, crm.contacts, crm.deal_contacts, crm.deals, crm.event_types, crm.events,
  crm.key_calls, crm.key_counters, crm.loss_reasons, crm.notes, crm.pipelines, crm.proposals, crm.rate_limits,
  crm.record_values, crm.requests, crm.search_texts, crm.stages, crm.webhook_attempts
to crm_app;
grant select, insert on crm.audit_log to crm_app;
grant select, update (name, stale_after_days, time_zone, refuses_undefined_fields) on crm.workspaces to crm_app;
grant select, insert, update (name, role, is_active) on crm.members to crm_app;
grant select, insert, update (name, prefix, expires_at, rotated_at, revoked_at, allowed_networks) on crm.api_keys to crm_app;
grant select (workspace_id, id, key_id, prefix, expires_at, created_at), insert, update (expires_at) on crm.key_secrets
to crm_app;
grant select (workspace_id, subscription_id, next_from), insert, update (header) on crm.webhook_secrets to crm_app;
grant select, insert, update (is_active, deactivated_reason, event_types, filters, payload, header, name)
on crm.webhook_subscriptions to crm_app;
grant select on crm.webhook_deliveries, crm.webhook_queue to crm_app;
grant insert, update (status) on crm.proposals to crm_app;
grant select (workspace_id, proposal_id), insert, update (token_hash, created_at) on crm.proposal_links to crm_app;
do $$
declare
  v_roles name[] := array(
    select r.rolname from pg_roles r
    where not r.rolsuper and r.rolname !~ '^pg_' and r.rolname not in ('crm_api', 'crm_app', 'crm_functions')
      and has_database_privilege(r.oid, current_database(), 'temporary')
  );
  v_role name;
begin
  if pg_has_role((select d.datdba from pg_database d where d.datname = current_database()), 'usage') then
    execute format('revoke temporary on database %I from public', current_database());
    foreach v_role in array v_roles loop
      execute format('grant temporary on database %I to %I', current_database(), v_role);
    end loop;
  end if;
  if has_database_privilege('crm_functions', current_database(), 'temporary')
    or has_database_privilege('crm_api', current_database(), 'temporary')
    or has_database_privilege('crm_app', current_database(), 'temporary') then
    raise exception 'PUBLIC may create temporary objects, and only the owner of the database can revoke that'
      using hint = format('As its owner: revoke temporary on database %I from public', current_database());
  end if;
end
$$;

grant execute on function
  api.activity_batch, api.activity_create, api.activity_get, api.activity_list, api.activity_update, api.change_list,
  api.change_summary, api.company_archive, api.company_batch, api.company_create, api.company_duplicates,
  api.company_get, api.company_list, api.company_merge, api.company_restore, api.company_timeline, api.company_update,
  api.company_upsert, api.contact_archive, api.contact_batch, api.contact_create, api.contact_duplicates,
  api.contact_erase, api.contact_get, api.contact_list, api.contact_merge, api.contact_restore, api.contact_timeline,
  api.contact_update, api.contact_upsert, api.deal_archive, api.deal_batch, api.deal_contact_add, api.deal_contact_list,
  api.deal_contact_remove, api.deal_create, api.deal_get, api.deal_list, api.deal_lose, api.deal_move_stage,
  api.deal_reassign, api.deal_restore, api.deal_summary, api.deal_update, api.deal_upsert, api.deal_win, api.event_list,
  api.lead_create, api.mark_found, api.mark_replayed, api.me_get, api.me_requests, api.note_batch, api.note_create,
  api.note_get, api.note_list, api.operation_get, api.pipeline_list, api.proposal_accept, api.proposal_reject,
  api.proposal_view, api.search_list, api.webhook_create, api.webhook_delete, api.webhook_deliveries,
  api.webhook_delivery, api.webhook_get, api.webhook_list, api.webhook_reactivate, api.webhook_recover,
  api.webhook_redeliver, api.webhook_redeliver_all, api.webhook_rotate_secret, api.webhook_test, api.webhook_update,
  api.workspace_get, crm.active_member, crm.activity_insert, crm.activity_json_if_short, crm.activity_label,
  crm.activity_lock, crm.activity_new, crm.activity_save, crm.actor_json, crm.all_create, crm.bound_details,
  crm.bounded_records, crm.changed_fields, crm.changes, crm.changes_json, crm.check_atomic_batch,
  crm.check_custom_fields, crm.checked_values, crm.choices, crm.choose_stage, crm.choose_stage_for_move,
  crm.company_filled, crm.company_insert, crm.company_json_if_short, crm.company_lock, crm.company_match,
  crm.company_new, crm.company_save, crm.company_survivor, crm.contact_filled, crm.contact_insert,
  crm.contact_json_if_short, crm.contact_lock, crm.contact_match, crm.contact_new, crm.contact_save,
  crm.contact_survivor, crm.create_together, crm.creation_json, crm.current_caller_id, crm.deal_action_json,
  crm.deal_contacts_json, crm.deal_detail_json, crm.deal_insert, crm.deal_json_if_short, crm.deal_lock, crm.deal_match,
  crm.deal_new, crm.deal_save, crm.deals_of_contact, crm.default_owner, crm.duplicates, crm.erase_contact, crm.error_of,
  crm.expanded(json, jsonb), crm.expanded(json[], jsonb), crm.explain, crm.external_id_holders, crm.feed_cursor_of,
  crm.feed_cursor_text, crm.feed_horizon, crm.feed_item, crm.feed_start, crm.fill_in_contact, crm.filled_custom_fields,
  crm.first_stage, crm.fuller_phones, crm.has_scope, crm.insert_together, crm.is_fuller_phone, crm.is_marked,
  crm.is_of_person, crm.item_error, crm.joined_tags, crm.keep_cursor, crm.kind_of, crm.lead_company, crm.lead_contact,
  crm.lead_differences, crm.lead_name, crm.lead_result, crm.list_by, crm.list_reply, crm.lock_all_matches,
  crm.lock_batch, crm.lock_company_merges, crm.lock_key, crm.lock_matches, crm.lock_matches_of_contacts,
  crm.lock_referred, crm.merge_json, crm.merged_custom_fields, crm.name_holder, crm.name_words, crm.note_insert,
  crm.note_json_if_short, crm.note_new, crm.own_active_subscription, crm.own_key, crm.own_operation,
  crm.own_subscription, crm.owner_or_default, crm.phone_spellings, crm.pipeline_json, crm.proposal_answer,
  crm.proposal_for_customer, crm.proposal_lock, crm.proposal_seller, crm.proposal_set_status, crm.refuse_invalid,
  crm.refuse_taken, crm.refuses_undefined_fields, crm.remove_deal_contact, crm.require_active_pipeline,
  crm.require_active_stage, crm.require_known_filters, crm.require_own_delivery, crm.require_record,
  crm.require_references, crm.rest_of_page, crm.run_batch, crm.run_batch_item, crm.run_group, crm.sorted_list,
  crm.stage_json, crm.stage_of_new_deal, crm.stages_of, crm.sum_deals, crm.synced_page, crm.timeline,
  crm.unfinished_operation, crm.unless_dry_run, crm.unusable_detail, crm.updated_ids, crm.version, crm.wake_dispatcher,
  crm.with_activity_defaults, crm.with_possible_duplicates, crm.with_tags
to crm_api;
grant execute on function
  api.custom_field_archive, api.custom_field_create, api.custom_field_list, api.custom_field_restore,
  api.custom_field_update, api.fail, crm.activity_json, crm.add_subscription, crm.change_subscription,
  crm.changed_field_names, crm.check_active_subscriptions, crm.check_filters, crm.check_new_subscription,
  crm.check_subscribed, crm.chosen_matches, crm.company_json, crm.company_text, crm.contact_json, crm.contact_text,
  crm.current_member_id, crm.current_workspace_id, crm.custom_field_error, crm.custom_field_json, crm.custom_field_lock,
  crm.custom_field_room, crm.day_start, crm.deal_json, crm.deal_text, crm.delivery_body, crm.delivery_detail,
  crm.delivery_headers, crm.delivery_ids, crm.delivery_page, crm.delivery_summaries, crm.delivery_summary, crm.digits,
  crm.e164, crm.event_data, crm.find_records, crm.fold, crm.header_name, crm.holds_webhooks, crm.is_date, crm.iso,
  crm.kept_search, crm.kept_walk, crm.lead_data, crm.lead_json, crm.list_filters, crm.listed_ids,
  crm.lock_custom_fields, crm.lock_number, crm.makers_of_subscriptions, crm.max_page_bytes, crm.may_send, crm.name_key,
  crm.name_rank, crm.newest_deals, crm.note_json, crm.number_key, crm.object_name, crm.old_secret_until, crm.page,
  crm.parsed_value, crm.pending_texts, crm.proposal_json, crm.proposal_status, crm.proposal_view_json,
  crm.quoted_choices, crm.raise_code, crm.reactivate_subscription, crm.recover, crm.recover_deliveries, crm.redeliver,
  crm.redeliver_all, crm.request_ids, crm.request_page, crm.resume_subscription, crm.rotate_secret, crm.rows_by,
  crm.rows_by_value, crm.sample_data, crm.sample_facts, crm.sample_row, crm.sample_state, crm.search, crm.search_page,
  crm.search_text, crm.search_words, crm.send_test_event, crm.sent_values, crm.shortest_way, crm.shown_state,
  crm.spelled_tax_id, crm.subscription_json, crm.subscription_overview, crm.subscription_overviews, crm.table_of,
  crm.tag_keys, crm.text_key, crm.uuid_v7, crm.uuid_v7_floor, crm.uuid_v7_time, crm.value_condition, crm.value_keys,
  crm.walk_for, crm.with_fields, crm.without_case, crm.zone_of
to crm_api, crm_app;
grant execute on function
  app.action_list, app.contact_import, app.custom_field_archive, app.custom_field_create, app.custom_field_list,
  app.custom_field_restore, app.custom_field_update, app.deal_proposal_create, app.delivery_get, app.delivery_list,
  app.delivery_redeliver, app.event_list, app.funnel_deal, app.funnel_get, app.grant_create, app.grant_list,
  app.grant_revoke, app.invitation_accept, app.invitation_decline, app.key_create, app.key_get, app.key_list,
  app.key_requests, app.key_revoke, app.key_rotate, app.key_update, app.member_invite, app.member_leave,
  app.member_list, app.member_reinvite, app.member_update, app.proposal_link, app.proposal_send, app.session_list,
  app.subscription_create, app.subscription_delete, app.subscription_get, app.subscription_list,
  app.subscription_reactivate, app.subscription_recover, app.subscription_redeliver, app.subscription_rotate,
  app.subscription_test, app.subscription_update, app.workspace_choices, app.workspace_get, app.workspace_search,
  app.workspace_update, crm.answer_invitation, crm.calls_by_day, crm.calls_by_hour, crm.changed_member_json,
  crm.check_args, crm.count_calls, crm.current_user_id, crm.custom_field_action, crm.deal_proposal_json,
  crm.deliveries_of_event, crm.describe_changes, crm.end_grant, crm.end_webhooks_of_grant, crm.event_ids,
  crm.found_by_id, crm.found_by_words, crm.funnel_stages, crm.given_scopes, crm.grant_records, crm.import_contacts,
  crm.invitations_of_current_user, crm.invited_member_json, crm.is_working, crm.key_for_update, crm.key_record,
  crm.key_records, crm.leave_workspace, crm.may_see_grants_of, crm.member_json, crm.networks_of, crm.parse_argument,
  crm.parse_moment, crm.parse_network, crm.poke_dispatcher, crm.proposal_add, crm.proposal_link_replace,
  crm.proposal_to_answer, crm.record_action, crm.record_proposal_action, crm.record_webhook_action,
  crm.refuse_scope_beyond_role, crm.request_failures, crm.require_active_subscription, crm.require_invitations_left,
  crm.require_other_admin, crm.require_role_still, crm.require_room_for_key, crm.require_workspace,
  crm.scope_beyond_role, crm.scopes_of_role, crm.sessions_of_current_user, crm.store_grant, crm.within_workspace,
  crm.without_mapping, crm.workspace_alerts, crm.workspace_first_steps, crm.workspace_json, crm.workspace_overview,
  crm.workspace_usage, crm.workspaces_of_current_user
to crm_app;
