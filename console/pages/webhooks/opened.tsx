import { useSignal } from "@preact/signals";
import { href, now, useResource, workspace } from "../../app/mod.ts";
import { Chart } from "../../components/chart.tsx";
import { CopyButton, Empty, Fact, Loaded, Page } from "../../components/mod.ts";
import { hostOf } from "../../format/format.ts";
import { shortDayText } from "../../format/shown.ts";
import { t, textNamed } from "../../strings/strings.ts";
import { WebhookActions } from "./actions.tsx";
import { Deliveries } from "./deliveries.tsx";
import type { Filter } from "./filters.tsx";
import { OptionFacts } from "./options.tsx";
import type { Webhook } from "./records.ts";
import { WebhookSecret } from "./secret.tsx";
import { stateOfWebhook } from "./states.ts";
import { weekSeries } from "./week.tsx";
import { dayAndTime, recentText, webhookStateText, weekText, whyText } from "./words.ts";

/** A webhook: why it does not send, the actions, its facts and its deliveries. */
export function OpenedWebhook({ id, filter, open }: { id: string; filter: Filter; open: string | null }) {
  const webhook = useResource<Webhook>(`app-v1-webhooks/${encodeURIComponent(id)}`);
  const secret = useSignal<string | null>(null);
  const back = <a href={href("webhooks/")}>{t("webhook.to_list")}</a>;
  if (webhook.failure.value?.code === "not_found" || webhook.failure.value?.code === "validation_error") {
    return (
      <Page title={t("nav.webhooks")}>
        <Empty text={t("webhook.gone")}>{back}</Empty>
      </Page>
    );
  }
  const read = webhook.data.value;
  return (
    <Page title={read ? read.name ?? hostOf(read.target_url) : t("nav.webhooks")} back={back}>
      {secret.value && <NewSecret secret={secret.value} oldUntil={read?.old_secret_until ?? null} />}
      <Loaded resource={webhook} rows={4}>
        {(read) => (
          <>
            <WhyNote webhook={read} />
            <Deliveries
              webhook={read}
              filter={filter}
              open={open}
              onNews={webhook.reload}
              above={(refresh) => (
                <>
                  <WebhookActions
                    webhook={read}
                    onChanged={webhook.set}
                    onSent={refresh}
                    onSecret={(value) => secret.value = value}
                  />
                  <Facts webhook={read} />
                </>
              )}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function stateOf(webhook: Webhook) {
  return stateOfWebhook(webhook, workspace.value?.suspended ?? false);
}

function WhyNote({ webhook }: { webhook: Webhook }) {
  const state = stateOf(webhook);
  const why = whyText(webhook, state, now.value);
  return why && (
    <p class={state.tone === "failed" ? "note failed above" : "note above"}>
      {"at" in state && <strong>{webhookStateText(state, now.value)}.</strong>} {why}
    </p>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { target_url, event_types, key, behind_since, old_secret_until, days, recent } = webhook;
  const state = stateOf(webhook);
  const [week, none] = [weekText(days), t("webhooks.week_none")];
  return (
    <div class="columns">
      <dl class="facts">
        <Fact name={t("deliveries.state")}>
          <span class={`state ${state.tone}`}>{webhookStateText(state, now.value)}</span>
        </Fact>
        <Fact name={t("webhooks.url")}>
          <span class="target" title={target_url}>{target_url}</span>
          <CopyButton text={target_url} label={t("webhooks.url")} quiet />
        </Fact>
        <Fact name={t("webhooks.events")}>
          <ul class="codes">
            {event_types.map((event) => (
              <li key={event}>
                {textNamed(`event.${event}`)} <code>{event}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <OptionFacts webhook={webhook} />
        <Fact name={t("webhooks.created")} at={webhook.created_at} />
        {old_secret_until && <Fact name={t("secret.old_until")} at={old_secret_until} />}
        <Fact name={t("webhooks.origin")}>
          {key ? t("webhooks.by_key") : t("webhooks.by_person")}{" "}
          {key && <a class="broken" href={href("chaves/", { id: key.id })}>{key.name}</a>}
        </Fact>
      </dl>
      <section class="stack">
        <h2>{t("webhooks.week_title")}</h2>
        <div>
          <Chart
            label={`${t("webhooks.week_title")}: ${week}`}
            none={none}
            series={weekSeries(days)}
            columns={days.map((day) => {
              const name = shortDayText(day.day);
              return { name, axis: name, text: weekText([day]) };
            })}
          />
        </div>
        <dl class="facts">
          {recent.success_rate !== null && <Fact name={t("webhooks.recent")}>{recentText(recent)}</Fact>}
          <Fact name={t("webhooks.last_success")} at={webhook.last_success_at} />
          <Fact name={t("webhooks.last_failure")} at={webhook.last_failure_at} />
          {behind_since && <Fact name={t("webhooks.behind")} at={behind_since} />}
        </dl>
      </section>
    </div>
  );
}

function NewSecret({ secret, oldUntil }: { secret: string; oldUntil: string | null }) {
  if (oldUntil === null) return <WebhookSecret title={t("secret.new")} secret={secret} />;
  const until = dayAndTime(oldUntil, now.value);
  return (
    <WebhookSecret title={t("secret.new_beside", { until })} secret={secret} more={t("secret.beside_text")} />
  );
}
