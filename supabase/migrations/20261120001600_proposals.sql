-- Proposals: what a customer is offered on a deal. The seller makes and sends them; the customer answers through the
-- public link, which is migration `proposal_links`.

create table crm.proposals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  title text not null check (char_length(title) between 1 and 255),
  value numeric check (value >= 0),
  recurring_value numeric check (recurring_value >= 0),
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
comment on table crm.proposals is 'Offers to customers, each on a deal.';
comment on column crm.proposals.status is
  'As it was last left. `expirada` is not stored: the clock says so, see crm.proposal_status.';
create index proposals_deal on crm.proposals (workspace_id, deal_id, id);
call crm.protect('crm.proposals');
-- What a customer does through the link, and no more.
grant select, update (status, rejection_reason) on crm.proposals to crm_api;
create trigger touch before update on crm.proposals for each row execute function crm.touch();

create function crm.proposal_status(p crm.proposals) returns text
language sql stable
as $$
  select case
    when p.status in ('rascunho', 'enviada', 'visualizada') and p.expires_at <= now() then 'expirada'
    else p.status
  end
$$;
comment on function crm.proposal_status(crm.proposals) is
  'The status of a proposal now: one that was not answered in time is `expirada`. An answer stays what it was.';

create function crm.proposal_json(p crm.proposals) returns json
language sql stable
as $$
  select json_build_object(
    'id', p.id,
    'workspace_id', p.workspace_id,
    'deal_id', p.deal_id,
    'title', p.title,
    'value', p.value,
    'recurring_value', p.recurring_value,
    'status', crm.proposal_status(p),
    'sent_at', crm.iso(p.sent_at),
    'viewed_at', crm.iso(p.viewed_at),
    'accepted_at', crm.iso(p.accepted_at),
    'rejected_at', crm.iso(p.rejected_at),
    'rejection_reason', p.rejection_reason,
    'expires_at', crm.iso(p.expires_at),
    'created_at', crm.iso(p.created_at),
    'updated_at', crm.iso(p.updated_at)
  )
$$;
comment on function crm.proposal_json(crm.proposals) is 'JSON of a proposal for its workspace: the `data` of its events.';

create function crm.proposal_moments() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.sent_at := case when new.status <> 'rascunho' then coalesce(new.sent_at, now()) end;
  -- Nobody answers what they have not seen, so an answer is an opening too.
  if new.status in ('visualizada', 'aceita', 'recusada') then
    new.viewed_at := coalesce(new.viewed_at, now());
  end if;
  new.accepted_at := case when new.status = 'aceita' then coalesce(new.accepted_at, now()) end;
  new.rejected_at := case when new.status = 'recusada' then coalesce(new.rejected_at, now()) end;
  return new;
end
$$;
comment on function crm.proposal_moments() is 'Keeps the moments of a proposal true to its status, whoever writes.';

create trigger proposal_moments before insert or update on crm.proposals
  for each row execute function crm.proposal_moments();
