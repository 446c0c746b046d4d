import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { now } from "../../app/clock.ts";
import { waitAfter } from "../../app/poll.ts";
import { useResource } from "../../app/resource.ts";
import { href } from "../../app/settings.ts";
import { usePolling } from "../../app/use_polling.ts";
import { mayChange } from "../../app/workspace.ts";
import { Empty } from "../../components/empty.tsx";
import { FailureNote } from "../../components/failure_note.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { t } from "../../strings/strings.ts";
import { OpenedDelivery } from "./delivery.tsx";
import { DeliveryTable } from "./delivery_table.tsx";
import type { Delivery, Webhook } from "./records.ts";
import { sendingOf } from "./states.ts";
import { whenText } from "./words.ts";

const WHILE_PENDING_MS = 5_000;
const USUAL_MS = 10_000;

/** The last 50 deliveries of a webhook, which refresh by themselves, and beside them the one that is open. */
export function Deliveries({ webhook, open, onNews, actions }: {
  webhook: Webhook;
  open: string | null;
  /** Called once the list has changed, because the webhook's own figures have then changed too. */
  onNews: () => void;
  /** The actions of the webhook; what they send is seen once the list is read again. */
  actions: (refresh: () => void) => ComponentChildren;
}) {
  const list = useResource<{ data: Delivery[] }>(`app-v1-deliveries?subscription_id=${webhook.id}`);
  const failures = useRef(0);
  const readAt = useSignal("");
  useEffect(() => {
    readAt.value = new Date().toISOString();
  }, [list.data.value]);
  const sending = sendingOf(webhook);
  const deliveries = list.data.value?.data;

  const refresh = async () => {
    const before = JSON.stringify(list.data.peek());
    await list.reload();
    failures.current = list.failure.peek() === null ? 0 : failures.current + 1;
    if (JSON.stringify(list.data.peek()) !== before) onNews();
  };
  const pending = sending === "sends" && deliveries?.some(({ state }) => state === "pending");
  usePolling(
    refresh,
    () => waitAfter(failures.current, pending ? WHILE_PENDING_MS : USUAL_MS, list.failure.peek()?.retryAfter),
    // A delivery that was just sent must not wait for the end of a long pause.
    `${webhook.id} ${pending}`,
  );

  const opened = deliveries?.find(({ id }) => id === open) ?? null;
  const failure = list.failure.value;
  return (
    <section class={open ? "deliveries open" : "deliveries"}>
      <div class="deliveries-list">
        {actions(refresh)}
        <div class="section-head">
          <h2>{t("deliveries.title")}</h2>
          <p class="hint" role="status">
            {failure && deliveries
              ? t("deliveries.stale", { time: whenText(readAt.value, now.value) })
              : t("deliveries.fresh")}
          </p>
        </div>
        {failure && !deliveries && <FailureNote failure={failure} onRetry={refresh} />}
        {!deliveries && list.waiting.value && <Skeleton rows={5} />}
        {deliveries?.length === 0 && (
          <Empty text={t(mayChange.value && sending ? "deliveries.empty" : "deliveries.empty_read")} />
        )}
        {deliveries && deliveries.length > 0 && (
          <DeliveryTable deliveries={deliveries} sending={sending} open={open} onSent={refresh} />
        )}
      </div>
      {open && (deliveries || failure) && (
        <OpenedDelivery
          key={open}
          id={open}
          listed={opened}
          sending={sending}
          closeHref={href("webhooks/", { id: webhook.id })}
          onSent={refresh}
        />
      )}
    </section>
  );
}
