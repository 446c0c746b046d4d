import { useEffect, useRef, useState } from "preact/hooks";
import type { Ending, Failure, Proposal } from "./state.ts";
import { type Language, STRINGS, type Strings } from "./strings.ts";
import { Button } from "../components/button.tsx";
import { formatLong, Terms } from "./terms.tsx";

/** Seconds to wait if the server sends no Retry-After. */
const USUAL_WAIT_S = 60;

interface FailedProps {
  failure: Failure;
  /** The texts that say what to do after each kind of failure. */
  again: Strings["readAgain"];
  t: Strings;
  /** Tries again. Absent if the page still shows the button that the person pressed. */
  retry?: () => void;
}

/** Says what failed, whether anything was saved, and what to do. */
export function Failed({ failure: { why, retryAfter, requestId }, again, t, retry }: FailedProps) {
  return (
    <div class="note failed" role="alert">
      {retry ? <h1>{t.failed[why]}</h1> : <p class="failed-title">{t.failed[why]}</p>}
      <p>{why === "busy" ? again.busy(retryAfter ?? USUAL_WAIT_S) : again[why]}</p>
      {requestId && <RequestId id={requestId} t={t} />}
      {retry && <Button class="button primary" text={t.retry} onClick={retry} />}
    </div>
  );
}

/** The id by which support finds the request. CSS lets one click select it, for browsers that forbid copying. */
function RequestId({ id, t }: { id: string; t: Strings }) {
  const [copied, setCopied] = useState(false);
  const copy = () => navigator.clipboard?.writeText(id).then(() => setCopied(true), () => setCopied(false));
  return (
    <p class="hint">
      {t.requestId} <code>{id}</code> <Button class="link" text={copied ? t.copied : t.copy} onClick={copy} />
    </p>
  );
}

/** Says why the proposal cannot be answered, and whom to ask. */
export function Ended(
  { why, proposal, language }: { why: Ending; proposal: Proposal | null; language: Language },
) {
  const t = STRINGS[language];
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is gone, so the heading gets the focus.
  useEffect(() => {
    if (proposal !== null) heading.current?.focus();
  }, []);
  const next = { expired: t.expiredNext, missing: t.missingNext, suspended: t.suspendedNext }[why];
  const Heading = proposal === null ? "h1" : "h2";
  return (
    <article>
      {proposal && <Terms proposal={proposal} language={language} />}
      <section class="proposal-answer">
        <Heading ref={heading} tabIndex={-1}>{t[why]}</Heading>
        {proposal?.expires_at && <p>{t.expiredAt(formatLong(proposal.expires_at, language))}</p>}
        <p>{next}</p>
      </section>
    </article>
  );
}
