import { now } from "../app/clock.ts";
import { formatMoment, formatRelative } from "../format/format.ts";
import { languageTag } from "../strings/locale.ts";
import { t } from "../strings/strings.ts";

/**
 * A moment as `há 2 min`; the exact one on hover, and on a tap instead of it. With `exact` both are shown, as where
 * there is room. Null is "nunca".
 */
export function Moment({ at, exact }: { at: string | null; exact?: boolean }) {
  if (at === null) return <>{t("app.never")}</>;
  const relative = formatRelative(at, now.value, languageTag.value);
  const moment = formatMoment(at, languageTag.value);
  return (
    <time dateTime={at} title={moment} data-relative={relative} data-exact={moment}>
      {exact ? t("time.exact", { relative, exact: moment }) : relative}
    </time>
  );
}
