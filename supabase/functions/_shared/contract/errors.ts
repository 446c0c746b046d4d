import { APPLICATION_ERRORS } from "./errors/application.ts";
import { CALL_ERRORS } from "./errors/calls.ts";
import type { ErrorKind } from "./errors/error_kind.ts";
import { FOUND_KINDS, type FoundKind } from "./errors/found_kinds.ts";
import { RECORD_ERRORS } from "./errors/records.ts";

/** An item of `error.details` (spec 7). */
export interface FieldError {
  /** The field's path; `""`: the whole body. */
  field: string;
  /** Portuguese: what is wrong and what is allowed. */
  message: string;
  /** The id of the record that the error is about. */
  id?: string;
  /** The records that the field may name, if the workspace has at most 20. */
  choices?: Choice[];
}

/** A record that a field may name; a stage also has its type: pre-venda, venda, won or lost. */
export type Choice = { id: string; name: string; type?: string };

/** Every error of the service (spec 7) with its status and texts. A code that is not listed here does not compile. */
export const ERRORS = { ...CALL_ERRORS, ...RECORD_ERRORS, ...APPLICATION_ERRORS };

/** A stable code in English, from spec 7 or for the application. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether only the application's functions answer with this code. */
export function isAppError(code: ErrorCode): boolean {
  return Object.hasOwn(APPLICATION_ERRORS, code);
}

/** Whether a text from the database is one of the API's codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/**
 * An error for the client. Functions return it as a value; callers check with `instanceof`. An exception, by
 * contrast, is a fault of the service, and its message must not reach a client.
 */
export class ApiError {
  /**
   * @param code stable, so that clients can depend on it
   * @param details the invalid fields
   * @param message Portuguese; by default the text of the code
   * @param headers additional headers of the reply
   */
  constructor(
    readonly code: ErrorCode,
    readonly details?: FieldError[],
    readonly message: string = ERRORS[code].message,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The body of the reply (spec 7), as JSON text. */
  body(): string {
    const { code, message, details } = this;
    return JSON.stringify({ error: { code, message, ...(details && { details }) } });
  }
}

/** The error for a path that the service does not have. */
export const unknownAddress = new ApiError(
  "not_found",
  undefined,
  "Este endereço não existe; confira o caminho na documentação",
);

/** The operations that show what some of the reserved functions will list. */
const LIVE_INSTEAD: Readonly<Record<string, string>> = {
  "api-v1-owners": FOUND_KINDS.owner.operation,
  "api-v1-loss-reasons": FOUND_KINDS.loss_reason.operation,
  "api-v1-custom-fields": "GET /api-v1-workspace/custom-fields",
};

/** The error for the paths of a function that the contract reserves (spec 4.5). */
export function addressNotLive(name: string): ApiError {
  const instead = LIVE_INSTEAD[name];
  const message = `Este endereço ainda não está disponível${instead ? `; use ${instead}` : ""}`;
  return new ApiError("not_found", undefined, message);
}

export const malformedId = new ApiError(
  "not_found",
  undefined,
  "Registro não encontrado: o id do endereço não é um UUID",
);

/**
 * The error for a method that a path does not have. The header `Allow` names the allowed methods, as HTTP requires.
 *
 * @param archive the operation that archives a record: a client that sends DELETE may be looking for it
 */
export function methodNotAllowed(methods: Iterable<string>, archive?: string): ApiError {
  const allow = [...methods].join(", ");
  const message = `Método não aceito neste endereço; use ${allow}${
    archive ? `. Para arquivar, use ${archive}` : ""
  }`;
  return new ApiError("method_not_allowed", undefined, message, { Allow: allow });
}

/** The error for a body over `maxBytes`, a multiple of 1 KiB. */
export function payloadTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    "payload_too_large",
    undefined,
    `O corpo da requisição passa de ${maxBytes / 1024} KiB`,
  );
}

/** An item of an error's details as SQL raises it. A null message stands for the text of the code. */
export interface RaisedField {
  field: string;
  message: string | null;
  id: string | null;
  /** The code whose text is used as the message, if it differs from the error's own code. */
  code?: string;
  /** The kind of the record that has this id, if another kind was expected. */
  kind?: FoundKind | null;
  choices?: Choice[] | null;
}

export function completeDetails(
  code: ErrorCode,
  details: readonly RaisedField[] | null,
): FieldError[] | undefined {
  return details?.map(({ field, message, id, code: own = "", kind, choices }) => {
    const text = kind
      ? foundText(kind, code === "not_found" ? null : meantKind(field))
      : message ?? fieldMessage(isErrorCode(own) ? own : code);
    return {
      field,
      message: choices ? `${text}; ${choicesText(choices)}` : text,
      ...(id !== null && { id }),
      ...(choices?.length && { choices }),
    };
  });
}

/**
 * The error that a verb raised. If it is not_found and the id belongs to a record of another kind, the message names
 * that kind.
 */
export function raisedError(code: ErrorCode, raised: readonly RaisedField[] | null): ApiError {
  const details = completeDetails(code, raised);
  const kind = code === "not_found" ? raised?.[0]?.kind : null;
  return new ApiError(code, details, kind ? `${ERRORS[code].message}. ${foundText(kind, null)}` : undefined);
}

/** @param meant the kind of record that the field expects; null: the message only says how to read the found record */
function foundText(kind: FoundKind, meant: FoundKind | null): string {
  const { name, operation } = FOUND_KINDS[kind];
  return `Este id é de ${name}` +
    (meant === null ? `: use ${operation}` : ` (${operation}); informe o de ${FOUND_KINDS[meant].name}`);
}

/** The kind of record that a field like `company_id` or `to_owner_id` expects. */
function meantKind(field: string): FoundKind | null {
  const kind = /(?:from_|to_)?(\w+)_id$/.exec(field)?.[1] ?? "";
  return Object.hasOwn(FOUND_KINDS, kind) ? kind as FoundKind : null;
}

/** Where to find the ids that a field like `owner_id` takes, as the end of a message; empty for any other field. */
export function listedAt(field: string): string {
  const kind = meantKind(field);
  return kind ? `; os ids estão em ${FOUND_KINDS[kind].operation.replace("/:id", "")}` : "";
}

function choicesText({ length }: readonly Choice[]): string {
  return length > 0 ? "use um dos ids de choices" : "o workspace não tem nenhum, então não envie este campo";
}

function fieldMessage(code: ErrorCode): string {
  const kind: ErrorKind = ERRORS[code];
  return kind.field ?? kind.message;
}
