import { z } from "zod";
import { ApiError, type ErrorCode, type FieldError, listedAt } from "../contract/errors.ts";
import { isObject, isStorableText, type Json, MAX_DETAILS, RESERVED_NAME } from "../contract/json.ts";
import type { JsonBody } from "./json_body.ts";
import { MISSING, NEAR, type Near, type UnknownDetail, unknownParameter } from "./unknown_names.ts";
import { STRICT_APPLIED } from "./preference.ts";

/**
 * Maximum number of unknown fields that are collected, because more would fit neither into `X-Ignored-Fields` nor into
 * the details of an error.
 */
export const MAX_UNKNOWN_FIELDS = 500;

/** A valid body, and the names of its first {@link MAX_UNKNOWN_FIELDS} unknown fields. */
export interface ValidBody {
  args: Record<string, Json>;
  ignored: string[];
}

/**
 * Validates a body. The error's `details` name every invalid field, including those that `parseJsonBody` found.
 *
 * @param strict makes unknown and read-only fields errors too (`Prefer: handling=strict`); the error then has the
 *  header `Preference-Applied`
 * @param unknownAtMost maximum unknown fields to collect
 */
export function validateBody(
  schema: z.ZodType,
  { value, fieldErrors }: JsonBody,
  { strict = false, unknownAtMost = MAX_UNKNOWN_FIELDS } = {},
): ValidBody | ApiError {
  const unknown: UnknownField[] = [];
  addUnknownFields(unknown, unknownAtMost, schema, value);
  const refused = strict
    ? unknown
    : unknown.filter(({ schema }) => schema.def.catchall instanceof z.ZodNever);
  const args = parse(schema, value, withUnknown(fieldErrors, refused, "error"));
  if (!(args instanceof ApiError)) return { args, ignored: unknown.map(({ field }) => field) };
  if (strict) return new ApiError(args.code, args.details, args.message, STRICT_APPLIED);
  if (!args.details!.some((detail) => MISSING in detail)) return args;
  // The error also names unknown fields that resemble a missing field: the client may have meant the missing field.
  const details = withUnknown(args.details!, unknown, "if near").slice(0, MAX_DETAILS);
  return new ApiError(args.code, details, args.message);
}

/** Adds a detail for each unknown field that has none yet. */
function withUnknown(errors: FieldError[], unknown: UnknownField[], named: Near["named"]): FieldError[] {
  const known = new Set(errors.map(({ field }) => field));
  const others = unknown.map(({ field, schema, sent }): UnknownDetail => {
    const name = field.slice(field.lastIndexOf(".") + 1);
    const message = Object.hasOwn(schema.meta()?.["fields"] ?? {}, name)
      ? "Só de leitura nesta operação"
      : "Campo desconhecido";
    const among = Object.keys(schema.shape).filter((other) => !Object.hasOwn(sent, other));
    return { field: field.toWellFormed(), message, [NEAR]: { name, among, named } };
  });
  return [...errors, ...others.filter(({ field }) => !known.has(field))];
}

/** Parameters that are meant for the platform: Supabase reads `forceFunctionRegion` but leaves it in the URL. */
const PLATFORM_PARAMETERS: ReadonlySet<string> = new Set(["forceFunctionRegion"]);

/** Validates a query. An unknown parameter is an error, so that a misspelt filter does not return every record. */
export function validateQuery(
  schema: z.ZodObject,
  query: URLSearchParams,
): Record<string, Json> | ApiError {
  const details: FieldError[] = [];
  const parameters = new Map<string, string>();
  const bounds = new Map<string, Map<string, string>>();
  for (const [name, value] of query) {
    if (PLATFORM_PARAMETERS.has(name)) continue;
    const [, key, operator = "eq"] = "custom" in schema.shape ? CUSTOM.exec(name) ?? [] : [];
    // A repeated unknown parameter is reported only once, as unknown.
    if (
      key !== undefined
        ? bounds.get(key)?.has(operator)
        : parameters.has(name) && Object.hasOwn(schema.shape, name)
    ) details.push({ field: name, message: "Parâmetro repetido" });
    if (![name, value].every(isStorableText)) {
      details.push({ field: name.toWellFormed(), message: "O texto tem um caractere inválido" });
    }
    if (key === undefined) parameters.set(name, value);
    else bounds.set(key, (bounds.get(key) ?? new Map()).set(operator, value));
  }
  const custom = Object.fromEntries([...bounds].map(([key, values]) => [key, Object.fromEntries(values)]));
  return parse(
    schema,
    { ...Object.fromEntries(parameters), ...(bounds.size > 0 && { custom }) },
    details,
  );
}

