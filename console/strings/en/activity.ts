import type { activity as portuguese } from "../pt/activity.ts";
import type { Translated } from "../translate.ts";

export const activity: Translated<typeof portuguese> = {
  "activity.title": "Activity",
  "activity.text": "Who did what in this company.",
  "activity.empty": "Nothing yet. Here you see who created, replaced or revoked what.",
  "activity.operator": "Support",
  "activity.loading": "Reading…",

  "did.unknown": "{actor} did “{action}” to {object}",
  "did.workspace_updated": "{actor} changed the company: {changes}",
  "did.member_invited": "{actor} invited {object}",
  "did.member_invited_again": "{actor} invited {object} again",
  "did.member_updated": "{actor} changed the member {object}: {changes}",
  "did.member_signed_in": "{object} signed in for the first time",
  "did.invitation_accepted": "{object} accepted the invitation",
  "did.invitation_declined": "{object} declined the invitation",
  "did.member_left": "{object} left the company",
  "did.key_created": "{actor} created the key {object}",
  "did.key_renamed": "{actor} renamed a key to {object}",
  "did.key_renamed_from": "{actor} renamed the key {previous} to {object}",
  "did.key_rotated": "{actor} replaced the secret of the key {object}",
  "did.key_rotated_overlap":
    "{actor} replaced the secret of the key {object}; the old one worked for another {overlap}",
  "did.key_revoked": "{actor} revoked the key {object}",
  "did.key_revoked_webhooks.one": "with it {n} webhook stopped",
  "did.key_revoked_webhooks.many": "with it {n} webhooks stopped",
  "did.webhook_created": "{actor} created the webhook {object}",
  "did.webhook_deactivated": "{actor} deactivated the webhook {object}",
  "did.webhook_tested": "{actor} sent a test to {object}",
  "did.webhook_reactivated": "{actor} reactivated the webhook {object}",
  "did.webhook_rotated": "{actor} replaced the secret of the webhook {object}",
  "did.webhook_rotated_overlap":
    "{actor} replaced the secret of the webhook {object}; the old one worked for another {overlap}",
  "did.webhook_recovered": "{actor} recovered events for the webhook {object}",
  "did.delivery_redelivered": "{actor} sent the delivery {object} again",

  "changed.to": "{field} from {from} to {to}",
  "changed.name": "name",
  "changed.role": "role",
  "changed.is_active": "access",
  "changed.stale_after_days": "days until a deal is stale",
  "changed.suspended": "suspension",
  "changed.public_api": "API",
  "changed.rate_limit_per_minute": "limit a minute",
  "changed.true": "on",
  "changed.false": "off",
};
