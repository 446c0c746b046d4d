import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { contact } from "./record.ts";

/** Reply of a creation: the id, or with `Prefer: return=representation` the whole record. */
export const CreatedContact = contact.created.partial().required({ id: true }).meta({
  ...contact.created.meta(),
  ...doc(
    "O identificador do novo contato; com Prefer: return=representation, o contato inteiro",
    "The new contact's id; with Prefer: return=representation, the whole contact",
  ),
});

/** Body of an erasure. */
export const Erasure = z.object({ texts: z.boolean().nullish() }).meta({
  id: "Erasure",
  ...doc("Até onde apagar", "How far to erase", { texts: true }),
  fields: {
    texts: doc(
      "Se apaga também o que se escreveu nos negócios do contato: anotações, atividades, campos livres, motivos de perda " +
        "e de recusa; false se ausente",
      "Whether to erase what was written about the contact's deals as well: notes, activities, custom fields, reasons of " +
        "losses and rejections; false where absent",
    ),
  },
});

/** Reply of an erasure: nothing but when it was. */
export const ErasedContact = z.object({ id: uuid(), erased_at: timestamp() }).meta({
  id: "ErasedContact",
  ...doc("O contato apagado", "The erased contact"),
  fields: { erased_at: doc("Quando os dados pessoais foram apagados", "When the personal data was erased") },
});
