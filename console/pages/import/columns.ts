/** Maps the columns of the file to fields of a contact. */
import type { CustomField } from "../../app/types.ts";
import { plain } from "../../format/plain.ts";

/** The fields that a column can have. Each has the headings that suggest it, the clearest first. */
const HEADINGS = {
  name: [
    "nome",
    "nome completo",
    "name",
    "contato",
    "nome do contato",
    "primeiro nome",
    "first name",
    "full name",
  ],
  last_name: ["sobrenome", "ultimo nome", "last name", "surname"],
  email: ["e-mail", "email", "e-mail address", "e-mail 1", "endereco de e-mail", "correio eletronico"],
  phone: ["telefone", "celular", "phone", "fone", "telefone celular", "mobile phone", "tel"],
  phone2: ["telefone 2", "outro telefone", "telefone fixo", "phone 2"],
  whatsapp: ["whatsapp", "whats"],
  job_title: ["cargo", "job title", "funcao", "title"],
  company: ["empresa", "company", "nome da empresa", "organizacao", "razao social", "company name"],
  company_tax_id: ["cnpj", "cnpj da empresa", "cpf/cnpj", "cpf ou cnpj", "tax id"],
  add_tags: ["etiquetas", "tags", "tag", "marcadores"],
  external_id: ["codigo", "id", "external id", "codigo do cliente"],
  instagram: ["instagram"],
  linkedin: ["linkedin"],
  notes: ["observacoes", "observacao", "notas", "anotacoes", "notes"],
} as const;

/** The fields of contacts in the order in which they are offered. */
export const FIELDS = Object.keys(HEADINGS) as (keyof typeof HEADINGS)[];

/** What a column contains: a field, `custom:` and the key of a custom field, or "" if it is not imported. */
export type Target = keyof typeof HEADINGS | `custom:${string}` | "";

/** Columns that the file of failed lines adds. An import ignores them, so that the corrected file can be imported. */
export const ADDED = { line: "linha", reason: "motivo" };

export function contactFields(fields: CustomField[]): CustomField[] {
  return fields.filter(({ object_type, archived_at }) => object_type === "contact" && archived_at === null);
}

/** Guesses each column's field from its heading, and uses each field only once. */
export function guessTargets(header: string[], custom: CustomField[]): Target[] {
  const taken = new Set<Target>();
  return header.map((heading) => {
    const found = guess(heading, custom);
    if (found === "" || taken.has(found)) return "";
    taken.add(found);
    return found;
  });
}

function guess(heading: string, custom: CustomField[]): Target {
  const wanted = compared(heading);
  // A custom field of this name takes precedence over the contact's own fields.
  const defined = custom.find(({ key, label }) => compared(key) === wanted || compared(label) === wanted);
  if (defined) return `custom:${defined.key}`;
  return FIELDS.find((field) => HEADINGS[field].some((known) => compared(known) === wanted)) ?? "";
}

/** A heading normalised for comparing: `Job_Title ` and `job title` become equal. */
function compared(heading: string): string {
  return plain(heading).replace(/[\s_.-]+/g, " ").trim();
}

/** Sets the field of a column, and removes this field from any other column. */
export function withTarget(targets: Target[], column: number, target: Target): Target[] {
  return targets.map((other, at) => at === column ? target : other === target ? "" : other);
}
