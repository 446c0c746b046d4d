-- The rate limit: an exact sliding log for each key, so that no period of 60 seconds has more calls than the limit
-- (crm.workspaces.rate_limit_per_minute, 120 by default). `crm.admit` enforces it; `api.call` asks it.

-- Unlogged, because a minute of history is not worth a disk flush at every request. A crash empties the table.
create unlogged table crm.rate_limits (
  key_id uuid primary key,
  hits timestamptz[] not null,
  calls bigint not null default 0,
  counted_since timestamptz not null default clock_timestamp()
);
comment on table crm.rate_limits is
  'One row for each limited caller (a key, a proposal''s link, a session): the times of its admitted calls in the '
  'last 60 seconds, oldest first.';
comment on column crm.rate_limits.calls is
  'Admitted calls since counted_since. The job count-calls (crm.drain_calls) counts a key''s calls from it, so a '
  'request needs no second write.';
comment on column crm.rate_limits.counted_since is
  'When the row was created. A row that is created again after a crash has another time, by which crm.drain_calls '
  'knows that its calls start at 0 again.';

-- Verbs for keys do not reach this table. Its only policy, in the migration `key_calls`, lets members read the rows of
-- their own keys.
alter table crm.rate_limits enable row level security, force row level security;

create function crm.live_hits(p_hits timestamptz[]) returns timestamptz[]
language sql volatile parallel safe
-- clock_timestamp() and not now(), because the call may have waited for the row's lock. The times are sorted, so a
-- binary search (width_bucket) finds the first one that still counts.
as $$ select p_hits[width_bucket(clock_timestamp() - interval '60 s', p_hits) + 1 :] $$;
comment on function crm.live_hits(timestamptz[]) is
  'The admitted calls that still count: those in the last 60 seconds.';

create function crm.rate_reset_seconds(p_hits timestamptz[], p_limit integer) returns integer
language sql volatile parallel safe
-- The next call is possible once the oldest call expires; if the limit was lowered meanwhile, once enough calls have
-- expired.
as $$
  select greatest(1, ceil(extract(epoch from
    p_hits[greatest(cardinality(p_hits) - p_limit, 0) + 1] + interval '60 s' - clock_timestamp()
  )))::integer
$$;
comment on function crm.rate_reset_seconds(timestamptz[], integer) is
  'Seconds until the next call is possible, given the calls that still count.';

create type crm.admission as (admitted boolean, remaining integer, reset_seconds integer);
comment on type crm.admission is
  'Whether a call is admitted, how many more are possible now, and the seconds until the next one is possible.';

create function crm.admit(p_key_id uuid, p_limit integer) returns crm.admission
language plpgsql set search_path = '' as $$
declare
  v_admission crm.admission;
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
    select crm.rate_reset_seconds(crm.live_hits(r.hits), p_limit) into v_admission.reset_seconds
    from crm.rate_limits r where r.key_id = p_key_id;
  end if;
  return v_admission;
end
$$;
comment on function crm.admit(uuid, integer) is
  'Counts a call for its key, unless the last 60 seconds already have p_limit calls. A call over the limit is not '
  'counted (spec 8).';

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
  'Whether another call by the key is in progress: a call locks the row of its key until its transaction ends.';
