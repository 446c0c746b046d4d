-- The schemas crm and api, and the role that every request runs as.

create schema crm;
comment on schema crm is 'Tables of the CRM and the functions that belong to them. No client reaches it directly.';

create schema api;
comment on schema api is 'The door (api.call) and its verbs: the only way from an HTTP request to the data.';

-- The role can neither log in nor bypass row-level security, so a verb sees only the rows that the policies allow.
-- A role belongs to the whole cluster: it may exist already, for another database or from before a reset of this one.
do $$
begin
  if not exists (select from pg_roles where rolname = 'crm_api') then
    create role crm_api nologin noinherit;
  end if;
end
$$;
-- The doors switch to this role (`set role`), so the role that calls them must be a member of it.
grant crm_api to current_user;
grant usage on schema crm, api to crm_api;
