import assert from "node:assert/strict";
import {
  afterAnswer,
  afterReading,
  type Page,
  type Proposal,
  type Reply,
  tokenIn,
} from "../../console/proposal/state.ts";
import { firstLanguage } from "../../console/proposal/strings.ts";
import { ProposalAnswer, ProposalView } from "../../supabase/functions/proposals/schema.ts";

const TOKEN = "Ab3".repeat(14) + "x";
const LOADING: Page = { at: "loading" };
const open: Proposal = {
  title: "Plano anual",
  value: 12500.5,
  recurring_value: null,
  status: "visualizada",
  sent_at: "2026-11-20T12:00:00.000Z",
  expires_at: "2027-01-31T12:00:00.000Z",
  accepted_at: null,
  rejected_at: null,
  rejection_reason: null,
  seller: { name: "Padaria Sol" },
};
const declined: Proposal = { ...open, status: "recusada", rejected_at: "2026-11-21T12:00:00.000Z" };
const shown: Page = { at: "shown", proposal: open, answeredElsewhere: false, failure: null };
const refused = (code: string, status: number): Reply => ({
  ok: false,
  code,
  status,
  requestId: "019f2d60",
  retryAfter: null,
});

Deno.test("The token is read from the fragment alone, whatever a mailer appended to it", () => {
  for (const end of ["", "?utm_source=mail", "/", "&x=1"]) assert.equal(tokenIn(`#${TOKEN}${end}`), TOKEN);
  for (const bad of ["", "#", "#abc", `#${TOKEN}x`, `#${TOKEN.slice(1)}`, `#x${TOKEN}`, `#/${TOKEN}`]) {
    assert.equal(tokenIn(bad), null, bad);
  }
});

Deno.test("The page asks for the fields of a proposal that its reply has", () => {
  const fields = Object.keys(ProposalView.shape);
  for (const field of Object.keys(open)) assert.ok(fields.includes(field), field);
  assert.ok("idempotent" in ProposalAnswer.shape);
});

Deno.test("A proposal that was answered while it was open says that somebody else did, and goes on saying it", () => {
  const page = afterReading(shown, { ok: true, proposal: declined });
  assert.deepEqual(page, { at: "shown", proposal: declined, answeredElsewhere: true, failure: null });
  assert.deepEqual(afterReading(page, { ok: true, proposal: declined }), page);
});

Deno.test("An answer of this page, and one that was there at first, is not called somebody else's", () => {
  for (
    const page of [
      afterAnswer(shown, { ok: true, proposal: declined }),
      afterReading(LOADING, { ok: true, proposal: declined }),
    ]
  ) {
    assert.deepEqual(page, { at: "shown", proposal: declined, answeredElsewhere: false, failure: null });
  }
});

Deno.test("A proposal that expires while it is open stays on the page, without its buttons", () => {
  for (const after of [afterReading, afterAnswer]) {
    assert.deepEqual(after(shown, refused("proposal_expired", 410)), {
      at: "ended",
      why: "expired",
      proposal: open,
    });
  }
  assert.deepEqual(afterReading(LOADING, refused("proposal_expired", 410)), {
    at: "ended",
    why: "expired",
    proposal: null,
  });
});

Deno.test("A link that ends while its proposal is open shows the proposal no longer", () => {
  for (
    const [code, status, why] of [["not_found", 404, "missing"], [
      "workspace_suspended",
      403,
      "suspended",
    ]] as const
  ) {
    for (const after of [afterReading, afterAnswer]) {
      assert.deepEqual(after(shown, refused(code, status)), { at: "ended", why, proposal: null });
    }
  }
});

Deno.test("A failed answer keeps the proposal and says why; a failed look keeps the page as it is", () => {
  const away: Reply = { ok: false, code: "network" };
  const failure = { why: "network", requestId: null, retryAfter: null };
  assert.deepEqual(afterAnswer(shown, away), { ...shown, failure });
  assert.deepEqual(afterReading(shown, away), shown);
  assert.deepEqual(afterReading(LOADING, away), { at: "failed", failure });
});

Deno.test("A failure is told by what a customer can do about it, with the request's id", () => {
  const why = (reply: Reply) => {
    const page = afterReading(LOADING, reply);
    return page.at === "failed" && [page.failure.why, page.failure.requestId];
  };
  assert.deepEqual(why(refused("rate_limited", 429)), ["busy", "019f2d60"]);
  assert.deepEqual(why(refused("internal_error", 500)), ["server", "019f2d60"]);
  assert.deepEqual(why(refused("unknown", 502)), ["server", "019f2d60"]);
});

Deno.test("The page is in Portuguese unless English was chosen, or is the browser's and nothing was chosen", () => {
  assert.equal(firstLanguage(null, "pt-BR"), "pt-BR");
  assert.equal(firstLanguage(null, "de-DE"), "pt-BR");
  assert.equal(firstLanguage(null, "en-GB"), "en");
  assert.equal(firstLanguage("pt", "en-GB"), "pt-BR");
  assert.equal(firstLanguage("en", "pt-BR"), "en");
});
