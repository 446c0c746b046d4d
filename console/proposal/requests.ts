import type { Proposal, Reply } from "./state.ts";

/** Milliseconds after which a request counts as failed: a person who pressed a button would not wait longer. */
const TIMEOUT_MS = 20_000;

/** Reads the proposal of a link. Never throws. */
export function readProposal(functions: string, token: string): Promise<Reply> {
  return request(`${functions}/proposals/${token}`, "GET");
}

/** Answers a proposal. The answer is final; repeating it changes nothing. Never throws. */
export function answerProposal(
  functions: string,
  token: string,
  answer: "accept" | "reject",
  reason = "",
): Promise<Reply> {
  const body = answer === "reject" && reason !== "" ? { reason } : undefined;
  return request(`${functions}/proposals/${token}/${answer}`, "POST", body);
}

async function request(url: string, method: string, body?: unknown): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json" },
      }),
    });
    // A proxy or the platform may answer with HTML, which counts as a server error without a code.
    const json = await response.json().catch(() => null);
    if (response.ok && json !== null) return { ok: true, proposal: json as Proposal };
    return {
      ok: false,
      code: json?.error?.code ?? "unknown",
      status: response.status,
      requestId: response.headers.get("X-Request-Id"),
      retryAfter: Number(response.headers.get("Retry-After")) || null,
    };
  } catch {
    return { ok: false, code: "network" };
  }
}
