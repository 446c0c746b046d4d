-- Operations: work that takes longer than a call may. The call does a bounded part at once; the job run-operations does
-- the rest in steps, and GET /api-v1-operations/:id shows the progress. See docs/decisions/0019-merge-archive-erase.md.

create table crm.operations (
  workspace_id uuid not null,
  -- The time of the clock, so that a later operation has a greater id even if its transaction began earlier.
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
  -- progress may contain a person's names and numbers, and these must not outlive an erasure.
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
-- At most one unfinished operation of a kind for each record, however often it is requested.
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
-- A step that waits longer than this for a lock fails and is tried again later, because other calls wait for the locks
-- that this run holds.
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
