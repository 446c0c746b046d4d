import { call, now, useAction } from "../../app/mod.ts";
import { Button, failureText, say } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import type { Delivery } from "./records.ts";
import { whenText } from "./words.ts";

/** The button that sends a delivery again with the same id. An ended delivery gets five new attempts. */
export function Resend({ delivery, onSent }: { delivery: Delivery; onSent: (delivery: Delivery) => void }) {
  const { busy, failure, run } = useAction();
  const { id, event, created_at } = delivery;
  const resend = async () => {
    await run(async () => {
      const { held, ...sent } = await call<Delivery & { held: boolean }>(
        "POST",
        `app-v1-deliveries/${id}/redeliver`,
      );
      say(t(held ? "delivery.resent_held" : "delivery.resent"));
      onSent(sent);
    });
    if (!failure.value) return;
    const { what, next } = failureText(failure.value);
    say(`${what} ${next}`);
  };
  return (
    <Button
      class="button small-button"
      text={t(busy.value ? "delivery.resending" : "delivery.resend")}
      aria-label={busy.value
        ? undefined
        : t("delivery.resend_label", { event, when: whenText(created_at, now.value) })}
      aria-disabled={busy.value}
      onClick={resend}
    />
  );
}
