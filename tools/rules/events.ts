import { type Part, rule } from "./rule.ts";

/** Part 6: events and their delivery. */
export const events: readonly Part[] = [
  {
    part: "6.1",
    title: "Event catalog",
    rules: [
      rule(
        "the 12 events",
        "The event catalog has the contract's 12 events",
        "POST /api-v1-webhooks accepts every event of the catalogue, and the database has the same ones",
      ),
      rule(
        "deal.stage_changed, deal.won, deal.lost",
        "Stage changes, wins and losses are delivered, with the deal's previous stage",
        "Writes of the application set the same timestamps of a deal and emit the same events as the API",
      ),
      rule(
        "deal.stale: no movement for N days, checked hourly; N is the workspace's",
        "deal.stale is emitted once for each period without movement, after as many days as the workspace sets",
        "A stage change, a PATCH, a note and an activity, new or changed, are movement",
        "A closed deal is not stale; a reopened one starts a new period without movement",
        "deal.stale and activity.overdue are delivered, signed, with the object and their facts",
      ),
      rule(
        "activity.created, with deal_id and is_online_meeting",
        "an activity emits activity.created once, with its deal and whether it is an online meeting",
      ),
      rule(
        "activity.overdue: past its due date without completion",
        "activity.overdue is emitted once for each due date that passes",
        "An activity that is done, cancelled or without a due date is never overdue",
        "Eight simultaneous runs of the jobs report each deal and activity once",
      ),
      rule(
        "proposal.viewed: first opened by its recipient",
        "GET of a proposal's link shows it without a key, and the first time emits proposal.viewed",
        "Twenty simultaneous first views of a proposal emit one proposal.viewed",
        "A link answers 405 to any other method, and HEAD does not count as a view",
      ),
      rule(
        "proposal.accepted, proposal.rejected: by the public link",
        "POST … answers a proposal for good: a repeat is idempotent, the opposite answer is proposal_closed",
        "A proposal's answer is delivered as proposal.accepted, signed, with the proposal",
        "Of simultaneous acceptances and rejections of a proposal only one takes effect",
      ),
      rule(
        "decided here: the public link",
        "POST reject stores the reason, and refuses an invalid one",
        "A proposal that expired before it was answered is 410 proposal_expired, and emits nothing",
        "An unknown token, that of a draft, and one that a later sending replaced answer 404",
        "A link admits 60 calls a minute, then answers 429 with Retry-After; each link is counted separately",
        "The database stores only a hash of a link's token, which the role of the API cannot read",
      ),
      rule(
        "deal.created, contact.created, also by a lead; not on a replay",
        "Every event that the API causes is delivered as the OpenAPI document says",
        "A lead that creates its contact emits contact.created too, and one that reuses it does not",
        "… answers the same key and body with 200 and the original reply, and creates nothing",
      ),
      rule(
        "lead.received; not for a known external_id",
        "A lead is delivered at once, signed, with the lead, its contact and its company",
        "POST /api-v1-leads with a known external_id answers 200 with the ids of the original",
      ),
      rule(
        "decided here: contact.updated, company.updated, deal.updated, activity.updated, with changed_fields",
        "PATCH emits the record's update with exactly the fields that changed, once",
        "A new stage, a win and a reopening are deal.updated beside their own event, each once",
        "A lead that fills in empty fields of a contact that it reuses emits contact.updated with them",
        "A new activity changes its deal's last_activity_at, a note or the jobs change no field that a client sees",
        "One statement on many rows emits one event a row; one in the transaction of the creation is not missed",
        "An event has the position of its transaction, and the special event of a write comes before its update",
      ),
      rule(
        "decided here: deal.reopened, activity.completed",
        "A write of the application that reopens a deal emits deal.reopened, with the loss that it clears",
        "activity.completed is emitted when an activity becomes concluida, also at its creation, and not by later edits",
      ),
      rule(
        "decided here: company.created, note.created",
        "Every event of the catalogue arrives at its receiver, signed, as the OpenAPI document says",
      ),
      rule(
        "decided here: contact.merged, contact.erased",
        "every event of the catalogue is emitted, and no other",
        "A merge moves deals, activities, receipts and earlier merges to the contact that stays, and tells of each once",
        "An erased contact is erased wherever the database has it, and a search of every column finds the person no more",
      ),
    ],
  },
  {
    part: "6.2",
    title: "Delivery body",
    rules: [
      rule(
        "every field; data is the object at delivery time",
        "Every event of the catalogue arrives at its receiver, signed, as the OpenAPI document says",
        "A lead is delivered at once, signed, with the lead, its contact and its company",
        "Stage changes, wins and losses are delivered, with the deal's previous stage",
      ),
      rule(
        "delivery_id is the same on every attempt",
        "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
        "A dispatcher that is killed loses nothing: the delivery is sent again under the same id",
      ),
    ],
  },
  {
    part: "6.3",
    title: "Delivery headers",
    rules: [
      rule(
        "the four headers",
        "A delivery has the four headers of spec 6.3 and the id of its event",
        "A lead is delivered at once, signed, with the lead, its contact and its company",
      ),
    ],
  },
  {
    part: "6.4",
    title: "Signature",
    rules: [
      rule(
        "hex HMAC-SHA256 of timestamp, dot, raw body",
        "The signature is the hex HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with the whole secret",
        "A lead is delivered at once, signed, with the lead, its contact and its company",
      ),
      rule(
        "a receiver recomputes it over the raw body, and compares in constant time",
        "The page of receivers: … accepts a genuine delivery and refuses every other",
      ),
    ],
  },
  {
    part: "6.5",
    title: "Success, retry, deactivation",
    rules: [
      rule(
        "1. 2xx alone is success; redirects are not followed; the body is not read",
        "A 2xx answer is a success, any other status a failure that names it",
        "A redirect is not followed and is a failure",
        "The response body is not read: an endless one costs nothing",
      ),
      rule(
        "2. attempts at once, after 30 s, 5 min, 30 min, 6 h",
        "The second attempt follows 30 to 31.5 s after the first in 99 of 100 deliveries, a later one within 2 s of its time",
        "Each wait is that of the contract, and at most 1 % longer",
        "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
      ),
      rule(
        "3. after the 5th, failed for good and inactive",
        "Five failed attempts: the spec's waits, one delivery id, then failed for good and inactive",
        "16 fifth failures at the same time deactivate the subscription exactly once",
      ),
      rule(
        "4. time-outs, decided here",
        "An attempt that hangs at any stage ends in time and names the stage",
      ),
      rule(
        "5. best effort; the last deliveries are shown",
        "An event that cannot be recorded never changes the answer",
        "delivery list shows the deliveries of an event, and delivery retry does not wait for its next attempt",
      ),
      rule(
        "decided here: sending again",
        "delivery redeliver sends a delivery again at once, under its id",
        "After five failures: reactivate, redeliver, and the same delivery arrives in an attempt of its own series",
        "A dispatcher that held a delivery before it was redelivered records nothing on the new series",
      ),
      rule(
        "decided here: a dispatcher that nothing wakes shows in the health check",
        "api-v1-health says that webhooks are degraded while a delivery is due for over a minute and nothing sends it",
      ),
      rule(
        "decided here: test events",
        "webhook test sends a signed event that a receiver can distinguish from a real one",
        "A test event can be sent of every event in the catalog",
        "The sample of every event has its schema and the fields of a real one",
      ),
      rule(
        "decided here: reactivation",
        "webhook reactivate makes waiting deliveries due at once, with a failure_count of 0",
        "16 reactivations while outcomes are recorded: no deadlock, and every waiting delivery is due",
      ),
      rule(
        "decided here: a new secret",
        "webhook rotate shows a new secret once, and all later deliveries are signed with it",
      ),
      rule(
        "decided here: a workspace that is suspended, or without the public API",
        "A workspace that … sends nothing, and goes on where it stopped once it is back",
      ),
    ],
  },
];
