import { singlePrice } from "../../format/format.ts";
import { moneyText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";
import { dayAndTime } from "../webhooks/words.ts";
import type { Activity, Proposal } from "./records.ts";

export interface StateText {
  text: string;
  tone: "good" | "failed" | "waits" | "";
}

/** `R$ 1.500,00 · R$ 300,00 por mês`; null without a price. A price of 0 is shown only if there is no other price. */
export function valueText(prices: { value: number | null; recurring_value: number | null }): string | null {
  const { value, recurring_value: monthly } = prices;
  const once = singlePrice(prices);
  const money = (amount: number) => moneyText(amount);
  const parts = [
    ...(once !== null ? [money(once)] : []),
    ...(monthly !== null && (monthly > 0 || value === null)
      ? [t("funnel.monthly", { value: money(monthly) })]
      : []),
  ];
  return parts.length === 0 ? null : parts.join(" · ");
}

/** The moment at which a proposal got its status, and the colour of the status. */
const STATUSES = {
  rascunho: ["created_at", ""],
  enviada: ["sent_at", "waits"],
  visualizada: ["viewed_at", "waits"],
  aceita: ["accepted_at", "good"],
  recusada: ["rejected_at", "failed"],
  expirada: ["expires_at", ""],
} as const;

/** `Aceita em 12/11 às 14:03` */
export function proposalState(proposal: Proposal, now: number): StateText {
  const [moment, tone] = STATUSES[proposal.status];
  const at = proposal[moment];
  return { text: t(`proposal.${proposal.status}`, { at: at === null ? "" : dayAndTime(at, now) }), tone };
}

/** Whether the customer can answer a proposal, now or after it is sent. */
export function canBeAnswered({ status }: Proposal): boolean {
  return status === "rascunho" || status === "enviada" || status === "visualizada";
}

/** The dates that `proposalState` leaves out, and the last moment for an answer: `Enviada em 10/11 às 9:12`. */
export function proposalMoments(proposal: Proposal, now: number): string[] {
  const { status, sent_at, viewed_at, expires_at } = proposal;
  return [
    ...(sent_at && status !== "enviada" ? [t("proposal.enviada", { at: dayAndTime(sent_at, now) })] : []),
    ...(viewed_at && status !== "visualizada"
      ? [t("proposal.visualizada", { at: dayAndTime(viewed_at, now) })]
      : []),
    ...(expires_at && canBeAnswered(proposal)
      ? [t("proposal.until", { at: dayAndTime(expires_at, now) })]
      : []),
  ];
}

/** `Atrasada desde 12/11 às 14:03` */
export function activityState({ status, due_at, completed_at }: Activity, now: number): StateText {
  if (status === "cancelada") return { text: t("activity_state.cancelada"), tone: "" };
  if (status === "concluida") {
    return { text: t("activity_state.concluida", { at: dayAndTime(completed_at!, now) }), tone: "good" };
  }
  if (due_at === null) return { text: t("activity_state.pendente"), tone: "waits" };
  const is = Date.parse(due_at) < now ? "overdue" : "due";
  return {
    text: t(`activity_state.${is}`, { at: dayAndTime(due_at, now) }),
    tone: is === "overdue" ? "failed" : "waits",
  };
}
