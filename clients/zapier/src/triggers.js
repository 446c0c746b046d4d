import { createHmac, timingSafeEqual } from "node:crypto";
import { call } from "./call.js";

const WEBHOOKS = "/api-v1-webhooks";
const DAY = 24 * 60 * 60 * 1000;

/** A trigger that subscribes to one type of event while its Zap is on. */
export function triggerOf({ event, sample, ...about }, texts) {
  return {
    ...about,
    operation: {
      type: "hook",
      performSubscribe: (z, bundle) =>
        call(z, bundle, "POST", WEBHOOKS, { body: { event_types: [event], target_url: bundle.targetUrl } }),
      async performUnsubscribe(z, bundle) {
        await call(z, bundle, "DELETE", `${WEBHOOKS}/${bundle.subscribeData.id}`);
        return {};
      },
      perform: (z, bundle) => eventsOf(z, bundle, texts.unsigned),
      performList: (z, bundle) => latestEvents(z, bundle, event),
      sample,
    },
  };
}

/** The event of a delivery, in the form of `GET /api-v1-events`; none for a test, because its data is made up. */
function eventsOf(z, { rawRequest, subscribeData }, unsigned) {
  if (!isSigned(rawRequest, subscribeData.secret)) throw new z.errors.Error(unsigned, "invalid_signature");
  const { event_id, delivery_id: _, test, ...event } = JSON.parse(rawRequest.content);
  return test ? [] : [{ id: event_id, ...event }];
}

/**
 * Whether a delivery is signed with the subscription's secret. A delivery of any age is accepted, because Zapier may
 * hold deliveries back and replay them.
 */
function isSigned({ headers, content }, secret) {
  // Zapier puts Http- before the names of the headers that it received.
  const known = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase().replace(/^http-/, ""), value]),
  );
  const digest = createHmac("sha256", secret).update(`${known["x-service-timestamp"]}.${content}`).digest(
    "hex",
  );
  const [expected, given] = [`sha256=${digest}`, known["x-service-signature"] ?? ""].map((text) =>
    Buffer.from(text)
  );
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Events for setting up a Zap, newest first. The API lists the oldest first, so the first call asks for one day. */
async function latestEvents(z, bundle, event) {
  for (const days of [1, 30]) {
    const since = new Date(Date.now() - days * DAY).toISOString();
    const { data } = await call(z, bundle, "GET", "/api-v1-events", {
      params: { event_types: event, since, limit: 200 },
    });
    // The data of an erased person is null.
    const events = data.filter((event) => event.data !== null);
    if (events.length > 0) return events.slice(-10).reverse();
  }
  return [];
}
