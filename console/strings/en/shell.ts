import type { shell as portuguese } from "../pt/shell.ts";
import type { Translated } from "../translate.ts";

export const shell: Translated<typeof portuguese> = {
  "app.name": "Console",
  "app.skip": "Skip to content",
  "app.menu": "Menu",
  "app.close": "Close",
  "app.cancel": "Cancel",
  "app.save": "Save",
  "app.saving": "Saving…",
  "app.loading": "Loading…",
  "app.retry": "Try again",
  "app.retrying": "Trying…",
  "app.copy": "Copy",
  "app.copied": "Copied",
  "app.copy_by_hand": "The browser did not allow copying. The text is selected: copy it with Ctrl+C.",
  "app.more": "Show more",
  "app.never": "never",
  "app.filter": "Filter",
  "app.filter_none": "Nothing with “{text}”.",
  "app.not_found": "This page does not exist",
  "app.not_found_text": "The address may have changed. Start from the list of keys.",
  "app.to_keys": "See the keys",
  "app.broken": "Something went wrong on this page",
  "app.broken_text": "The mistake is ours. What was saved stays saved.",
  "app.reload": "Reload",

  "nav.label": "Pages",
  "nav.funnel": "Funnel",
  "nav.keys": "Keys",
  "nav.webhooks": "Webhooks",
  "nav.activity": "Activity",
  "nav.account": "Account",

  "menu.theme": "Theme",
  "menu.theme_system": "System",
  "menu.theme_light": "Light",
  "menu.theme_dark": "Dark",
  "menu.language": "Language",
  "menu.password": "Change the password",
  "menu.sign_out": "Sign out",
  "menu.workspace": "Company",
  "menu.signed_in_as": "You are signed in as {email}",

  "role.admin": "Administrator",
  "role.gestor": "Manager",
  "role.vendedor": "Salesperson",
  "role.read_only": "As a salesperson you see everything and change nothing. A manager or administrator can.",
  "role.admin_only": "Only an administrator changes this.",

  "workspace.choose": "Choose the company",
  "workspace.choose_text": "You belong to more than one. You can switch later, in the bar.",
  "workspace.none": "You do not belong to a company",
  "workspace.none_text":
    "Ask an administrator to invite {email}, or to give you access again. If you were invited with another address, sign out and use that one.",
  "workspace.suspended":
    "This company is suspended: the API refuses calls and webhooks wait. Contact support.",
  "workspace.no_api": "The API of this company is off: keys do not work. Contact support.",

  "failure.away": "The server cannot be reached.",
  "failure.away_read": "Check your connection and try again.",
  "failure.away_write":
    "We do not know whether it was saved. Check before you repeat it; what you typed is still here.",
  "failure.limited": "Too many calls in a short time.",
  "failure.limited_when": "Nothing was saved. Try again in {seconds} s.",
  "failure.server": "The server failed.",
  "failure.server_read": "Try again in a moment. If it persists, send the code below to support.",
  "failure.server_write":
    "We do not know whether it was saved. Check before you repeat it. If it persists, send the code below to support.",
  "failure.session": "Your session has ended. Sign in again; what you typed is kept in this browser.",
  "failure.role": "Your role does not allow this. Nothing was saved.",
  "failure.not_found": "This no longer exists, or is not of this company.",
  "failure.fields": "Check the fields. Nothing was saved.",
  "failure.nothing_kept": "Nothing was saved.",
  "failure.request": "Request code",
  "failure.code.email_taken": "There is a member with this e-mail address already.",
  "failure.code.last_admin":
    "This is the last active administrator. Make somebody else administrator first. Nothing was saved.",
  "failure.code.key_revoked": "This key no longer works. Nothing was saved.",
  "failure.code.already_signed_in": "This person has signed in; the invitation is not needed any more.",
  "failure.code.too_many_invitations":
    "Too many invitations in the last hour. Wait before you invite again. Nothing was saved.",

  "time.exact": "{relative} · {exact}",

  "overlap.0": "nothing: it stops now",
  "overlap.3600": "1 hour",
  "overlap.86400": "24 hours",
  "overlap.604800": "7 days",

  "secret.old_until": "Old secret works until",
  "secret.leave": "You have not copied it yet",
  "secret.leave_text":
    "This value is not shown again. If you leave without copying it, you will have to replace it.",
  "secret.leave_yes": "Leave without copying",
  "secret.leave_no": "Stay",
};
