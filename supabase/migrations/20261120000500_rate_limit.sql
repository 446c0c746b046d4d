-- An exact sliding log for each key: never more than the limit in any 60 seconds, whatever the timing.

-- Unlogged: a minute of history is not worth a disk flush for each request; after a crash it starts empty.
create unlogged table crm.rate_limits (
  key_id uuid primary key,
  hits timestamptz[] not null
);
comment on table crm.rate_limits is
  'One row a key: the times of its admitted calls of the last 60 seconds, oldest first. The last is the key''s last use.';

-- Forced and without a policy: only the function below and the operator reach it.
alter table crm.rate_limits enable row level security;
alter table crm.rate_limits force row level security;

create function crm.live_hits(p_hits timestamptz[]) returns timestamptz[]
language sql volatile parallel safe
-- The clock, not now(): the row's lock may have been waited for. They are in order, so one search finds the first.
as $$ select p_hits[width_bucket(clock_timestamp() - interval '60 s', p_hits) + 1 :] $$;
comment on function crm.live_hits(timestamptz[]) is 'The admitted calls that still count: those of the last 60 seconds.';

create function crm.admit(
  p_key_id uuid,
  p_limit integer,
  out admitted boolean,
  out remaining integer,
  out reset_seconds integer
)
language plpgsql security definer
set search_path = ''
as $$
declare
  v_hits timestamptz[];
begin
  insert into crm.rate_limits as r (key_id, hits)
  values (p_key_id, array[clock_timestamp()])
  on conflict (key_id) do update
    -- Kept in order, also by a clock that was set back.
    set hits = crm.live_hits(r.hits) || greatest(clock_timestamp(), r.hits[cardinality(r.hits)])
    where cardinality(crm.live_hits(r.hits)) < p_limit
  returning hits into v_hits;
  admitted := found;

  if not admitted then
    select crm.live_hits(r.hits) into v_hits from crm.rate_limits r where r.key_id = p_key_id;
  end if;

  remaining := greatest(p_limit - cardinality(v_hits), 0);
  -- The next free place is the oldest call's; where the limit was lowered, the one that brings the count below it.
  reset_seconds := greatest(1, ceil(extract(epoch from
    v_hits[greatest(cardinality(v_hits) - p_limit, 0) + 1] + interval '60 s' - clock_timestamp()
  )))::integer;
end
$$;
comment on function crm.admit(uuid, integer) is
  'Counts a call against its key unless the last 60 seconds are full. A refused call is not counted (spec 8).';

create function crm.is_being_counted(p_key_id uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from crm.rate_limits r where r.key_id = p_key_id for update skip locked;
  return not found;
end
$$;
comment on function crm.is_being_counted(uuid) is
  'Whether another call of the key is under way: the row of its hits stays locked until that call has its answer.';
