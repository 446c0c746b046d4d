import { useSignal } from "@preact/signals";
import { now } from "../../app/clock.ts";
import { call } from "../../app/api.ts";
import { ActionDialog } from "../../components/action_dialog.tsx";
import { Field } from "../../components/field.tsx";
import { say } from "../../components/toast.tsx";
import { localMoment } from "../../format/format.ts";
import { counted, t } from "../../strings/strings.ts";
import { whenText } from "./words.ts";

const DAY_MS = 86_400_000;
/**
 * How long before the stop the proposed period begins: attempts of a delivery that fails for good span a little more
 * than 6½ hours.
 */
const TRIED_MS = 8 * 3_600_000;

/** The reply to a recovery; with `has_more`, the next call begins at `next_since`. */
interface Recovered {
  count: number;
  has_more: boolean;
  next_since: string | null;
}

/** A reactivation that just happened. */
export interface Reactivation {
  /** When the webhook had stopped. */
  stoppedAt: string | null;
  /** How many waiting deliveries are now sent. */
  resumed: number;
}

/** The dialog that sends again the events of a period that a webhook missed. */
export function Recover({ path, reactivation, onSent, onClose }: {
  /** Path of the webhook below the functions' URL. */
  path: string;
  reactivation: Reactivation | null;
  onSent: () => void;
  onClose: () => void;
}) {
  const stoppedAt = reactivation?.stoppedAt ?? null;
  const start = stoppedAt === null ? Date.now() - DAY_MS : Date.parse(stoppedAt) - TRIED_MS;
  const since = useSignal(localMoment(start));
  const until = useSignal("");
  const found = useSignal(0);
  const next = useSignal<string | null>(null);
  const latest = localMoment(Date.now());

  const recover = async (): Promise<"more" | void> => {
    const { count, has_more, next_since } = await call<Recovered>("POST", `${path}/recover`, {
      body: {
        since: next.value ?? new Date(since.value).toISOString(),
        ...(until.value && { until: new Date(until.value).toISOString() }),
      },
    });
    found.value += count;
    onSent();
    if (has_more) {
      next.value = next_since;
      return "more";
    }
    say(found.value === 0 ? t("recover.none") : counted("recover.done", found.value));
  };
  return (
    <ActionDialog
      title={t("recover.title")}
      yes={t(next.value === null ? "recover.yes" : "recover.go_on")}
      no={t(next.value !== null ? "app.close" : reactivation ? "recover.not_now" : "app.cancel")}
      onSubmit={recover}
      onClose={onClose}
    >
      {next.value === null
        ? (
          <>
            {reactivation && <p class="note" role="status">{resumedText(reactivation.resumed)}</p>}
            <p>{t("recover.text")}</p>
            <Field
              label={t("recover.since")}
              hint={stoppedAt === null ? undefined : t("recover.since_hint")}
              type="datetime-local"
              required
              max={latest}
              value={since.value}
              onInput={({ currentTarget }) => since.value = currentTarget.value}
            />
            <Field
              label={t("recover.until")}
              hint={t("recover.until_hint")}
              type="datetime-local"
              min={since.value}
              max={latest}
              value={until.value}
              onInput={({ currentTarget }) => until.value = currentTarget.value}
            />
          </>
        )
        : (
          <p class="note" role="status">
            {counted("recover.done", found.value)}.{" "}
            {t("recover.more", { when: whenText(next.value, now.value) })}
          </p>
        )}
    </ActionDialog>
  );
}

function resumedText(resumed: number): string {
  return resumed === 0 ? t("webhook.reactivated_none") : counted("webhook.reactivated", resumed);
}
