import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writePrivateFile } from "../data_dir.ts";

const KEPT_MAILS = 100;

/** The purposes of a link in a mail. */
export type LinkType = "invite" | "recovery";

/** A mail that Supabase would send. */
export interface Mail {
  to: string;
  type: LinkType;
  /** Works once, for 24 hours. */
  link: string;
  sent_at: string;
}

/** Prints a mail's link in the terminal, because nothing sends mail here, and keeps the newest mails in a folder. */
export async function deliverMail(folder: string, mail: Omit<Mail, "sent_at">): Promise<void> {
  const sent_at = new Date().toISOString();
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${sent_at.replaceAll(":", "-")}-${randomBytes(4).toString("hex")}.json`;
  await writePrivateFile(join(folder, name), JSON.stringify({ ...mail, sent_at }, null, 2) + "\n");
  for (const old of (await mailFiles(folder)).slice(0, -KEPT_MAILS)) await Deno.remove(join(folder, old));
  const subject = mail.type === "invite" ? "Invitation" : "Password recovery";
  console.log(`${subject} for ${mail.to}: ${mail.link}`);
}

/** The mails of a folder, the newest last. */
export async function readMails(folder: string): Promise<Mail[]> {
  return await Promise.all(
    (await mailFiles(folder)).map(async (name) => JSON.parse(await Deno.readTextFile(join(folder, name)))),
  );
}

async function mailFiles(folder: string): Promise<string[]> {
  try {
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    return names.filter((name) => name.endsWith(".json")).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
