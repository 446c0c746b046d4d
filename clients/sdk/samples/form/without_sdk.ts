// Sends a form as a lead: deno serve without_sdk.ts, or bun without_sdk.ts. Environment: CRM_KEY, CRM_URL.
import process from "node:process";

const { CRM_KEY, CRM_URL } = process.env;
if (!CRM_KEY || !CRM_URL) throw new Error("CRM_KEY or CRM_URL is missing");
const key = CRM_KEY;
const RETRIES = 3;

interface LeadReply {
  lead: { deal_id: string };
}

interface ErrorReply {
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

class LeadError extends Error {
  readonly reply: ErrorReply;

  constructor(reply: ErrorReply) {
    super(reply.message);
    this.reply = reply;
  }
}

async function createLead(body: Record<string, string | undefined>): Promise<LeadReply> {
  // Each attempt has the same key, so that a retry after a lost answer does not create a second lead.
  const headers = {
    "X-API-Key": key,
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
  };
  for (let attempt = 0;; attempt++) {
    let wait = 2 ** attempt * (1 + Math.random() / 2);
    let failure: ErrorReply = { code: "no_answer", message: "The CRM does not answer" };
    try {
      const response = await fetch(`${CRM_URL}/api-v1-leads`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      const reply = JSON.parse(await response.text());
      if (response.ok) return reply;
      if (reply.error) failure = reply.error;
      const retryAfter = Number(response.headers.get("Retry-After") ?? 0);
      if (retryAfter > 0) wait = retryAfter + Math.random();
      const repeatable = response.status === 429 || response.status >= 500 || response.status === 408 ||
        failure.code === "idempotency_in_progress";
      if (!repeatable) throw new LeadError(failure);
    } catch (error) {
      if (error instanceof LeadError) throw error;
    }
    if (attempt === RETRIES) throw new LeadError(failure);
    await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
  }
}

export default {
  async fetch(request: Request): Promise<Response> {
    const form = await request.formData();
    const field = (name: string) => form.get(name)?.toString() || undefined;
    // Take only these fields: a visitor must not choose the owner or the value of the deal.
    const person = { first_name: field("name") ?? "", email: field("email"), phone: field("phone") };
    try {
      const { lead } = await createLead({ ...person, source: "Formulário do site" });
      return Response.json({ deal_id: lead.deal_id }, { status: 201 });
    } catch (error) {
      if (!(error instanceof LeadError)) throw error;
      const status = error.reply.code === "validation_error" ? 422 : 503;
      return Response.json({ message: error.message, details: error.reply.details ?? [] }, { status });
    }
  },
};
