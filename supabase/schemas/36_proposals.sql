-- Proposals: offers to a customer about a deal. The seller creates and sends a proposal; the customer answers through
-- its public link (below).

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

create function crm.set_proposal_moments() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.sent_at := case when new.status <> 'rascunho' then coalesce(new.sent_at, now()) end;
  -- A customer who answers has seen the proposal, so an answer also sets viewed_at.
  if new.status in ('visualizada', 'aceita', 'recusada') then new.viewed_at := coalesce(new.viewed_at, now()); end if;
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

-- The public link of a proposal: anybody with its token can read the proposal and answer it. Its door,
-- api.call_by_link, takes no key: the token identifies the proposal and its workspace.

create table crm.proposal_links (
  workspace_id uuid not null,
  proposal_id uuid not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (workspace_id, proposal_id),
  foreign key (workspace_id, proposal_id) references crm.proposals (workspace_id, id)
);
comment on table crm.proposal_links is
  'The one valid link of each proposal. Only the SHA-256 of its token is stored, so that nobody can open a proposal '
  'with a dump of this table. The table is separate, so that crm_api can read proposals but no hash.';
comment on column crm.proposal_links.token_hash is 'A fast hash is enough, because nobody can guess 32 random bytes.';
call crm.protect('crm.proposal_links');

create function crm.identify_link(p_token_hash bytea) returns crm.caller
language plpgsql stable set search_path = '' as $$
declare
  v_caller crm.caller;
begin
  select case when w.suspended then 'workspace_suspended' end, l.proposal_id, l.workspace_id
  into v_caller.error_code, v_caller.id, v_caller.workspace_id
  from crm.proposal_links l
  join crm.proposals p on p.workspace_id = l.workspace_id and p.id = l.proposal_id
  join crm.workspaces w on w.id = l.workspace_id
  where l.token_hash = substring(p_token_hash for 32) and p.status <> 'rascunho';
  if not found then v_caller.error_code := 'not_found'; end if;
  -- Calls by one link in any 60 seconds: enough for a person who reads and answers one proposal.
  v_caller.rate_limit := 60;
  return v_caller;
end
$$;
comment on function crm.identify_link(bytea) is
  'The caller for the hash of a token: the proposal that the link opens. For an unknown token or a draft, error_code '
  'is not_found.';

create function crm.proposal_lock(p_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = crm.current_workspace_id() and p.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  return v_proposal;
end
$$;
comment on function crm.proposal_lock(uuid) is
  'A proposal of the current workspace, locked until the transaction ends. Raises not_found.';

create function crm.proposal_set_status(p_proposal crm.proposals, p_status text, p_reason text default null)
returns crm.proposals
language plpgsql set search_path = '' as $$
begin
  if crm.proposal_status(p_proposal) = 'expirada' then perform api.fail('proposal_expired'); end if;
  update crm.proposals p set status = p_status, rejection_reason = p_reason
  where p.workspace_id = p_proposal.workspace_id and p.id = p_proposal.id
  returning p.* into p_proposal;
  return p_proposal;
end
$$;
comment on function crm.proposal_set_status(crm.proposals, text, text) is
  'Saves a proposal with a new status. Raises proposal_expired after expires_at.';

create function crm.proposal_seller() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object('name', w.name) from crm.workspaces w where w.id = crm.current_workspace_id()
  );
end
$$;
comment on function crm.proposal_seller() is
  'The seller as the customer sees it: only the name of the caller''s workspace. Security definer, because crm_api '
  'cannot read crm.workspaces.';

create function crm.proposal_for_customer(p_proposal crm.proposals) returns json
language sql stable as $$
  select crm.with_fields(crm.proposal_view_json(p_proposal), json_build_object('seller', crm.proposal_seller()))
$$;
comment on function crm.proposal_for_customer(crm.proposals) is
  'A proposal as its customer sees it, with the seller''s name.';

