-- Mails that tell people that a subscription has become inactive because of failures (spec 6.5). The transaction that
-- deactivates the subscription marks the mail as due in the subscription's own row (crm.note_deactivation), so a crash
-- cannot lose the mail. A dispatcher claims the mail, sends it with no transaction open, and then marks it as sent.

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
