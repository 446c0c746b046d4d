import { formatMoney, singlePrice } from "../format/format.ts";
import type { Proposal } from "./state.ts";
import { type Language, STRINGS } from "./strings.ts";

export function Terms({ proposal, language }: { proposal: Proposal; language: Language }) {
  const t = STRINGS[language];
  const { title, recurring_value: monthly, sent_at, expires_at, seller } = proposal;
  const once = singlePrice(proposal);
  return (
    <>
      <header>
        <p class="proposal-seller">
          {t.offer} <strong>{seller.name}</strong>
        </p>
        <h1 class="proposal-title">{title}</h1>
      </header>
      <dl class="proposal-terms">
        {once !== null && (
          <div class="proposal-price">
            <dt>{t.once}</dt>
            <dd>{formatMoney(once, language)}</dd>
          </div>
        )}
        {monthly !== null && (
          <div class="proposal-price">
            <dt>{t.monthly}</dt>
            <dd>{formatMoney(monthly, language)}</dd>
          </div>
        )}
        <div>
          <dt>{t.sentAt}</dt>
          <dd>{formatLong(sent_at, language)}</dd>
        </div>
        {expires_at !== null && (
          <div>
            <dt>{t.validUntil}</dt>
            <dd>{formatLong(expires_at, language)}</dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** A moment in words, in the reader's time zone: `31 de janeiro de 2027 às 09:00`. */
export function formatLong(moment: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(
    new Date(moment),
  );
}
