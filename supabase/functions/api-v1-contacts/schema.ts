import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { customFields, email, name, text, timestamp, uuid } from "../_shared/contract/fields.ts";
import { listQuery } from "../_shared/contract/pagination.ts";
import { contactFields } from "./docs.ts";

/** What a client may write of a contact (spec 2.1). */
const fields = {
  email: email().nullish(),
  phone: text(40).nullish(),
  phone2: text(40).nullish(),
  whatsapp: text(40).nullish(),
  job_title: text(255).nullish(),
  company_id: uuid().nullish(),
  owner_id: uuid().nullish(),
  instagram: text(255).nullish(),
  linkedin: text(255).nullish(),
  notes: text(10_000).nullish(),
  custom_fields: customFields().nullish(),
};

/** Body of POST (spec 4.2). */
export const NewContact = z.object({ name: name(), ...fields }).meta({
  id: "NewContact",
  ...doc("Um contato a criar", "A contact to create"),
  fields: contactFields,
});

/** Body of PATCH: what is absent stays, what is null is cleared (spec 4.2). */
export const ContactPatch = z.object({ name: name().optional(), ...fields }).meta({
  id: "ContactPatch",
  ...doc("O que muda; null apaga", "What changes; null clears", { job_title: "Diretora", phone2: null }),
  fields: contactFields,
});

/** A contact as every reply and event gives it (spec 2.1). */
export const Contact = z.object({
  id: uuid(),
  workspace_id: uuid(),
  name: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  phone2: z.string().nullable(),
  whatsapp: z.string().nullable(),
  job_title: z.string().nullable(),
  company_id: uuid().nullable(),
  owner_id: uuid(),
  instagram: z.string().nullable(),
  linkedin: z.string().nullable(),
  notes: z.string().nullable(),
  custom_fields: z.record(z.string(), z.unknown()).nullable(),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({ id: "Contact", ...doc("Um contato", "A contact"), fields: contactFields });

/** Query of the list (spec 4.2). */
export const ContactFilter = listQuery({
  email: email().optional().meta(doc("Este e-mail, exato", "This e-mail address, exactly")),
  company_id: uuid().optional(),
});
