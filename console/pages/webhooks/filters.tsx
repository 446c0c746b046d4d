import { useLocation } from "preact-iso/router";
import { href, queryOf } from "../../app/mod.ts";
import { Field, Select } from "../../components/mod.ts";
import { dayEnd, dayIn, dayStart } from "../../format/format.ts";
import { t } from "../../strings/strings.ts";
import type { Webhook } from "./records.ts";
import { eventText } from "./words.ts";

const STATES = ["delivered", "pending", "held", "failed", "cancelled"] as const;

/** The filter for deliveries, as in the address. An empty value shows all. */
export interface Filter {
  state: string;
  event: string;
  /** The first and the last day of the events: `2026-11-21`. */
  since: string;
  until: string;
}

export function filterOf(query: Record<string, string>): Filter {
  const { estado: state = "", evento: event = "", desde, ate } = query;
  return { state, event, since: dayIn(desde), until: dayIn(ate) };
}

export function deliveriesQuery(subscription_id: string, { state, event, since, until }: Filter): string {
  return queryOf({
    subscription_id,
    state,
    event,
    since: since && dayStart(since),
    until: until && dayEnd(until),
  });
}

/** The address of a webhook with a filtered list, and optionally an open delivery. */
export function webhookHref(id: string, { state, event, since, until }: Filter, delivery?: string): string {
  return href("webhooks/", {
    id,
    estado: state,
    evento: event,
    desde: since,
    ate: until,
    entrega: delivery,
  });
}

export function Filters({ webhook, filter }: { webhook: Webhook; filter: Filter }) {
  const { route } = useLocation();
  const choose = (changed: Partial<Filter>) =>
    route(webhookHref(webhook.id, { ...filter, ...changed }), true);
  return (
    <div class="filters">
      <Select
        label={t("deliveries.state")}
        value={filter.state}
        onChange={({ currentTarget }) => choose({ state: currentTarget.value })}
        options={[
          { value: "", text: t("deliveries.all") },
          ...STATES.map((state) => ({ value: state, text: t(`filter_state.${state}`) })),
        ]}
      />
      <Select
        label={t("deliveries.event")}
        value={filter.event}
        onChange={({ currentTarget }) => choose({ event: currentTarget.value })}
        options={[
          { value: "", text: t("deliveries.all") },
          ...webhook.event_types.map((event) => ({ value: event, text: eventText(event) })),
        ]}
      />
      <Field
        label={t("deliveries.since")}
        type="date"
        value={filter.since}
        onChange={({ currentTarget }) => choose({ since: currentTarget.value })}
      />
      <Field
        label={t("events.until")}
        type="date"
        value={filter.until}
        onChange={({ currentTarget }) => choose({ until: currentTarget.value })}
      />
    </div>
  );
}
