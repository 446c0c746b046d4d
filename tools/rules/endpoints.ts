import { leads } from "./leads.ts";
import { lists } from "./lists.ts";
import { type Part, rule } from "./rule.ts";
import { webhooks } from "./webhooks.ts";
import { idempotency, upsertsAndBatches } from "./writes.ts";

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
        "query parameters that are unknown or repeated: refused by name on lists with filters and upserts, ignored elsewhere",
        "Only lists and upserts have query parameters: a mistyped one would return every record, or match by another field",
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
  lists,
  idempotency,
  upsertsAndBatches,
  leads,
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
        "decided here: a phone number is found by any spelling, in E.164",
        "GET /api-v1-contacts filters by phone in any spelling, and needs a digit",
        "crm.e164 reads the spellings of a phone number as one, and no two numbers as the same",
      ),
      rule(
        "decided here: q searches contacts, companies and deals by words in any order, accents and case aside",
        "q finds contacts by words of any field that names them, in any order, without regard to accents and case",
        "q finds a name with an apostrophe however that is typed, in the name and in the search",
        "q finds a phone number in any spelling, in each of the phone fields",
        "q takes %, _ and a backslash as they are",
        "q and every other filter of the list apply together, and its pages are walked by cursor",
        "q finds nothing of another workspace",
        "the pages of a search are together the contacts that have its words, however few rows a page looks through, " +
          "and whichever of them the index has",
        "q finds what a transaction wrote as soon as it commits, however late, though the job ran meanwhile",
        "q finds what was changed, merged and deleted as it is, before the job and after it",
        "An import of more than the job and a search look at is found, page by page, and in the end is in the index",
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
        "decided here: deals by when they were closed, and their sums",
        "GET /api-v1-deals lists what was won or lost in a period, by closed_since and closed_until",
        "GET /api-v1-deals/summary counts and adds up what the list with the same filters has",
        "GET /api-v1-deals/summary adds up money to the last decimal",
        "GET /api-v1-deals/summary has the filters of the list and no page, and no deal of another workspace",
        "GET /api-v1-deals/summary looks through 50,000 deals at most, and says so where they are not enough",
      ),
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
