-- The rate limit: an exact sliding log for each caller, so that no period of 60 seconds has more calls than the limit
-- (crm.workspaces.rate_limit_per_minute, 120 by default). crm.answer_request (13_door.sql) calls crm.admit.

-- Unlogged, because a minute of history is not worth a disk flush at every request. A crash empties the table.
create unlogged table crm.rate_limits (
  key_id uuid primary key,
  hits timestamptz[] not null,
  calls bigint not null default 0,
  counted_since timestamptz not null default clock_timestamp()
)
-- With 8 KB, up to 1,000 timestamps stay uncompressed. With the default of 2 KB, Postgres would compress them at each
-- call if the minute has more than 240 calls; with more than 500 calls, a call would take five times as long.
with (toast_tuple_target = 8160);
comment on table crm.rate_limits is
  'One row for each limited caller (a key, a proposal''s link, a signed-in member): the times of its newest admitted '
  'call and of those in the 60 seconds before that call, oldest first.';
comment on column crm.rate_limits.calls is
  'Admitted calls since counted_since. The job count-calls (crm.drain_calls) adds them to crm.key_calls.';
comment on column crm.rate_limits.counted_since is
  'When the row was created. A new time tells crm.drain_calls that the counter began again at 0, for example after a '
  'crash.';

-- Verbs for keys do not reach this table. Its only policy, below, lets members read the rows of their workspace's keys.
alter table crm.rate_limits enable row level security, force row level security;

create function crm.live_hits(p_hits timestamptz[]) returns timestamptz[]
language sql volatile parallel safe
-- clock_timestamp(), because now() is from before the call waited for the row's lock. The times are sorted, so a binary
-- search (width_bucket) finds the first time that still counts.
as $$ select p_hits[width_bucket(clock_timestamp() - interval '60 s', p_hits) + 1 :] $$;
comment on function crm.live_hits(timestamptz[]) is 'The admitted calls of the last 60 seconds.';

create function crm.rate_reset_seconds(p_hits timestamptz[], p_limit integer) returns integer
language sql volatile parallel safe
-- One more call is possible when the oldest call is 60 seconds old. If the limit was lowered, several calls must reach
-- that age first.
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
-- Each run of the job updates the row of every key that was called. In half-full pages the new version of a row fits
-- beside the old one, and needs no new index entry.
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

-- crm.rate_limits has no workspace_id, so the policy looks up the key. Members read the table to count the newest
-- calls.
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
-- A call that arrives during the purge is not lost. If the call changed the row, Postgres checks the condition again.
-- If the row is gone, the call inserts a new row.
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
