import { href, mayChange, now, useResource, workspace } from "../../app/mod.ts";
import { usePolling } from "../../app/use_polling.ts";
import { Empty, Loaded, Page, Table } from "../../components/mod.ts";
import { counted, t } from "../../strings/strings.ts";
import { ALL_EVENTS } from "./events.ts";
import type { Webhook } from "./records.ts";
import { hasStopped, stateOfWebhook } from "./states.ts";
import { Week } from "./week.tsx";
import { webhookStateText } from "./words.ts";

/** A cell names up to this many events. If a webhook has more, the cell shows only their number. */
const MAX_NAMED = 2;
const EVERY_MS = 30_000;

export function WebhookList() {
  const webhooks = useResource<{ data: Webhook[] }>("app-v1-webhooks");
  usePolling(webhooks.reload, () => EVERY_MS, null);
  const suspended = workspace.value?.suspended ?? false;
  const create = mayChange.value && (
    <a class="button primary" href={href("webhooks/", { novo: "1" })}>{t("webhooks.create")}</a>
  );
  return (
    <Page title={t("nav.webhooks")} text={t("webhooks.text")} action={create}>
      <Loaded resource={webhooks}>
        {({ data }) =>
          data.length === 0
            ? <Empty text={t(mayChange.value ? "webhooks.empty" : "webhooks.empty_read")}>{create}</Empty>
            : (
              <Table
                label={t("nav.webhooks")}
                rows={data.toSorted((a, b) => Number(hasStopped(b)) - Number(hasStopped(a)))}
                keyOf={({ id }) => id}
                href={({ id }) => href("webhooks/", { id })}
                muted={(webhook) => !webhook.is_active && !hasStopped(webhook)}
                columns={[
                  {
                    title: t("webhooks.url"),
                    cell: ({ name, target_url }) => (
                      <>
                        {name}
                        <span class={name ? "target hint" : "target"} title={target_url}>{target_url}</span>
                      </>
                    ),
                  },
                  {
                    title: t("deliveries.state"),
                    cell: (webhook) => {
                      const state = stateOfWebhook(webhook, suspended);
                      return <span class={`state ${state.tone}`}>{webhookStateText(state, now.value)}</span>;
                    },
                  },
                  { title: t("webhooks.events"), cell: ({ event_types }) => eventsText(event_types) },
                  { title: t("webhooks.week"), number: true, cell: ({ days }) => <Week days={days} /> },
                ]}
              />
            )}
      </Loaded>
    </Page>
  );
}

function eventsText(events: readonly string[]): string {
  if (events.length === ALL_EVENTS.length) return t("webhooks.all_events");
  return events.length > MAX_NAMED ? counted("webhooks.some_events", events.length) : events.join(", ");
}
