import { z } from "zod";
import {
  BATCH_FIELDS,
  batchBody,
  BatchItemResult,
  batchOperation,
  BatchResult,
} from "../_shared/contract/batch.ts";
import { named } from "../_shared/contract/doc.ts";
import { name } from "../_shared/contract/fields.ts";
import { extended, field, object, textsOf } from "../_shared/contract/object.ts";
import { company } from "../api-v1-companies/record.ts";
import { contact } from "../api-v1-contacts/record.ts";

const companyFields = {
  company: field(name().nullish(), [
    "Nome da empresa; é criada se não existe, e não muda se existe",
    "The company's name; it is created if it does not exist, and not changed if it does",
    "Padaria Sol",
  ]),
  company_tax_id: field(company.upsert.shape["tax_id"] as z.ZodType<string | null | undefined>, [
    "CNPJ da empresa, procurado antes do nome; precisa de company",
    "The company's tax id, looked for before its name; requires company",
    "12ABC34501DE35",
  ]),
};

/** A contact in an imported file. It has the company's name, perhaps with the tax id, instead of the company's id. */
const imported = extended(contact.upsert.omit({ company_id: true, owner_id: true }), companyFields);
const ImportedContact = imported.meta({
  ...named("ImportedContact", "Um contato a importar", "A contact to import"),
  fields: { ...textsOf(contact.upsert), ...textsOf(imported) },
});

/** The operations of an import: only upsert, so that importing a file again creates no contact twice. */
export const IMPORT_OPERATIONS = {
  upsert: batchOperation("upsert", ImportedContact, contact.upsertQuery.omit({ dry_run: true }).shape),
};

export const ContactImport = batchBody(IMPORT_OPERATIONS.upsert.item.extend({ data: ImportedContact })).meta({
  ...named("ContactImport", "Os contatos a importar", "The contacts to import"),
  fields: BATCH_FIELDS,
});

const text = () => z.string().nullable();

const Change = object({
  field: field(z.string(), [
    "Nome do campo; company é o nome da empresa",
    "The field's name; company is the company's name",
    "job_title",
  ]),
  from: field(text(), [
    "O que está gravado; até 200 caracteres",
    "What is stored; up to 200 characters",
    null,
  ]),
  to: field(text(), ["O que seria gravado", "What would be stored", "Compradora"]),
}).meta(named("ImportChange", "Um campo que mudaria", "A field that would change"));

const CHANGES = [{ field: "job_title", from: null, to: "Compradora" }];

const Imported = extended(BatchItemResult, {
  changes: field(z.array(Change).optional(), [
    "Em dry_run, os campos que mudariam em um contato que já existe",
    "In a dry run, the fields that would change in a contact that exists",
    CHANGES,
  ]),
});

export const ContactImportResult = extended(BatchResult, { results: z.array(Imported) }).meta(
  named("ContactImportResult", "O que houve com cada contato", "The result of each contact", {
    results: [{ index: 0, status: 200, id: "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5", changes: CHANGES }],
    summary: { created: 0, updated: 1, failed: 0 },
  }),
);
