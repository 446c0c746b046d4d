export interface MailService {
  url: string;
  token: string;
  from: string;
}

export interface Mail {
  subject: string;
  text: string;
}

const MAIL_TIMEOUT_MS = 10_000;

/** Environment: MAIL_URL, MAIL_TOKEN, MAIL_FROM. Null if MAIL_URL is not set, so that no mail is sent. */
export function mailService(): MailService | null {
  const url = Deno.env.get("MAIL_URL");
  if (!url) return null;
  return { url, token: Deno.env.get("MAIL_TOKEN") ?? "", from: Deno.env.get("MAIL_FROM") ?? "" };
}

/**
 * Sends a mail through an HTTP service that takes JSON with `from`, `to`, `subject` and `text`, such as Resend.
 *
 * @param idempotencyKey the service sends only one mail for each key
 * @throws Error if the service does not accept the mail; its message contains no e-mail address
 */
export async function sendMail(
  { url, token, from }: MailService,
  to: readonly string[],
  { subject, text }: Mail,
  idempotencyKey: string,
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Authorization": `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey,
    },
    body: JSON.stringify({ from, to, subject, text }),
    redirect: "manual",
    signal: AbortSignal.timeout(MAIL_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The mail service answered ${response.status}`);
}
