import { href } from "../../app/settings.ts";
import type { OpenedKey } from "../../app/types.ts";
import { Fact } from "../../components/fact.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { formatDay, formatNumber } from "../../format/format.ts";
import { languageTag } from "../../strings/locale.ts";
import { counted, t } from "../../strings/strings.ts";

/** The number of calls with a key, by day and by hour. */
export function KeyCalls({ entry }: { entry: OpenedKey }) {
  const days = entry.days_30.map(({ calls }) => calls);
  const hours = entry.hours.map(({ calls }) => calls);
  const used = entry.days_30.filter(({ calls }) => calls > 0).reverse();
  return (
    <section class="stack">
      <Chart title={t("keys.calls_30_days")} values={days} />
      <Chart title={t("keys.calls_48_hours")} values={hours} />
      {used.length > 0 && (
        <details>
          <summary>{t("keys.calls_numbers")}</summary>
          <dl class="facts">
            {used.map(({ day, calls }) => (
              <Fact key={day} name={formatDay(day, languageTag.value)}>
                {formatNumber(calls, languageTag.value)}
              </Fact>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

function Chart({ title, values }: { title: string; values: number[] }) {
  const sum = values.reduce((total, value) => total + value, 0);
  const words = counted("keys.calls_count", sum);
  return (
    <div>
      <div class="chart-head">
        <h2>{title}</h2>
        <span>{words}</span>
      </div>
      <Sparkline wide label={`${title}: ${words}`} series={[{ values }]} />
    </div>
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
