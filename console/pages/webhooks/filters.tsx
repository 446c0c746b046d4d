import { useLocation } from "preact-iso/router";
import { href } from "../../app/settings.ts";
import { Select } from "../../components/field.tsx";
import { t } from "../../strings/strings.ts";
import type { Webhook } from "./records.ts";
import { eventText } from "./words.ts";

const STATES = ["delivered", "pending", "held", "failed", "cancelled"] as const;

/** The filter for deliveries, as in the address. An empty value shows all. */
export interface Filter {
  state: string;
  event: string;
}

/** The address of a webhook with a filtered list, and optionally an open delivery. */
export function webhookHref(id: string, { state, event }: Filter, delivery?: string): string {
  return href("webhooks/", {
    id,
    ...(state && { estado: state }),
    ...(event && { evento: event }),
    ...(delivery && { entrega: delivery }),
  });
}

/** Chooses the state and the event by which deliveries are filtered. */
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
    </div>
  );
}
