import { type Part, rule } from "./rule.ts";

/** Part 3: the states of records, and what ends them: closing, archiving, merging, erasing. */
export const states: Part = {
  part: "3",
  title: "States and transitions",
  rules: [
    rule(
      "POST leads: a new deal is aberto; lead.received and deal.created",
      "POST /api-v1-leads creates company, contact and deal and reports which",
      "Every event that the API causes is delivered as the OpenAPI document says",
    ),
    rule(
      "move-stage, whatever the status: deal.stage_changed",
      "… moves a deal to another stage, open or closed, and emits the previous stage",
    ),
    rule(
      "win: an open deal becomes ganho, deal.won",
      "POST win marks an open deal won, with its final amounts, once",
    ),
    rule(
      "lose: an open deal becomes perdido, deal.lost",
      "POST lose marks an open deal lost, with a reason and a note, once",
    ),
    rule(
      "win or lose on a closed deal: unchanged, no event",
      "POST win and lose on a closed deal name in X-Ignored-Fields what they did not apply, and nothing on a repeated call",
      "POST win on a lost deal and lose on a won one change nothing, whichever way it was closed",
      "simultaneous wins emit one deal.won; of simultaneous wins and losses only one takes effect",
    ),
    rule(
      "the 5th failed attempt: delivery failed for good, subscription inactive",
      "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
      "16 fifth failures at the same time deactivate the subscription exactly once",
    ),
    rule(
      "DELETE of a subscription: inactive, history kept, 204",
      "DELETE /api-v1-webhooks/:id deactivates, once or twice, and keeps the history",
    ),
    rule(
      "decided here: its key is revoked: inactive, history kept",
      "key revoke ends the active subscriptions that the key made, and names them",
      "A subscription that ended with its key gets no more deliveries",
    ),
    rule(
      "an event that cannot be recorded does not change the answer",
      "An event that cannot be recorded never changes the answer",
    ),
    rule(
      "decided here: merging contacts and companies",
      "The fields of the contact that stays win, and the other one fills those that are empty",
      "A contact keeps its own external_id, and nobody gets that of the one merged into it",
      "custom_fields are filled as far as their limits allow",
      "A merge moves deals, activities, receipts and earlier merges to the contact that stays, and tells of each once",
      "A merge of companies moves contacts, deals and receipts, and fills the empty fields",
      "A merge leaves no row that refers to what was merged, in any table",
      "POST …/:id/merge refuses itself, what is unknown and what was merged, and names it",
      "POST …/:id/merge answers with the … when it is repeated, and changes nothing",
      "What was merged cannot be referred to, and a record that refers to it already can be sent back",
      "Opposite merges at the same time: one takes effect, and none waits for the other for good",
      "What is created on a contact while it is merged ends on the one that stays, or is refused",
      "Contacts and their company are merged at the same time: both succeed, and none keeps a company that was merged",
    ),
    rule(
      "decided here: who looks for a record that was merged finds the one that stays",
      "A lead with the e-mail of a merged contact is of the one that stays, which keeps its own e-mail, however often it was merged",
      "A lead with the phone and first name of a merged contact is of the one that stays, unless an e-mail contradicts",
      "A lead finds a contact in use before one that was merged",
      "A lead with the name of a merged company is of the one that stays",
      "A lead makes a new contact and company where those into which the known ones were merged are archived or erased",
      "POST … with the value of a merged record changes the one that stays, which keeps its own value",
      "POST … with a value that was merged into several records answers ambiguous_match with the id of each",
      "Leads and upserts with the values of records that are merged at the same time make no new ones",
    ),
    rule(
      "decided here: archiving contacts, companies and deals",
      "POST …/:id/archive archives once, and restore takes the record back as it was",
      "…: an archived record is changed and referred to as one in use, and an unknown one is not_found",
    ),
    rule(
      "decided here: erasing contacts",
      "An erased contact is erased wherever the database has it, and a search of every column finds the person no more",
      "An erasure answers with the moment, is told of by the id alone, and does nothing more when it is repeated",
      "Without texts, an erasure replaces what names the person in titles and short fields, and leaves what was written",
      "A lead of an erased person is a new contact, and a new deal of an erased contact is refused",
      "An erased contact can be read and archived, and nothing else: it is never changed, restored or merged",
      "Leads and changes while their contact is erased leave nothing of the person behind",
      "A lead whose deal was given another contact is erased with the person who sent it, and what is written about the deal stays",
      "With texts, an erasure replaces titles that have an old name of the contact",
      "With texts, an erasure clears a source and utm values of the person's own deals that have a single name of it",
      "An erasure finds the person by the contact's own external_id, and in addresses that are URL-encoded",
      "An erasure forgets no Idempotency-Key of others, however short the name of the person is",
      "The stored reply of a batch with errors is replayed after an erasure, without the field names that mention the person",
    ),
    rule(
      "decided here: reopening, closing by PATCH",
      "PATCH status aberto reopens a closed deal and clears how it was closed; it can be closed again",
      "PATCH refuses to close a deal and names the action, but accepts a closed deal as it was read",
    ),
  ],
};
