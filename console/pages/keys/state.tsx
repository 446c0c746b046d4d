import { now } from "../../app/mod.ts";
import type { ApiKey } from "../../app/types.ts";
import { relativeText } from "../../format/shown.ts";
import { t } from "../../strings/strings.ts";

const DAY_MS = 86_400_000;
/** Days without use after which a key is marked as probably not needed. */
const UNUSED_DAYS = 30;
/** Days before its expiry from which a key shows a warning. */
const WARN_DAYS = 7;

export function isUnused({ state, created_at, last_used_at }: ApiKey): boolean {
  const since = Date.parse(last_used_at ?? created_at);
  return state === "active" && now.value - since > UNUSED_DAYS * DAY_MS;
}

/** A tag with the most important thing to know about a key; none if the key simply works. */
export function KeyTag({ entry }: { entry: ApiKey }) {
  if (entry.state === "revoked") return <span class="tag failed">{t("keys.state_revoked")}</span>;
  if (entry.state === "expired") return <span class="tag failed">{t("keys.state_expired")}</span>;
  if (entry.expires_at && Date.parse(entry.expires_at) - now.value < WARN_DAYS * DAY_MS) {
    const when = relativeText(entry.expires_at, now.value);
    return <span class="tag waits">{t("keys.expires_soon", { when })}</span>;
  }
  if (isUnused(entry)) return <span class="tag waits">{t("keys.unused")}</span>;
  return null;
}
