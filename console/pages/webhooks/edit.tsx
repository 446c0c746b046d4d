import { useMemo } from "preact/hooks";
import { call } from "../../app/mod.ts";
import { ActionDialog, say } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { EventChoice } from "./event_choice.tsx";
import { bodyOf, OptionFields, optionsOf, useOptionsDraft } from "./options.tsx";
import { NameField } from "./name_field.tsx";
import type { Webhook } from "./records.ts";

export function EditWebhook({ webhook, onDone, onClose }: {
  webhook: Webhook;
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}) {
  const draft = `webhook-${webhook.id}`;
  const before = useMemo(
    () => ({ name: webhook.name ?? "", events: webhook.event_types, ...optionsOf(webhook) }),
    [],
  );
  const [form, change] = useOptionsDraft(draft, before);
  const fieldsOf = ({ name, events, ...options }: typeof before): Record<string, unknown> => ({
    name: name.trim() || null,
    event_types: events,
    ...bodyOf(options, before.header),
  });
  const save = async () => {
    // Send only what this person changed, so that what another person saves meanwhile is not overwritten.
    const opened = fieldsOf(before);
    const body = Object.fromEntries(
      Object.entries(fieldsOf(form)).filter(([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(opened[field])
      ),
    );
    if (Object.keys(body).length === 0) return;
    onDone(await call<Webhook>("PATCH", `app-v1-webhooks/${webhook.id}`, { body }));
    say(t("account.saved"));
  };
  return (
    <ActionDialog
      title={t("webhook.edit")}
      yes={t("app.save")}
      draft={draft}
      onSubmit={save}
      onClose={onClose}
    >
      {(refused) => (
        <>
          <NameField value={form.name} error={refused.name} onChange={(name) => change({ name })} />
          <EventChoice
            chosen={form.events}
            error={refused.event_types}
            onChange={(events) => change({ events })}
          />
          <OptionFields options={form} errors={refused} onChange={change} />
        </>
      )}
    </ActionDialog>
  );
}
