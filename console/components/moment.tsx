import { now } from "../app/clock.ts";
import { dayText, momentText, relativeText } from "../format/shown.ts";
import { t } from "../strings/strings.ts";

/**
 * A moment as `há 2 min`; hovering or tapping shows the exact time. With `exact` both are shown. Null is shown as
 * "nunca".
 */
export function Moment({ at, exact }: { at: string | null; exact?: boolean }) {
  if (at === null) return <>{t("app.never")}</>;
  // `now` may be up to 15 s behind. A moment in these seconds must not be shown as in the future.
  const relative = relativeText(at, Math.max(now.value, Date.now()));
  const moment = momentText(at);
  return (
    <time dateTime={at} title={moment} data-relative={relative} data-exact={moment}>
      {!exact ? relative : relative === dayText(at) ? moment : `${relative} · ${moment}`}
    </time>
  );
}
