import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writePrivateFile } from "../data_dir.ts";
import { escapeHtml } from "../html.ts";

const TEMPLATE = new URL("../../../supabase/templates/invite.html", import.meta.url);

export type LinkType = "invite" | "recovery";

/** A mail that Supabase would send. */
export interface Mail {
  to: string;
  type: LinkType;
  /** Works once, for 24 hours. */
  link: string;
  /** The HTML of an invitation, from the template that Supabase Auth uses. */
  html?: string;
  sent_at: string;
}

/** Prints the link of a mail in the terminal, because nothing sends mail here, and keeps the mail in a folder. */
export async function deliverMail(folder: string, mail: Omit<Mail, "sent_at">): Promise<void> {
  await keepMail(folder, mail);
  const subject = mail.type === "invite" ? "Invitation" : "Password recovery";
  console.log(`${subject} for ${mail.to}: ${mail.link}`);
}

/**
 * Fills the project's invitation template as Supabase Auth does. Supports only the template syntax that the project
 * uses.
 */
export async function invitationHtml(link: string, data: Record<string, unknown>): Promise<string> {
  const template = await Deno.readTextFile(TEMPLATE);
  const valueOf = (name: string) => name === "ConfirmationURL" ? link : String(data[name.slice(5)] ?? "");
  return template
    .replace(
      /\{\{ if \.(Data\.\w+) \}\}(.*?)\{\{ end \}\}/gs,
      (_, name: string, part: string) => valueOf(name) === "" ? "" : part,
    )
    .replace(/\{\{ \.([\w.]+) \}\}/g, (_, name: string) => escapeHtml(valueOf(name)));
}

/** Writes a mail into a folder, as JSON with the time. */
export async function keepMail(folder: string, mail: object): Promise<void> {
  const sent_at = new Date().toISOString();
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${sent_at.replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.json`;
  await writePrivateFile(join(folder, name), JSON.stringify({ ...mail, sent_at }, null, 2) + "\n");
}

/** The mails in a folder, the newest last. */
export async function readMails(folder: string): Promise<Mail[]> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
  const mails = names.filter((name) => name.endsWith(".json")).sort();
  return await Promise.all(
    mails.map(async (name) => JSON.parse(await Deno.readTextFile(join(folder, name)))),
  );
}
