import { useEffect, useRef, useState } from "preact/hooks";
import { keepPreference, readPreference } from "../app/preferences_store.ts";
import { Button } from "../components/button.tsx";
import { answerProposal, readProposal } from "./requests.ts";
import { Ended, Failed } from "./messages.tsx";
import { Offer } from "./offer.tsx";
import { afterAnswer, afterReading, isAnswered, type Page, tokenIn } from "./state.ts";
import { firstLanguage, type Language, STRINGS } from "./strings.ts";

/** If the proposal was read within this time, a page that becomes visible does not read it again. */
const FRESH_MS = 5_000;
/** The longest delay that `setTimeout` supports. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The customer's page for one proposal. The token is in the fragment of the address, which is sent to no server. */
export function ProposalPage({ functions }: { functions: string }) {
  const [language, setLanguage] = useState(() => firstLanguage(readPreference("locale"), navigator.language));
  const [page, setPage] = useState<Page>({ at: "loading" });
  const [token, setToken] = useState(() => tokenIn(location.hash));
  const [sending, setSending] = useState(false);
  const readAt = useRef(0);
  // A reply that belongs to the token of an earlier link must not be shown for this link.
  const current = useRef(token);
  const t = STRINGS[language];

  const other = language === "en" ? "pt-BR" : "en";

  function choose(language: Language) {
    keepPreference("locale", language === "en" ? "en" : "pt");
    setLanguage(language);
  }

  async function read() {
    if (token === null) return setPage({ at: "ended", why: "missing", proposal: null });
    readAt.current = Date.now();
    const reply = await readProposal(functions, token);
    if (current.current === token) setPage((page) => afterReading(page, reply));
  }

  async function answer(choice: "accept" | "reject", reason?: string) {
    if (token === null || sending) return;
    setSending(true);
    const reply = await answerProposal(functions, token, choice, reason);
    setSending(false);
    if (current.current !== token) return;
    if (!reply.ok && reply.code === "proposal_closed") return await read();
    setPage((page) => afterAnswer(page, reply));
  }

  useEffect(() => {
    const open = () => {
      current.current = tokenIn(location.hash);
      setPage({ at: "loading" });
      setToken(current.current);
    };
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);

  useEffect(() => void read(), [token]);

  // While the page was hidden, somebody else may have answered, or the proposal may have expired.
  const open = page.at === "failed" || page.at === "shown" && !isAnswered(page.proposal);
  const expiresAt = page.at === "shown" ? page.proposal.expires_at : null;
  useEffect(() => {
    if (!open) return;
    const look = () => {
      if (document.visibilityState === "visible" && Date.now() - readAt.current > FRESH_MS) void read();
    };
    const left = expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now() + 1_000;
    const timer = left > 0 && left < LONGEST_TIMER_MS ? setTimeout(() => void read(), left) : undefined;
    const online = () => void read();
    document.addEventListener("visibilitychange", look);
    addEventListener("online", online);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      removeEventListener("online", online);
    };
  }, [open, token, expiresAt]);

  useEffect(() => {
    document.documentElement.lang = language;
    if (page.at === "shown") document.title = `${page.proposal.title} · ${page.proposal.seller.name}`;
    else if (page.at === "ended") document.title = t[page.why];
    else if (page.at === "failed") document.title = t.failed[page.failure.why];
  }, [language, page]);

  return (
    <div class="proposal">
      <main aria-busy={page.at === "loading"}>
        {page.at === "loading" && <p role="status">{t.loading}</p>}
        {page.at === "failed" && <Failed failure={page.failure} again={t.readAgain} t={t} retry={read} />}
        {page.at === "ended" && <Ended why={page.why} proposal={page.proposal} language={language} />}
        {page.at === "shown" && (
          <Offer
            key={token}
            proposal={page.proposal}
            answeredElsewhere={page.answeredElsewhere}
            failure={page.failure}
            sending={sending}
            language={language}
            answer={answer}
          />
        )}
      </main>
      {page.at !== "loading" && (
        <footer class="proposal-foot">
          <span>{t.foot}</span>
          <Button class="link" text={t.other} lang={other} onClick={() => choose(other)} />
        </footer>
      )}
    </div>
  );
}
