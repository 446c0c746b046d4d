/**
 * The statements that PostgREST would send for the operations of hand/hand if a team used Supabase without this API.
 * The tables are those of hand/hand, with row-level security by the workspace in the token. A function takes in leads.
 */
import { COLUMNS, INSERT_LEAD } from "./statements.ts";

/** The role of a request with a valid token, as `authenticated` on Supabase. */
export const MEMBER_ROLE = "hand_member";

const TABLES = ["companies", "contacts", "deals", "pipelines", "stages"];

/** The workspace in the token. A sub-select, as Supabase recommends, is evaluated once in a statement, not per row. */
const OWN_WORKSPACE = "(select (current_setting('request.jwt.claims', true)::json ->> 'workspace_id')::uuid)";

/** Runs after MAKE_TABLES. */
export const MAKE_REST = `
  create role ${MEMBER_ROLE} nologin;
  grant ${MEMBER_ROLE} to current_user;
  grant usage on schema hand, crm to ${MEMBER_ROLE};
  grant select, insert on ${TABLES.map((name) => `hand.${name}`).join(", ")} to ${MEMBER_ROLE};
  -- The defaults, generated columns and domains of the copied tables call functions.
  grant execute on all functions in schema crm to ${MEMBER_ROLE};
  ${
  TABLES.map((name) => `
  alter table hand.${name} enable row level security;
  create policy "Members use their own workspace" on hand.${name} to ${MEMBER_ROLE}
    using (workspace_id = ${OWN_WORKSPACE}) with check (workspace_id = ${OWN_WORKSPACE});`).join("")
}
  create function hand.take_lead(
    p_workspace_id uuid, p_member_id uuid, p_name text, p_email text, p_phone text, p_company_name text,
    p_value numeric, p_source text
  ) returns table (id uuid, contact_id uuid, company_id uuid)
  language plpgsql as $lead$
  #variable_conflict use_column
  begin
    return query with allowed as (select $1 as workspace_id, $2 as member_id),
    ${INSERT_LEAD}
    select deal.id, deal.contact_id, deal.company_id from deal;
  end
  $lead$;
  grant execute on function hand.take_lead to ${MEMBER_ROLE};`;

/** The second statement of the transaction. In PostgREST it also sets the search path and four parts of the request. */
export const SET_REQUEST = "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)";

const columns = COLUMNS.split(",").map((column) => `"hand"."contacts"."${column.trim()}"`).join(", ");

/** The reply of a statement whose rows are `pgrst_source`. */
const reply = (body: string) => `
  select null::bigint as total_result_set, pg_catalog.count(_postgrest_t) as page_total, ${body} as body,
    nullif(current_setting('response.headers', true), '') as response_headers,
    nullif(current_setting('response.status', true), '') as response_status
  from (select * from pgrst_source) _postgrest_t`;
const OBJECT = "coalesce(json_agg(_postgrest_t) -> 0, 'null')::text";
const ARRAY = "coalesce(json_agg(_postgrest_t), '[]')::text";

/** The fields of a JSON body as columns. */
const bodyAs = (fields: Record<string, string>) => {
  const names = Object.keys(fields).map((name) => `"${name}"`).join(", ");
  const types = Object.entries(fields).map(([name, type]) => `"${name}" ${type}`).join(", ");
  return {
    names,
    source: `(select $1::text::json as json_data) pgrst_payload,
      lateral (select ${names} from json_to_record(pgrst_payload.json_data) as _(${types})) pgrst_body`,
  };
};
const contact = bodyAs({
  email: "text",
  name: "text",
  owner_id: "uuid",
  phone: "text",
  workspace_id: "uuid",
});
const LEAD_FIELDS = {
  p_workspace_id: "uuid",
  p_member_id: "uuid",
  p_name: "text",
  p_email: "text",
  p_phone: "text",
  p_company_name: "text",
  p_value: "numeric",
  p_source: "text",
};
const leadArguments = Object.keys(LEAD_FIELDS).map((name) => `"${name}" := pgrst_body."${name}"`).join(", ");

/** The main statement of each operation. */
export const REST = {
  read: `with pgrst_source as (select ${columns} from "hand"."contacts" where "hand"."contacts"."id" = $1)
    ${reply(OBJECT)}`,
  list: `with pgrst_source as (
      select ${columns} from "hand"."contacts" order by "hand"."contacts"."id" desc limit $1 offset $2
    ) ${reply(ARRAY)}`,
  create: `with pgrst_source as (
      insert into "hand"."contacts" (${contact.names}) select ${contact.names} from ${contact.source}
      returning "hand"."contacts"."id"
    ) ${reply(OBJECT)}`,
  lead: `with pgrst_source as (
      select pgrst_call.* from ${bodyAs(LEAD_FIELDS).source},
        lateral "hand"."take_lead"(${leadArguments}) pgrst_call
    ) ${reply(OBJECT)}`,
};
