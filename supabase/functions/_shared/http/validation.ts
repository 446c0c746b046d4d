import { z } from "zod";
import { ApiError, type ErrorCode, type FieldError } from "../contract/errors.ts";
import { isStorableText, type Json, type JsonBody, MAX_DETAILS } from "./json_body.ts";
import { STRICT_APPLIED } from "./preference.ts";

/** As many names of unknown fields as are looked for: `X-Ignored-Fields` and the details of an error have room for fewer. */
export const MAX_UNKNOWN_FIELDS = 500;

/** A valid body, and the names of its unknown fields, the first {@link MAX_UNKNOWN_FIELDS} of them. */
export interface ValidBody {
  args: Record<string, Json>;
  ignored: string[];
}

/**
 * Validates a body. The `details` of the error name every invalid field, with those that `parseJsonBody` found.
 *
 * @param strict whether fields that are unknown or read-only are errors too (`Prefer: handling=strict`); the reply to the
 *  error then says so
 * @param unknownAtMost how many names of unknown fields to look for
 */
export function validateBody(
  schema: z.ZodType,
  { value, fieldErrors }: JsonBody,
  { strict = false, unknownAtMost = MAX_UNKNOWN_FIELDS } = {},
): ValidBody | ApiError {
  const ignored: string[] = [];
  addUnknownFields(ignored, unknownAtMost, schema, value);
  const args = parse(schema, value, strict ? withUnknown(fieldErrors, ignored) : fieldErrors);
  if (!(args instanceof ApiError)) return { args, ignored };
  return strict ? new ApiError(args.code, args.details, args.message, STRICT_APPLIED) : args;
}

/** Adds an error for each unknown field, but for those that have one: that their name cannot be stored, for example. */
function withUnknown(errors: FieldError[], unknown: string[]): FieldError[] {
  const named = new Set(errors.map(({ field }) => field));
  const others = unknown.map((field) => field.toWellFormed()).filter((field) => !named.has(field));
  return [...errors, ...others.map((field) => ({ field, message: "Campo desconhecido ou só de leitura" }))];
}

/**
 * Parameters of the platform, which reads them before the function does: Supabase runs the function in the region of
 * `forceFunctionRegion`, and leaves the parameter in the URL.
 */
const PLATFORM_PARAMETERS: ReadonlySet<string> = new Set(["forceFunctionRegion"]);

/** Validates a query. An unknown parameter is an error, so that a misspelt filter does not return every record. */
export function validateQuery(
  schema: z.ZodObject,
  query: URLSearchParams,
): Record<string, Json> | ApiError {
  const details: FieldError[] = [];
  const parameters = new Map<string, string>();
  for (const [name, value] of query) {
    if (PLATFORM_PARAMETERS.has(name)) continue;
    if (parameters.has(name)) details.push({ field: name, message: "Parâmetro repetido" });
    if (![name, value].every(isStorableText)) {
      details.push({ field: name.toWellFormed(), message: "O texto tem um caractere inválido" });
    }
    parameters.set(name, value);
  }
  if (details.length > 0) return new ApiError("validation_error", details.slice(0, MAX_DETAILS));
  return parse(schema, Object.fromEntries(parameters));
}

function parse(
  schema: z.ZodType,
  input: unknown,
  fieldErrors: FieldError[] = [],
): Record<string, Json> | ApiError {
  const result = schema.safeParse(input, { error: messageOf });
  if (result.success && fieldErrors.length === 0) return result.data as Record<string, Json>;
  const issues = result.error?.issues ?? [];
  const details = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
        field: [...issue.path, key].join("."),
        message: "Parâmetro desconhecido",
      }))
      : [{ field: issue.path.join("."), message: issue.message }]
  );
  const codes = issues.map((issue) => issue.code === "custom" ? issue.params?.["code"] : undefined);
  const code: ErrorCode = fieldErrors.length === 0 && codes.every((code) => code !== undefined)
    ? codes[0]
    : "validation_error";
  // A field with two errors is reported once, with the error of the JSON text: the other may follow from it.
  const known = new Set(fieldErrors.map(({ field }) => field));
  const all = [...fieldErrors, ...details.filter(({ field }) => !known.has(field))];
  return new ApiError(code, all.slice(0, MAX_DETAILS));
}

/** The Portuguese message for an issue of zod: what is allowed, with values in quotes. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === null) return "Não pode ser nulo";
      return issue.input === undefined
        ? "Campo obrigatório"
        : `Deve ser ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `Deve ${limit(issue.origin, "mínimo", issue.minimum)}`;
    case "too_big":
      return `Deve ${limit(issue.origin, "máximo", issue.maximum)}`;
    case "invalid_format":
      return `Deve ser ${FORMATS[issue.format] ?? "um texto no formato esperado"}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `Deve ser "${String(issue.values[0])}"`
        : `Deve ser um de ${issue.values.map((value) => `"${String(value)}"`).join(", ")}`;
    case "unrecognized_keys":
      return "Parâmetro desconhecido";
    case "not_multiple_of":
      return `Deve ser múltiplo de ${issue.divisor}`;
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return "Valor inválido";
  }
}

const TYPES: Record<string, string> = {
  string: "um texto",
  number: "um número",
  int: "um número inteiro",
  boolean: "true ou false",
  object: "um objeto",
  record: "um objeto",
  array: "uma lista",
};

const FORMATS: Record<string, string> = {
  email: "um e-mail válido",
  uuid: "um UUID",
  guid: "um UUID",
  date: "uma data existente no formato AAAA-MM-DD",
  url: "uma URL",
};

function limit(origin: string, side: "mínimo" | "máximo", bound: number | bigint): string {
  if (origin === "string") return `ter no ${side} ${bound} ${bound === 1 ? "caractere" : "caracteres"}`;
  if (origin === "array") return `ter no ${side} ${bound} ${bound === 1 ? "item" : "itens"}`;
  return `ser no ${side} ${bound}`;
}

/** Adds the paths of the fields that the schema does not have to `found`, until these are `atMost`. */
function addUnknownFields(
  found: string[],
  atMost: number,
  schema: z.ZodType,
  body: Record<string, Json>,
  path: string[] = [],
): void {
  const shape = shapeOf(schema);
  if (shape === undefined) return;
  for (const [name, value] of Object.entries(body)) {
    if (found.length >= atMost) return;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) {
      found.push([...path, name].join("."));
    } else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      addUnknownFields(found, atMost, field, value, [...path, name]);
    }
  }
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return shapeOf(schema.unwrap() as z.ZodType);
  }
  return undefined;
}
