import { call, draftOf, now } from "../../app/mod.ts";
import { ActionDialog, Field } from "../../components/mod.ts";
import { dayEnd, localMoment } from "../../format/format.ts";
import { t } from "../../strings/strings.ts";
import type { LinkedProposal, OpenedDeal } from "./records.ts";

const AMOUNT = { type: "number", inputMode: "decimal", min: "0", step: "0.01" } as const;

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
    value: String(deal.value ?? ""),
    recurring_value: String(deal.recurring_value ?? ""),
    day: "",
  });
  const { title, value, recurring_value, day } = draft.value;
  const field = (name: keyof typeof draft.value) => ({
    name: name === "day" ? "expires_at" : name,
    value: draft.value[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      draft.value = { ...draft.value, [name]: currentTarget.value };
    },
  });
  const submit = async () => {
    const body = {
      title,
      value: amountOf(value),
      recurring_value: amountOf(recurring_value),
      expires_at: day === "" ? null : dayEnd(day),
    };
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
          <Field label={t("proposal.value")} error={refused.value} {...AMOUNT} {...field("value")} />
          <Field
            label={t("proposal.monthly")}
            error={refused.recurring_value}
            {...AMOUNT}
            {...field("recurring_value")}
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

function amountOf(typed: string): number | null {
  return typed === "" ? null : Number(typed);
}
