import { useSignal } from "@preact/signals";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { Select } from "../../components/field.tsx";
import { t } from "../../strings/strings.ts";
import type { EventType } from "./events.ts";
import { eventText } from "./words.ts";

/** The dialog in which a person chooses the event of a test delivery. */
export function TestEvent({ events, onSubmit, onClose }: {
  events: readonly EventType[];
  /** Rejects with a Failure. */
  onSubmit: (event: EventType) => Promise<void>;
  onClose: () => void;
}) {
  const chosen = useSignal(events[0]!);
  return (
    <ActionDialog
      title={t("webhook.test")}
      yes={t("webhook.test_yes")}
      onSubmit={() => onSubmit(chosen.value)}
      onClose={onClose}
    >
      <p>{t("webhook.test_text")}</p>
      <Select
        label={t("deliveries.event")}
        value={chosen.value}
        onChange={({ currentTarget }) => chosen.value = currentTarget.value as EventType}
        options={events.map((event) => ({ value: event, text: eventText(event) }))}
      />
    </ActionDialog>
  );
}
