import { call, draftOf, Failure, now } from "../../app/mod.ts";
import { ActionDialog, Field } from "../../components/mod.ts";
import { dayEnd, localMoment } from "../../format/format.ts";
import { moneyText } from "../../format/shown.ts";
import { locale } from "../../strings/locale.ts";
import { t } from "../../strings/strings.ts";
import { amountIn } from "./amount.ts";
import type { LinkedProposal, OpenedDeal } from "./records.ts";

const AMOUNTS = ["value", "recurring_value"] as const;

/** The form for a new proposal of a deal, filled in with the deal's title and values. */
export function NewProposal({ deal, onCreated, onFailed, onClose }: {
  deal: OpenedDeal;
  onCreated: (created: LinkedProposal) => void;
  /** Called if the call failed. The proposal may exist nevertheless, because perhaps only the reply was lost. */
  onFailed: () => void;
  onClose: () => void;
}) {
  const name = `proposal-${deal.id}`;
  const draft = draftOf(name, {
    title: deal.title,
    value: typedAmount(deal.value),
    recurring_value: typedAmount(deal.recurring_value),
    day: "",
  });
  const { title, day } = draft.value;
  const field = (name: keyof typeof draft.value) => ({
    name: name === "day" ? "expires_at" : name,
    value: draft.value[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      draft.value = { ...draft.value, [name]: currentTarget.value };
    },
  });
  const amountField = (name: typeof AMOUNTS[number]) => {
    const amount = amountOf(draft.value[name]);
    return { inputMode: "decimal", hint: amount ? moneyText(amount) : undefined, ...field(name) } as const;
  };
  const submit = async () => {
    const amounts = AMOUNTS.map((name) => [name, amountOf(draft.value[name])] as const);
    const unread = amounts.filter(([, amount]) => Number.isNaN(amount));
    if (unread.length > 0) {
      const fields = Object.fromEntries(unread.map(([name]) => [name, t("proposal.amount_unread")]));
      throw new Failure({ kind: "refused", code: "validation_error", fields, writing: true });
    }
    const body = { title, ...Object.fromEntries(amounts), expires_at: day === "" ? null : dayEnd(day) };
    const path = `app-v1-funnel/deals/${encodeURIComponent(deal.id)}/proposals`;
    try {
      onCreated(await call<LinkedProposal>("POST", path, { body }));
    } catch (thrown) {
      onFailed();
      throw thrown;
    }
  };
  return (
    <ActionDialog
      title={t("proposal.new")}
      yes={t("proposal.create")}
      hasSecret
      draft={name}
      onClose={onClose}
      onSubmit={submit}
    >
      {(refused) => (
        <>
          <Field
            label={t("proposal.title")}
            error={refused.title}
            required
            maxLength={255}
            {...field("title")}
          />
          <Field label={t("proposal.value")} error={refused.value} {...amountField("value")} />
          <Field
            label={t("proposal.monthly")}
            error={refused.recurring_value}
            {...amountField("recurring_value")}
          />
          <Field
            label={t("proposal.day")}
            hint={t("proposal.day_hint")}
            error={refused.expires_at}
            type="date"
            min={localMoment(now.value).slice(0, 10)}
            {...field("day")}
          />
        </>
      )}
    </ActionDialog>
  );
}

/** The typed amount; null for an empty field, NaN if the text is not clearly an amount. */
function amountOf(typed: string): number | null {
  return typed.trim() === "" ? null : amountIn(typed, locale.value === "en" ? "." : ",");
}

/** An amount as people type it in the page's language: `1.250,00`. */
function typedAmount(amount: number | null): string {
  return amount === null ? "" : moneyText(amount).replace(/^R\$\s*/, "");
}
