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
const refused = (code: string, status: number): Reply => {
  return { ok: false, code, status, requestId: "019f2d60", retryAfter: null };
};

Deno.test("The token is read from the fragment, even if a mail program appended text", () => {
  for (const end of ["", "?utm_source=mail", "/", "&x=1"]) assert.equal(tokenIn(`#${TOKEN}${end}`), TOKEN);
  for (const bad of ["", "#", "#abc", `#${TOKEN}x`, `#${TOKEN.slice(1)}`, `#x${TOKEN}`, `#/${TOKEN}`]) {
    assert.equal(tokenIn(bad), null, bad);
  }
});

Deno.test("The page reads only fields that the function returns", () => {
  const fields = Object.keys(ProposalView.shape);
  for (const field of Object.keys(open)) assert.ok(fields.includes(field), field);
  assert.ok("idempotent" in ProposalAnswer.shape);
});

Deno.test("If somebody else answers an open proposal, the page says so and keeps saying so", () => {
  const page = afterReading(shown, { ok: true, proposal: declined });
  assert.deepEqual(page, { at: "shown", proposal: declined, answeredElsewhere: true, failure: null });
  assert.deepEqual(afterReading(page, { ok: true, proposal: declined }), page);
});

Deno.test("An answer from this page, or from before it was opened, is not attributed to somebody else", () => {
  const page: Page = { at: "shown", proposal: declined, answeredElsewhere: false, failure: null };
  assert.deepEqual(afterAnswer(shown, { ok: true, proposal: declined }), page);
  assert.deepEqual(afterReading(LOADING, { ok: true, proposal: declined }), page);
  const lost = afterAnswer(shown, { ok: false, code: "network" });
  const found = afterReading(lost, { ok: true, proposal: declined });
  assert.ok(found.at === "shown" && !found.answeredElsewhere, "the customer's own reply was lost");
});

Deno.test("A reply to a read from before the answer does not replace the answer", () => {
  const answered = afterAnswer(shown, { ok: true, proposal: declined });
  assert.deepEqual(afterReading(answered, { ok: true, proposal: open }), answered);
});

Deno.test("A proposal that expires while it is open stays visible without its buttons", () => {
  const [expired, ended] = [refused("proposal_expired", 410), { at: "ended", why: "expired" }];
  for (const after of [afterReading, afterAnswer]) {
    assert.deepEqual(after(shown, expired), { ...ended, proposal: open });
  }
  assert.deepEqual(afterReading(LOADING, expired), { ...ended, proposal: null });
});

Deno.test("When a link ends, its page no longer shows the proposal", () => {
  for (const after of [afterReading, afterAnswer]) {
    const missing = after(shown, refused("not_found", 404));
    assert.deepEqual(missing, { at: "ended", why: "missing", proposal: null });
    const suspended = after(shown, refused("workspace_suspended", 403));
    assert.deepEqual(suspended, { at: "ended", why: "suspended", proposal: null });
  }
});

Deno.test("A failed answer keeps the proposal and says why; a failed refresh changes nothing", () => {
  const away: Reply = { ok: false, code: "network" };
  const failure = { why: "network", requestId: null, retryAfter: null };
  const failed = afterAnswer(shown, away);
  assert.deepEqual(failed, { ...shown, failure });
  for (const page of [shown, failed]) assert.deepEqual(afterReading(page, away), page);
  assert.deepEqual(afterReading(LOADING, away), { at: "failed", failure });
});

Deno.test("An error message says what the customer can do about it, and shows the request id", () => {
  const why = (reply: Reply) => {
    const page = afterReading(LOADING, reply);
    return page.at === "failed" && [page.failure.why, page.failure.requestId];
  };
  assert.deepEqual(why(refused("rate_limited", 429)), ["busy", "019f2d60"]);
  assert.deepEqual(why(refused("internal_error", 500)), ["server", "019f2d60"]);
  assert.deepEqual(why(refused("unknown", 502)), ["server", "019f2d60"]);
});

Deno.test("The page is in the chosen language, else in English for English browsers, else in Portuguese", () => {
  assert.equal(firstLanguage(null, "pt-BR"), "pt-BR");
  assert.equal(firstLanguage(null, "de-DE"), "pt-BR");
  assert.equal(firstLanguage(null, "en-GB"), "en");
  assert.equal(firstLanguage("pt", "en-GB"), "pt-BR");
  assert.equal(firstLanguage("en", "pt-BR"), "en");
});
