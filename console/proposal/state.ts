// What the customer's page of a proposal shows, as values: no element and no request is made here.

/** A proposal as `GET /proposals/<token>` shows it to its customer. */
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

/** What became of a request. */
export type Reply =
  | { ok: true; proposal: Proposal }
  /** No answer arrived: whether the request did is not known. */
  | { ok: false; code: "network" }
  | { ok: false; code: string; status: number; requestId: string | null; retryAfter: number | null };

/** Why nothing, or nothing new, can be shown. */
export interface Failure {
  why: "network" | "busy" | "server";
  requestId: string | null;
  /** Seconds that the server asks to wait; null if it names none. */
  retryAfter: number | null;
}

/** Why there is nothing to answer. */
export type Ending = "missing" | "expired" | "suspended";

/** What the page shows. */
export type Page =
  | { at: "loading" }
  | { at: "shown"; proposal: Proposal; answeredElsewhere: boolean; failure: Failure | null }
  /** `proposal`: what was on the page before, if anything was. */
  | { at: "ended"; why: Ending; proposal: Proposal | null }
  | { at: "failed"; failure: Failure };

const TOKEN = /^#?([0-9A-Za-z]{43})(?![0-9A-Za-z])/;

/** Returns the token in the address's fragment, or null. What mailers append to a link is left out. */
export function tokenIn(fragment: string): string | null {
  return TOKEN.exec(fragment)?.[1] ?? null;
}

/** Whether the proposal has an answer, which is final. */
export function isAnswered({ status }: Proposal): boolean {
  return status === "aceita" || status === "recusada";
}

/** Returns the page after the proposal was read. */
export function afterReading(page: Page, reply: Reply): Page {
  const before = proposalOn(page);
  if (reply.ok) {
    const { proposal } = reply;
    const changed = before !== null && !isAnswered(before) && isAnswered(proposal);
    const said = page.at === "shown" && page.answeredElsewhere && isAnswered(proposal);
    return { at: "shown", proposal, answeredElsewhere: changed || said, failure: null };
  }
  const why = endingOf(reply.code);
  // An answer stays readable: what was answered cannot expire, and the link that showed it did work.
  if (why !== null) return { at: "ended", why, proposal: why === "expired" ? before : null };
  const failure = failureOf(reply);
  if (before === null) return { at: "failed", failure };
  return page.at === "shown" ? { ...page, failure: null } : page;
}

/** Returns the page after the customer answered. Of `proposal_closed` the caller reads the proposal again. */
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
