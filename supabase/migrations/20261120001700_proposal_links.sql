-- The public link of a proposal: whoever holds its token sees the proposal and answers it. It has a door of its own,
-- api.proposal_open, because there is no key: the token says whose the proposal is.

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

create type crm.link_holder as (workspace_id uuid, proposal_id uuid, suspended boolean);
comment on type crm.link_holder is 'Which proposal a token opens.';

create function crm.identify_link(p_token_hash bytea) returns crm.link_holder
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_holder crm.link_holder;
begin
  select l.workspace_id, l.proposal_id, w.suspended into v_holder
  from crm.proposal_links l
  join crm.proposals p on p.workspace_id = l.workspace_id and p.id = l.proposal_id
  join crm.workspaces w on w.id = l.workspace_id
  where l.token_hash = p_token_hash and p.status <> 'rascunho';
  return v_holder;
end
$$;
comment on function crm.identify_link(bytea) is
  'The proposal behind a token hash; null when nobody has that token, or the proposal is a draft again. Security '
  'definer: the API''s own role reads no hashes.';

create function crm.proposal_view(p crm.proposals) returns json
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
comment on function crm.proposal_view(crm.proposals) is
  'What the customer sees of a proposal: nothing of the workspace''s own, such as the deal.';

create function crm.proposal_act(
  p_id uuid,
  p_action text,
  p_reason text,
  out refusal text,
  out body json
)
language plpgsql
set search_path = ''
as $$
declare
  v_proposal crm.proposals;
  v_status text;
  v_next text := case p_action when 'accept' then 'aceita' when 'reject' then 'recusada' else 'visualizada' end;
  v_done boolean;
begin
  -- Locked: of an acceptance and a rejection at once one takes place.
  select * into strict v_proposal from crm.proposals p
  where p.workspace_id = crm.current_workspace_id() and p.id = p_id
  for no key update;
  v_status := crm.proposal_status(v_proposal);
  -- An answer is for good: it can be seen and given again after the time to answer is over, and not be changed.
  v_done := v_status = v_next or (p_action = 'view' and v_status in ('aceita', 'recusada'));
  if not v_done then
    if v_status in ('aceita', 'recusada') then
      refusal := 'proposal_closed';
      return;
    elsif v_status = 'expirada' then
      refusal := 'proposal_expired';
      return;
    end if;
    update crm.proposals p
    set status = v_next, rejection_reason = case when v_next = 'recusada' then p_reason end
    where p.workspace_id = v_proposal.workspace_id and p.id = v_proposal.id
    returning p.* into v_proposal;
  end if;
  body := crm.proposal_view(v_proposal);
  if p_action <> 'view' then
    body := crm.with_fields(body, json_build_object('idempotent', v_done));
  end if;
end
$$;
comment on function crm.proposal_act(uuid, text, text) is
  'Shows a proposal (action `view`: the first time marks it), accepts or rejects it. `refusal`: proposal_expired, or '
  'proposal_closed where it has the other answer.';

create function api.proposal_open(
  p_token_hash bytea,
  p_action text,
  p_args jsonb,
  out refusal text,
  out body text,
  out events boolean,
  out proposal_id uuid,
  out workspace_id uuid,
  out rate_limit integer,
  out rate_remaining integer,
  out rate_reset integer
)
language plpgsql
set search_path = ''
-- As in api.call: the connection goes back as it came, and nobody is waited for longer than the client would.
set role = 'crm_api'
set lock_timeout = '5s'
as $$
declare
  v_link crm.link_holder := crm.identify_link(p_token_hash);
  v_admitted boolean;
begin
  events := false;
  proposal_id := v_link.proposal_id;
  workspace_id := v_link.workspace_id;
  if proposal_id is null then
    refusal := 'not_found';
    return;
  end if;
  if v_link.suspended then
    refusal := 'workspace_suspended';
    return;
  end if;
  rate_limit := 60;
  select a.admitted, a.remaining, a.reset_seconds into v_admitted, rate_remaining, rate_reset
  from crm.admit(proposal_id, rate_limit) a;
  if not v_admitted then
    refusal := 'rate_limited';
    return;
  end if;
  -- Without an action the caller of this function has an answer of its own; it only wanted the gate's first.
  if p_action is null then
    return;
  end if;

  perform set_config('app.workspace_id', workspace_id::text, true), set_config('app.events_enqueued', '', true);
  select a.refusal, a.body::text into proposal_open.refusal, proposal_open.body
  from crm.proposal_act(proposal_id, p_action, p_args ->> 'reason') a;
  events := current_setting('app.events_enqueued') = 'true';
end
$$;
comment on function api.proposal_open(bytea, text, jsonb) is
  'Answers one request to the public link of a proposal: gate (token, workspace, 60 calls in any minute), action (view, '
  'accept, reject). `refusal` is a code of spec 7; `body` is JSON text. Runs with invoker rights as crm_api, under '
  'row-level security.';
