-- The rights of each role, in one place. A role may do only what is granted here: PUBLIC may execute no function
-- (migration `roles`), and no other migration grants anything. See docs/decisions/0011-least-rights.md.
--
--   the owner      applies the migrations; runs the operator's verbs, the jobs, and everything security definer
--   crm_functions  the login of the functions: the doors, the dispatcher's queue, crm.next_delivery_due and
--                  crm.check_health
--   crm_api        the verbs of keys and links, under row-level security: records of the current workspace
--   crm_app        the verbs of members, under row-level security: keys, webhooks, members, settings of their workspace
--
-- tests/sql/isolation/ compares each list with what is used, and tries what is refused.

-- The login of the functions. It reaches no table: everything it may execute is security definer.
grant usage on schema api, app, crm to crm_functions;
grant execute on function
  api.call(bytea, text, text, jsonb, text, bytea), api.call_by_link(bytea, text, jsonb),
  app.call(uuid, uuid, uuid, text, text, jsonb),
  crm.check_health(), crm.delivery_claim(integer), crm.delivery_record(json), crm.next_delivery_due(interval)
to crm_functions;

-- The verbs. crm.run_verb calls them with the rights of its owner. A role needs the right to create in the schema only
-- while it becomes the owner of a function.
grant create on schema crm to crm_api, crm_app;
alter function crm.run_verb(text, jsonb) owner to crm_api;
alter function crm.run_app_verb(text, jsonb) owner to crm_app;
revoke create on schema crm from crm_api, crm_app;

grant usage on schema api, crm to crm_api;
grant select on crm.members, crm.pipelines, crm.stages, crm.loss_reasons to crm_api;
grant select, insert, update on crm.companies, crm.contacts, crm.deals, crm.activities to crm_api;
grant select, insert on crm.notes, crm.lead_receipts to crm_api;
-- Only triggers and jobs write this table.
grant select on crm.search_texts to crm_api;
-- A customer reads a proposal and answers it.
grant select, update (status, rejection_reason) on crm.proposals to crm_api;
grant select, insert, update (is_active, deactivated_reason) on crm.webhook_subscriptions to crm_api;
-- A verb stores a secret and never reads one; next_from, when a rotation ends, is not secret.
grant select (workspace_id, subscription_id, next_from), insert on crm.webhook_secrets to crm_api;
-- A key that manages webhooks sees the deliveries.
grant select on crm.event_types, crm.events, crm.webhook_attempts, crm.webhook_deliveries to crm_api;

