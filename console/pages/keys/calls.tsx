import { href } from "../../app/settings.ts";
import type { OpenedKey } from "../../app/types.ts";
import { Chart } from "../../components/chart.tsx";
import { formatShortDay } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import { counted, t } from "../../strings/strings.ts";

/** Days for each label of the axis: 30 days have five labels. */
const DAYS_LABELLED = 6;

/** The number of calls with a key, by day. */
export function KeyCalls({ entry: { days_30: days } }: { entry: OpenedKey }) {
  const values = days.map(({ calls }) => calls);
  const words = counted("keys.calls_count", values.reduce((total, value) => total + value, 0));
  return (
    <section>
      <div class="chart-head">
        <h2>{t("keys.calls_30_days")}</h2>
        <span>{words}</span>
      </div>
      <Chart
        label={`${t("keys.calls_30_days")}: ${words}`}
        none={t("keys.calls_none")}
        series={[{ values }]}
        columns={days.map(({ day, calls }, index) => ({
          name: formatShortDay(day, languageTag.value),
          axis: formatShortDay(days[index - index % DAYS_LABELLED]!.day, languageTag.value),
          text: counted("keys.calls_count", calls),
        }))}
      />
    </section>
  );
}

/** The webhooks that were created with a key. */
export function KeyWebhooks({ entry }: { entry: OpenedKey }) {
  if (entry.subscriptions.length === 0) return null;
  return (
    <section>
      <h2>{t("keys.webhooks")}</h2>
      <ul class="lines">
        {entry.subscriptions.map(({ id, target_url, is_active, event_types }) => (
          <li key={id}>
            <a class="clamped" title={target_url} href={href("webhooks/", { id })}>{target_url}</a>
            <p class="small">
              {!is_active && <span class="tag">{t("keys.webhook_inactive")}</span>} {event_types.join(", ")}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
