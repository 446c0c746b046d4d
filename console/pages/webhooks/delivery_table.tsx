import { now } from "../../app/clock.ts";
import { mayChange } from "../../app/workspace.ts";
import { Table } from "../../components/table.tsx";
import { formatMoment } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import { t } from "../../strings/strings.ts";
import type { Delivery } from "./records.ts";
import { Resend } from "./resend.tsx";
import { type Sending, stateOfDelivery, waits } from "./states.ts";
import { deliveryStateText, lastAnswerText, whenText } from "./words.ts";

/** The table of deliveries: event, state, the receiver's answer, time. */
export function DeliveryTable({ deliveries, sending, open, hrefOf, onSent }: {
  deliveries: Delivery[];
  sending: Sending;
  open: string | null;
  hrefOf: (id: string) => string;
  onSent: (delivery: Delivery) => void;
}) {
  // The open delivery has its own button, and the list beside it is narrow.
  const mayResend = mayChange.value && sending !== "stopped" && open === null;
  return (
    <Table
      label={t("deliveries.title")}
      rows={deliveries}
      keyOf={({ id }) => id}
      href={({ id }) => hrefOf(id)}
      current={({ id }) => id === open}
      columns={[
        { title: t("deliveries.event"), cell: (delivery) => <EventName delivery={delivery} /> },
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
            title: t("deliveries.actions"),
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

/** The event of a delivery, and whether it is a test. */
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

/** The time of the last attempt, or of the next one. */
function When({ delivery, sending }: { delivery: Delivery; sending: Sending }) {
  const { attempts, next_attempt_at, last_attempt_at, created_at } = delivery;
  const isTried = waits(delivery) && attempts > 0 && sending === "sends" && next_attempt_at !== null;
  const at = isTried ? next_attempt_at : last_attempt_at ?? created_at;
  const text = whenText(at, now.value);
  return (
    <time dateTime={at} title={formatMoment(at, languageTag.value)}>
      {isTried ? t("deliveries.next", { when: text }) : text}
    </time>
  );
}
