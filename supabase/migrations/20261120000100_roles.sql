-- Schemas, and the role that answers requests.

create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';

create schema api;
comment on schema api is 'The door (api.call) and its verbs: the only way from an HTTP request to the data.';

-- No login and no bypassrls: whatever a verb does, row-level security decides what it sees.
-- Roles belong to the cluster: another database of it, or this one before a reset, may have made it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'crm_api') then
    create role crm_api nologin noinherit;
  end if;
end
$$;
-- The door switches to this role for its own statement, so whoever opens the door must be a member of it.
grant crm_api to current_user;
grant usage on schema crm, api to crm_api;
