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

/**
 * Shorter texts for arguments that many tools have, by how the text of the OpenAPI document begins. They leave out in
 * which form a time is written, because a tool reads a time without an offset in the workspace's time zone.
 */
const SHORTER: Readonly<Record<string, string>> = {
  "Máximo de registros por página": "Até 200",
  "O meta.next_cursor da página": "meta.next_cursor da página anterior",
  "Prazo: ISO 8601": "Prazo",
  "Só registros criados a partir": "Criados desde",
  "Só registros criados antes": "Criados antes de",
  "Só registros alterados": "Alterados desde",
  "Só as feitas a partir": "Feitas desde",
  "Só as feitas antes": "Feitas antes de",
  "Só o que houve a partir": "Ocorridos desde",
  "Eventos a partir deste momento": "Eventos desde",
  "Desde quando: ISO 8601": "Desde quando; se ausente, as últimas 24 horas",
  "false: só os que estão em uso": "any: os arquivados também",
  "Só os que têm este valor no campo":
    'Só os que têm este valor no campo definido: {"segmento": "padaria"}; número, dinheiro e data também ' +
    'aceitam um intervalo: {"lojas": {"gte": 2, "lte": 9}}',
  "Campos livres do integrador": "Campos livres; os não enviados ficam",
  "Identificador no sistema de origem, único": "Id no sistema de origem",
  "Este identificador": "Id no sistema de origem",
  "Membro responsável (": "Membro responsável",
};

/** Arguments whose names say what they are: they keep no text but that of a filter ("Este telefone…"). */
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
 * @param mayClear whether null clears a field; if not, null is removed from the schema of a field whose text does not
 *  name it
 */
export function brief(name: string, schema: JsonSchema, mayClear: boolean): JsonSchema {
  const clears = mayClear || /\bnull\b/.test(briefText(name, schema.description) ?? "");
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
  const text = briefText(name, kept.description);
  delete kept.description;
  const inside = ({ description: _, ...part }: JsonSchema) => brief("", part, clears);
  return { ...mapParts(kept, inside), ...(text && { description: text }) };
}

function briefText(name: string, text = ""): string | undefined {
  const beginning = Object.keys(SHORTER).find((beginning) => text.startsWith(beginning));
  if (beginning !== undefined) return SHORTER[beginning];
  if (PLAIN.includes(name) && !text.startsWith("Este ")) return undefined;
  return text.replace(", nas mesmas formas que since", "");
}
