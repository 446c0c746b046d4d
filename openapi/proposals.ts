import type { z } from "zod";
import { type Doc, doc } from "../supabase/functions/_shared/contract/doc.ts";
import { type ErrorCode, ERRORS } from "../supabase/functions/_shared/contract/errors.ts";
import { ProposalAnswer, ProposalView, Rejection } from "../supabase/functions/proposals/schema.ts";
import type { ErrorReplies } from "./error_replies.ts";
import { headers } from "./headers.ts";
import { json } from "./operation.ts";

const EVERYWHERE: readonly ErrorCode[] = [
  "not_found",
  "workspace_suspended",
  "rate_limited",
  "method_not_allowed",
  "proposal_expired",
  "internal_error",
  "service_unavailable",
];
const OF_BODIES: readonly ErrorCode[] = ["bad_request", "payload_too_large", "validation_error"];

interface Declaration {
  id: string;
  summary: Doc;
  reply: z.ZodType;
  body?: z.ZodType;
  errors?: readonly ErrorCode[];
}

/** The public link of a proposal: no key opens it, so it is no resource and is written down here. */
export function proposalPaths(errors: ErrorReplies): Record<string, unknown> {
  const path = (method: "get" | "post", declaration: Declaration) => ({
    parameters: [{
      name: "token",
      in: "path",
      required: true,
      ...doc("O token do link", "The link's token"),
      schema: { type: "string", pattern: "^[0-9A-Za-z]{43}$" },
    }],
    [method]: operation(declaration, errors),
  });
  return {
    "/proposals/{token}": path("get", {
      id: "proposal_view",
      summary: doc("Mostra a proposta ao cliente", "Show the proposal to its customer"),
      reply: ProposalView,
    }),
    "/proposals/{token}/accept": path("post", {
      id: "proposal_accept",
      summary: doc("Aceita a proposta, em definitivo", "Accept the proposal, for good"),
      reply: ProposalAnswer,
      errors: ["proposal_closed"],
    }),
    "/proposals/{token}/reject": path("post", {
      id: "proposal_reject",
      summary: doc("Recusa a proposta, em definitivo", "Reject the proposal, for good"),
      reply: ProposalAnswer,
      body: Rejection,
      errors: ["proposal_closed", ...OF_BODIES],
    }),
  };
}

function operation({ id, summary, reply, body, errors: own = [] }: Declaration, errors: ErrorReplies) {
  const { schemas } = errors;
  const codes = new Set([...EVERYWHERE, ...own]);
  return {
    operationId: id,
    tags: ["proposals"],
    summary: summary.description,
    summary_en: summary.description_en,
    security: [],
    ...(body && { requestBody: { required: false, content: json(body, "input", schemas) } }),
    responses: {
      200: {
        ...doc("Feito", "Done"),
        headers: headers([
          "X-Request-Id",
          "RateLimit-Policy",
          "RateLimit",
          ...(body ? ["X-Ignored-Fields"] as const : []),
        ]),
        content: json(reply, "output", schemas),
      },
      ...errors.of((Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))),
    },
  };
}