-- written by deno task schema: the functions that verbs call as crm_api
grant execute on function
  api.activity_batch(jsonb), api.activity_create(jsonb), api.activity_get(jsonb), api.activity_list(jsonb),
  api.activity_update(jsonb), api.change_list(jsonb), api.company_archive(jsonb), api.company_batch(jsonb),
  api.company_create(jsonb), api.company_get(jsonb), api.company_list(jsonb), api.company_merge(jsonb),
  api.company_restore(jsonb), api.company_update(jsonb), api.company_upsert(jsonb), api.contact_archive(jsonb),
  api.contact_batch(jsonb), api.contact_create(jsonb), api.contact_erase(jsonb), api.contact_get(jsonb),
  api.contact_list(jsonb), api.contact_merge(jsonb), api.contact_restore(jsonb), api.contact_update(jsonb),
  api.contact_upsert(jsonb), api.deal_archive(jsonb), api.deal_batch(jsonb), api.deal_create(jsonb),
  api.deal_get(jsonb), api.deal_list(jsonb), api.deal_lose(jsonb), api.deal_move_stage(jsonb), api.deal_restore(jsonb),
  api.deal_summary(jsonb), api.deal_update(jsonb), api.deal_upsert(jsonb), api.deal_win(jsonb), api.event_list(jsonb),
  api.fail(text, text[], text, uuid[]), api.lead_create(jsonb), api.mark_found(), api.mark_replayed(),
  api.me_get(jsonb), api.note_batch(jsonb), api.note_create(jsonb), api.note_get(jsonb), api.note_list(jsonb),
  api.operation_get(jsonb), api.pipeline_list(jsonb), api.proposal_accept(jsonb), api.proposal_reject(jsonb),
  api.proposal_view(jsonb), api.webhook_create(jsonb), api.webhook_delete(jsonb), api.webhook_deliveries(jsonb),
  api.webhook_delivery(jsonb), api.webhook_get(jsonb), api.webhook_list(jsonb), api.webhook_reactivate(jsonb),
  api.webhook_recover(jsonb), api.webhook_redeliver(jsonb), api.webhook_rotate_secret(jsonb), api.webhook_test(jsonb),
  api.workspace_get(jsonb), crm.active_member(uuid), crm.activity_insert(crm.activities),
  crm.activity_insert(crm.activities[]), crm.activity_json(crm.activities), crm.activity_json_if_short(crm.activities),
  crm.activity_label(text), crm.activity_lock(uuid, jsonb), crm.activity_new(jsonb), crm.activity_save(crm.activities),
  crm.actor_json(uuid), crm.all_create(text, jsonb[]), crm.batch_json(jsonb[]), crm.bound_details(jsonb[]),
  crm.bounded_records(text, uuid[], json[]), crm.changes(jsonb, jsonb), crm.changes_json(crm.change[]),
  crm.check_active_subscriptions(uuid, text), crm.check_atomic_batch(jsonb[]), crm.check_new_subscription(uuid, text),
  crm.check_subscribed(crm.webhook_subscriptions, crm.event_type),
  crm.check_window(timestamp with time zone, timestamp with time zone), crm.choices(text, text, jsonb),
  crm.choose_stage(uuid, uuid), crm.choose_stage_for_move(crm.deals, uuid, uuid),
  crm.choose_stage_for_update(crm.deals, uuid, uuid), crm.chosen_matches(text, crm.walk, uuid[], text[]),
  crm.company_filled(crm.companies, crm.companies), crm.company_insert(crm.companies),
  crm.company_insert(crm.companies[]), crm.company_json(crm.companies), crm.company_json_if_short(crm.companies),
  crm.company_lock(uuid, jsonb), crm.company_match(jsonb, boolean), crm.company_new(jsonb),
  crm.company_save(crm.companies), crm.company_survivor(uuid), crm.company_text(crm.companies),
  crm.contact_filled(crm.contacts, crm.contacts), crm.contact_insert(crm.contacts), crm.contact_insert(crm.contacts[]),
  crm.contact_json(crm.contacts), crm.contact_json_if_short(crm.contacts), crm.contact_lock(uuid, jsonb),
  crm.contact_match(jsonb, boolean), crm.contact_new(jsonb), crm.contact_save(crm.contacts), crm.contact_survivor(uuid),
  crm.contact_text(crm.contacts), crm.create_together(text, jsonb[], boolean), crm.creation_json(jsonb, json, uuid[]),
  crm.current_caller_id(), crm.current_member_id(), crm.current_workspace_id(),
  crm.deal_action_json(crm.deals, boolean), crm.deal_default_title(crm.deals), crm.deal_insert(crm.deals),
  crm.deal_insert(crm.deals[]), crm.deal_json(crm.deals), crm.deal_json_if_short(crm.deals), crm.deal_lock(uuid, jsonb),
  crm.deal_match(jsonb), crm.deal_new(jsonb), crm.deal_save(crm.deals), crm.deal_text(crm.deals), crm.default_owner(),
  crm.delivery_body(uuid, crm.events), crm.delivery_detail(uuid, uuid),
  crm.delivery_headers(crm.webhook_deliveries, crm.events, text, text),
  crm.delivery_ids(uuid, uuid, text, crm.event_type, timestamp with time zone, timestamp with time zone, uuid, integer),
  crm.delivery_page(uuid, uuid, jsonb), crm.delivery_summaries(uuid, uuid[]), crm.delivery_summary(uuid, uuid),
  crm.digits(text), crm.e164(text), crm.erase_contact(uuid, boolean), crm.error_of(crm.failure, text, jsonb),
  crm.event_data(crm.events, text), crm.explain(text, json, text, jsonb), crm.external_id_holder(text, text),
  crm.external_id_holders(text, text[]), crm.feed_cursor_of(text), crm.feed_cursor_text(crm.feed_cursor),
  crm.feed_horizon(), crm.feed_item(crm.events), crm.feed_start(jsonb), crm.fill_in_contact(crm.contacts, text, uuid),
  crm.filled_custom_fields(jsonb, jsonb), crm.first_stage(uuid), crm.fold(text),
  crm.fuller_phones(jsonb, jsonb, text[]), crm.holds_webhooks(uuid), crm.insert_together(text, jsonb[]),
  crm.is_fuller_phone(text, text), crm.is_in_state(text, text, boolean), crm.is_marked(text),
  crm.is_of_person(text, text, crm.contacts), crm.iso(timestamp with time zone),
  crm.item_error(crm.failure, text, jsonb), crm.kept_search(crm.walk, text, jsonb, text[], uuid, uuid, integer),
  crm.kept_walk(text, jsonb, uuid, uuid, integer, uuid[]), crm.kind_of(uuid), crm.lead_company(text),
  crm.lead_contact(jsonb), crm.lead_data(crm.deals, crm.contacts, crm.companies),
  crm.lead_differences(jsonb, crm.contacts, uuid), crm.lead_json(crm.deals, uuid, uuid), crm.lead_name(jsonb),
  crm.lead_result(crm.deals, uuid, uuid, boolean, boolean, boolean, text, text[]),
  crm.list_by(text, jsonb, uuid, uuid, integer, boolean), crm.list_filters(text), crm.lock_all_matches(),
  crm.lock_batch(text, jsonb), crm.lock_company_merges(boolean), crm.lock_key(uuid), crm.lock_matches(jsonb[]),
  crm.lock_matches_of_companies(uuid[]), crm.lock_matches_of_contacts(uuid[]), crm.lock_number(text),
  crm.makers_of_subscriptions(uuid, uuid[]), crm.max_page_bytes(), crm.may_send(uuid, uuid),
  crm.merge_json(json, text, uuid), crm.merged_detail(text, uuid), crm.name_holder(text, jsonb, jsonb),
  crm.name_key(text), crm.name_words(text), crm.note_insert(crm.notes), crm.note_insert(crm.notes[]),
  crm.note_json(crm.notes), crm.note_json_if_short(crm.notes), crm.note_new(jsonb), crm.old_secret_until(uuid, uuid),
  crm.own_active_subscription(uuid), crm.own_key(), crm.own_operation(uuid), crm.own_subscription(uuid),
  crm.own_workspace_name(), crm.owner_or_default(uuid), crm.page(json[], uuid), crm.pending_texts(text, integer),
  crm.phone_spellings(text), crm.pipeline_json(crm.pipelines), crm.proposal_answer(uuid, text, text),
  crm.proposal_for_customer(crm.proposals), crm.proposal_json(crm.proposals), crm.proposal_lock(uuid, jsonb),
  crm.proposal_save(crm.proposals), crm.proposal_seller(), crm.proposal_set_status(crm.proposals, text, text),
  crm.proposal_status(crm.proposals), crm.proposal_view_json(crm.proposals), crm.raise_code(text, text, text, text),
  crm.reactivate_subscription(uuid, uuid),
  crm.recover_deliveries(uuid, uuid, timestamp with time zone, timestamp with time zone),
  crm.recovery_json(bigint, timestamp with time zone), crm.redeliver(uuid, uuid),
  crm.refuse_invalid(text, jsonb[], jsonb[]), crm.refuse_taken(text, jsonb[], jsonb[], boolean),
  crm.require_active_pipeline(uuid), crm.require_active_stage(uuid, uuid), crm.require_known_filters(jsonb),
  crm.require_own_delivery(crm.webhook_subscriptions, uuid), crm.require_record(json), crm.require_references(jsonb),
  crm.rest_of_page(text, jsonb, jsonb, uuid, uuid, uuid[], json[], boolean), crm.resume_subscription(uuid, uuid),
  crm.rotate_secret(uuid, uuid, bytea, integer), crm.rows_by(text, text, text, text),
  crm.run_batch(text, jsonb, integer), crm.run_batch_item(text, jsonb), crm.run_group(text, jsonb[], boolean),
  crm.sample_data(crm.event_type), crm.sample_facts(crm.event_type), crm.sample_row(text),
  crm.sample_state(crm.event_type), crm.search(text, text[], uuid, uuid, integer, integer),
  crm.search_page(text, jsonb, uuid, uuid, integer, boolean), crm.search_text(text[], text[]), crm.search_words(text),
  crm.send_test_event(uuid, uuid, crm.event_type), crm.shortest_way(crm.walk, uuid, uuid, integer),
  crm.spelled_tax_id(text), crm.stage_json(crm.stages), crm.stage_of_new_deal(uuid, uuid), crm.stages_of(crm.pipelines),
  crm.subscription_insert(crm.webhook_subscriptions), crm.subscription_json(crm.webhook_subscriptions),
  crm.subscription_overview(uuid, uuid), crm.subscription_overviews(uuid, uuid[]),
  crm.summary(text, jsonb, text, integer, text), crm.synced_page(json[], uuid), crm.unfinished_operation(text, uuid),
  crm.updated_ids(text, jsonb, integer), crm.uuid_v7(timestamp with time zone),
  crm.uuid_v7_floor(timestamp with time zone), crm.version(json), crm.wake_dispatcher(),
  crm.walk_for(text, jsonb, text), crm.with_activity_defaults(crm.activities), crm.with_fields(json, json),
  crm.with_possible_duplicates(json, text)
