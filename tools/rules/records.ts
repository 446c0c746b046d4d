import { type Part, rule } from "./rule.ts";
import { states } from "./states.ts";

/** Parts 1 to 3: conventions, fields, states (states.ts). */
export const records: readonly Part[] = [
  {
    part: "1",
    title: "What the service does",
    rules: [
      rule(
        "bodies are JSON",
        "Every reply is JSON, and a 204 has no body",
        "… answers 400 … for a body that is missing or no JSON object",
        "A body is read as JSON whatever its Content-Type",
      ),
      rule(
        "data is isolated per workspace",
        "A list contains only records of its key's workspace",
        "…: a record of another workspace answers 404 exactly as an unknown id",
        "… answers invalid_reference to a … of another workspace as to an unknown id",
        "every table of crm has row-level security enabled and forced",
        "every table with workspace_id has exactly one policy, for the roles of verbs, with USING and WITH CHECK on its workspace",
        "crm_api cannot read keys, rate limits, remembered replies, secrets or the queue",
        "each role may execute exactly the functions that are called as it, and the public none",
        "every function, called as each role, is refused where it is not that role's",
        "each role may read, insert and update exactly the tables that it uses, and delete nothing",
        "crm_api cannot forge an event of another workspace, or one that no write has brought about",
        "crm_api cannot read, plant or erase a stored reply",
        "crm_api cannot fill or empty the limit of a key, or learn whose key it is",
        "crm_functions cannot become another role",
        "crm_functions reads and writes no table of ours, whatever the current workspace is",
        "whatever is sent, no operation answers 5xx, breaks its schema or reveals another workspace (seed …)",
      ),
      rule(
        "each resource is one function under the base address",
        "Every resource is one function, with the API's version in its name",
        "A function sees its own name first, the query, the method and the body",
      ),
      rule(
        "names are snake_case; error texts Portuguese",
        "Every field, parameter and error code is snake_case, every text of an error a sentence without a full stop",
      ),
      rule(
        "datetimes are UTC with milliseconds and `Z`, dates are `YYYY-MM-DD`",
        "Every moment in a reply is UTC with milliseconds and Z, whatever offset it was sent with; a date is a date",
        "A datetime of a body is stored as its moment, in whatever form it is sent, or named as invalid",
      ),
      rule(
        "money is a JSON number, kept as it was sent",
        "Money of a deal comes back as it was sent",
        "POST /api-v1-leads keeps money to the last decimal",
      ),
    ],
  },
  {
    part: "2.1",
    title: "Contact",
    rules: [
      rule(
        "every field is kept; id, workspace_id and times are the service's",
        "POST /api-v1-contacts answers 201 with the id alone, and every field is read as it was written",
      ),
      rule(
        "name of 1-255; notes up to 10,000; custom_fields of 50 keys and 10 KB; other limits",
        "… takes … within its limits and names it outside of them",
        "Phone numbers and lines of a contact may have 255 characters, its addresses 2,048",
        "POST /api-v1-contacts without a name, or with null for one, is a validation_error",
      ),
      rule(
        "email is stored in lower case",
        "POST /api-v1-contacts answers 201 with the id alone, and every field is read as it was written",
        "GET /api-v1-contacts filters by email in any case and by company_id, alone and together",
      ),
      rule(
        "company_id must be of the workspace",
        "… answers invalid_reference to a … of another workspace as to an unknown id",
      ),
      rule(
        "owner_id is resolved when absent",
        "A contact's owner is the one given, else the key's creator, else the oldest admin or gestor",
      ),
    ],
  },
  {
    part: "2.2",
    title: "Note",
    rules: [
      rule(
        "every field",
        "POST /api-v1-notes answers 201 with the whole note, which GET and the list return again",
      ),
      rule(
        "a note belongs to a deal of the workspace",
        "POST /api-v1-notes refuses a deal of another workspace as one that does not exist",
      ),
      rule(
        "body of 1-10,000 characters, as it was sent",
        "POST /api-v1-notes names each field outside its limits",
        "POST /api-v1-notes keeps the body as it was sent",
      ),
      rule(
        "kind is note or observation, note by default",
        "POST /api-v1-notes: kind is note unless the body sets it",
        "POST /api-v1-notes names each field outside its limits",
      ),
      rule(
        "source is always integration; neither it nor the author can be chosen",
        "POST /api-v1-notes: author and source cannot be chosen, and the reply names the ignored fields",
      ),
      rule(
        "the author is the creator of the key; once inactive, 422 no_author_available",
        "POST /api-v1-notes: the author is the creator of the key, and never another member once that one is inactive",
      ),
      rule("no PATCH, no DELETE", "notes can be neither changed nor removed"),
    ],
  },
  {
    part: "2.3",
    title: "Lead request",
    rules: [
      rule(
        "each field's type and limit",
        "POST /api-v1-leads takes … within its limits and names it outside of them",
        "A value of utm may be as long as a web address, and the lead's own limits stay",
      ),
      rule("email in lower case", "POST /api-v1-leads creates company, contact and deal and reports which"),
      rule(
        "last_name is optional, empty by default",
        "POST /api-v1-leads creates company, contact and deal and reports which",
        "POST /api-v1-leads takes … within its limits and names it outside of them",
      ),
      rule(
        "company_name creates or associates the company",
        "POST /api-v1-leads creates company, contact and deal and reports which",
        "POST /api-v1-leads reuses a company by name, whatever its case and surrounding space",
      ),
      rule(
        "pipeline_id, stage_id: the default, the first",
        "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
      ),
      rule(
        "utm_* at the root are regrouped into utm",
        "POST /api-v1-leads regroups utm_* keys of the root into utm, where the explicit one wins",
      ),
    ],
  },
  {
    part: "2.4",
    title: "Lead result",
    rules: [
      rule(
        "lead, idempotent, created",
        "POST /api-v1-leads creates company, contact and deal and reports which",
      ),
      rule(
        "company_id is null without company_name",
        "POST /api-v1-leads without company_name has no company",
      ),
      rule(
        "idempotent and created report a known external_id",
        "POST /api-v1-leads with a known external_id answers 200 with the ids of the original",
      ),
    ],
  },
  {
    part: "2.5",
    title: "Pipeline and stage",
    rules: [
      rule(
        "the fields of a pipeline and of a stage",
        "GET /api-v1-pipelines lists the active pipelines, oldest first, with every stage by position",
        "Every request example of the OpenAPI document is answered with the status that it declares",
      ),
    ],
  },
  {
    part: "2.6",
    title: "Webhook subscription",
    rules: [
      rule(
        "event_types: of the catalog, at least one",
        "POST /api-v1-webhooks accepts every event of the catalogue, and the database has the same ones",
        "POST /api-v1-webhooks answers invalid_event_type to an event outside the catalog",
        "POST /api-v1-webhooks answers validation_error to any other mistake, naming every field",
      ),
      rule(
        "target_url: https, public, 1-2048 characters",
        "POST /api-v1-webhooks answers invalid_target_url to a target that is not https and public",
        "POST /api-v1-webhooks takes a target of 2048 characters and no more",
        "A target must be https",
        "A target is refused for every spelling of loopback",
        "A target is refused for private, link-local and metadata addresses",
        "POST /api-v1-webhooks accepts a target whose name is reserved and never resolves",
        "A target may have a reserved name that never resolves: .test, .example and .invalid are no private names",
        "A target is refused for names that private networks use",
        "A target is refused at every address of the project that runs the service",
        "A target that is no longer allowed is refused at the attempt, before its name is resolved",
      ),
      rule(
        "secret: in the creation reply alone",
        "POST /api-v1-webhooks subscribes and shows the secret, once",
        "GET /api-v1-webhooks lists the newest first, inactive ones included",
        "A secret is stored encrypted, and the role of the API cannot read it",
        "Sealed secrets that were swapped between two subscriptions open for neither: nothing is sent",
      ),
      rule(
        "is_active, failure_count, last_success_at, last_failure_at",
        "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
        "A retry that succeeds ends the delivery, and resets failure_count",
      ),
    ],
  },
  {
    part: "2.7",
    title: "Fields that the contract does not list: decided here",
    rules: [
      rule("deal", "POST /api-v1-deals answers 201 with the whole deal, every field as it was written"),
      rule(
        "activity",
        "POST /api-v1-activities answers 201 with the whole record, which GET and the list return again",
        "POST and PATCH /api-v1-activities take … within its limits and name it outside of them",
      ),
      rule(
        "company",
        "POST /api-v1-companies answers 201 with the whole company, every field as it was written",
      ),
    ],
  },
  states,
];
