// Shortens the schemas of arguments, because a model reads all schemas before its first call. Limits can be left out:
// the API checks every argument and says what is wrong.
import { type JsonSchema, mapParts } from "../openapi/json_schema.ts";

/** Keywords that no model needs to make a correct call. */
const LEFT_OUT = [
  "examples",
  "pattern",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
  "additionalProperties",
];

/** The formats to keep, because they say how to write a value. */
const FORMATS = ["date", "date-time"];

/** The texts of arguments that many tools have. */
const TEXTS: Readonly<Record<string, string>> = {
  limit: "Até 200",
  cursor: "meta.next_cursor da página anterior",
  due_at: "Prazo",
  since: "Criados desde",
  until: "Criados antes de",
  updated_since: "Alterados desde",
  archived: "any: os arquivados também",
  custom:
    'Só os que têm este valor no campo definido: {"segmento": "padaria"}; número, dinheiro e data também ' +
    'aceitam um intervalo: {"lojas": {"gte": 2, "lte": 9}}',
  custom_fields: "Campos livres",
  external_id: "Id no sistema de origem",
  owner_id: "Membro responsável",
};

/** Arguments without a text, because their names say what they are. */
const PLAIN = [
  "name",
  "title",
  "first_name",
  "last_name",
  "email",
  "phone",
  "phone2",
  "whatsapp",
  "job_title",
  "website",
  "instagram",
  "linkedin",
  "notes",
  "company_id",
  "contact_id",
  "deal_id",
  "pipeline_id",
  "stage_id",
  "id",
];

/**
 * Shortens the schema of an argument: leaves out limits, examples, and a text that only repeats the argument's name.
 *
 * @param clears whether null clears a field; if not, null is removed from the schema
 */
export function brief(name: string, schema: JsonSchema, clears: boolean): JsonSchema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const { anyOf: _, ...single } = schema;
  const chosen: JsonSchema = only && others.length === 0 && !clears ? { ...only, ...single } : schema;
  const kept = Object.fromEntries(
    Object.entries(chosen).filter(([keyword, value]) =>
      value !== undefined && !LEFT_OUT.includes(keyword) &&
      !(keyword === "format" && !FORMATS.includes(value as string))
    ),
  ) as JsonSchema;
  if (!clears && Array.isArray(kept.type)) {
    const types = kept.type.filter((type) => type !== "null");
    kept.type = types.length === 1 ? types[0]! : types;
    if (kept.enum) kept.enum = kept.enum.filter((value) => value !== null);
  }
  const text = TEXTS[name] ?? (PLAIN.includes(name) ? undefined : kept.description);
  delete kept.description;
  const inside = ({ description: _, ...part }: JsonSchema) => brief("", part, clears);
  return { ...mapParts(kept, inside), ...(text && { description: text }) };
}
