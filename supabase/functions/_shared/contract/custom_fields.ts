// The definitions of custom fields, which keys (api-v1-workspace) and members (app-v1-workspace) manage.
import { z } from "zod";
import { doc, named } from "./doc.ts";
import { noBody } from "./endpoint.ts";
import { name, timestamp, uuid } from "./fields.ts";
import { RESERVED_NAME } from "./json.ts";
import { field, object } from "./object.ts";

const OBJECT_TYPES = ["company", "contact", "deal"] as const;

export const FIELD_TYPES = [
  "text",
  "number",
  "money",
  "date",
  "boolean",
  "choice",
  "choices",
  "link",
] as const;

const objectType = field(z.enum(OBJECT_TYPES), [
  "O tipo de registro que tem o campo",
  "The kind of record that has the field",
  "deal",
]);

const key = field(
  z.string().trim().regex(
    /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,59}$/u,
    "Deve ter de 1 a 60 letras, dígitos, espaços e sinais _ . -",
  ).refine((key) => key !== RESERVED_NAME, "Nome de campo reservado").meta({ minLength: 1, maxLength: 60 }),
  ["A chave em custom_fields; não muda", "The key in custom_fields; it cannot change", "porte"],
);

const label = field(name(120), ["O nome mostrado às pessoas", "The name shown to people", "Porte"]);

const type = field(z.enum(FIELD_TYPES), [
  "O tipo do valor; não muda. money é um número a partir de 0; date, AAAA-MM-DD; choices, uma lista de opções",
  "The type of the value; it cannot change. money is a number from 0; date, YYYY-MM-DD; choices, a list of choices",
  "choice",
]);

const TEXT_OF_CHOICES = [
  "As opções de um campo do tipo choice ou choices; null nos outros tipos",
  "The choices of a field of the type choice or choices; null for other types",
  ["Pequeno", "Grande"],
] as const;

const choices = z.array(name(120)).min(1).max(100).refine(
  (choices) => new Set(choices).size === choices.length,
  "As opções devem ser diferentes",
);

const shown = {
  object_type: objectType,
  key,
  label,
  type,
  choices: field(z.array(z.string()).nullable(), TEXT_OF_CHOICES),
};

/** A custom field with the properties that a form needs. `GET /api-v1-workspace` lists the fields in use. */
export const FieldInUse = object(shown).meta(
  named("CustomFieldInUse", "Um campo definido, em uso", "A defined field, in use"),
);

export const CustomField = object({
  id: uuid(),
  ...shown,
  archived_at: field(timestamp().nullable(), [
    "Desde quando está fora de uso",
    "Since when it is out of use",
    null,
  ]),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta(
  named(
    "CustomField",
    "Um campo livre que a empresa definiu",
    "A custom field that the workspace has defined",
  ),
);

const CustomFieldList = object({
  data: field(z.array(CustomField), [
    "Os campos, ordenados por tipo de registro, inclusive os arquivados",
    "The fields, ordered by kind of record, archived ones included",
  ]),
}).meta(named("CustomFieldList", "Os campos definidos", "The defined fields"));

const NewCustomField = object({
  object_type: objectType,
  key,
  label: field(name(120).optional(), [
    "O nome mostrado às pessoas; a chave se ausente",
    "The name shown to people; the key if absent",
    "Porte",
  ]),
  type,
  choices: field(choices.optional(), TEXT_OF_CHOICES),
}).refine(({ type, choices }) => (choices !== undefined) === (type === "choice" || type === "choices"), {
  path: ["choices"],
  error: "Obrigatório para choice e choices, e só para estes",
}).meta(named("NewCustomField", "Um campo a definir", "A field to define", {
  object_type: "deal",
  key: "porte",
  label: "Porte",
  type: "choice",
  choices: ["Pequeno", "Grande"],
}));

const CustomFieldPatch = object({
  label: field(name(120).optional(), ["O nome mostrado às pessoas", "The name shown to people", "Porte"]),
  choices: field(choices.optional(), [
    "Todas as opções oferecidas; um registro com outra opção fica com ela",
    "All choices that are offered; a record with another choice keeps it",
    ["Pequeno", "Médio", "Grande"],
  ]),
}).meta(named("CustomFieldPatch", "O que muda no campo", "What changes in the field"));

/** The declarations of the endpoints, without the scope or role. */
export const customFields = {
  list: {
    summary: doc("Lista os campos definidos", "List the defined fields"),
    reply: CustomFieldList,
    verb: "custom_field_list",
  },
  create: {
    summary: doc("Define um campo livre", "Define a custom field"),
    body: NewCustomField,
    reply: CustomField,
    status: 201,
    verb: "custom_field_create",
  },
  update: {
    summary: doc("Altera o nome ou as opções de um campo", "Change the label or the choices of a field"),
    body: CustomFieldPatch,
    reply: CustomField,
    verb: "custom_field_update",
  },
  archive: {
    summary: doc("Tira um campo de uso", "Take a field out of use"),
    ...noBody,
    reply: CustomField,
    verb: "custom_field_archive",
  },
  restore: {
    summary: doc("Volta a usar um campo", "Put a field back into use"),
    ...noBody,
    reply: CustomField,
    verb: "custom_field_restore",
  },
} as const;
