import { type Part, rule } from "./rule.ts";

/** Part 4.1: what POST leads takes and answers. */
export const leads: Part = {
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
      "POST /api-v1-leads reuses a contact by e-mail, else by its phone in any spelling and the first name",
      "POST /api-v1-leads fills in a reused contact where it is empty and never overwrites",
      "50 simultaneous leads with one e-mail make one contact",
      "50 simultaneous leads of one company make one company",
    ),
    rule(
      "decided here: by phone only where the first name is the same and no e-mail contradicts; nothing archived",
      "POST /api-v1-leads reuses a contact by e-mail, else by its phone in any spelling and the first name",
      "POST /api-v1-leads … … by phone for the first name …",
      "POST /api-v1-leads never writes the e-mail of a contact that it finds by phone",
      "POST /api-v1-leads reuses no archived contact and no archived company",
      "POST /api-v1-leads looks at the hundred oldest contacts of a phone",
    ),
    rule(
      "decided here: what was typed is kept, and the reply says how a contact was found and in what it differs",
      "A lead's deal is titled by what was typed, which its detail, lead.received and the feed show for good",
      "A deal that no lead created has no lead in its detail, and PATCH cannot give it one",
      "POST /api-v1-leads names the fields whose value the reused contact does not have",
    ),
    rule(
      "decided here: an Idempotency-Key comes before external_id",
      "An Idempotency-Key of a lead is looked at before its external_id, and answers what it answered",
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
};
