import { mayChange, now } from "../../app/mod.ts";
import { Table } from "../../components/mod.ts";
import { momentText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";
import type { Delivery } from "./records.ts";
import { Resend } from "./resend.tsx";
import { type Sending, stateOfDelivery, waits } from "./states.ts";
import { deliveryStateText, lastAnswerText, whenText } from "./words.ts";

/** The table of deliveries: event, state, the receiver's answer, time. */
export function DeliveryTable({ deliveries, sending, open, chosen, hrefOf, onChoose, onSent }: {
  deliveries: Delivery[];
  sending: Sending;
  open: string | null;
  /** The ids of the deliveries to send again together. */
  chosen: ReadonlySet<string>;
  hrefOf: (id: string) => string;
  onChoose: (id: string, isChosen: boolean) => void;
  onSent: (delivery: Delivery) => void;
}) {
  // Beside an open delivery, which has its own button, the list is too narrow for buttons.
  const mayResend = mayChange.value && sending !== "stopped" && open === null;
  return (
    <Table
      label={t("deliveries.title")}
      rows={deliveries}
      keyOf={({ id }) => id}
      href={({ id }) => hrefOf(id)}
      current={({ id }) => id === open}
      choice={mayResend
        ? {
          title: t("deliveries.choose"),
          cell: (delivery) => (
            <label class="check">
              <input
                type="checkbox"
                aria-label={t("deliveries.choose_one", {
                  event: delivery.event,
                  when: whenText(delivery.occurred_at, now.value),
                })}
                checked={chosen.has(delivery.id)}
                disabled={waits(delivery)}
                onChange={({ currentTarget }) => onChoose(delivery.id, currentTarget.checked)}
              />
            </label>
          ),
        }
        : undefined}
      columns={[
        {
          title: t("deliveries.event"),
          cell: (delivery) => (
            <>
              <EventName delivery={delivery} />
              {delivery.object_name && <span class="hint object-name">{delivery.object_name}</span>}
            </>
          ),
        },
        {
          title: t("deliveries.state"),
          cell: (delivery) => {
            const state = stateOfDelivery(delivery, sending);
            return <span class={`state ${state.tone}`}>{deliveryStateText(state)}</span>;
          },
        },
        { title: t("deliveries.answer"), cell: lastAnswerText },
        { title: t("deliveries.when"), cell: (delivery) => <When delivery={delivery} sending={sending} /> },
        ...(mayResend
          ? [{
            title: t("app.actions"),
            quiet: true,
            cell: (delivery: Delivery) =>
              !waits(delivery) && delivery.state !== "delivered" && (
                <Resend delivery={delivery} onSent={onSent} />
              ),
          }]
          : []),
      ]}
    />
  );
}

export function EventName({ delivery: { event, is_test } }: { delivery: Delivery }) {
  return (
    <>
      <code>{event}</code>
      {is_test && (
        <>
          {" "}
          <span class="tag">{t("deliveries.test")}</span>
        </>
      )}
    </>
  );
}

/** The time of the event, by which the list is ordered, and the time of the next attempt. */
function When({ delivery, sending }: { delivery: Delivery; sending: Sending }) {
  const { attempts, next_attempt_at, occurred_at } = delivery;
  const isTried = waits(delivery) && attempts > 0 && sending === "sends" && next_attempt_at !== null;
  return (
    <span>
      <time dateTime={occurred_at} title={momentText(occurred_at)}>
        {whenText(occurred_at, now.value)}
      </time>
      {isTried && (
        <span class="hint object-name">
          {t("deliveries.next", { when: whenText(next_attempt_at, now.value) })}
        </span>
      )}
    </span>
  );
}
