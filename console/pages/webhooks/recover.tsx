import { useSignal } from "@preact/signals";
import { call, draftOf, now } from "../../app/mod.ts";
import { ActionDialog, Field, say } from "../../components/mod.ts";
import { localMoment, momentAt } from "../../format/format.ts";
import { counted, t } from "../../strings/strings.ts";
import { whenText } from "./words.ts";

const DAY_MS = 86_400_000;
/**
 * The proposed period begins this long before the webhook stopped. A webhook usually stops when a delivery fails for
 * good, a little more than 6½ hours after its first attempt. The period must include that attempt.
 */
const TRIED_MS = 8 * 3_600_000;

/** The reply to a recovery; with `has_more`, the next call begins at `next_since`. */
interface Recovered {
  count: number;
  has_more: boolean;
  next_since: string | null;
}

export interface Reactivation {
  stoppedAt: string | null;
  /** How many waiting deliveries are now sent. */
  resumed: number;
}

/** The dialog that sends the events that a webhook missed in a period. */
export function Recover({ path, createdAt, reactivation, onSent, onClose }: {
  /** Path of the webhook below the functions' URL. */
  path: string;
  createdAt: string;
  reactivation: Reactivation | null;
  onSent: () => void;
  onClose: () => void;
}) {
  const stoppedAt = reactivation?.stoppedAt ?? null;
  const start = stoppedAt === null ? Date.now() - DAY_MS : Date.parse(stoppedAt) - TRIED_MS;
  const draftName = `recover-${path}`;
  const draft = draftOf(draftName, { since: localMoment(start), until: "", beforeCreation: false });
  const { since, until, beforeCreation } = draft.value;
  const change = (changed: Partial<typeof draft.value>) => draft.value = { ...draft.value, ...changed };
  /** How many events a recovery would send, which the person sees before anything is sent. */
  const owed = useSignal<Recovered | null>(null);
  const found = useSignal(0);
  const next = useSignal<string | null>(null);
  const latest = localMoment(Date.now());

  const recover = async (): Promise<"more" | void> => {
    const send = (dry_run: boolean) =>
      call<Recovered>("POST", `${path}/recover`, {
        body: {
          since: next.value ?? momentAt(since),
          ...(until && { until: momentAt(until) }),
          before_creation: beforeCreation,
          dry_run,
        },
      });
    if (owed.value === null) {
      const counted = await send(true);
      if (counted.count === 0 && !counted.has_more) return say(t("recover.none"));
      owed.value = counted;
      return "more";
    }
    const { count, has_more, next_since } = await send(false);
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
      yes={t(owed.value === null ? "recover.yes" : next.value === null ? "app.send" : "recover.go_on")}
      no={t(next.value !== null ? "app.close" : reactivation ? "recover.not_now" : "app.cancel")}
      draft={draftName}
      onSubmit={recover}
      onClose={onClose}
    >
      {owed.value === null
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
              value={since}
              onInput={({ currentTarget }) => change({ since: currentTarget.value })}
            />
            <Field
              label={t("recover.until")}
              hint={t("recover.until_hint")}
              type="datetime-local"
              min={since}
              max={latest}
              value={until}
              onInput={({ currentTarget }) => change({ until: currentTarget.value })}
            />
            {since !== "" && Date.parse(momentAt(since)) < Date.parse(createdAt) && (
              <label class="check">
                <input
                  type="checkbox"
                  checked={beforeCreation}
                  onChange={({ currentTarget }) => change({ beforeCreation: currentTarget.checked })}
                />
                <span>{t("recover.before_creation")}</span>
              </label>
            )}
          </>
        )
        : next.value === null
        ? (
          <p class="note" role="status">
            {counted(owed.value.has_more ? "recover.would_more" : "recover.would", owed.value.count)}.
          </p>
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
