-- The proxy in front of several databases: a Postgres 15 with PL/Proxy and without data of workspaces. The edge
-- functions and the dispatcher connect to it as to a single database, because it has every SQL function that they call.
-- Each call runs on the node that has the workspace. install.ts installs this file, then the doors that tools/nodes/
-- makes from the statements in supabase/functions (`deno task nodes` prints them), and doors.sql. A proxy can be rebuilt
-- from its nodes and slots.
--
-- A node commits by itself: no transaction spans two nodes, and `set local` at the proxy does not reach a node. The
-- edge functions need neither, because each request is one statement.

create extension if not exists plproxy;
do $$
begin
  if not exists (select from pg_roles where rolname = 'crm_functions') then
    create role crm_functions login noinherit nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
end
$$;
-- This timeout is longer than the 8 s at the nodes, so that a node cancels a slow statement itself: a statement that
-- only the proxy cancels would go on at the node. It is shorter than the 10 s for which an edge function waits, so that
-- the call gets a reply.
alter role crm_functions set statement_timeout = '9500ms';
alter role crm_functions set lock_timeout = '5s';
alter role crm_functions set idle_in_transaction_session_timeout = '15s';

create schema nodes;
create schema crm;
create schema api;
create schema app;
alter default privileges revoke execute on functions from public;
grant usage on schema crm, api, app to crm_functions;

create table nodes.slots (
  slot text primary key check (slot ~ '^[0-9A-Za-z]{4}$'),
  node integer not null check (node >= 0),
  paused boolean not null default false
);
comment on table nodes.slots is
  'The node of each slot. A slot stands for all workspaces with ids that nodes.slot_of maps to it; in practice this is '
  'one workspace. A slot without a row has no workspace.';
comment on column nodes.slots.paused is
  'Whether calls wait, because the slot''s workspaces are about to move to another node.';

create table nodes.old_credentials (
  hash bytea primary key check (octet_length(hash) = 32),
  slot text not null references nodes.slots (slot) on update cascade on delete cascade
);
comment on table nodes.old_credentials is
  'The slots of keys and tokens that contain no slot themselves, by the SHA-256 of the key or token. Only workspaces '
  'outside node 0 have rows. A credential without a slot and without a row is looked up at node 0.';
create index old_credentials_slot on nodes.old_credentials (slot);

create table nodes.operators (
  node integer primary key check (node >= 0),
  url text not null
);
comment on table nodes.operators is
  'The address at which the operator''s commands reach each node, with the password of the role that applied the '
  'migrations. Only the proxy''s owner may read this table, as only the owner may read the password of crm_functions '
  'in the user mappings.';

create table nodes.proxies (
  url text primary key
);
comment on table nodes.proxies is
  'The addresses of the other proxies in front of the same nodes, with the password of the owner. A command that adds '
  'a node, or creates or moves a workspace, updates every proxy. Only the proxy''s owner may read this table.';

create table nodes.moves (
  slot text primary key references nodes.slots (slot),
  workspace_ids uuid[] not null check (cardinality(workspace_ids) > 0),
  source integer not null,
  target integer not null check (target <> source),
  step text not null check (step in ('copy', 'drain', 'cut', 'settle', 'remove', 'undo')),
  started_at timestamptz not null default now()
);
comment on table nodes.moves is
  'Moves that have not ended. step: the current step. Each step can be repeated from its beginning.';

create unlogged table nodes.failures (
  node integer primary key,
  until timestamptz not null
);
comment on table nodes.failures is
  'Nodes that did not answer. Before `until`, calls for their workspaces are refused at once. After `until`, one call '
  'at a time tries the node, and an answer removes the row. So a node that hangs occupies only one connection, and '
  'calls to other nodes find a free connection.';

create function nodes.slot_of(p_workspace_id uuid) returns text
language sql immutable parallel safe set search_path = '' as $$
  select string_agg(
    substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', n.number / d.divisor % 62 + 1, 1), ''
    order by d.divisor desc
  )
  from (select ('x' || right(p_workspace_id::text, 6))::bit(24)::integer % 8388608 as number) n,
    (values (238328), (3844), (62), (1)) d (divisor)
$$;
comment on function nodes.slot_of(uuid) is
  'The slot of a workspace: the last 23 bits of its id in base62. The same as slotOf in '
  '_shared/contract/credentials.ts.';

create function nodes.slot_lock(p_slot text) returns bigint
language sql immutable parallel safe set search_path = ''
as $$ select hashtextextended(p_slot, 7400) $$;
comment on function nodes.slot_lock(text) is
  'The number of a slot''s advisory lock. A move holds the lock while the slot is paused, and calls for the slot wait '
  'for the lock.';

create function nodes.numbers(p_server text default 'crm') returns setof integer
language sql stable set search_path = '' as $$
  select substr(o.option_name, 2)::integer
  from pg_catalog.pg_foreign_server s, pg_catalog.pg_options_to_table(s.srvoptions) o
  where s.srvname = p_server and o.option_name ~ '^p\d+$'
