-- Proposals as members create and send them in the console. The verb that sends them, app.proposal_send, is in
-- 36_proposals.sql, because the operator has it too.

create function crm.deal_proposal_json(p crm.proposals) returns json
language sql stable as $$
  select crm.with_fields(
    crm.proposal_view_json(p),
    json_build_object('viewed_at', crm.iso(p.viewed_at), 'created_at', crm.iso(p.created_at))
  )
$$;
comment on function crm.deal_proposal_json(crm.proposals) is 'A proposal as the members of its workspace see it.';

create function app.deal_proposal_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(
    p_args, '{workspace_id, id, title, token_hash}', '{value, recurring_value, expires_at}'
  ));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_deal_id uuid := (v_args ->> 'id')::uuid;
  v_proposal crm.proposals;
begin
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  v_proposal := crm.proposal_add(v_args, v_deal_id);
  perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash');
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.deal_proposal_create(jsonb) is
  'Creates a draft of a proposal for a deal, with a public link. The link opens nothing until the draft is sent. '
  'Returns the proposal. Arguments: workspace_id, id (of the deal), title, token_hash (SHA-256, hexadecimal), value, '
  'recurring_value (monthly), expires_at (never if absent). Codes: validation_error, not_found, already_expired '
  '(nobody could answer the proposal).';

create function app.proposal_link(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, token_hash}');
  v_proposal crm.proposals := crm.proposal_to_answer((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  perform crm.proposal_link_replace(v_proposal, v_args ->> 'token_hash');
  return crm.deal_proposal_json(v_proposal);
end
$$;
comment on function app.proposal_link(jsonb) is
  'Replaces the public link of a proposal. The earlier link stops working, and a draft remains a draft. Returns the '
  'proposal. Arguments: workspace_id, id, token_hash (SHA-256, hexadecimal). Codes: validation_error, not_found, '
  'proposal_expired, proposal_closed.';
