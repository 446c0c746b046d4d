-- Written by deno task records.

create type api.proposal as (
  id uuid, workspace_id uuid, deal_id uuid, title text, value numeric, recurring_value numeric, status text,
  sent_at text, viewed_at text, accepted_at text, rejected_at text, rejection_reason text, expires_at text,
  created_at text, updated_at text
);
comment on type api.proposal is 'A proposal: its public fields, in order.';

create function crm.proposal_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at),
    crm.iso(t.viewed_at), crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason, crm.iso(t.expires_at),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.proposal)
$$;
comment on function crm.proposal_json(crm.proposals) is 'A row as public JSON, with the fields of api.proposal.';

create type api.proposal_view as (
  id uuid, title text, value numeric, recurring_value numeric, status text, sent_at text, expires_at text,
  accepted_at text, rejected_at text, rejection_reason text
);
comment on type api.proposal_view is 'A proposal as its customer sees it: its public fields, in order.';

create function crm.proposal_view_json(t crm.proposals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.title, t.value, t.recurring_value, crm.proposal_status(t), crm.iso(t.sent_at), crm.iso(t.expires_at),
    crm.iso(t.accepted_at), crm.iso(t.rejected_at), t.rejection_reason
  )::api.proposal_view)
$$;
comment on function crm.proposal_view_json(crm.proposals) is
  'A row as public JSON, with the fields of api.proposal_view.';

create function crm.proposal_lock(p_id uuid, p_if_match jsonb default null) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  t crm.proposals;
begin
  select * into t from crm.proposals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.proposal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.proposal_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found; precondition_failed if p_if_match, a list of versions, lacks the record''s version.';

create function crm.proposal_save(t crm.proposals) returns crm.proposals
language plpgsql set search_path = '' as $$
begin
  update crm.proposals as saved
  set (
    status, rejection_reason
  ) = (
    t.status, t.rejection_reason
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.proposal_save(crm.proposals) is 'Writes the changeable fields, and returns the updated row.';
