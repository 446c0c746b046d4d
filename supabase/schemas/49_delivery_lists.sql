-- How deliveries are shown (spec 6.5): a list and a detail page, for the verbs of keys, members and the operator.

create function crm.shown_state(p_stored text, p_may_send boolean) returns text
language sql immutable parallel safe
as $$ select case when p_stored = 'pending' and not coalesce(p_may_send, false) then 'held' else p_stored end $$;
comment on function crm.shown_state(text, boolean) is
  'The state of a delivery as people see it: a pending delivery that may not be sent is held.';

create function crm.delivery_summaries(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, summary json)
language plpgsql stable set search_path = ''
-- A cached plan, because planning for the partitions of three tables takes longer than running the query.
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
-- Read in the order of an index: with a sort, the planner might read all rows first.
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