create function api.proposal_view(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals := crm.proposal_lock((p_args ->> 'id')::uuid);
begin
  -- An answered proposal can be read even after expires_at. A proposal that was viewed before needs no update.
  if v_proposal.status in ('aceita', 'recusada') or crm.proposal_status(v_proposal) = 'visualizada' then
    return crm.proposal_for_customer(v_proposal);
  end if;
  v_proposal := crm.proposal_set_status(v_proposal, 'visualizada');
  return crm.proposal_for_customer(v_proposal);
end
$$;
comment on function api.proposal_view(jsonb) is
  'Returns a proposal to its customer; the first call marks it as viewed. Raises proposal_expired.';

create function crm.proposal_answer(p_id uuid, p_status text, p_reason text) returns json
language plpgsql set search_path = '' as $$
declare
  -- Locked: if the customer accepts and rejects at the same time, only one of the calls succeeds.
  v_proposal crm.proposals := crm.proposal_lock(p_id);
  v_unchanged boolean := v_proposal.status = p_status;
begin
  if not v_unchanged then
    if v_proposal.status in ('aceita', 'recusada') then perform api.fail('proposal_closed'); end if;
    v_proposal := crm.proposal_set_status(v_proposal, p_status, p_reason);
  end if;
  return crm.with_fields(crm.proposal_for_customer(v_proposal), json_build_object('idempotent', v_unchanged));
end
$$;
comment on function crm.proposal_answer(uuid, text, text) is
  'Records the customer''s final answer. If the customer already gave the same answer, changes nothing and returns '
  '`idempotent` as true. Raises proposal_expired, and proposal_closed if the customer gave the other answer.';

create function api.proposal_accept(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'aceita', null); end $$;
comment on function api.proposal_accept(jsonb) is 'Accepts a proposal; raises proposal_closed, proposal_expired.';

create function api.proposal_reject(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.proposal_answer((p_args ->> 'id')::uuid, 'recusada', p_args ->> 'reason'); end $$;
comment on function api.proposal_reject(jsonb) is
  'Rejects a proposal; the reason may be null. Raises proposal_closed, proposal_expired.';

create function api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) returns api.reply
language plpgsql security definer set search_path = '' as $$
declare
  v_caller crm.caller := crm.identify_link(p_token_hash);
begin
  -- Only these three verbs, because a token must reach only its own proposal, even if the edge function has a bug.
  if p_verb not in ('proposal_view', 'proposal_accept', 'proposal_reject') then
    raise exception '% is not a verb of proposals', p_verb;
  end if;
  return crm.answer_request(v_caller, null, p_verb, p_args || jsonb_build_object('id', v_caller.id), null, null);
end
$$;
comment on function api.call_by_link(bytea, text, jsonb) is
  'The door for public links: answers one request. p_token_hash: the SHA-256 of the token, then its slot (as in '
  'crm.identify). p_verb null: only checks the link and its rate limit. p_args null: only identifies the link and '
  'counts no call. The id in p_args is always the link''s own proposal.';

-- Proposals of a workspace, for the operator; 76_app_proposals.sql has the verbs for members. The caller generates the
-- token of a public link and passes only its hash.

create function crm.record_proposal_action(p_action text, p_proposal crm.proposals) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform crm.record_action(p_proposal.workspace_id, p_action, 'proposal', p_proposal.id, '');
end
$$;
comment on function crm.record_proposal_action(text, crm.proposals) is
  'Adds a line about a proposal to the audit log. The line has no title, because a title may name the customer, and '
  'lines are never erased. app.action_list reads the title from the proposal.';

create function crm.proposal_add(p_args jsonb, p_deal_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
begin
  insert into crm.proposals (workspace_id, deal_id, title, value, recurring_value, expires_at)
  values (
    (p_args ->> 'workspace_id')::uuid, p_deal_id, p_args ->> 'title', (p_args ->> 'value')::numeric,
    (p_args ->> 'recurring_value')::numeric, (p_args ->> 'expires_at')::timestamptz
  )
  returning * into v_proposal;
  perform crm.record_proposal_action('proposal_created', v_proposal);
  return v_proposal;
end
$$;
comment on function crm.proposal_add(jsonb, uuid) is
  'Creates a draft for an existing deal. Reads workspace_id, title, value, recurring_value and expires_at from p_args.';

create function crm.proposal_to_answer(p_workspace_id uuid, p_id uuid) returns crm.proposals
language plpgsql set search_path = '' as $$
declare
  v_proposal crm.proposals;
  v_status text;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = p_workspace_id and p.id = p_id
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  v_status := crm.proposal_status(v_proposal);
  if v_status = 'expirada' then
    perform crm.raise_code('proposal_expired');
  elsif v_status in ('aceita', 'recusada') then
    perform crm.raise_code('proposal_closed', 'status', 'A proposta já foi respondida', v_status);
  end if;
  return v_proposal;
end
$$;
comment on function crm.proposal_to_answer(uuid, uuid) is
  'A proposal that has no answer and has not expired, locked against changes until the transaction ends. Raises '
  'not_found, proposal_expired, proposal_closed.';

create function crm.proposal_link_replace(p_proposal crm.proposals, p_token_hash text) returns void
language plpgsql set search_path = '' as $$
declare
  v_token_hash bytea := decode(p_token_hash, 'hex');
begin
  -- The caller has locked or created the proposal, so no other call adds its link between this check and the insert.
  if exists (
    select from crm.proposal_links l
    where l.workspace_id = p_proposal.workspace_id and l.proposal_id = p_proposal.id
  ) then
    update crm.proposal_links l
    set token_hash = v_token_hash, created_at = now()
    where l.workspace_id = p_proposal.workspace_id and l.proposal_id = p_proposal.id;
    perform crm.record_proposal_action('proposal_link_replaced', p_proposal);
  else
    insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
    values (p_proposal.workspace_id, p_proposal.id, v_token_hash);
  end if;
end
$$;
comment on function crm.proposal_link_replace(crm.proposals, text) is
  'Gives a proposal a public link. p_token_hash: the SHA-256 of its token, in hexadecimal. An earlier link stops '
  'working.';

create function app.proposal_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, deal_id, title}', '{value, recurring_value, expires_at}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'deal_id')::uuid;
begin
  perform crm.require_workspace(v_args);
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('invalid_reference', 'deal_id');
  end if;
  return json_build_object('id', (crm.proposal_add(v_args, v_deal_id)).id);
