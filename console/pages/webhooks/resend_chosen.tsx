import { call, useAction } from "../../app/mod.ts";
import { Button, FailureNote, say } from "../../components/mod.ts";
import { counted, t } from "../../strings/strings.ts";
import type { Redeliveries } from "./records.ts";

/** Maximum deliveries that one call sends again. */
export const MOST = 100;

/** Shows how many deliveries are chosen, with buttons to send them again, to choose all, and to choose none. */
export function ResendChosen({ webhookId, chosen, all, onChoose, onSent }: {
  webhookId: string;
  chosen: ReadonlySet<string>;
  /** The ids of all deliveries shown that may be sent again. */
  all: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  onSent: () => void;
}) {
  const { busy, failure, run } = useAction();
  const resend = () =>
    run(async () => {
      const { count, not_queued, held } = await call<Redeliveries>(
        "POST",
        `app-v1-webhooks/${webhookId}/deliveries/redeliver`,
        { body: { ids: [...chosen] } },
      );
      const full = not_queued.filter(({ reason }) => reason === "queue_full").map(({ id }) => id);
      const gone = not_queued.length - full.length;
      say([
        held ? t("delivery.resent_held") : counted("deliveries.resent", count),
        ...full.length > 0 ? [counted("deliveries.not_queued", full.length)] : [],
        ...gone > 0 ? [counted("deliveries.gone", gone)] : [],
      ].join(". "));
      // Deliveries that did not fit into the queue stay chosen, so that the person can try again.
      onChoose(full);
      onSent();
    });
  return (
    <>
      {failure.value && <FailureNote failure={failure.value} />}
      <div class="actions">
        <span role="status">{counted("deliveries.chosen", chosen.size)}</span>
        <Button
          class="button small-button"
          text={t(busy.value ? "delivery.resending" : "deliveries.resend")}
          aria-disabled={busy.value}
          onClick={resend}
        />
        {all.length > chosen.size && chosen.size < MOST && (
          <Button
            class="button small-button"
            text={t("deliveries.choose_all")}
            onClick={() => onChoose([...new Set([...chosen, ...all])].slice(0, MOST))}
          />
        )}
        <Button class="button small-button" text={t("deliveries.choose_none")} onClick={() => onChoose([])} />
      </div>
    </>
  );
}
