import { now } from "../../app/clock.ts";
import type { Failure } from "../../app/failure.ts";
import { t } from "../../strings/strings.ts";
import { whenText } from "../webhooks/words.ts";

/**
 * Says that the board refreshes by itself or, if refreshing fails, why and how old the shown board is. The text
 * always has one line, so that nothing below it moves.
 */
export function Freshness({ failure, readAt, waitMs }: {
  failure: Failure | null;
  readAt: string;
  waitMs: number;
}) {
  const time = whenText(readAt, now.value);
  return (
    <p class={failure ? "freshness waits" : "freshness"} role="status">
      {failure === null
        ? t("funnel.fresh")
        : failure.kind === "away"
        ? t("funnel.away", { time })
        : t("funnel.slow", { time, seconds: Math.ceil(waitMs / 1000) })}
    </p>
  );
}