$$;
comment on function nodes.numbers(text) is 'The number of each node, from 0.';

create function nodes.set_node(p_node integer, p_connection text) returns void
language plpgsql set search_path = '' as $$
declare
  v_server text;
begin
  foreach v_server in array array['crm', 'crm_each'] loop
    execute format(
      'alter server %I options (%s %I %L)', v_server,
      case when p_node in (select nodes.numbers(v_server)) then 'set' else 'add' end, 'p' || p_node, p_connection
    );
  end loop;
end
$$;
comment on function nodes.set_node(integer, text) is
  'Adds a node, or changes how it is reached. p_node: consecutive numbers from 0. p_connection: a libpq connection '
  'string without user and password.';

create type nodes.route as (node integer, is_retry boolean);
comment on type nodes.route is
  'Where a call runs. node null: the slot is unknown. is_retry: the node failed before, and this call tries it again.';

create function nodes.may_call(p_node integer, out may boolean, out is_retry boolean)
language plpgsql volatile set search_path = '' as $$
declare
  v_until timestamptz;
begin
  select f.until into v_until from nodes.failures f where f.node = p_node;
  is_retry := found;
  may := not found or (v_until <= clock_timestamp() and pg_try_advisory_xact_lock(7402, p_node));
end
$$;
comment on function nodes.may_call(integer) is 'Whether a call may be sent to a node (nodes.failures).';

create function nodes.note_failure(p_node integer, p_state text, p_message text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- The proxy itself refused the call: the node had failed earlier (08006), or the slot stayed paused (55P03).
  if p_node is null or p_state in ('08006', '55P03') then return; end if;
  raise warning 'node % failed: % (%)', p_node, p_message, p_state;
  -- An error of another class comes from a node that works.
  if p_state !~ '^(08|57|XX)' then return; end if;
  insert into nodes.failures as f (node, until) values (p_node, clock_timestamp() + interval '2 s')
  on conflict (node) do update set until = excluded.until where f.until < clock_timestamp();
end
$$;
comment on function nodes.note_failure(integer, text, text) is
  'Logs that a call to a node failed. If the node did not answer, calls to the node are refused for 2 seconds.';

create function nodes.note_answer(p_node integer) returns void
language sql volatile set search_path = ''
as $$ delete from nodes.failures f where f.node = p_node $$;
comment on function nodes.note_answer(integer) is 'Lets all calls reach a node that has answered again.';

create function nodes.route_to(p_node integer) returns nodes.route
language plpgsql volatile set search_path = '' as $$
declare
  v_call record;
begin
  select * into v_call from nodes.may_call(p_node);
  if not v_call.may then
    raise exception using errcode = '08006', message = format('Node %s does not answer', p_node);
  end if;
  return row(p_node, v_call.is_retry);
end
$$;
comment on function nodes.route_to(integer) is 'The route to a node. Raises 08006 while nodes.may_call refuses calls to it.';

create function nodes.route_of_slot(p_slot text) returns nodes.route
language plpgsql volatile set search_path = '' as $$
declare
  v_route nodes.route;
  v_paused boolean;
  v_failed boolean;
  v_may boolean;
begin
  select s.node, s.paused, exists (select from nodes.failures f where f.node = s.node)
  into v_route.node, v_paused, v_failed
  from nodes.slots s where s.slot = p_slot;
  if v_paused then
    -- Wait until the move's step `cut` ends, at most for the lock_timeout. The slot's row then names the node to call.
    perform pg_advisory_xact_lock_shared(nodes.slot_lock(p_slot));
    select s.node into v_route.node from nodes.slots s where s.slot = p_slot;
  end if;
  if v_failed then v_route := nodes.route_to(v_route.node); end if;
  return v_route;
end
$$;
comment on function nodes.route_of_slot(text) is
  'Where calls for a slot run. Takes no lock if the slot is not paused. Raises 55P03 if the slot stays paused, and '
  '08006 if the node does not answer.';

create function nodes.route_of(p_credential bytea) returns nodes.route
language plpgsql volatile set search_path = '' as $$
declare
  v_slot text;
begin
  if octet_length(p_credential) = 36 then
    return nodes.route_of_slot(encode(substring(p_credential from 33), 'escape'));
  end if;
  select c.slot into v_slot from nodes.old_credentials c where c.hash = p_credential;
  return case when v_slot is null then nodes.route_to(0) else nodes.route_of_slot(v_slot) end;
end
$$;
comment on function nodes.route_of(bytea) is
  'Where calls with a credential run. A credential is the SHA-256 of a key or token, followed by the 4 characters of '
  'the slot if the key or token names one.';

create function nodes.node_of_workspace(p_workspace_id uuid) returns integer
language sql volatile set search_path = ''
as $$ select (nodes.route_of_slot(nodes.slot_of(p_workspace_id))).node $$;
comment on function nodes.node_of_workspace(uuid) is 'The node of a workspace; null if its slot is unknown.';
