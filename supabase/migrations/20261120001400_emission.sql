-- What the API and the application write is told to subscribers from here, so that neither can forget to.

create function crm.emit_created() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform crm.emit(new.workspace_id, tg_argv[0] || '.created', tg_argv[0], new.id, '{}');
  return null;
end
$$;
comment on function crm.emit_created() is 'Emits `<object>.created`; the trigger''s argument names the object.';

create trigger emit_created after insert on crm.contacts
  for each row execute function crm.emit_created('contact');
create trigger emit_created after insert on crm.deals
  for each row execute function crm.emit_created('deal');
create trigger emit_created after insert on crm.activities
  for each row execute function crm.emit_created('activity');

create function crm.emit_stage_changed() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.stage_changed', 'deal', new.id,
    jsonb_build_object('previous_stage_id', old.stage_id, 'previous_pipeline_id', old.pipeline_id)
  );
  return null;
end
$$;
comment on function crm.emit_stage_changed() is 'Emits deal.stage_changed with where the deal came from.';

create trigger emit_stage_changed after update of stage_id on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id)
  execute function crm.emit_stage_changed();

create function crm.emit_closed() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform crm.emit(
    new.workspace_id, case new.status when 'ganho' then 'deal.won' else 'deal.lost' end, 'deal', new.id, '{}'
  );
  return null;
end
$$;
comment on function crm.emit_closed() is 'Emits deal.won or deal.lost when a deal is marked so.';

create trigger emit_closed after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status <> 'aberto')
  execute function crm.emit_closed();
