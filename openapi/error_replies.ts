import { z } from "zod";
import { type ErrorCode, ERRORS } from "../supabase/functions/_shared/contract/errors.ts";
import { doc } from "../supabase/functions/_shared/contract/doc.ts";
import { gateErrorCodes, groupByStatus } from "../contract/error_codes.ts";
import { exampleOf } from "./examples.ts";
import { headers, type ReplyHeader } from "./headers.ts";
import type { Schemas } from "./schemas.ts";

const ErrorDetail = z.object({ field: z.string(), message: z.string() }).meta({
  id: "ErrorDetail",
  ...doc("Um campo com problema", "A field at fault"),
  fields: {
    field: doc("Nome do campo ou parâmetro", "Name of the field or parameter", "email"),
    message: doc(
      "O que é aceito, em português",
      "What is allowed, in Portuguese",
      "Deve ser um e-mail válido",
    ),
  },
});

/** The envelope of an error (spec 7), with these codes. */
export function errorEnvelope(codes: readonly ErrorCode[]) {
  return z.object({
    error: z.object({
      code: z.enum(codes),
      message: z.string(),
      // Only what is invalid has fields at fault.
      ...(codes.some((code) => ERRORS[code].status === 422) && { details: z.array(ErrorDetail).optional() }),
    }),
  }).meta({
    fields: {
      error: doc("O erro", "The error"),
      code: doc("Código estável", "A stable code"),
      message: doc("O que houve, em português", "What happened, in Portuguese", ""),
      details: doc("Os campos com problema, todos de uma vez", "The fields at fault, all of them at once"),
    },
  });
}

/** The statuses whose codes most operations share. */
const shared = groupByStatus(gateErrorCodes("key"));

/** The error replies of one document; those of many operations stand once, under `components`. */
export class ErrorReplies {
  readonly named: Record<string, unknown> = {};

  constructor(readonly schemas: Schemas) {}

  /** By status, with the codes that each may carry. */
  of(codes: readonly ErrorCode[]): Record<string, unknown> {
    return Object.fromEntries(
      [...groupByStatus(codes)].map(([status, codes]) => {
        const name = nameOf(status, codes);
        if (name === null) return [status, this.#reply(status, codes)];
        this.named[name] ??= this.#reply(status, codes);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  #reply(status: number, codes: readonly ErrorCode[]) {
    const list = (say: (code: ErrorCode) => string) =>
      codes.map((code) => `- \`${code}\`: ${say(code)}`).join("\n");
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

/** Null where the codes are an operation's own combination. */
function nameOf(status: number, codes: readonly ErrorCode[]): string | null {
  if (codes.length === 1) return codes[0]!;
  return shared.has(status) ? `error_${status}` : null;
}

/** The rate limit is shown once the key is known and the account may call. */
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
