import { z } from "zod";
import { ApiError, type ErrorCode, type FieldError } from "../contract/errors.ts";
import { isStorableText, type Json, type JsonBody, MAX_DETAILS } from "./json_body.ts";

/** A valid body, and the names of its unknown fields. */
export interface ValidBody {
  args: Record<string, Json>;
  ignored: string[];
}

/** Validates a body. The `details` of the error name every invalid field, with those that `parseJsonBody` found. */
export function validateBody(schema: z.ZodType, { value, fieldErrors }: JsonBody): ValidBody | ApiError {
  const args = parse(schema, value, fieldErrors);
  return args instanceof ApiError ? args : { args, ignored: unknownFields(schema, value) };
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

function unknownFields(schema: z.ZodType, body: Record<string, Json>, path: string[] = []): string[] {
  const shape = shapeOf(schema);
  if (shape === undefined) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return [[...path, name].join(".")];
    if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
    return unknownFields(field, value, [...path, name]);
  });
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return shapeOf(schema.unwrap() as z.ZodType);
  }
  return undefined;
}