to crm_api;
-- end of the functions that verbs call

-- The verbs of members. They may change only these columns of existing rows: a member raises no limit of the plan,
-- takes over nobody's sign-in, and changes no record of an attempt.
grant usage on schema app, api, crm to crm_app;
grant select on
  crm.activities, crm.companies, crm.contacts, crm.deals, crm.event_types, crm.events, crm.key_calls, crm.key_counters,
  crm.notes, crm.pipelines, crm.proposals, crm.rate_limits, crm.stages, crm.webhook_attempts
to crm_app;
grant select, insert on crm.audit_log to crm_app;
grant select, update (name, stale_after_days) on crm.workspaces to crm_app;
grant select, insert, update (name, role, is_active) on crm.members to crm_app;
grant select, insert, update (name, prefix, rotated_at, revoked_at) on crm.api_keys to crm_app;
-- A verb stores the hash of a key and the secret of a webhook, and never reads one.
grant select (workspace_id, id, key_id, prefix, expires_at, created_at), insert, update (expires_at) on crm.key_secrets
to crm_app;
grant select (workspace_id, subscription_id, next_from), insert on crm.webhook_secrets to crm_app;
grant select, insert, update (is_active, deactivated_reason) on crm.webhook_subscriptions to crm_app;
grant select on crm.webhook_deliveries, crm.webhook_queue to crm_app;

