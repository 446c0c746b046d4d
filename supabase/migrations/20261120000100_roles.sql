-- The schemas crm and api, and the three roles that stand between a request and the data. What each may do is in the
-- last migration, `rights`; the reasons are in docs/decisions/0011-least-rights.md.

-- A function is executable by everybody unless that is revoked. For all schemas, because the form with `in schema` can
-- only add to the rights that PUBLIC has everywhere, never remove one.
alter default privileges revoke execute on functions from public;

create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';

create schema api;
comment on schema api is 'The door (api.call) and its verbs: the only way from an HTTP request to the data.';

-- Verbs of an API key run as crm_api, those of a signed-in member as crm_app. Neither role can log in or bypass row-level
-- security: a verb sees only the rows that the policies allow. The functions connect as crm_functions. It has no
-- password, so nobody can log in until the operator sets one (docs/deployment.md), and it is a member of no role, so
-- nothing but the doors leads to the data.
-- A role belongs to the whole cluster: it may exist already, for another database or from before a reset of this one.
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
-- The migrations hand crm.run_verb to crm_api and crm.run_app_verb to crm_app, which only a member of them can do.
grant crm_api, crm_app to current_user;

-- On the role and not on a connection, because a transaction pooler drops the settings of a connection. A function waits
-- 10 s for a statement. Postgres ends the verb before, so that the call is answered, and counted. A lock is waited for
-- even less long, so that a call which cannot get one is answered.
alter role crm_functions set statement_timeout = '8s';
alter role crm_functions set lock_timeout = '5s';
alter role crm_functions set idle_in_transaction_session_timeout = '15s';
