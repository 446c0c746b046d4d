import { z } from "zod";
import { type ErrorCode, ERRORS } from "../supabase/functions/_shared/contract/errors.ts";
import { doc } from "../supabase/functions/_shared/contract/doc.ts";
import { gateErrorCodes, groupByStatus } from "../contract/error_codes.ts";
import { exampleOf } from "./examples.ts";
import type { GateName } from "../supabase/functions/_shared/contract/endpoint.ts";
import { headers, type ReplyHeader } from "./headers.ts";
import type { Schemas } from "./schemas.ts";

const ErrorDetail = z.object({ field: z.string(), message: z.string() }).meta({
  id: "ErrorDetail",
  ...doc("Um campo com problema", "An invalid field"),
  fields: {
    field: doc("Nome do campo ou parâmetro", "Name of the field or parameter", "email"),
    message: doc(
      "O que é aceito, em português",
      "What is allowed, in Portuguese",
      "Deve ser um e-mail válido",
    ),
  },
});

/** The schema of an error reply (spec 7) with one of these codes. */
function errorEnvelope(codes: readonly ErrorCode[]) {
  return z.object({
    error: z.object({
      code: z.enum(codes),
      message: z.string(),
      // Only errors with status 422 name fields.
      ...(codes.some((code) => ERRORS[code].status === 422) && { details: z.array(ErrorDetail).optional() }),
    }),
  }).meta({
    fields: {
      error: doc("O erro", "The error"),
      code: doc("Código estável", "A stable code"),
      message: doc("O que houve, em português", "What happened, in Portuguese", ""),
      details: doc("Os campos com problema, todos de uma vez", "Every invalid field"),
    },
  });
}

/** The error replies of one document. Replies that operations share are stored once, under `components`. */
export class ErrorReplies {
  readonly named: Record<string, unknown> = {};

  /** The statuses that all operations behind the document's gate share. */
  readonly #shared: ReadonlySet<number>;

  constructor(readonly schemas: Schemas, gate: GateName) {
    this.#shared = new Set(groupByStatus(gateErrorCodes(gate)).keys());
  }

  /** Creates the error replies of an operation, by status. */
  forCodes(codes: readonly ErrorCode[]): Record<string, unknown> {
    return Object.fromEntries(
      [...groupByStatus(codes)].map(([status, codes]) => {
        const name = this.#nameOf(status, codes);
        if (name === null) return [status, this.#reply(status, codes)];
        this.named[name] ??= this.#reply(status, codes);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  /** Names a shared reply; returns null if the combination of codes is specific to an operation. */
  #nameOf(status: number, codes: readonly ErrorCode[]): string | null {
    if (codes.length === 1) return codes[0]!;
    return this.#shared.has(status) ? `error_${status}` : null;
  }

  #reply(status: number, codes: readonly ErrorCode[]) {
    const list = (textOf: (code: ErrorCode) => string) =>
      codes.map((code) => `- \`${code}\`: ${textOf(code)}`).join("\n");
    const [code] = codes as [ErrorCode];
    const schema = this.schemas.add(errorEnvelope(codes), "output");
    const { error } = exampleOf(schema, this.schemas, "output") as { error: object };
    return {
      ...doc(list((code) => ERRORS[code].message), list((code) => ERRORS[code].when)),
      headers: headers(["X-Request-Id", ...headersOf(status)]),
      content: {
        "application/json": { schema, example: { error: { ...error, code, message: ERRORS[code].message } } },
      },
    };
  }
}

/** A reply has the rate limit headers if the key is known and its workspace may call the API. */
function headersOf(status: number): ReplyHeader[] {
  switch (status) {
    case 401:
    case 500:
      return [];
    case 503:
      return ["Retry-After"];
    case 405:
      return ["RateLimit-Policy", "RateLimit", "Allow"];
    case 429:
      return ["RateLimit-Policy", "RateLimit", "Retry-After"];
    default:
      return ["RateLimit-Policy", "RateLimit"];
  }
}
