import { useSignal } from "@preact/signals";
import { now } from "../../app/clock.ts";
import { useResource } from "../../app/resource.ts";
import { href } from "../../app/settings.ts";
import { workspace } from "../../app/workspace.ts";
import { CopyButton } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { t, textNamed } from "../../strings/strings.ts";
import { WebhookActions } from "./actions.tsx";
import { Deliveries } from "./deliveries.tsx";
import type { Filter } from "./filters.tsx";
import type { Webhook } from "./records.ts";
import { WebhookSecret } from "./secret.tsx";
import { stateOfWebhook } from "./states.ts";
import { Week } from "./week.tsx";
import { dayAndTime, webhookStateText, weekText, whyText } from "./words.ts";

/** A webhook: facts, what became of its deliveries, and what can be done with it. */
export function OpenedWebhook({ id, filter, open }: { id: string; filter: Filter; open: string | null }) {
  const webhook = useResource<Webhook>(`app-v1-webhooks/${encodeURIComponent(id)}`);
  const secret = useSignal<string | null>(null);
  const back = <a href={href("webhooks/")}>{t("webhook.to_list")}</a>;
  if (webhook.failure.value?.code === "not_found" || webhook.failure.value?.code === "validation_error") {
    return (
      <Page title={t("webhooks.title")}>
        <Empty text={t("webhook.gone")}>{back}</Empty>
      </Page>
    );
  }
  const read = webhook.data.value;
  return (
    <Page title={read ? hostOf(read.target_url) : t("webhooks.title")} text={read && back}>
      {secret.value && <NewSecret secret={secret.value} oldUntil={read?.old_secret_until ?? null} />}
      <Loaded resource={webhook} rows={4}>
        {(read) => (
          <>
            <Facts webhook={read} />
            <Deliveries
              webhook={read}
              filter={filter}
              open={open}
              onNews={webhook.reload}
              actions={(refresh) => (
                <WebhookActions
                  webhook={read}
                  onChanged={webhook.set}
                  onSent={refresh}
                  onSecret={(value) => secret.value = value}
                />
              )}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const {
    target_url,
    event_types,
    key,
    created_at,
    last_success_at,
    last_failure_at,
    behind_since,
    old_secret_until,
    days,
  } = webhook;
  const state = stateOfWebhook(webhook, workspace.value?.suspended ?? false);
  const why = whyText(webhook, state, now.value);
  return (
    <>
      {why && <p class={state.tone === "failed" ? "note failed above" : "note above"}>{why}</p>}
      <div class="columns">
        <dl class="facts">
          <dt>{t("webhooks.state")}</dt>
          <dd>
            <span class={`state ${state.tone}`}>{webhookStateText(state, now.value)}</span>
          </dd>
          <dt>{t("webhooks.url")}</dt>
          <dd>
            <span class="target" title={target_url}>{target_url}</span>
            <CopyButton text={target_url} label={t("webhooks.url")} quiet />
          </dd>
          <dt>{t("webhooks.events")}</dt>
          <dd>
            <ul class="codes">
              {event_types.map((event) => (
                <li key={event}>
                  {textNamed(`event.${event}`)} <code>{event}</code>
                </li>
              ))}
            </ul>
          </dd>
        </dl>
        <dl class="facts">
          <dt>{t("webhooks.week")}</dt>
          <dd>
            <Week days={days} wide />
            <p class="hint">{weekText(days)}</p>
          </dd>
          <dt>{t("webhooks.last_success")}</dt>
          <dd>
            <Moment at={last_success_at} />
          </dd>
          <dt>{t("webhooks.last_failure")}</dt>
          <dd>
            <Moment at={last_failure_at} />
          </dd>
          {behind_since && (
            <>
              <dt>{t("webhooks.behind")}</dt>
              <dd>
                <Moment at={behind_since} />
              </dd>
            </>
          )}
          <dt>{t("webhooks.created")}</dt>
          <dd>
            <Moment at={created_at} exact />
          </dd>
          {old_secret_until && (
            <>
              <dt>{t("secret.old_until")}</dt>
              <dd>
                <Moment at={old_secret_until} exact />
              </dd>
            </>
          )}
          <dt>{t("webhooks.origin")}</dt>
          <dd>
            {key
              ? (
                <>
                  {t("webhooks.by_key")}{" "}
                  <a class="broken" href={href("chaves/", { id: key.id })}>{key.name}</a>
                </>
              )
              : t("webhooks.by_person")}
          </dd>
        </dl>
      </div>
    </>
  );
}

function NewSecret({ secret, oldUntil }: { secret: string; oldUntil: string | null }) {
  if (oldUntil === null) return <WebhookSecret title={t("secret.new")} secret={secret} />;
  const until = dayAndTime(oldUntil, now.value);
  return (
    <WebhookSecret
      title={t("secret.new_beside", { until })}
      secret={secret}
      more={t("secret.beside_text")}
    />
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
