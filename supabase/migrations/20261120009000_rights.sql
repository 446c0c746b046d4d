-- What each role may do, in one place. A role may do nothing that is not granted here: no function is executable by
-- PUBLIC (migration `roles`), and no other migration grants anything. Why, in docs/decisions/0015-least-rights.md.
--
--   the owner      applies the migrations; operator, jobs, and whatever is security definer
--   crm_functions  the login of the functions: the doors, the dispatcher's queue, crm.next_delivery_due and
--                  crm.check_health
--   crm_api        the verbs, under row-level security: records of the current workspace
--
-- tests/isolation/ compares each list with what is used, and tries what is refused.

-- The login of the functions. It reaches no table: all that it may execute is security definer.
grant usage on schema api, crm to crm_functions;
grant execute on function
  api.call(bytea, text, text, jsonb, text, bytea),
  api.call_by_link(bytea, text, jsonb),
  crm.check_health(),
  crm.delivery_claim(integer),
  crm.delivery_record(uuid, uuid, bigint, boolean, integer, text, integer),
  crm.next_delivery_due(interval)
to crm_functions;

-- The verbs. crm.run_verb calls them with the rights of its owner. An owner must be able to create in the schema at the
-- moment when it becomes that, and afterwards must not be.
grant create on schema crm to crm_api;
alter function crm.run_verb(text, jsonb) owner to crm_api;
revoke create on schema crm from crm_api;

grant usage on schema api, crm to crm_api;
grant select on crm.members, crm.pipelines, crm.stages, crm.loss_reasons to crm_api;
grant select, insert, update on crm.companies, crm.contacts, crm.deals, crm.activities to crm_api;
grant select, insert on crm.notes, crm.lead_receipts to crm_api;
-- A customer reads a proposal and answers it.
grant select, update (status, rejection_reason) on crm.proposals to crm_api;
grant select, insert, update (is_active) on crm.webhook_subscriptions to crm_api;
-- A verb stores a secret, and never reads one.
grant insert on crm.webhook_secrets to crm_api;

