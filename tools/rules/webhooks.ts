import { type Part, rule } from "./rule.ts";

/** Part 4.5: what the endpoints of webhooks take and answer. */
export const webhooks: Part = {
  part: "4.5",
  title: "Webhooks",
  rules: [
    rule(
      "list: without secret, newest first, not paginated",
      "GET /api-v1-webhooks lists the newest first, inactive ones included",
      "GET /api-v1-webhooks lists 500 at most: all that are active, then the newest of the others",
    ),
    rule("POST: 201 with the secret", "POST /api-v1-webhooks subscribes and shows the secret, once"),
    rule(
      "POST: invalid_event_type, invalid_target_url, validation_error",
      "POST /api-v1-webhooks answers invalid_event_type to an event outside the catalog",
      "POST /api-v1-webhooks answers invalid_target_url to a target that is not https and public",
      "POST /api-v1-webhooks answers validation_error to any other mistake, naming every field",
    ),
    rule(
      "DELETE: 204, history kept",
      "DELETE /api-v1-webhooks/:id deactivates, once or twice, and keeps the history",
    ),
    rule(
      "DELETE of an unknown subscription, or of another workspace's: 404",
      "DELETE /api-v1-webhooks/:id answers not_found where there is none, or it is another's",
    ),
    rule(
      "decided here: what happened to each event",
      "GET /api-v1-webhooks/:id shows a subscription, the key that made it and the outcomes of 7 days",
      "GET /api-v1-webhooks/:id/deliveries shows what happened to each event, and one delivery its attempts, body and headers",
      "GET /api-v1-webhooks/:id/deliveries lists each delivery once, newest event first, by state, event, since and until",
      "A pending delivery is shown as held while its subscription is inactive",
      "A filter that matches none of the newest thousands of deliveries gives an empty page with a cursor, and the pages together are all that match",
      "A delivery is reached through its own subscription alone",
    ),
    rule(
      "decided here: why a subscription is inactive, and what becomes of what waits",
      "A deleted subscription says so, and what waited for it is cancelled and never sent",
      "DELETE after five failures cancels what was held",
      "POST …/reactivate sends what waited, once, and names the key that made the subscription if it is revoked",
    ),
    rule(
      "decided here: recovery",
      "After a receiver was off through all five attempts: reactivate, recover, and every event arrives once, in the order in which they occurred",
      "POST …/recover takes the events of its window that were not delivered, of the subscription's types, and no test",
      "Two recoveries at the same time queue each event once",
      "POST …/recover queues 20,000 events at most, says where to go on, and repeated calls queue all of them",
    ),
    rule(
      "decided here: test, redeliver, rotate",
      "POST …/test sends a test event of the given type, signed, and marked as a test",
      "POST …/redeliver sends the same delivery again, and repeating the call adds no attempt while it is under way",
      "POST …/rotate-secret with an overlap leaves the old secret signing, and a repeated call replaces only the new one",
    ),
    rule(
      "decided here: 50 active subscriptions, 500 made in 30 days",
      "A workspace has 50 active subscriptions at most, and makes 500 in 30 days",
    ),
    rule(
      "addresses that are not live: 404",
      "addresses that are announced but not live answer 404 not_found, any method, with or without a key",
    ),
  ],
};
