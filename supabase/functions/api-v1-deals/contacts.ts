import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";

export const DealContact = object({
  contact_id: uuid(),
  name: field(z.string().nullable(), [
    "Nome do contato; null para uma chave sem contacts:read",
    "Name of the contact; null for a key without contacts:read",
    "Carlos Prado",
  ]),
  role: field(z.string().nullable(), ["O papel no negócio", "The role in the deal", "decisor"]),
  is_main: field(z.boolean(), [
    "Se é o contato principal, o contact_id do negócio",
    "Whether it is the main contact, the deal's contact_id",
    false,
  ]),
  added_at: field(timestamp().nullable(), [
    "Quando foi adicionado ao negócio; null se é só o contato principal, que sai do negócio quando contact_id muda",
    "When it was added to the deal; null if it is only the main contact, which leaves the deal when contact_id changes",
  ]),
}).meta(named("DealContact", "Um contato de um negócio", "A contact of a deal"));

export const DealContactList = object({
  data: field(z.array(DealContact), [
    "O principal, e depois os outros na ordem em que entraram; até 51",
    "The main contact, then the others in the order in which they were added; at most 51",
  ]),
}).meta(named("DealContactList", "Os contatos de um negócio", "The contacts of a deal"));

/** The body that adds a contact to a deal, or changes its role. */
export const NewDealContact = object({
  contact_id: field(uuid(), ["O contato", "The contact"]),
  role: field(name(60).nullish(), [
    "O papel no negócio, como decisor ou influenciador; null apaga, e ausente deixa como está",
    "The role in the deal, such as decisor or influenciador; null clears it, and it stays as it is if absent",
    "decisor",
  ]),
}).meta(named("NewDealContact", "Quem pôr no negócio, e em que papel", "Whom to add, and in which role"));
