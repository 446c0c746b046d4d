-- Actions on deals (spec 3): move-stage, win, lose. Their events come from the triggers of migration `emission`.

create function crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) returns json
language sql stable
as $$ select crm.with_fields(crm.deal_json(p_deal), json_build_object('idempotent', p_idempotent)) $$;
comment on function crm.deal_action_json(crm.deals, boolean) is
  'Reply of an action: the deal, and whether it was already as asked.';

create function crm.deal_place(
  p_deal crm.deals,
  p_pipeline_id uuid,
  p_stage_id uuid,
  out pipeline_id uuid,
  out stage_id uuid
)
language plpgsql stable
set search_path = ''
as $$
begin
  pipeline_id := coalesce(p_pipeline_id, p_deal.pipeline_id);
  stage_id := coalesce(p_stage_id, p_deal.stage_id);
  -- What stays is not checked again: it may have been deactivated since.
  if pipeline_id = p_deal.pipeline_id and stage_id = p_deal.stage_id then
    return;
  end if;
  if p_stage_id is not null and not exists (
    select from crm.stages s where s.workspace_id = p_deal.workspace_id and s.id = p_stage_id
  ) then
    perform api.fail('invalid_reference', array['stage_id']);
  end if;
  if pipeline_id <> p_deal.pipeline_id then
    select p.pipeline_id, p.stage_id into deal_place.pipeline_id, deal_place.stage_id
    from crm.place(p_pipeline_id, p_stage_id) p;
  elsif not exists (
    select from crm.stages s
    where s.workspace_id = p_deal.workspace_id and s.pipeline_id = p_deal.pipeline_id and s.id = p_stage_id
      and s.is_active
  ) then
    perform api.fail('stage_not_found', array['stage_id']);
  end if;
end
$$;
comment on function crm.deal_place(crm.deals, uuid, uuid) is
  'Where a deal goes: another pipeline without a stage means its first active one. Raises invalid_reference for a stage '
  'outside the workspace, else stage_not_found, pipeline_not_found, pipeline_has_no_stage.';

create function api.deal_move_stage(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_locked((p_args ->> 'id')::uuid);
  v_place record;
begin
  v_place := crm.deal_place(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  if v_place.stage_id = v_deal.stage_id then
    return crm.deal_action_json(v_deal, true);
  end if;
  update crm.deals d
  set pipeline_id = v_place.pipeline_id, stage_id = v_place.stage_id
  where d.workspace_id = v_deal.workspace_id and d.id = v_deal.id
  returning * into v_deal;
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_move_stage(jsonb) is
  'Moves a deal, open or closed, to another stage; its status stays. Raises what crm.deal_place raises (spec 3).';

create function crm.deal_close(p_status text, p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_locked((p_args ->> 'id')::uuid);
begin
  if v_deal.status <> 'aberto' then
    return crm.deal_action_json(v_deal, true);
  end if;
  perform crm.check_references(p_args);
  v_deal := jsonb_populate_record(v_deal, p_args);
  update crm.deals d
  set (status, value, recurring_value, loss_reason_id, loss_note) =
    (p_status, v_deal.value, v_deal.recurring_value, v_deal.loss_reason_id, v_deal.loss_note)
  where d.workspace_id = v_deal.workspace_id and d.id = v_deal.id
  returning * into v_deal;
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function crm.deal_close(text, jsonb) is
  'Closes an open deal with what was sent; a closed one is left as it is, whichever way it was closed (spec 3).';

create function api.deal_win(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$ begin return crm.deal_close('ganho', p_args); end $$;
comment on function api.deal_win(jsonb) is 'Marks a deal won, with its final amounts where they are sent (spec 3).';

create function api.deal_lose(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$ begin return crm.deal_close('perdido', p_args); end $$;
comment on function api.deal_lose(jsonb) is
  'Marks a deal lost, with a reason and a note where they are sent; raises invalid_reference (spec 3).';
