import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { mayChange, now } from "../../app/mod.ts";
import { waitAfter } from "../../app/poll.ts";
import { usePolling } from "../../app/use_polling.ts";
import { Button, Empty, FailureNote, Skeleton } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { OpenedDelivery } from "./delivery.tsx";
import { DeliveryTable } from "./delivery_table.tsx";
import { deliveriesQuery, type Filter, Filters, webhookHref } from "./filters.tsx";
import type { Delivery, Webhook } from "./records.ts";
import { sendingOf, waits } from "./states.ts";
import { MOST, ResendChosen } from "./resend_chosen.tsx";
import { useDeliveries } from "./use_deliveries.ts";
import { whenText } from "./words.ts";

const WHILE_PENDING_MS = 5_000;
const USUAL_MS = 10_000;

/** The deliveries of a webhook, newest first and refreshed continuously, and beside them the opened delivery. */
export function Deliveries({ webhook, filter, open, onNews, above }: {
  webhook: Webhook;
  filter: Filter;
  open: string | null;
  /** Called after the list has changed, because the figures of the webhook have then changed too. */
  onNews: () => void;
  /** Renders what stands above the list; `refresh` reads the list again after something was sent. */
  above: (refresh: () => void) => ComponentChildren;
}) {
  const { id } = webhook;
  const query = deliveriesQuery(id, filter);
  const { first, shown, reload, replace, restart, showOlder, reading } = useDeliveries(
    `app-v1-deliveries?${query}`,
  );
  const chosen = useSignal<readonly string[]>([]);
  const failures = useRef(0);
  const readAt = useSignal("");
  useEffect(() => {
    readAt.value = new Date().toISOString();
  }, [first.data.value]);
  const sending = sendingOf(webhook);

  const refresh = async (read = reload) => {
    const before = JSON.stringify(first.data.peek());
    await read();
    failures.current = first.failure.peek() === null ? 0 : failures.current + 1;
    if (JSON.stringify(first.data.peek()) !== before) onNews();
  };
  const resent = (delivery: Delivery) => {
    replace(delivery);
    void refresh();
  };
  const pending = sending === "sends" && shown?.some(({ state }) => state === "pending");
  usePolling(
    () => refresh(),
    () =>
      waitAfter(failures.current, pending ? WHILE_PENDING_MS : USUAL_MS, first.failure.peek()?.retryAfter),
    // A changed key restarts the polling, so that a delivery that becomes pending does not wait USUAL_MS.
    `${query} ${pending}`,
  );

  const failure = first.failure.value;
  const resendable = shown?.filter((delivery) => !waits(delivery)).map(({ id }) => id) ?? [];
  // Drop deliveries that a filter has hidden, and those that are being sent again.
  const chosenIds = new Set(chosen.value.filter((id) => resendable.includes(id)));
  const choose = (id: string, isChosen: boolean) => {
    const others = [...chosenIds].filter((other) => other !== id);
    chosen.value = isChosen ? [...others, id].slice(-MOST) : others;
  };
  return (
    <section class={open ? "deliveries open" : "deliveries"}>
      <div class="deliveries-head">
        {above(() => refresh(restart))}
        <div class="section-head">
          <h2>{t("deliveries.title")}</h2>
          <p class="hint" role="status">
            {failure && shown
              ? t("deliveries.stale", { time: whenText(readAt.value, now.value) })
              : t("deliveries.fresh")}
          </p>
        </div>
        <Filters webhook={webhook} filter={filter} />
      </div>
      <div class="deliveries-list">
        {failure && !shown && <FailureNote failure={failure} onRetry={() => refresh()} />}
        {!shown && first.waiting.value && <Skeleton rows={5} />}
        {shown?.length === 0 && (
          <Empty
            text={t(
              Object.values(filter).some((value) => value !== "")
                ? "deliveries.empty_filter"
                : mayChange.value && webhook.is_active
                ? "deliveries.empty"
                : "deliveries.empty_read",
            )}
          />
        )}
        {chosenIds.size > 0 && open === null && (
          <ResendChosen
            webhookId={id}
            chosen={chosenIds}
            all={resendable}
            onChoose={(ids) => chosen.value = ids}
            onSent={() => void refresh()}
          />
        )}
        {shown && shown.length > 0 && (
          <DeliveryTable
            deliveries={shown}
            sending={sending}
            open={open}
            chosen={chosenIds}
            onChoose={choose}
            hrefOf={(delivery) => webhookHref(id, filter, delivery)}
            onSent={resent}
          />
        )}
        {reading.failure.value && <FailureNote failure={reading.failure.value} />}
        {showOlder && (
          <div class="actions more">
            <Button
              text={t(reading.busy.value ? "app.loading" : "deliveries.older")}
              onClick={showOlder}
              aria-disabled={reading.busy.value}
            />
          </div>
        )}
      </div>
      {open && (shown || failure) && (
        <OpenedDelivery
          key={open}
          id={open}
          listed={shown?.find(({ id }) => id === open) ?? null}
          sending={sending}
          closeHref={webhookHref(id, filter)}
          onSent={resent}
        />
      )}
    </section>
  );
}
