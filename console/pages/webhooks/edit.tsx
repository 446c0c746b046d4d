import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { call } from "../../app/mod.ts";
import { ActionDialog, say } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { EventChoice } from "./event_choice.tsx";
import { bodyOf, OptionFields, optionsOf } from "./options.tsx";
import { NameField } from "./name_field.tsx";
import type { Webhook } from "./records.ts";

export function EditWebhook({ webhook, onDone, onClose }: {
  webhook: Webhook;
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}) {
  const before = webhook.header?.name ?? "";
  const name = useSignal(webhook.name ?? "");
  const events = useSignal(webhook.event_types);
  const options = useSignal(optionsOf(webhook));
  const fields = (): Record<string, unknown> => ({
    name: name.value.trim() || null,
    event_types: events.value,
    ...bodyOf(options.value, before),
  });
  const opened = useMemo(fields, []);
  const save = async () => {
    // Send only what this person changed, so that what another person saves meanwhile is not overwritten.
    const body = Object.fromEntries(
      Object.entries(fields()).filter(([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(opened[field])
      ),
    );
    if (Object.keys(body).length === 0) return;
    onDone(await call<Webhook>("PATCH", `app-v1-webhooks/${webhook.id}`, { body }));
    say(t("account.saved"));
  };
  return (
    <ActionDialog title={t("webhook.edit")} yes={t("app.save")} onSubmit={save} onClose={onClose}>
      {(refused) => (
        <>
          <NameField value={name.value} error={refused.name} onChange={(value) => name.value = value} />
          <EventChoice
            chosen={events.value}
            error={refused.event_types}
            onChange={(chosen) => events.value = chosen}
          />
          <OptionFields
            options={options.value}
            errors={refused}
            onChange={(changed) => options.value = changed}
          />
        </>
      )}
    </ActionDialog>
  );
}
