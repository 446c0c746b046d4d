-- Webhook subscriptions of a workspace, for the operator and signed-in members. The caller generates and encrypts the
-- signing secret, because the database never has the encryption key.

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