end
$$;
comment on function app.proposal_create(jsonb) is
  'Creates a draft, which only its workspace sees until it is sent. Returns id. Arguments: workspace_id, deal_id, '
  'title, value, recurring_value (monthly), expires_at (never if absent). Codes: validation_error, not_found, '
  'invalid_reference.';

create function app.proposal_send(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{token_hash}');
  v_proposal crm.proposals := crm.proposal_to_answer((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_args ? 'token_hash' then perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash'); end if;
  if v_proposal.status = 'rascunho' then
    update crm.proposals p
    set status = 'enviada'
    where p.workspace_id = v_proposal.workspace_id and p.id = v_proposal.id
    returning p.* into v_proposal;
    perform crm.record_proposal_action('proposal_sent', v_proposal);
  end if;
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.proposal_send(jsonb) is
  'Marks a draft as sent. If a token''s hash is given, the proposal first gets that public link, and an earlier link '
  'stops working. Returns the proposal without its link. Arguments: workspace_id, id, token_hash (SHA-256, '
  'hexadecimal). Codes: validation_error, not_found, proposal_expired, proposal_closed.';

create function app.proposal_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return (
    select coalesce(json_agg(crm.proposal_json(p) order by p.id desc), '[]')
    from crm.proposals p
    where p.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.proposal_list(jsonb) is
  'Lists proposals, newest first, without links. Arguments: workspace_id. Codes: validation_error, not_found.';
