import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import {
  countCharacters,
  customFields,
  email,
  name,
  text,
  timestamp,
  uuid,
} from "../_shared/contract/fields.ts";
import { listQuery } from "../_shared/contract/pagination.ts";
import { addressFields, companyFields } from "./docs.ts";

/** Largest value of Postgres' integer. */
const MAX_INTEGER = 2_147_483_647;

/** CNPJ (alphanumeric since 2026) or any other: one spelling of each, upper case and without punctuation. */
const taxId = () =>
  text(40)
    .overwrite((id) => id.normalize("NFC").toUpperCase().replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, ""))
    .refine(
      (id) => 1 <= countCharacters(id) && countCharacters(id) <= 40,
      "Deve ter letras ou dígitos, até 40",
    );

const domain = () => z.string().trim().toLowerCase().max(255);

/** Postal address; lines that nobody knows are left out or null. */
const Address = z.object({
  street: text(255).nullish(),
  number: text(255).nullish(),
  complement: text(255).nullish(),
  district: text(255).nullish(),
  city: text(255).nullish(),
  state: text(255).nullish(),
  postal_code: text(255).nullish(),
  country: text(255).nullish(),
}).meta({
  id: "Address",
  ...doc("Um endereço", "An address"),
  fields: addressFields,
});

/** What a client may write of a company. */
const fields = {
  legal_name: text(255).nullish(),
  tax_id: taxId().nullish(),
  domain: domain().nullish(),
  website: text(2048).nullish(),
  email: email().nullish(),
  phone: text(40).nullish(),
  industry: text(255).nullish(),
  employee_count: z.int().min(0).max(MAX_INTEGER).nullish(),
  linkedin: text(255).nullish(),
  instagram: text(255).nullish(),
  address: Address.nullish(),
  owner_id: uuid().nullish(),
  notes: text(10_000).nullish(),
  custom_fields: customFields().nullish(),
};

/** Body of POST (spec 4.6). */
export const NewCompany = z.object({ name: name(), ...fields }).meta({
  id: "NewCompany",
  ...doc("Uma empresa a criar", "A company to create"),
  fields: companyFields,
});

/** Body of PATCH: what is absent stays, what is null is cleared (spec 4.6). */
export const CompanyPatch = z.object({ name: name().optional(), ...fields }).meta({
  id: "CompanyPatch",
  ...doc("O que muda; null apaga", "What changes; null clears", { employee_count: 45, website: null }),
  fields: companyFields,
});

/** A company as every reply and event gives it. */
export const Company = z.object({
  id: uuid(),
  workspace_id: uuid(),
  name: z.string(),
  legal_name: z.string().nullable(),
  tax_id: z.string().nullable(),
  domain: z.string().nullable(),
  website: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  industry: z.string().nullable(),
  employee_count: z.int().nullable(),
  linkedin: z.string().nullable(),
  instagram: z.string().nullable(),
  address: Address.nullable(),
  owner_id: uuid(),
  notes: z.string().nullable(),
  custom_fields: z.record(z.string(), z.unknown()).nullable(),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({
  id: "Company",
  ...doc("Uma empresa", "A company"),
  fields: companyFields,
});

/** Query of the list: a name whatever its case, a tax id whatever its punctuation. */
export const CompanyFilter = listQuery({
  name: name().optional().meta(doc("Este nome, sem distinguir maiúsculas", "This name, whatever its case")),
  domain: domain().optional().meta(doc("Este domínio", "This domain")),
  tax_id: taxId().optional().meta(
    doc("Este CNPJ, com ou sem pontuação", "This tax id, with or without punctuation"),
  ),
  owner_id: uuid().optional(),
});
