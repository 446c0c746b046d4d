import type { sign_in as portuguese } from "../pt/sign_in.ts";
import type { Translated } from "../translate.ts";

export const sign_in: Translated<typeof portuguese> = {
  "sign_in.title": "Sign in",
  "sign_in.email": "E-mail",
  "sign_in.password": "Password",
  "sign_in.submit": "Sign in",
  "sign_in.busy": "Signing in…",
  "sign_in.forgotten": "I forgot my password",
  "sign_in.wrong": "E-mail and password do not match. Check both and try again.",
  "sign_in.unconfirmed": "This address is not confirmed yet. Open the invitation that you received.",
  "sign_in.limited": "Too many attempts. Wait a minute and try again.",
  "sign_in.away":
    "The server cannot be reached. Check your connection and try again; the address is still here.",
  "sign_in.server": "The server failed. Try again in a moment.",
  "sign_in.ending": "Signing out…",
  "sign_in.ended": "You signed out. The session has ended.",
  "sign_in.ended_unconfirmed":
    "You signed out of this browser, but the server did not confirm. If the device is not yours, sign in and out again.",
  "sign_in.recover": "Change the password",
  "sign_in.recover_text": "We send a link to your address. It opens a page to choose another password.",
  "sign_in.recover_submit": "Send the link",
  "sign_in.recover_busy": "Sending…",
  "sign_in.recover_sent":
    "If {email} has access, the link arrives in a few minutes. Look in the spam folder too.",
  "sign_in.back": "Back to signing in",

  "password.title": "Choose a password",
  "password.text": "It is for {email}.",
  "password.field": "New password",
  "password.hint": "At least 8 characters.",
  "password.short": "Use at least 8 characters.",
  "password.submit": "Save and continue",
  "password.saved": "Password saved",
  "password.same": "The new password is the current one. Choose another.",
  "password.weak": "This password is easy to guess. Choose another.",
  "password.expired": "This link has been used or has expired",
  "password.expired_text":
    "Ask for another: from the administrator if it was an invitation, or by “I forgot my password”.",
};
