-- What the console shows on every start: alerts (what has stopped or will stop soon) and first steps (what a new
-- workspace still has to do). Both are in the first reply that the console loads, so each statement reads a few rows by
-- an index, however large the workspace is.

-- Without this index, all inactive subscriptions would be read, because rows of subscriptions are never deleted.
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
