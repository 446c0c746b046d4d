import { join } from "node:path";
import { keepMail } from "./auth/mail.ts";

export const MAIL_PATH = "/local-mail";

export interface ServiceMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  idempotency_key: string;
  sent_at: string;
}

/**
 * Replaces the mail service of MAIL_URL: keeps each mail in DATA_DIR/mail, prints its subject, and sends nothing.
 * @param token the bearer token that callers must send
 */
export function openMailService(
  dataDir: string,
  token: string,
): (request: Request) => Promise<Response | null> {
  return async (request) => {
    if (request.method !== "POST") return null;
    if (request.headers.get("Authorization") !== `Bearer ${token}`) {
      return new Response(null, { status: 401 });
    }
    const mail = await request.json() as Omit<ServiceMail, "idempotency_key" | "sent_at">;
    await keepMail(join(dataDir, "mail"), {
      ...mail,
      idempotency_key: request.headers.get("Idempotency-Key"),
    });
    console.log(`Mail for ${mail.to.join(", ")}: ${mail.subject}`);
    return Response.json({ id: crypto.randomUUID() });
  };
}
