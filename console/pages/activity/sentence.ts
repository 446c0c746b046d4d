/** Converts an entry of the audit log into a sentence. Its parts are separate, so that names can be emphasised. */
import type { Entry, Role } from "../../app/types.ts";
import { counted, t, textNamed } from "../../strings/strings.ts";

/** Plain words, or a name. */
export type Part = string | { name: string };

export function sentenceOf(entry: Entry): Part[] {
  const { action, details } = entry;
  const template = textNamed(`did.${variantOf(entry)}`) ?? textNamed("did.unknown")!;
  const names: Record<string, Part> = {
    actor: entry.actor ? { name: entry.actor.name } : t("activity.operator"),
    object: { name: entry.object.name },
    previous: { name: String(details.previous_name) },
    changes: changesText(details),
    overlap: textNamed(`overlap.${details.overlap_seconds}`) ?? `${details.overlap_seconds} s`,
    action,
  };
  const parts = template.split(/\{(\w+)\}/).map((text, index) => index % 2 ? names[text] ?? "" : text);
  const ended = details.ended_subscriptions;
  if (action === "key_revoked" && Array.isArray(ended) && ended.length > 0) {
    parts.push(`; ${counted("did.key_revoked_webhooks", ended.length)}`);
  }
  return parts;
}

function variantOf({ action, details }: Entry): string {
  if (action === "key_renamed" && details.previous_name) return "key_renamed_from";
  if (action.endsWith("_rotated") && Number(details.overlap_seconds) > 0) return `${action}_overlap`;
  if (action === "member_invited" && details.again) return "member_invited_again";
  return action;
}

function changesText(details: Entry["details"]): string {
  return Object.entries(details).flatMap(([field, change]) => {
    if (change === null || typeof change !== "object" || !("to" in change)) return [];
    const { from, to } = change as { from?: unknown; to: unknown };
    return t("changed.to", {
      field: textNamed(`changed.${field}`) ?? field,
      from: valueText(field, from),
      to: valueText(field, to),
    });
  }).join("; ");
}

function valueText(field: string, value: unknown): string {
  if (field === "role") return textNamed(`role.${value as Role}`) ?? String(value);
  if (typeof value === "boolean") return t(`changed.${value}`);
  return String(value ?? "–");
}
