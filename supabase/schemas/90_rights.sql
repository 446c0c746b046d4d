-- The rights of each role, in one place. A role may do only what is granted here: PUBLIC may execute no function
-- (10_roles_and_helpers.sql), and no other file grants anything to these roles. See
-- docs/decisions/0011-least-rights.md.
--
--   the owner      applies the migrations; runs the operator's verbs, the jobs, and everything security definer
--   crm_functions  the login of the edge functions: the doors, the dispatcher's queue and mails, crm.log_requests and
--                  crm.check_health
--   crm_api        the verbs of keys and links, under row-level security: records of the current workspace
--   crm_app        the verbs of members, under row-level security: keys, webhooks, members, settings of the workspace.
--                  It imports contacts only through crm.import_contacts, which runs verbs as crm_api
--
-- The tests in tests/sql/isolation/ compare these rights with those that the code uses, and try what must be refused.

-- The login of the edge functions. It needs no rights on tables: everything it may execute is security definer.
grant usage on schema api, app, crm to crm_functions;
grant execute on function
  api.call(bytea, text, text, jsonb, text, bytea, text), api.call_by_link(bytea, text, jsonb),
  api.call_by_grant(uuid, uuid, uuid, text, text, jsonb, text, bytea),
  app.call(uuid, uuid, uuid, text, text, jsonb),
  crm.check_health(), crm.delivery_claim(integer), crm.delivery_record(json), crm.log_requests(json),
  crm.next_delivery_due(interval), crm.notice_claim(), crm.notice_sent(uuid, uuid, text)
to crm_functions;

-- The verbs. crm.run_verb calls them with the rights of its owner. To become a function's owner, a role needs the right
-- to create in the schema, which is revoked again below.
grant create on schema crm to crm_api, crm_app;
alter function crm.run_verb(text, jsonb) owner to crm_api;
alter function crm.run_app_verb(text, jsonb) owner to crm_app;
revoke create on schema crm from crm_api, crm_app;

grant usage on schema api, crm to crm_api;
grant select on crm.members, crm.pipelines, crm.stages, crm.loss_reasons to crm_api;
grant select, insert, update on crm.companies, crm.contacts, crm.deals, crm.activities to crm_api;
grant select, insert, update (role) on crm.deal_contacts to crm_api;
grant select, insert on crm.notes, crm.lead_receipts, crm.list_cursors to crm_api;
-- Verbs only read these tables. Triggers, jobs and erasures write them.
grant select on crm.search_texts, crm.record_values to crm_api;
grant select, insert, update (label, choices, archived_at, index_below) on crm.custom_fields to crm_api, crm_app;
-- Customers read and answer proposals.
grant select, update (status, rejection_reason) on crm.proposals to crm_api;
grant select, insert, update (is_active, deactivated_reason, event_types, filters, payload, header, name)
on crm.webhook_subscriptions to crm_api;
-- Verbs store secrets and headers but never read them. They read only next_from, the time when a rotation ends.
grant select (workspace_id, subscription_id, next_from), insert, update (header) on crm.webhook_secrets to crm_api;
-- A key that manages webhooks sees the deliveries.
grant select on crm.event_types, crm.events, crm.webhook_attempts, crm.webhook_deliveries to crm_api;
grant select on crm.requests to crm_api;

-- The verbs of members. They may change only these columns of existing rows, so that no member can raise a limit of the
-- plan, take over another member's sign-in, or change the record of an attempt.
grant usage on schema app, api, crm to crm_app;
grant select on
  crm.activities, crm.companies, crm.contacts, crm.deal_contacts, crm.deals, crm.event_types, crm.events,
  crm.key_calls, crm.key_counters, crm.loss_reasons, crm.notes, crm.pipelines, crm.proposals, crm.rate_limits,
  crm.record_values, crm.requests, crm.search_texts, crm.stages, crm.webhook_attempts
to crm_app;
grant select, insert on crm.audit_log to crm_app;
grant select, update (name, stale_after_days, time_zone, refuses_undefined_fields) on crm.workspaces to crm_app;
grant select, insert, update (name, role, is_active) on crm.members to crm_app;
grant select, insert, update (name, prefix, expires_at, rotated_at, revoked_at, allowed_networks) on crm.api_keys to crm_app;
-- Verbs store the hashes of keys and the secrets of webhooks, but never read them.
grant select (workspace_id, id, key_id, prefix, expires_at, created_at), insert, update (expires_at) on crm.key_secrets
to crm_app;
grant select (workspace_id, subscription_id, next_from), insert, update (header) on crm.webhook_secrets to crm_app;
grant select, insert, update (is_active, deactivated_reason, event_types, filters, payload, header, name)
on crm.webhook_subscriptions to crm_app;
grant select on crm.webhook_deliveries, crm.webhook_queue to crm_app;
-- A member creates and sends a proposal; only its customer answers it. Verbs store the hashes of links, but never read
-- them.
grant insert, update (status) on crm.proposals to crm_app;
grant select (workspace_id, proposal_id), insert, update (token_hash, created_at) on crm.proposal_links to crm_app;

-- Postgres looks for a type in the session's temporary schema before pg_catalog, even with an empty search_path. A role
-- that may create objects there could create a domain `text` with a check that calls the role's own function. The next
-- security definer function would then run that function with its owner's rights. PUBLIC has this right: take it away,
-- and give it by name to all roles except crm_functions, crm_api and crm_app.
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
