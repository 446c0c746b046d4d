import { languageTag } from "../../strings/locale.ts";
import { numberText } from "../../format/shown.ts";
import { counted, t, textNamed } from "../../strings/strings.ts";
import type { EventType } from "./events.ts";
import type { Attempt, Day, Delivery, Webhook } from "./records.ts";
import { type DeliveryState, MAX_ATTEMPTS, type Waiting, waitingOf, type WebhookState } from "./states.ts";
import { clockOf } from "./times.ts";

/** `14:03:22`, `ontem 09:12`, `18/11 09:12`. */
export function whenText(moment: string, now: number): string {
  const { day, date, time } = clockOf(moment, now, languageTag.value);
  switch (day) {
    case "today":
      return time;
    case "yesterday":
      return t("deliveries.yesterday", { time });
    case "tomorrow":
      return t("deliveries.tomorrow", { time });
    case "other":
      return `${date} ${time}`;
  }
}

/** `Parado: 5 falhas seguidas em 20/11 às 14:03` */
export function webhookStateText(state: WebhookState, now: number): string {
  if (!("at" in state)) return t(`webhook_state.${state.is}`);
  const at = state.at === null ? "" : dayAndTime(state.at, now);
  if (state.is !== "failing") return t(`webhook_state.${state.is}`, { at });
  return t(`webhook_state.failing.${state.failures === 1 ? "one" : "many"}`, { n: state.failures, at });
}

/** Why a webhook does not send, what waits for it and what can be done; null for a webhook that sends. */
export function whyText(webhook: Webhook, state: WebhookState, now: number): string | null {
  if (state.is === "held_plan" || state.is === "held_suspended") return t("webhook_state.held_text");
  if (webhook.is_active || !("at" in state) || state.is === "failing") return null;
  return [
    t(`webhook_state.${state.is}_text`),
    waitingText(waitingOf(webhook, now)),
    t("webhook.missed_text"),
  ].join(" ");
}

function waitingText(waiting: Waiting): string {
  if (typeof waiting === "string") return t(`webhook.waiting_${waiting}`);
  return counted(waiting.orMore ? "webhook.waiting_more" : "webhook.waiting", waiting.n);
}

/** `Um negócio foi ganho (deal.won)` */
export function eventText(event: EventType): string {
  const said = textNamed(`event.${event}`);
  return said === null ? event : `${said} (${event})`;
}

/** The kind of a record in words: `Negócio`; its name in the API if the console has no words for it. */
export function objectText(type: string): string {
  return textNamed(`object.${type}`) ?? type;
}

/** `20/11 às 14:03` */
export function dayAndTime(moment: string, now: number): string {
  const { date, time } = clockOf(moment, now, languageTag.value);
  return t("webhooks.at", { date, time: time.slice(0, 5) });
}

/** `Tentando 3/5` */
export function deliveryStateText(state: DeliveryState): string {
  if (state.is === "trying") {
    return t("delivery_state.trying", { attempt: state.attempt, most: MAX_ATTEMPTS });
  }
  return t(`delivery_state.${state.is}`);
}

/** The receiver's answer: `204 · 81 ms`, or why there was none. */
export function answerText({ status, reason, duration_ms }: Pick<Attempt, "status" | "reason"> & {
  duration_ms: number | null;
}): string {
  if (status !== null) return `${status} · ${duration_ms ?? 0} ms`;
  return reason === null ? t("deliveries.none_yet") : textNamed(`reason.${reason}`) ?? reason;
}

/** The answer to the last attempt of a delivery, and how many there were: `204 · 9 ms · 2 tentativas`. */
export function lastAnswerText({ last_status, last_reason, last_duration_ms, attempts }: Delivery): string {
  const answer = answerText({ status: last_status, reason: last_reason, duration_ms: last_duration_ms });
  return attempts > 1 ? `${answer} · ${counted("deliveries.attempts", attempts)}` : answer;
}

/** The figures of the chart of seven days, in words. */
export function weekText(days: readonly Day[]): string {
  const sum = (of: "delivered" | "failed" | "waiting") => days.reduce((total, day) => total + day[of], 0);
  const [delivered, failed, waiting] = [sum("delivered"), sum("failed"), sum("waiting")];
  if (delivered + failed + waiting === 0) return t("webhooks.week_none");
  return t("webhooks.week_label", { delivered, failed, waiting });
}

/** `98,5% com sucesso · metade em até 81 ms, 95% em até 300 ms` */
export function recentText({ success_rate, median_ms, p95_ms }: Webhook["recent"]): string {
  // Rounded down, so that one failure in ten thousand does not show as 100%.
  const rate = t("webhooks.success", { rate: numberText(Math.floor((success_rate ?? 0) * 1000) / 10) });
  // Without a success, show no times: how long failures took says nothing about the receiver.
  if (!success_rate || median_ms === null || p95_ms === null) return rate;
  return `${rate} · ${t("webhooks.latency", { median: numberText(median_ms), p95: numberText(p95_ms) })}`;
}
