import { useEffect, useId, useRef } from "preact/hooks";
import { call, useAction } from "../../app/mod.ts";
import { Button, CopyButton, FailureNote, say } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { mailTo, whatsAppTo } from "./offer_message.ts";
import type { Person, Proposal } from "./records.ts";

/**
 * The new link of a proposal, which is shown once, with buttons to copy or send it. Each button also marks a draft as
 * sent, because the link of a draft does not work.
 */
export function ProposalLink({ proposal, link, contact, onSent }: {
  proposal: Proposal;
  link: string;
  contact: Person | null;
  onSent: (sent: Proposal) => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<HTMLElement>(null);
  const id = useId();
  const { busy, failure, run } = useAction();
  useEffect(() => heading.current?.focus(), []);

  const isDraft = proposal.status === "rascunho";
  const send = async () => {
    if (!isDraft) return false;
    return await run(async () => {
      const path = `app-v1-funnel/proposals/${proposal.id}/send`;
      onSent(await call<Proposal>("POST", path, { body: {} }));
    });
  };
  const mark = async () => {
    if (await send()) say(t("proposal.marked"));
  };
  const message = t("proposal.message", { title: proposal.title, link });
  const subject = t("proposal.subject", { title: proposal.title });
  return (
    <section class="secret" aria-labelledby={id}>
      <h3 id={id} ref={heading} tabIndex={-1}>{t("proposal.link")}</h3>
      <p>
        {t("proposal.link_once")}
        {isDraft && ` ${t("proposal.link_sends")}`}
      </p>
      <p class="snippet" onCopy={send}>
        <code ref={shown}>{link}</code>
      </p>
      <div class="actions">
        <CopyButton text={link} label={t("proposal.link")} onCopied={send} select={() => shown.current} />
        <a
          class="button"
          href={whatsAppTo(contact?.phone ?? null, message)}
          target="_blank"
          rel="noreferrer"
          onClick={send}
        >
          {t("proposal.whatsapp")}
        </a>
        <a class="button" href={mailTo(contact?.email ?? null, subject, message)} onClick={send}>
          {t("proposal.mail")}
        </a>
        {isDraft && <Button text={t("proposal.mark_sent")} aria-disabled={busy.value} onClick={mark} />}
      </div>
      {failure.value && <FailureNote failure={failure.value} />}
    </section>
  );
}
