-- The schemas crm and api, and the three roles between a request and the data. The migration `rights` grants what each
-- role may do; docs/decisions/0011-least-rights.md gives the reasons.

-- By default PUBLIC may execute every new function. The revocation covers all schemas: the form with `in schema` can
-- only add to PUBLIC's rights, never remove one.
alter default privileges revoke execute on functions from public;

create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';

create schema api;
comment on schema api is 'The door (api.call) and its verbs: the only way from an HTTP request to the data.';

-- Verbs for API keys run as crm_api, verbs for signed-in members as crm_app. Neither role can log in or bypass
-- row-level security. The edge functions connect as crm_functions, which has no password until the operator sets one
-- (docs/deployment.md), and is a member of no role, so it reaches the data only through the doors. Roles belong to the
-- whole cluster, so these may exist already: for another database, or from before a reset.
do $$
begin
  if not exists (select from pg_roles where rolname = 'crm_api') then
    create role crm_api nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'crm_app') then
    create role crm_app nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'crm_functions') then
    create role crm_functions login noinherit nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
end
$$;
-- Only a member of crm_api and crm_app can make them the owners of crm.run_verb and crm.run_app_verb.
grant crm_api, crm_app to current_user;

-- Set on the role, because a transaction pooler drops the settings of a connection. An edge function waits 10 s for a
-- statement: Postgres must end the verb earlier, so that the call is counted and gets a reply. The lock timeout is
-- shorter still, so that a call that cannot get its lock gets a reply too.
alter role crm_functions set statement_timeout = '8s';
alter role crm_functions set lock_timeout = '5s';
alter role crm_functions set idle_in_transaction_session_timeout = '15s';
