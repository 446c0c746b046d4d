import { z } from "zod";
import { ErrorDetail } from "../../supabase/functions/_shared/contract/error_detail.ts";
import { type ErrorCode, ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { gateErrorCodes, groupByStatus } from "../errors/error_codes.ts";
import { ERROR_TEXTS } from "../errors/texts.ts";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import { headers, type ReplyHeader } from "./headers.ts";
import type { JsonSchema } from "./json_schema.ts";
import type { Schemas } from "./schemas.ts";
import { DETAILS } from "./story/details.ts";

/** The schema of every error reply (spec 7), for a document whose operations return these codes. */
function errorEnvelope(codes: readonly ErrorCode[]) {
  const code = z.enum(codes).meta({ id: "ErrorCode", ...doc("Um código estável", "A stable code") });
  return z.object({
    error: z.object({ code, message: z.string(), details: z.array(ErrorDetail).optional() }),
  }).meta({
    id: "Error",
    ...doc("O corpo de todo erro", "The body of every error"),
    fields: {
      error: doc("O erro", "The error"),
      message: doc("O que houve, em português", "What happened, in Portuguese"),
      details: doc("Os campos com problema, todos de uma vez", "Every invalid field"),
    },
  });
}

/**
 * The error replies of one document. Each is stored once, under `components`, and named for its codes. A reply with
 * several codes and a status that all operations share is named for its status.
 */
export class ErrorReplies {
  readonly named: Record<string, unknown> = {};

  /** The statuses that all operations behind the document's gate share. */
  readonly #shared: ReadonlySet<number>;
  readonly #envelope: JsonSchema;

  /** @param codes every code that an operation of the document returns */
  constructor(readonly schemas: Schemas, readonly gate: GateName, codes: readonly ErrorCode[]) {
    this.#shared = new Set(groupByStatus(gateErrorCodes(gate)).keys());
    this.#envelope = schemas.add(errorEnvelope(codes), "output");
  }

  /** Creates the error replies of an operation, by status. */
  forCodes(codes: readonly ErrorCode[]): Record<string, unknown> {
    return Object.fromEntries(
      [...groupByStatus(codes)].map(([status, codes]) => {
        const name = this.#nameOf(status, codes);
        this.named[name] ??= this.#reply(status, codes);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  #nameOf(status: number, codes: readonly ErrorCode[]): string {
    return codes.length > 1 && this.#shared.has(status) ? `error_${status}` : codes.join("_or_");
  }

  #reply(status: number, codes: readonly ErrorCode[]) {
    const list = (textOf: (code: ErrorCode) => string) =>
      codes.map((code) => `- \`${code}\`: ${textOf(code)}`).join("\n");
    // Prefer a code that has details.
    const code = codes.find((code) => DETAILS[code]) ?? codes[0]!;
    const details = DETAILS[code];
    return {
      ...doc(list((code) => ERRORS[code].message), list((code) => ERROR_TEXTS[code].when.description_en)),
      headers: headers(["X-Request-Id", ...headersOf(status, codes, this.gate)]),
      content: {
        "application/json": {
          schema: { allOf: [this.#envelope, withCodes(codes)] },
          example: { error: { code, message: ERRORS[code].message, ...(details && { details }) } },
        },
      },
    };
  }
}

/** Narrows the envelope to the codes of one reply. */
function withCodes(codes: readonly ErrorCode[]): JsonSchema {
  return {
    type: "object",
    properties: {
      error: {
        type: "object",
        properties: { code: { type: "string", enum: [...codes] } },
        required: ["code"],
        // Without this keyword, some validators would refuse the fields that only the envelope declares.
        unevaluatedProperties: true,
      },
    },
    required: ["error"],
  };
}

/** The headers of an error. It has rate limit headers if the key is known and its workspace may call the API. */
function headersOf(status: number, codes: readonly ErrorCode[], gate: GateName): ReplyHeader[] {
  const retry: ReplyHeader[] = codes.some((code) => ERROR_TEXTS[code].repeat === "retry_after")
    ? ["Retry-After"]
    : [];
  switch (status) {
    case 301:
      return ["RateLimit-Policy", "RateLimit", "Location"];
    case 401:
      return gate === "key" ? ["WWW-Authenticate"] : [];
    case 500:
    case 503:
      return retry;
    case 405:
      return ["RateLimit-Policy", "RateLimit", "Allow"];
    default:
      return ["RateLimit-Policy", "RateLimit", ...retry];
  }
}
