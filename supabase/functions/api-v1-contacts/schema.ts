import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { field, object } from "../_shared/contract/object.ts";
import { contact } from "./record.ts";

/** The reply to a creation: the id; with `Prefer: return=representation` the whole record. */
export const CreatedContact = contact.created.partial().required({ id: true }).meta({
  ...contact.created.meta(),
  ...doc(
    "O identificador do novo contato; com Prefer: return=representation, o contato inteiro",
    "The new contact's id; with Prefer: return=representation, the whole contact",
  ),
});

export const Erasure = object({
  texts: field(z.boolean().nullish(), [
    "Se apaga também o que se escreveu nos negócios do contato: anotações, atividades, campos livres, comentários " +
    "de perda, motivos de recusa de propostas; false se ausente",
    "Whether to erase also what was written about the contact's deals: notes, activities, custom fields, notes on " +
    "losses, reasons for rejecting proposals; false if absent",
  ]),
}).meta(named("Erasure", "O que apagar", "What to erase", { texts: true }));
