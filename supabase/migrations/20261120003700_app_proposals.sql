-- Proposals of a workspace, for the operator. The caller generates the token of a public link and passes only its hash.

create function app.proposal_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, deal_id, title}', '{value, recurring_value, expires_at}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'deal_id')::uuid;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('invalid_reference', 'deal_id');
  end if;
  insert into crm.proposals (workspace_id, deal_id, title, value, recurring_value, expires_at)
  values (
    v_workspace_id,
    v_deal_id,
    v_args ->> 'title',
    (v_args ->> 'value')::numeric,
    (v_args ->> 'recurring_value')::numeric,
    (v_args ->> 'expires_at')::timestamptz
  )
  returning id into v_id;
  return json_build_object('id', v_id);
end
$$;
comment on function app.proposal_create(jsonb) is
  'Creates a draft, which only its workspace sees until it is sent. Returns id. Arguments: workspace_id, deal_id, '
  'title, value, recurring_value (monthly), expires_at (never if absent). Codes: validation_error, not_found, '
  'invalid_reference.';

create function app.proposal_send(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, token_hash}');
  v_proposal crm.proposals;
  v_status text;
begin
  select * into v_proposal from crm.proposals p
  where p.workspace_id = (v_args ->> 'workspace_id')::uuid and p.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  v_status := crm.proposal_status(v_proposal);
  if v_status = 'expirada' then
    perform crm.raise_code('proposal_expired');
  elsif v_status in ('aceita', 'recusada') then
    perform crm.raise_code('proposal_closed', 'status', 'A proposta já foi respondida', v_status);
  end if;

  update crm.proposals p
  set status = 'enviada'
  where p.workspace_id = v_proposal.workspace_id and p.id = v_proposal.id and p.status = 'rascunho';
  insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
  values (v_proposal.workspace_id, v_proposal.id, decode(v_args ->> 'token_hash', 'hex'))
  on conflict (workspace_id, proposal_id) do update
    set token_hash = excluded.token_hash, created_at = excluded.created_at;
  return json_build_object('id', v_proposal.id);
end
$$;
comment on function app.proposal_send(jsonb) is
  'Gives a proposal its public link, by the hash of the token; an earlier link stops working. Returns id. Arguments: '
  'workspace_id, id, token_hash (SHA-256, hexadecimal). Codes: validation_error, not_found, proposal_expired, '
  'proposal_closed.';

create function app.proposal_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.proposal_json(p) order by p.id desc), '[]')
    from crm.proposals p
    where p.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.proposal_list(jsonb) is
  'Lists the proposals of a workspace, newest first, without their links. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';
