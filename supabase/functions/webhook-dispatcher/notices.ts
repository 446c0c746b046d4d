import { query } from "../_shared/postgres/database.ts";
import { log } from "../_shared/runtime/log.ts";
import { appUrl } from "../_shared/runtime/service.ts";
import { mailService, sendMail } from "./mail.ts";
import { noticeMail } from "./notice_mail.ts";

/** A mail that this dispatcher has claimed for 15 minutes: a row of crm.notice_claim. */
export interface Notice {
  workspace_id: string;
  subscription_id: string;
  /** The id of the claim, without which the mail cannot be marked as sent. */
  claim: string;
  /** Seconds since 1970. */
  deactivated_at: number;
  workspace_name: string;
  time_zone: string;
  target_url: string;
  last_status: number | null;
  last_reason: string | null;
  recipients: string[];
}

/**
 * Sends the due mails about subscriptions that became inactive (54_webhook_notices.sql). Without a mail service, only
 * marks the mails as sent. A mail that fails is tried again when its claim ends, with the same idempotency key. Never
 * throws, so that deliveries continue if a mail fails.
 */
export async function sendNotices(): Promise<void> {
  try {
    const notices = await query<Notice>({
      name: "notice_claim",
      text: "select * from crm.notice_claim()",
    });
    await Promise.all(notices.map(sendNotice));
  } catch (error) {
    log("webhook_notices_failed", { error: String(error) });
  }
}

async function sendNotice(notice: Notice): Promise<void> {
  const { workspace_id, subscription_id, claim, deactivated_at, recipients } = notice;
  const names = { workspace_id, subscription_id };
  try {
    const service = mailService();
    if (service !== null && recipients.length > 0) {
      // Each try uses the same key, so that a crash between sending and marking does not cause a second mail.
      const key = `webhook-${subscription_id}-${Math.round(deactivated_at * 1000)}`;
      await sendMail(service, recipients, noticeMail(notice, appUrl()), key);
      log("webhook_notice_sent", { ...names, recipients: recipients.length });
    }
    await query({
      name: "notice_sent",
      text: "select crm.notice_sent($1, $2, $3)",
      values: [workspace_id, subscription_id, claim],
    });
  } catch (error) {
    log("webhook_notice_failed", { ...names, error: String(error) });
  }
}
