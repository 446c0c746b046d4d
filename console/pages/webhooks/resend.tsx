import { useSignal } from "@preact/signals";
import { now } from "../../app/clock.ts";
import { call } from "../../app/api.ts";
import { asFailure } from "../../app/failure.ts";
import { failureText } from "../../components/failure_note.tsx";
import { say } from "../../components/toast.tsx";
import { t } from "../../strings/strings.ts";
import type { Delivery } from "./records.ts";
import { whenText } from "./words.ts";

/** Sends a delivery again under its id; one that had ended gets five new attempts. */
export function Resend({ delivery, onSent, primary = false }: {
  delivery: Delivery;
  onSent: () => void;
  primary?: boolean;
}) {
  const busy = useSignal(false);
  const { id, event, created_at } = delivery;
  const resend = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      const { held } = await call<Delivery & { held: boolean }>("POST", `app-v1-deliveries/${id}/redeliver`);
      say(t(held ? "delivery.resent_held" : "delivery.resent"));
      onSent();
    } catch (thrown) {
      const { what, next } = failureText(asFailure(thrown));
      say(`${what} ${next}`);
    } finally {
      busy.value = false;
    }
  };
  return (
    <button
      type="button"
      class={primary ? "button primary" : "button small-button"}
      aria-label={busy.value
        ? undefined
        : t("delivery.resend_label", { event, when: whenText(created_at, now.value) })}
      aria-disabled={busy.value}
      onClick={resend}
    >
      {t(busy.value ? "delivery.resending" : "delivery.resend")}
    </button>
  );
}
