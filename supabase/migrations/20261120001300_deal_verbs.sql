-- Actions on deals (spec 3): move-stage, win, lose. Their events come from the triggers of migration `emission`.

create function crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) returns json
language sql stable
as $$ select crm.with_fields(crm.deal_json(p_deal), json_build_object('idempotent', p_idempotent)) $$;
comment on function crm.deal_action_json(crm.deals, boolean) is
  'Reply of an action: the deal, and whether it was already as asked.';

create function crm.deal_stage(
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
  stage_id := p_stage_id;
  -- What stays is not checked again: it may have been deactivated since.
  if pipeline_id = p_deal.pipeline_id and stage_id = p_deal.stage_id then
    return;
  end if;
  if not exists (
    select from crm.stages s where s.workspace_id = p_deal.workspace_id and s.id = p_stage_id
  ) then
    perform api.fail('invalid_reference', array['stage_id']);
  end if;
  if pipeline_id <> p_deal.pipeline_id then
    perform crm.active_pipeline(pipeline_id);
  end if;
  perform crm.active_stage(pipeline_id, stage_id);
end
$$;
comment on function crm.deal_stage(crm.deals, uuid, uuid) is
  'Where a deal goes whose call names a stage, and maybe its pipeline. Raises invalid_reference for a stage outside the '
  'workspace, else pipeline_not_found, stage_not_found.';

create function api.deal_move_stage(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_place record;
begin
  v_place := crm.deal_stage(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  if v_place.stage_id = v_deal.stage_id then
    return crm.deal_action_json(v_deal, true);
  end if;
  v_deal.pipeline_id := v_place.pipeline_id;
  v_deal.stage_id := v_place.stage_id;
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_move_stage(jsonb) is
  'Moves a deal, open or closed, to another stage; its status stays. Raises what crm.deal_stage raises (spec 3).';

create function api.deal_win(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  -- A closed deal is left as it is, whichever way it was closed.
  if v_deal.status <> 'aberto' then
    return crm.deal_action_json(v_deal, true);
  end if;
  v_deal := jsonb_populate_record(v_deal, p_args);
  v_deal.status := 'ganho';
  return crm.deal_action_json(crm.deal_save(v_deal), false);
end
$$;
comment on function api.deal_win(jsonb) is 'Marks an open deal won, with its final amounts where they are sent (spec 3).';

create function api.deal_lose(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if v_deal.status <> 'aberto' then
    return crm.deal_action_json(v_deal, true);
  end if;
  perform crm.check_references(p_args);
  v_deal := jsonb_populate_record(v_deal, p_args);
  v_deal.status := 'perdido';
  return crm.deal_action_json(crm.deal_save(v_deal), false);
end
$$;
comment on function api.deal_lose(jsonb) is
  'Marks an open deal lost, with a reason and a note where they are sent; raises invalid_reference (spec 3).';
