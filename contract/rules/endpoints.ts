import { type Part, rule } from "./rule.ts";
import { webhooks } from "./webhooks.ts";

/** Part 4: what the endpoints take and answer. */
export const endpoints: readonly Part[] = [
  {
    part: "4",
    title: "Endpoints",
    rules: [
      rule(
        "the paths, their methods and scopes",
        "The endpoints are those of the contract, each with its scope",
      ),
      rule("any other method: 405", "/…… answers 405 to … and allows …"),
      rule(
        "any other path: 404",
        "/…: an unknown path answers 404 not_found, after the credential is checked",
      ),
      rule(
        "query parameters that are unknown or repeated: refused by name on lists with filters, ignored elsewhere",
        "Only lists have query parameters: a filter that is mistyped would return every record",
        "… answers 422 to an unknown or repeated query parameter and names it",
        "… ignores query parameters, even repeated ones and those that could not be stored",
        "… ignores forceFunctionRegion, a parameter of the platform",
      ),
      rule(
        "decided here: OPTIONS, and PATCH /api-v1-activities without an id, are 405",
        "/…… answers 405 to … and allows …",
      ),
    ],
  },
  {
    part: "4.0",
    title: "Lists",
    rules: [
      rule(
        "data, and meta with next_cursor and has_more; null on the last page",
        "Replies of pipelines and webhooks are not paginated; those of every other list have data and meta, of events with a cursor on the last page too",
        "GET … lists every record exactly once, newest first, also while others are created",
        "GET /api-v1-activities lists every row exactly once, while others are being inserted",
        "GET /api-v1-notes lists every note exactly once, while others are being written",
      ),
      rule(
        "limit: 50, at most 200; any larger integer is 200",
        "GET … lists 50 records, or as many as limit says, never more than 200",
      ),
      rule(
        "a page may have fewer records than limit, even none, and has_more true: at 2,000,000 bytes of data, or after the rows that one call looks through",
        "GET /api-v1-…: a page of long records ends before 2,000,000 bytes, and every record is listed once",
        "GET /api-v1-contacts: a page whose filters match none of the newest rows ends early, and the pages together are the list",
        "the pages of … are together what the filters say, however few rows a page looks through",
      ),
      rule(
        "cursor: next_cursor; a value that is not a UUID is 422 invalid_cursor",
        "GET … accepts any UUID as cursor and refuses anything else",
      ),
      rule(
        "decided here: the feed of events, oldest first, whose next_cursor is never null",
        "GET /api-v1-events lists what happened, oldest first, with the object as it is now",
        "GET /api-v1-events pages by next_cursor, which is never null: each event is listed once, and what happens later follows",
        "GET /api-v1-events lists the events of one transaction in the order in which they happened",
        "GET /api-v1-events: an event whose transaction began first and commits last is not stepped over",
        "GET /api-v1-events filters by event_types, object_id and since, alone and together",
        "GET /api-v1-events looks at 5,000 events at most: a page may be empty, and the next ones have what is asked for",
        "GET /api-v1-events shows no event of another workspace, whoever's cursor or object is sent",
      ),
      rule(
        "since",
        "GET … with since lists records created then or later, with updated_since those changed",
        "GET /api-v1-activities: since is a bound on created_at, updated_since on updated_at",
        "GET /api-v1-notes lists the notes of that deal, by kind and since",
      ),
      rule(
        "ISO 8601: every common form of it",
        "A datetime of a query is read in whatever form it is sent, or named as invalid",
        "Every common form of ISO 8601 is read as its moment in UTC, and every other text is refused",
        "A moment that is written in any form is read as the same moment",
        "A long text is refused at once, whatever it holds",
      ),
      rule(
        "pipelines and webhooks are not paginated",
        "Replies of pipelines and webhooks are not paginated; those of every other list have data and meta, of events with a cursor on the last page too",
      ),
    ],
  },
  {
    part: "4.0.1",
    title: "Idempotency-Key",
    rules: [
      rule(
        "on the creating POSTs of deals, contacts, companies, activities, notes",
        "Idempotency-Key is honoured by the creating POSTs of deals, contacts, companies, activities and notes",
      ),
      rule(
        "1. outside 1-255 characters: 400, before anything that the body says",
        "… refuses an Idempotency-Key outside 1-255 characters",
      ),
      rule(
        "2. same key and body: 200, the original reply, no event",
        "… answers the same key and body with 200 and the original reply, and creates nothing",
        "… treats bodies as the same whatever the order of their keys and their white space",
      ),
      rule(
        "3. another body or resource: 422",
        "… refuses a key that was used with another body or on another resource",
      ),
      rule(
        "1 to 4 come after the gate's errors and before validation",
        "… compares the body with that of the Idempotency-Key before it validates it",
        "…: scope and rate limit come before the Idempotency-Key",
      ),
      rule(
        "4. still being processed: 409",
        "… answers 409 while the original is being processed, and the original reply afterwards",
        "…: of 64 simultaneous equal calls one creates, the rest are answered 200 or 409",
      ),
      rule(
        "5. remembered 24 hours",
        "… remembers an Idempotency-Key for 24 hours, and treats it as new afterwards",
      ),
      rule(
        "decided here: a key is remembered for its workspace, whichever API key sent it",
        "…: the API keys of one workspace share Idempotency-Keys, those of another do not",
      ),
      rule(
        "6. without the header, a new record every time",
        "… without Idempotency-Key creates a new record every time",
      ),
    ],
  },
  {
    part: "4.1",
    title: "POST leads",
    rules: [
      rule(
        "201 for a new lead; 200 with the original ids for a known external_id, no second deal, no event",
        "POST /api-v1-leads creates company, contact and deal and reports which",
        "POST /api-v1-leads with a known external_id answers 200 with the ids of the original",
        "50 simultaneous leads with one external_id make one deal, and 49 answers say idempotent",
      ),
      rule(
        "without external_id, a new lead every time",
        "POST /api-v1-leads without external_id creates a new deal every time",
      ),
      rule(
        "company and contact are reused",
        "POST /api-v1-leads reuses a company by name, whatever its case and surrounding space",
        "POST /api-v1-leads reuses a contact by e-mail, else by the digits of its phone",
        "POST /api-v1-leads fills in a reused contact where it is empty and never overwrites",
        "50 simultaneous leads with one e-mail make one contact",
        "50 simultaneous leads of one company make one company",
      ),
      rule(
        "owner: given, else the key's creator, else the oldest admin or gestor, else 422",
        "POST /api-v1-leads: the owner is the one given, else the key's creator, else the oldest admin or gestor",
      ),
      rule(
        "its errors",
        "… answers 400 … for a body that is missing or no JSON object",
        "POST /api-v1-leads reports every wrong field at once",
        "POST /api-v1-leads: pipeline and stage are looked for in the workspace, active ones only",
        "POST /api-v1-leads: the owner is the one given, else the key's creator, else the oldest admin or gestor",
        "POST /api-v1-leads that is refused writes nothing",
      ),
    ],
  },
  {
    part: "4.2",
    title: "Contacts",
    rules: [
      rule(
        "list: email, company_id, since, limit, cursor",
        "GET /api-v1-contacts filters by email in any case and by company_id, alone and together",
        "GET … lists every record exactly once, newest first, also while others are created",
        "GET … with since lists records created then or later, with updated_since those changed",
      ),
      rule(
        "detail, or 404",
        "POST /api-v1-contacts answers 201 with the id alone, and every field is read as it was written",
        "…: a record of another workspace answers 404 exactly as an unknown id",
      ),
      rule(
        "POST: 201 with the id; contact.created",
        "POST /api-v1-contacts answers 201 with the id alone, and every field is read as it was written",
        "Every event that the API causes is delivered as the OpenAPI document says",
      ),
      rule(
        "PATCH: every field optional; 200 with the whole contact",
        "PATCH /api-v1-contacts answers with the whole contact",
        "PATCH … clears fields that are null, keeps fields that are not sent, and cannot clear …",
      ),
      rule(
        "its errors",
        "… answers invalid_reference to a … of another workspace as to an unknown id",
        "A contact's owner is the one given, else the key's creator, else the oldest admin or gestor",
        "POST /api-v1-contacts without a name, or with null for one, is a validation_error",
        "Whatever is wrong with a call, the answer's status, code and headers are in the OpenAPI document",
      ),
    ],
  },
  {
    part: "4.3",
    title: "Notes",
    rules: [
      rule(
        "list: deal_id required; kind, since, limit, cursor",
        "GET /api-v1-notes needs deal_id and refuses wrong filters",
        "GET /api-v1-notes lists the notes of that deal, by kind and since",
      ),
      rule(
        "isolation is checked through the deal; decided here: an unknown deal_id gives an empty page",
        "GET /api-v1-notes answers for a deal of another workspace as for one that does not exist",
        "GET /api-v1-notes/:id answers 404 for a note of another workspace's deal as for none",
      ),
      rule(
        "detail, or 404",
        "POST /api-v1-notes answers 201 with the whole note, which GET and the list return again",
        "GET /api-v1-notes/:id answers 404 for a note of another workspace's deal as for none",
      ),
      rule(
        "POST: 201 with the whole note",
        "POST /api-v1-notes answers 201 with the whole note, which GET and the list return again",
      ),
      rule(
        "its errors",
        "POST /api-v1-notes refuses a deal of another workspace as one that does not exist",
        "POST /api-v1-notes: the author is the creator of the key, and never another member once that one is inactive",
        "POST /api-v1-notes names each field outside its limits",
        "Whatever is wrong with a call, the answer's status, code and headers are in the OpenAPI document",
      ),
    ],
  },
  {
    part: "4.4",
    title: "GET pipelines",
    rules: [
      rule(
        "active ones, oldest first, stages by position; not paginated",
        "GET /api-v1-pipelines lists the active pipelines, oldest first, with every stage by position",
      ),
      rule(
        "its errors",
        "Whatever is wrong with a call, the answer's status, code and headers are in the OpenAPI document",
      ),
    ],
  },
  webhooks,
  {
    part: "4.6",
    title: "Deals, activities, companies",
    rules: [
      rule(
        "deals: list with filters, detail with contact, company and last activity",
        "GET /api-v1-deals filters by each of its parameters, alone and together",
        "GET /api-v1-deals/<uuid> adds contact, company and the activity created last, null where there is none",
      ),
      rule(
        "deals: create, update",
        "POST /api-v1-deals answers 201 with the whole deal, every field as it was written",
        "PATCH … clears fields that are null, keeps fields that are not sent, and cannot clear …",
        "POST /api-v1-deals puts the deal in the default pipeline's first active stage, or in the given one",
      ),
      rule(
        "deals: move-stage, win, lose",
        "… moves a deal to another stage, open or closed, and emits the previous stage",
        "… moves a deal to a stage of another pipeline only where the pipeline is given",
        "… refuses a stage or pipeline that is inactive or not of the workspace",
        "POST win marks an open deal won, with its final amounts, once",
        "POST lose marks an open deal lost, with a reason and a note, once",
      ),
      rule(
        "activities: POST requires deal_id; list, detail, PATCH",
        "POST /api-v1-activities needs only deal_id and fills in the rest",
        "GET /api-v1-activities filters by each field alone and by several together",
        "PATCH /api-v1-activities keeps what is not sent and clears what is sent as null",
      ),
      rule(
        "companies: list, detail, POST, PATCH",
        "GET /api-v1-companies filters by name in any case, domain, tax_id in any spelling and owner_id",
        "POST /api-v1-companies answers 201 with the whole company, every field as it was written",
        "PATCH /api-v1-companies answers with the whole company and replaces an address as a whole",
      ),
    ],
  },
];
