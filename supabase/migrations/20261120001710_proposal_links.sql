-- The public link of a proposal: whoever holds its token sees the proposal and answers it. It has a door of its own,
-- api.call_by_link, because there is no key: the token says which proposal, and of which workspace.

create table crm.proposal_links (
  workspace_id uuid not null,
  proposal_id uuid not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (workspace_id, proposal_id),
  foreign key (workspace_id, proposal_id) references crm.proposals (workspace_id, id)
);
comment on table crm.proposal_links is
  'The one link of a proposal that works, by the SHA-256 of its token: a dump of this table opens nothing. Apart from the '
  'proposals so that the API''s own role can read those and never a hash.';
comment on column crm.proposal_links.token_hash is 'A fast hash is enough for 32 random bytes.';
call crm.protect('crm.proposal_links');

create function crm.identify_link(p_token_hash bytea) returns crm.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller crm.caller;
begin
  select case when w.suspended then 'workspace_suspended' end, l.proposal_id, l.workspace_id
  into v_caller.error_code, v_caller.id, v_caller.workspace_id
  from crm.proposal_links l
  join crm.proposals p on p.workspace_id = l.workspace_id and p.id = l.proposal_id
  join crm.workspaces w on w.id = l.workspace_id
  where l.token_hash = p_token_hash and p.status <> 'rascunho';
  if not found then
    v_caller.error_code := 'not_found';
  end if;
  -- Calls of a link in any 60 seconds: a person reads and answers one proposal.
  v_caller.rate_limit := 60;
  return v_caller;
end
$$;
comment on function crm.identify_link(bytea) is
  'The caller that a token hash stands for: a proposal that is no draft. Security definer: the API''s own role reads no hashes.';

create function crm.customer_json(p crm.proposals) returns json
language sql stable
as $$
  select json_build_object(
    'id', p.id,
    'title', p.title,
    'value', p.value,
    'recurring_value', p.recurring_value,
    'status', crm.proposal_status(p),
    'sent_at', crm.iso(p.sent_at),
    'expires_at', crm.iso(p.expires_at),
    'accepted_at', crm.iso(p.accepted_at),
    'rejected_at', crm.iso(p.rejected_at),
    'rejection_reason', p.rejection_reason
  )
$$;
comment on function crm.customer_json(crm.proposals) is
  'JSON of a proposal for its customer: nothing of the workspace''s own, such as the deal.';

create function crm.set_proposal_status(
  p_id uuid,
  p_status text,
  p_reason text,
  out proposal crm.proposals,
  out unchanged boolean
)
language plpgsql
set search_path = ''
as $$
declare
  v_status text;
begin
  -- Locked: of an acceptance and a rejection at once one takes place.
  select * into strict proposal from crm.proposals p
  where p.workspace_id = crm.current_workspace_id() and p.id = p_id
  for no key update;
  v_status := crm.proposal_status(proposal);
  -- An answer is for good: it can be seen and given again after the time to answer is over, and not be changed.
  unchanged := v_status = p_status or (p_status = 'visualizada' and v_status in ('aceita', 'recusada'));
  if unchanged then
    return;
  elsif v_status in ('aceita', 'recusada') then
    perform api.fail('proposal_closed');
  elsif v_status = 'expirada' then
    perform api.fail('proposal_expired');
  end if;
  update crm.proposals p
  set status = p_status, rejection_reason = p_reason
  where p.workspace_id = proposal.workspace_id and p.id = proposal.id
  returning p.* into proposal;
end
$$;
comment on function crm.set_proposal_status(uuid, text, text) is
  'What a customer does to a proposal: sees it (visualizada), accepts it (aceita) or rejects it (recusada). Raises '
  'proposal_expired, or proposal_closed where it has the other answer.';

create function api.proposal_view(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_set record := crm.set_proposal_status((p_args ->> 'id')::uuid, 'visualizada', null);
begin
  return crm.customer_json(v_set.proposal);
end
$$;
comment on function api.proposal_view(jsonb) is 'Shows a proposal to its customer; the first time marks it as seen.';

create function api.proposal_accept(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_set record := crm.set_proposal_status((p_args ->> 'id')::uuid, 'aceita', null);
begin
  return crm.with_fields(crm.customer_json(v_set.proposal), json_build_object('idempotent', v_set.unchanged));
end
$$;
comment on function api.proposal_accept(jsonb) is 'Accepts a proposal, for good; again changes nothing (`idempotent`).';

create function api.proposal_reject(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_set record := crm.set_proposal_status((p_args ->> 'id')::uuid, 'recusada', p_args ->> 'reason');
begin
  return crm.with_fields(crm.customer_json(v_set.proposal), json_build_object('idempotent', v_set.unchanged));
end
$$;
comment on function api.proposal_reject(jsonb) is
  'Rejects a proposal for a reason that may be null, for good; again changes nothing (`idempotent`).';

create function api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) returns api.reply
language plpgsql
set search_path = ''
-- As in api.call: the connection goes back as it came, and no lock is waited for longer than a client waits.
set role = 'crm_api'
set lock_timeout = '5s'
as $$
declare
  v_caller crm.caller := crm.identify_link(p_token_hash);
begin
  -- A token is no key: whatever the function asks for, it reaches its own proposal alone.
  if p_verb not in ('proposal_view', 'proposal_accept', 'proposal_reject') then
    raise exception 'The verb % is not of proposals', p_verb;
  end if;
  return crm.answer(v_caller, null, p_verb, p_args || jsonb_build_object('id', v_caller.id), null, null);
end
$$;
comment on function api.call_by_link(bytea, text, jsonb) is
  'Answers one request to the public link of a proposal, by the SHA-256 of its token. p_verb null: only the gate is asked. '
  'The id in p_args is the link''s own, whatever was sent. Runs with invoker rights as crm_api, under row-level security.';
