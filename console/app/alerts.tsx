/** Alerts about keys and webhooks that stopped or soon will stop: a banner for the most urgent, counts in the bar. */
import { useLocation } from "preact-iso/router";
import { Moment } from "../components/moment.tsx";
import { counted, t } from "../strings/strings.ts";
import { href } from "./settings.ts";
import type { Alert } from "./types.ts";
import { workspace } from "./workspace.ts";

const isKey = ({ kind }: Alert) => kind.startsWith("key");
const placeOf = (alert: Alert) => isKey(alert) ? "chaves/" : "webhooks/";

/** Shows the most urgent alert, with a link to the page where it can be fixed. That page shows the alert after it. */
export function AlertBanner() {
  const { query, path } = useLocation();
  const isOpen = (alert: Alert) => query.id === alert.id && path.includes(placeOf(alert).slice(0, -1));
  const alert = workspace.value?.alerts.find((alert) => !isOpen(alert));
  if (!alert) return null;
  const { kind, id, name, since, until } = alert;
  const hasStopped = kind === "webhook_stopped" || kind === "key_expired";
  return (
    <aside class={`alert ${hasStopped ? "failed" : "waits"}`} aria-label={t("alert.label")}>
      <p>
        <strong>
          {t(`alert.${kind}`)} {kind !== "webhook_failing" && <Moment at={until ?? since} />}
        </strong>
        <span class="alert-name clipped" title={name}>{name}</span>
      </p>
      <a class="button" href={href(placeOf(alert), { id })}>{t(`alert.mend.${kind}`)}</a>
    </aside>
  );
}

/** Shows how many alerts can be fixed on the page at `place`; without `place`, the number of all alerts. Hides a 0. */
export function AlertCount({ place }: { place?: string }) {
  const alerts = workspace.value?.alerts ?? [];
  const n = alerts.filter((alert) => place === undefined || placeOf(alert) === place).length;
  if (n === 0) return null;
  return (
    <span class="badge">
      <span aria-hidden="true">{n}</span>
      <span class="unseen">{counted("alert.count", n)}</span>
    </span>
  );
}