/** Matches a filter by a custom field. Leaves out the reserved name: zod drops this name, and with it the filter. */
const CUSTOM = new RegExp(String.raw`^custom\[(?!${RESERVED_NAME}\])([^[\]]+)\](?:\[(gte|lte)\])?$`);

function parse(
  schema: z.ZodType,
  input: Record<string, unknown>,
  fieldErrors: FieldError[] = [],
): Record<string, Json> | ApiError {
  const result = schema.safeParse(input, { error: messageOf });
  if (result.success && fieldErrors.length === 0) return result.data as Record<string, Json>;
  const issues = result.error?.issues ?? [];
  const details = issues.flatMap((issue): FieldError[] => {
    if (issue.code === "unrecognized_keys") {
      // In a strict object within a body, for which validateBody has a detail already unless there are too many.
      if (issue.path.length > 0) {
        return issue.keys.map((name) => ({
          field: [...issue.path, name].join(".").toWellFormed(),
          message: "Campo desconhecido",
        }));
      }
      const among = Object.keys((schema as z.ZodObject).shape).filter((name) => !Object.hasOwn(input, name));
      return issue.keys.map((name) => unknownParameter(name, among));
    }
    const isMissing = valueAt(input, issue.path) === undefined;
    return [{ field: issue.path.join("."), message: issue.message, ...(isMissing && { [MISSING]: true }) }];
  });
  const codes = issues.map((issue) => issue.code === "custom" ? issue.params?.["code"] : undefined);
  const code: ErrorCode = fieldErrors.length === 0 && codes.every((code) => code !== undefined)
    ? codes[0]
    : "validation_error";
  // Reports each field once. Prefers the error in the JSON text, because the schema's error may follow from it.
  const known = new Set(fieldErrors.map(({ field }) => field));
  const all = [...fieldErrors, ...details.filter(({ field }) => !known.has(field))];
  return new ApiError(code, all.slice(0, MAX_DETAILS));
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, name) => (value as Record<PropertyKey, unknown> | undefined)?.[name], input);
}

/** The Portuguese message for one of zod's issues. It says what is allowed, with values in quotes. */
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
      return `Deve ser ${FORMATS[issue.format] ?? "um texto no formato esperado"}` +
        (issue.format === "guid"
          ? listedAt(String(issue.path?.findLast((name) => typeof name === "string")))
          : "");
    case "invalid_value":
      return issue.values.length === 1
        ? `Deve ser "${String(issue.values[0])}"`
        : `Deve ser um de ${issue.values.map((value) => `"${String(value)}"`).join(", ")}`;
    case "unrecognized_keys":
    case "not_multiple_of":
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
};

function limit(origin: string, side: "mínimo" | "máximo", bound: number | bigint): string {
  if (origin === "string") return `ter no ${side} ${bound} ${bound === 1 ? "caractere" : "caracteres"}`;
  if (origin === "array") return `ter no ${side} ${bound} ${bound === 1 ? "item" : "itens"}`;
  return `ser no ${side} ${bound}`;
}

/** A field that is not in the schema of its object. */
interface UnknownField {
  /** Its path, e.g. `address.city`. */
  field: string;
  schema: z.ZodObject;
  sent: Record<string, Json>;
}

/** Adds fields that are not in the schema to `found`, until it has `atMost`. */
function addUnknownFields(
  found: UnknownField[],
  atMost: number,
  type: z.ZodType,
  sent: Record<string, Json>,
  path: string[] = [],
): void {
  const schema = objectOf(type);
  if (schema === undefined) return;
  const { shape } = schema;
  for (const [name, value] of Object.entries(sent)) {
    if (found.length >= atMost) return;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) {
      found.push({ field: [...path, name].join("."), schema, sent });
    } else if (isObject(value)) {
      addUnknownFields(found, atMost, field, value, [...path, name]);
    }
  }
}

function objectOf(schema: z.ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodPipe) return objectOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return objectOf(schema.unwrap() as z.ZodType);
  }
  return undefined;
}
