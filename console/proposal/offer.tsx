import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { formatMoney, singlePrice } from "../format/format.ts";
import { Failed } from "./messages.tsx";
import { type Failure, isAnswered, type Proposal } from "./state.ts";
import { type Language, STRINGS } from "./strings.ts";
import { formatLong, Terms } from "./terms.tsx";

/** Maximum length of a reason (spec 6.1), in code points as Postgres counts them. */
const LONGEST_REASON = 1_000;

interface OfferProps {
  proposal: Proposal;
  answeredElsewhere: boolean;
  failure: Failure | null;
  sending: boolean;
  language: Language;
  answer: (choice: "accept" | "reject", reason?: string) => Promise<void>;
}

/** The terms of a proposal, with the form for an answer or, once it was answered, the answer. */
export function Offer(props: OfferProps) {
  const { proposal, language } = props;
  return (
    <article>
      <Terms proposal={proposal} language={language} />
      {isAnswered(proposal)
        ? <Answered proposal={proposal} elsewhere={props.answeredElsewhere} language={language} />
        : <Choice {...props} />}
    </article>
  );
}

function Choice({ proposal, failure, sending, language, answer }: OfferProps) {
  const t = STRINGS[language];
  const field = useRef<HTMLTextAreaElement>(null);
  const decline = useRef<HTMLButtonElement>(null);
  const [confirming, setConfirming] = useState(false);
  const [declining, setDeclining] = useState(false);
  const [reason, setReason] = useState("");
  const left = LONGEST_REASON - [...reason].length;

  // The pressed button is gone, so the focus moves to what replaced it.
  const pressed = useRef(false);
  useEffect(() => {
    if (pressed.current) (declining ? field : decline).current?.focus();
  }, [declining]);
  const choose = (declines: boolean) => {
    pressed.current = true;
    setDeclining(declines);
  };

  const accept = async () => {
    await answer("accept");
    setConfirming(false);
  };
  const send = (event: Event) => {
    event.preventDefault();
    if (left >= 0) void answer("reject", reason.trim());
  };

  const failed = failure && <Failed failure={failure} again={t.answerAgain} t={t} />;
  return (
    <>
      {declining
        ? (
          <form class="stack" onSubmit={send}>
            <h2>{t.declineTitle}</h2>
            <div class="field">
              <label for="reason">{t.reason}</label>
              <textarea
                class="input"
                id="reason"
                ref={field}
                rows={4}
                value={reason}
                aria-describedby="reason-hint reason-left"
                {...(left < 0 && { "aria-invalid": true })}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
              <p id="reason-hint" class="hint">{t.reasonHint(proposal.seller.name)}</p>
              <p id="reason-left" class={left < 0 ? "field-error" : "hint"} aria-live="polite">
                {left < 0 ? t.reasonOver(-left) : left < 100 ? t.reasonLeft(left) : ""}
              </p>
            </div>
            {failed}
            <div class="actions">
              <button type="submit" class="button danger" aria-disabled={sending || left < 0}>
                {sending ? t.sending : t.confirmDecline}
              </button>
              <Button class="link" text={t.back} onClick={() => choose(false)} />
            </div>
          </form>
        )
        : (
          <div class="stack">
            {failed}
            <div class="actions">
              <Button
                class="button primary proposal-accept"
                text={t.accept}
                onClick={() => setConfirming(true)}
              />
              <button ref={decline} type="button" class="link" onClick={() => choose(true)}>
                {t.decline}
              </button>
            </div>
          </div>
        )}
      {confirming && (
        <Dialog
          title={t.confirmTitle(proposal.seller.name)}
          onClose={() => sending || setConfirming(false)}
        >
          <div class="stack">
            <p class="broken">
              {proposal.title}
              <br />
              <strong>{priceText(proposal, language)}</strong>
            </p>
            <p>{t.confirmText}</p>
          </div>
          <div class="actions end">
            <Button text={t.back} aria-disabled={sending} onClick={() => sending || setConfirming(false)} />
            <Button
              class="button primary"
              text={sending ? t.sending : t.confirm}
              aria-disabled={sending}
              onClick={accept}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

function priceText(proposal: Proposal, language: Language): string {
  const { recurring_value: monthly } = proposal;
  const once = singlePrice(proposal);
  return [
    once !== null && formatMoney(once, language),
    monthly !== null && `${formatMoney(monthly, language)} ${STRINGS[language].perMonth}`,
  ].filter(Boolean).join(" + ");
}

function Answered(
  { proposal, elsewhere, language }: { proposal: Proposal; elsewhere: boolean; language: Language },
) {
  const t = STRINGS[language];
  const heading = useRef<HTMLHeadingElement>(null);
  const accepted = proposal.status === "aceita";
  const at = (accepted ? proposal.accepted_at : proposal.rejected_at) ?? proposal.sent_at;
  // The pressed button is gone. Focus the heading, or the focus would return to the top of the page.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class={accepted ? "proposal-answer accepted" : "proposal-answer"}>
      <h2 ref={heading} tabIndex={-1}>{accepted ? t.accepted : t.declined}</h2>
      <p>{accepted ? t.acceptedAt(formatLong(at, language)) : t.declinedAt(formatLong(at, language))}</p>
      {elsewhere && <p>{t.elsewhere}</p>}
      {proposal.rejection_reason && (
        <>
          <h3>{t.reasonGiven}</h3>
          <p class="written">{proposal.rejection_reason}</p>
        </>
      )}
      {accepted && <p class="hint">{t.acceptedNext(proposal.seller.name)}</p>}
    </section>
  );
}
