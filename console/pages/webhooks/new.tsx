import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { call, clearDraft, href, useAction } from "../../app/mod.ts";
import { FailureNote, Field, focusRefused, Page, say } from "../../components/mod.ts";
import { useSecretGuard } from "../../components/secret_box.tsx";
import { counted, t } from "../../strings/strings.ts";
import { EventChoice } from "./event_choice.tsx";
import type { EventType } from "./events.ts";
import { bodyOf, OptionFields, optionsOf, useOptionsDraft } from "./options.tsx";
import { NameField } from "./name_field.tsx";
import type { Webhook } from "./records.ts";
import { WebhookSecret } from "./secret.tsx";

const DRAFT = "webhook";
const NOTHING = { url: "", events: [] as EventType[], name: "", ...optionsOf() };

export function NewWebhook() {
  const [form, change] = useOptionsDraft(DRAFT, NOTHING);
  const { busy, failure, run } = useAction();
  const errors = useSignal<Record<string, string>>({});
  const created = useSignal<{ id: string; secret: string } | null>(null);
  useSecretGuard(busy.value);
  const { url, events, name, ...options } = form;
  const hasOptions = useMemo(() => JSON.stringify(options) !== JSON.stringify(optionsOf()), []);
  const back = <a href={href("webhooks/")}>{t("webhook.to_list")}</a>;

  const create = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (busy.value) return;
    failure.value = null;
    errors.value = errorsOf(url.trim(), events);
    if (Object.keys(errors.value).length > 0) return focusRefused(form);
    await run(async () => {
      const webhook = await call<Webhook & { secret: string }>("POST", "app-v1-webhooks", {
        body: {
          target_url: url.trim(),
          event_types: events,
          name: name.trim() || null,
          ...bodyOf(options),
        },
      });
      clearDraft(DRAFT);
      say(t("webhook_new.created"));
      // From now on a reload shows the webhook: an empty form would suggest that no webhook was created.
      if (form.isConnected) history.replaceState(null, "", href("webhooks/", { id: webhook.id }));
      created.value = { id: webhook.id, secret: webhook.secret };
    });
    errors.value = failure.peek()?.fields ?? {};
    if (failure.peek()) focusRefused(form);
  };

  if (created.value) {
    const { id, secret } = created.value;
    return (
      <Page title={t("webhook_new.created")} back={back}>
        <WebhookSecret title={t("secret.label")} secret={secret} />
        <a class="button" href={href("webhooks/", { id })}>{t("webhook_new.open")}</a>
      </Page>
    );
  }
  return (
    <Page title={t("webhooks.create")} back={back}>
      <form class="form stack" noValidate onSubmit={create}>
        <Field
          label={t("webhook_new.url")}
          hint={t("webhook_new.url_hint")}
          error={errors.value.target_url}
          type="url"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          maxLength={2048}
          placeholder="https://"
          value={url}
          onInput={({ currentTarget }) => change({ url: currentTarget.value })}
        />
        <NameField value={name} onChange={(name) => change({ name })} />
        <EventChoice
          chosen={events}
          error={errors.value.event_types}
          onChange={(events) => change({ events })}
        />
        {/* Open if the draft has options, so that nobody creates a webhook with filters that are out of sight. */}
        <details open={hasOptions}>
          <summary>{t("options.title")}</summary>
          <div class="stack">
            <OptionFields options={options} errors={errors.value} onChange={change} />
          </div>
        </details>
        <div class="actions foot-actions">
          {failure.value && <FailureNote failure={failure.value} />}
          <button type="submit" class="button primary" aria-disabled={busy.value}>
            {t(busy.value ? "app.creating" : "webhooks.create")}
          </button>
          <a class="button" href={href("webhooks/")} onClick={() => clearDraft(DRAFT)}>{t("app.cancel")}</a>
          {events.length > 0 && <span class="hint">{counted("webhooks.some_events", events.length)}</span>}
        </div>
      </form>
    </Page>
  );
}

function errorsOf(url: string, events: EventType[]): Record<string, string> {
  return {
    ...(url === ""
      ? { target_url: t("webhook_new.url_missing") }
      // The functions decide about http: a local stack may allow it.
      : !/^https?:\/\//i.test(url) && { target_url: t("webhook_new.url_https") }),
    ...(events.length === 0 && { event_types: t("webhook_new.events_missing") }),
  };
}