-- written by deno task schema: the functions that verbs call as crm_app
grant execute on function
  api.fail(text, text[], text, uuid[]), app.action_list(jsonb), app.delivery_get(jsonb), app.delivery_list(jsonb),
  app.delivery_redeliver(jsonb), app.funnel_get(jsonb), app.invitation_accept(jsonb), app.invitation_decline(jsonb),
  app.key_create(jsonb), app.key_get(jsonb), app.key_list(jsonb), app.key_revoke(jsonb), app.key_rotate(jsonb),
  app.key_update(jsonb), app.member_invite(jsonb), app.member_leave(jsonb), app.member_list(jsonb),
  app.member_reinvite(jsonb), app.member_update(jsonb), app.subscription_create(jsonb), app.subscription_delete(jsonb),
  app.subscription_get(jsonb), app.subscription_list(jsonb), app.subscription_reactivate(jsonb),
  app.subscription_recover(jsonb), app.subscription_rotate(jsonb), app.subscription_test(jsonb),
  app.workspace_choices(jsonb), app.workspace_get(jsonb), app.workspace_update(jsonb),
  crm.activity_json(crm.activities), crm.answer_invitation(uuid, boolean),
  crm.calls_by_day(date[], bigint[], date, integer), crm.calls_by_hour(timestamp with time zone[], bigint),
  crm.changed_member_json(crm.members), crm.check_active_subscriptions(uuid, text),
  crm.check_args(jsonb, text[], text[]), crm.check_new_subscription(uuid, text),
  crm.check_subscribed(crm.webhook_subscriptions, crm.event_type),
  crm.check_window(timestamp with time zone, timestamp with time zone), crm.company_json(crm.companies),
  crm.contact_json(crm.contacts), crm.count_calls(uuid, uuid[], timestamp with time zone), crm.current_member_id(),
  crm.current_workspace_id(), crm.deal_json(crm.deals), crm.delivery_body(uuid, crm.events),
  crm.delivery_detail(uuid, uuid), crm.delivery_headers(crm.webhook_deliveries, crm.events, text, text),
  crm.delivery_ids(uuid, uuid, text, crm.event_type, timestamp with time zone, timestamp with time zone, uuid, integer),
  crm.delivery_page(uuid, uuid, jsonb), crm.delivery_summaries(uuid, uuid[]), crm.delivery_summary(uuid, uuid),
  crm.describe_changes(jsonb, jsonb), crm.event_data(crm.events, text), crm.funnel_stages(uuid, uuid),
  crm.holds_webhooks(uuid), crm.invitations_of_current_user(), crm.is_in_state(text, text, boolean),
  crm.is_working(crm.api_keys), crm.iso(timestamp with time zone), crm.key_for_update(uuid, uuid),
  crm.key_record(uuid, uuid), crm.key_records(uuid, uuid[]), crm.lead_data(crm.deals, crm.contacts, crm.companies),
  crm.lead_json(crm.deals, uuid, uuid), crm.leave_workspace(), crm.lock_number(text),
  crm.makers_of_subscriptions(uuid, uuid[]), crm.may_send(uuid, uuid), crm.member_json(crm.members, bigint),
  crm.note_json(crm.notes), crm.old_secret_until(uuid, uuid), crm.page(json[], uuid),
  crm.parse_argument(text, text, jsonb), crm.parse_moment(text), crm.poke_dispatcher(),
  crm.proposal_json(crm.proposals), crm.proposal_status(crm.proposals), crm.raise_code(text, text, text, text),
  crm.reactivate_subscription(uuid, uuid), crm.record_action(uuid, text, text, uuid, text, jsonb),
  crm.record_webhook_action(uuid, uuid, text, jsonb),
  crm.recover_deliveries(uuid, uuid, timestamp with time zone, timestamp with time zone),
  crm.recovery_json(bigint, timestamp with time zone), crm.redeliver(uuid, uuid),
  crm.require_active_subscription(uuid, uuid), crm.require_admin_still(uuid), crm.require_invitations_left(uuid, uuid),
  crm.require_other_admin(uuid, uuid), crm.require_room_for_key(uuid), crm.require_workspace(uuid),
  crm.resume_subscription(uuid, uuid), crm.rotate_secret(uuid, uuid, bytea, integer), crm.sample_data(crm.event_type),
  crm.sample_facts(crm.event_type), crm.sample_row(text), crm.sample_state(crm.event_type),
  crm.send_test_event(uuid, uuid, crm.event_type), crm.subscription_json(crm.webhook_subscriptions),
  crm.subscription_overview(uuid, uuid), crm.subscription_overviews(uuid, uuid[]),
  crm.uuid_v7(timestamp with time zone), crm.uuid_v7_floor(timestamp with time zone), crm.with_fields(json, json),
  crm.working_keys_of(uuid, uuid), crm.workspace_json(crm.workspaces), crm.workspace_overview(crm.workspaces),
  crm.workspace_usage(uuid), crm.workspaces_of_current_user()
to crm_app;
-- end of the functions that verbs call

-- Postgres looks for a type in the session's temporary schema before pg_catalog, even with an empty search_path. A role
-- that may create objects there could create a domain `text` whose check calls its own function, and the next security
-- definer function would run that as its owner. PUBLIC has this right: take it away, and give it to all other roles by
-- name.
do $$
declare
  v_roles name[] := array(
    select r.rolname from pg_roles r
    where not r.rolsuper and r.rolname !~ '^pg_' and r.rolname not in ('crm_api', 'crm_app', 'crm_functions')
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
    or has_database_privilege('crm_api', current_database(), 'temporary')
    or has_database_privilege('crm_app', current_database(), 'temporary') then
    raise exception 'PUBLIC may create temporary objects, and only the owner of the database can revoke that'
      using hint = format('As its owner: revoke temporary on database %I from public', current_database());
  end if;
end
$$;
