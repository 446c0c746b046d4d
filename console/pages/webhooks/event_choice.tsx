import { useId } from "preact/hooks";
import { t } from "../../strings/strings.ts";
import { ALL_EVENTS, EVENT_GROUPS, type EventType } from "./events.ts";

/** Fields for choosing the events of a webhook, in groups and with explanations. */
export function EventChoice({ chosen, error, onChange }: {
  chosen: readonly EventType[];
  error: string | undefined;
  onChange: (events: EventType[]) => void;
}) {
  const id = useId();
  const set = (events: readonly EventType[], wanted: boolean) =>
    onChange(
      wanted ? [...new Set([...chosen, ...events])] : chosen.filter((event) => !events.includes(event)),
    );
  const boxOfAll = (events: readonly EventType[], text: string) => {
    const some = events.filter((event) => chosen.includes(event)).length;
    return (
      <label class="check all">
        <input
          type="checkbox"
          name="event_types"
          checked={some === events.length}
          ref={(box) => void (box && (box.indeterminate = some > 0 && some < events.length))}
          onChange={({ currentTarget }) => set(events, currentTarget.checked)}
        />
        <span>{text}</span>
      </label>
    );
  };
  return (
    <fieldset class="events" aria-describedby={error && `${id}-error`}>
      <legend>{t("webhook_new.events")}</legend>
      {error && <p id={`${id}-error`} class="field-error" role="alert" tabIndex={-1}>{error}</p>}
      {boxOfAll(ALL_EVENTS, t("webhook_new.every_event"))}
      {EVENT_GROUPS.map(({ group, events }) => {
        const name = t(`group.${group}`);
        return (
          <div key={group} class="events-group" role="group" aria-label={name}>
            {events.length > 1 && boxOfAll(events, t("webhook_new.all", { group: name }))}
            {events.map((event) => (
              <label key={event} class="check">
                <input
                  type="checkbox"
                  name="event_types"
                  checked={chosen.includes(event)}
                  onChange={({ currentTarget }) => set([event], currentTarget.checked)}
                />
                <span>
                  {t(`event.${event}`)} <code class="small event-name">{event}</code>
                </span>
              </label>
            ))}
          </div>
        );
      })}
    </fieldset>
  );
}
