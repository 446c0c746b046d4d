-- The request log: the requests of each key in the last 7 days, so that people can see why a call failed. The edge
-- functions write it in groups after they have replied (_shared/http/request_log.ts). It contains no bodies, headers or
-- query values. See docs/decisions/0014-keys.md.

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
-- Partial, because failed requests are rare, and people usually look for failed requests.
create index requests_failed on crm.requests (workspace_id, key_id, id) where status >= 400;

create function crm.log_requests(p_entries json) returns void
-- plpgsql, because it caches the plan, and planning takes as long as inserting 30 rows.
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
-- Read in the order of an index: with a sort, the planner might read all rows first.
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
-- Read in the order of an index, as in crm.request_ids. jit is off, because the remaining sorts have a high estimated
-- cost, and Postgres would compile the statement.
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
