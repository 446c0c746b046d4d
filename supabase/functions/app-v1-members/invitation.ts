import { log } from "../_shared/runtime/log.ts";
import { appUrl, AUTH_TIMEOUT_MS, authUrl, secretKey } from "../_shared/runtime/service.ts";

export interface InvitationMail {
  email: string;
  invited_to: string;
  invited_by: string;
}

/** Maximum characters of a name in a mail. */
const MAX_NAME = 80;
/** What a mail program may turn into a link: a URL, a domain or an e-mail address. */
const LINK = /[/@<>]|\.\p{L}{2}/u;

/**
 * Makes Supabase Auth send an invitation with a link to the console's page for choosing a password. Never throws,
 * because the member has been added already and can be invited again. Environment: a secret key (see `secretKey`), and
 * APP_ORIGIN.
 *
 * @returns whether the invitation was sent or the person already has an account. If false, the log says why
 */
export async function sendInvitation(
  { email, invited_to, invited_by }: InvitationMail,
): Promise<boolean> {
  const key = secretKey();
  if (!key || !appUrl()) {
    log("invitation_not_sent", { reason: key ? "APP_ORIGIN is not set" : "SUPABASE_SECRET_KEY is not set" });
    return false;
  }
  try {
    const response = await fetch(
      `${authUrl()}/invite?redirect_to=${encodeURIComponent(`${appUrl()}/senha/`)}`,
      {
        method: "POST",
        headers: { apikey: key, Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify({
          email,
          // User metadata, which the template of the mail reads (supabase/templates/invite.html).
          data: { invited_to: nameInMail(invited_to), invited_by: nameInMail(invited_by) },
        }),
        signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
      },
    );
    const code = response.ok ? (await response.body?.cancel(), "") : await errorCodeOf(response);
    if (response.ok || code === "email_exists") return true;
    log("invitation_not_sent", { status: response.status, reason: code });
  } catch (error) {
    log("invitation_not_sent", { reason: String(error) });
  }
  return false;
}

/**
 * The name as the mail shows it; empty if a mail program may turn the name into a link. Otherwise an admin could send
 * strangers any link in a mail from this service. The template escapes HTML.
 */
function nameInMail(name: string): string {
  return LINK.test(name) ? "" : name.slice(0, MAX_NAME);
}

/** The code in an error from Supabase Auth, for the log: the error's text may contain the e-mail address. */
async function errorCodeOf(response: Response): Promise<string> {
  const error = await response.json().catch(() => null);
  return String(error?.error_code ?? "unknown");
}
