-- Proposals: offers to a customer about a deal. The seller creates and sends them; the customer answers through the
-- public link (migration `proposal_links`).

create table crm.proposals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  title crm.record_name not null,
  value crm.amount,
  recurring_value crm.amount,
  status text not null default 'rascunho'
    check (status in ('rascunho', 'enviada', 'visualizada', 'aceita', 'recusada')),
  sent_at timestamptz,
  viewed_at timestamptz,
  accepted_at timestamptz,
  rejected_at timestamptz,
  rejection_reason text check (char_length(rejection_reason) <= 1000),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id)
);
comment on table crm.proposals is 'Offers to customers, each about one deal.';
comment on column crm.proposals.status is
  'The last status written. `expirada` is never stored: crm.proposal_status derives it from the clock.';
create index proposals_deal on crm.proposals (workspace_id, deal_id, id);
call crm.protect('crm.proposals');
create trigger touch before update on crm.proposals for each row execute function crm.touch();

create function crm.proposal_status(p crm.proposals) returns text
language sql stable as $$
  select case
    when p.status in ('rascunho', 'enviada', 'visualizada') and p.expires_at <= now() then 'expirada'
    else p.status
  end
$$;
comment on function crm.proposal_status(crm.proposals) is
  'The current status of a proposal: `expirada` if it was not answered before expires_at. An answer is final.';

-- written by deno task records: proposal
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
  if not found then
    perform api.fail('not_found');
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.proposal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.proposal_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found; precondition_failed if p_if_match, a list of versions, lacks the record''s.';

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
comment on function crm.proposal_save(crm.proposals) is
  'Writes the changeable fields of the record, and returns the updated row.';
-- end of what is written

create function crm.set_proposal_moments() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.sent_at := case when new.status <> 'rascunho' then coalesce(new.sent_at, now()) end;
  -- A customer who answers has seen the proposal, so an answer also sets viewed_at.
  if new.status in ('visualizada', 'aceita', 'recusada') then
    new.viewed_at := coalesce(new.viewed_at, now());
  end if;
  new.accepted_at := case when new.status = 'aceita' then coalesce(new.accepted_at, now()) end;
  new.rejected_at := case when new.status = 'recusada' then coalesce(new.rejected_at, now()) end;
  return new;
end
$$;
comment on function crm.set_proposal_moments() is
  'Trigger: keeps sent_at, viewed_at, accepted_at and rejected_at consistent with the status, whether the API or the '
  'application writes.';

create trigger set_proposal_moments before insert or update on crm.proposals
  for each row execute function crm.set_proposal_moments();