-- written by deno task schema: the functions that verbs call
grant execute on function
  api.activity_create(jsonb),
  api.activity_get(jsonb),
  api.activity_list(jsonb),
  api.activity_update(jsonb),
  api.company_create(jsonb),
  api.company_get(jsonb),
  api.company_list(jsonb),
  api.company_update(jsonb),
  api.contact_create(jsonb),
  api.contact_get(jsonb),
  api.contact_list(jsonb),
  api.contact_update(jsonb),
  api.deal_create(jsonb),
  api.deal_get(jsonb),
  api.deal_list(jsonb),
  api.deal_lose(jsonb),
  api.deal_move_stage(jsonb),
  api.deal_update(jsonb),
  api.deal_win(jsonb),
  api.fail(text, text[], text),
  api.lead_create(jsonb),
  api.mark_replayed(),
  api.note_create(jsonb),
  api.note_get(jsonb),
  api.note_list(jsonb),
  api.pipeline_list(jsonb),
  api.proposal_accept(jsonb),
  api.proposal_reject(jsonb),
  api.proposal_view(jsonb),
  api.webhook_create(jsonb),
  api.webhook_delete(jsonb),
  api.webhook_list(jsonb),
  crm.active_member(uuid),
  crm.activity_insert(crm.activities),
  crm.activity_json(crm.activities),
  crm.activity_json_if_short(crm.activities),
  crm.activity_label(text),
  crm.activity_list_by(jsonb, uuid, uuid, integer),
  crm.activity_lock(uuid),
  crm.activity_page(uuid[], json[]),
  crm.activity_save(crm.activities),
  crm.changes(jsonb, jsonb),
  crm.check_references(jsonb),
  crm.choose_stage(uuid, uuid),
  crm.choose_stage_for_move(crm.deals, uuid, uuid),
  crm.choose_stage_for_update(crm.deals, uuid, uuid),
  crm.company_insert(crm.companies),
  crm.company_json(crm.companies),
  crm.company_json_if_short(crm.companies),
  crm.company_list_by(jsonb, uuid, uuid, integer),
  crm.company_lock(uuid),
  crm.company_page(uuid[], json[]),
  crm.company_save(crm.companies),
  crm.contact_insert(crm.contacts),
  crm.contact_json(crm.contacts),
  crm.contact_json_if_short(crm.contacts),
  crm.contact_list_by(jsonb, uuid, uuid, integer),
  crm.contact_lock(uuid),
  crm.contact_page(uuid[], json[]),
  crm.contact_save(crm.contacts),
  crm.current_caller_id(),
  crm.current_member_id(),
  crm.current_workspace_id(),
  crm.deal_action_json(crm.deals, boolean),
  crm.deal_default_title(crm.deals),
  crm.deal_insert(crm.deals),
  crm.deal_json(crm.deals),
  crm.deal_json_if_short(crm.deals),
  crm.deal_list_by(jsonb, uuid, uuid, integer),
  crm.deal_lock(uuid),
  crm.deal_page(uuid[], json[]),
  crm.deal_save(crm.deals),
  crm.default_owner(),
  crm.default_pipeline(),
  crm.digits(text),
  crm.find_or_create_company(text, uuid),
  crm.find_or_create_contact(jsonb, uuid, uuid),
  crm.first_stage(uuid),
  crm.iso(timestamp with time zone),
  crm.lead_json(crm.deals, uuid, uuid),
  crm.lead_lock(jsonb),
  crm.lock_key(uuid),
  crm.lock_number(text),
  crm.max_page_bytes(),
  crm.name_key(text),
  crm.note_insert(crm.notes),
  crm.note_json(crm.notes),
  crm.note_json_if_short(crm.notes),
  crm.note_list_by(jsonb, uuid, uuid, integer),
  crm.note_page(uuid[], json[]),
  crm.owner_or_default(uuid),
  crm.page(json[], uuid),
  crm.pipeline_json(crm.pipelines),
  crm.proposal_answer(uuid, text, text),
  crm.proposal_for_customer(crm.proposals),
  crm.proposal_lock(uuid),
  crm.proposal_save(crm.proposals),
  crm.proposal_seller(),
  crm.proposal_set_status(crm.proposals, text, text),
  crm.proposal_status(crm.proposals),
  crm.proposal_view_json(crm.proposals),
  crm.require_active_pipeline(uuid),
  crm.require_active_stage(uuid, uuid),
  crm.require_record(json),
  crm.stage_json(crm.stages),
  crm.stages_of(crm.pipelines),
  crm.subscription_insert(crm.webhook_subscriptions),
  crm.subscription_json(crm.webhook_subscriptions),
  crm.uuid_v7(timestamp with time zone),
  crm.uuid_v7_floor(timestamp with time zone),
  crm.with_activity_defaults(crm.activities),
  crm.with_fields(json, json)
to crm_api;
-- end of the functions that verbs call

-- Postgres looks for a type in the session's temporary schema before pg_catalog, even with an empty search_path. A role
-- that may create there makes a domain `text` whose check is a function of its own, and the next security definer
-- function runs that as its owner. The right is PUBLIC's: it is taken from PUBLIC and given to the other roles by name.
do $$
declare
  v_roles name[] := array(
    select r.rolname from pg_roles r
    where not r.rolsuper and r.rolname !~ '^pg_' and r.rolname not in ('crm_api', 'crm_functions')
      and has_database_privilege(r.oid, current_database(), 'temporary')
  );
  v_role name;
begin
  if pg_has_role((select d.datdba from pg_database d where d.datname = current_database()), 'usage') then
    execute format('revoke temporary on database %I from public', current_database());
    foreach v_role in array v_roles loop
      execute format('grant temporary on database %I to %I', current_database(), v_role);
    end loop;
  end if;
  if has_database_privilege('crm_functions', current_database(), 'temporary')
    or has_database_privilege('crm_api', current_database(), 'temporary') then
    raise exception 'PUBLIC may create temporary objects, and only the owner of the database can revoke that'
      using hint = format('As its owner: revoke temporary on database %I from public', current_database());
  end if;
end
$$;
