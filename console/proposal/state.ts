// The state of the customer's page as plain data and functions, without DOM or requests.

/** A proposal as `GET /proposals/<token>` returns it. */
export interface Proposal {
  title: string;
  value: number | null;
  recurring_value: number | null;
  status: "enviada" | "visualizada" | "aceita" | "recusada";
  sent_at: string;
  expires_at: string | null;
  accepted_at: string | null;
  rejected_at: string | null;
  rejection_reason: string | null;
  seller: { name: string };
}

export type Reply =
  | { ok: true; proposal: Proposal }
  /** No answer arrived; the request may have been processed. */
  | { ok: false; code: "network" }
  | { ok: false; code: string; status: number; requestId: string | null; retryAfter: number | null };

export interface Failure {
  why: "network" | "busy" | "server";
  requestId: string | null;
  /** From Retry-After, in seconds; null if there was none. */
  retryAfter: number | null;
}

export type Ending = "missing" | "expired" | "suspended";

export type Page =
  | { at: "loading" }
  | { at: "shown"; proposal: Proposal; answeredElsewhere: boolean; failure: Failure | null }
  /** `proposal`: what the page showed before; null if it showed none. */
  | { at: "ended"; why: Ending; proposal: Proposal | null }
  | { at: "failed"; failure: Failure };

const TOKEN = /^#?([0-9A-Za-z]{43}(?:[0-9A-Za-z]{4})?)(?![0-9A-Za-z])/;

/** Returns the token in the fragment, or null. Ignores what mail programs append to a link. */
export function tokenIn(fragment: string): string | null {
  return TOKEN.exec(fragment)?.[1] ?? null;
}

/** Whether the proposal has an answer, which is final. */
export function isAnswered({ status }: Proposal): boolean {
  return status === "aceita" || status === "recusada";
}

export function afterReading(page: Page, reply: Reply): Page {
  const before = proposalOn(page);
  if (reply.ok) {
    const { proposal } = reply;
    // An answer is final, so a reply without an answer is older than the page.
    if (page.at === "shown" && isAnswered(page.proposal) && !isAnswered(proposal)) return page;
    // After a failure, the answer may be the customer's own: perhaps only the reply to it was lost.
    const isUnsure = page.at === "shown" && page.failure !== null;
    const changed = before !== null && !isAnswered(before) && isAnswered(proposal) && !isUnsure;
    const said = page.at === "shown" && page.answeredElsewhere && isAnswered(proposal);
    return { at: "shown", proposal, answeredElsewhere: changed || said, failure: null };
  }
  const why = endingOf(reply.code);
  // The terms of an expired proposal stay readable. The other endings hide the proposal.
  if (why !== null) return { at: "ended", why, proposal: why === "expired" ? before : null };
  return before === null ? { at: "failed", failure: failureOf(reply) } : page;
}

/** Returns the page after the customer answered. After `proposal_closed` the caller reads the proposal again. */
export function afterAnswer(page: Page, reply: Reply): Page {
  if (reply.ok) return { at: "shown", proposal: reply.proposal, answeredElsewhere: false, failure: null };
  const why = endingOf(reply.code);
  if (why !== null) return { at: "ended", why, proposal: why === "expired" ? proposalOn(page) : null };
  return page.at === "shown" ? { ...page, failure: failureOf(reply) } : page;
}

function proposalOn(page: Page): Proposal | null {
  return page.at === "shown" || page.at === "ended" ? page.proposal : null;
}

function endingOf(code: string): Ending | null {
  if (code === "proposal_expired") return "expired";
  if (code === "workspace_suspended") return "suspended";
  return code === "not_found" ? "missing" : null;
}

function failureOf(reply: Extract<Reply, { ok: false }>): Failure {
  if (!("status" in reply)) return { why: "network", requestId: null, retryAfter: null };
  const { status, requestId, retryAfter } = reply;
  return { why: status === 429 ? "busy" : "server", requestId, retryAfter };
}
