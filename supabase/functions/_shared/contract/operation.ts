import { z } from "zod";
import { named } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";
import { field, object } from "./object.ts";

const count = () => z.int().min(0);

const Cleared = object({
  contacts: field(count(), ["O contato e os unidos a ele", "The contact and those merged into it", 1]),
  deals: field(count(), ["Negócios", "Deals", 2]),
  notes: field(count(), ["Anotações", "Notes", 3]),
  activities: field(count(), ["Atividades", "Activities", 1]),
  proposals: field(count(), ["Propostas", "Proposals", 0]),
  lead_receipts: field(count(), [
    "external_id de leads recebidos",
    "external_id of leads that were received",
    1,
  ]),
  deal_contacts: field(count(), [
    "Negócios que tinham o contato como adicional ou com um papel",
    "Deals that had the contact as an additional one or in a role",
    1,
  ]),
  stored_replies: field(count(), [
    "Respostas guardadas para uma Idempotency-Key",
    "Replies stored for an Idempotency-Key",
    2,
  ]),
  webhook_answers: field(count(), [
    "Respostas de receptores de webhooks",
    "Answers from webhook receivers",
    1,
  ]),
}).meta(
  named(
    "Cleared",
    "Quantos registros de cada tipo esta chamada mudou",
    "How many records of each kind this call changed",
  ),
);

/** The kinds of records whose texts an erasure searches for the person's name. */
export const NAMING_OBJECTS = ["activity", "company", "contact", "deal", "note", "proposal"] as const;

const NamingRecord = object({
  object: field(z.enum(NAMING_OBJECTS), ["O tipo do registro", "The kind of the record", "note"]),
  id: uuid(),
}).meta(named("NamingRecord", "Um registro que ainda cita a pessoa", "A record that still names the person"));

const TextsNaming = object({
  count: field(count(), ["Quantos são", "How many there are", 1]),
  is_minimum: field(z.boolean(), [
    "true se pode haver mais: o contato já estava apagado, e só são lidos os registros que o apagamento encontrou",
    "true if there may be more: the contact was erased before, and only the records found then are read",
    false,
  ]),
  records: field(z.array(NamingRecord).max(20), ["Os primeiros 20", "The first 20"]),
}).meta(
  named(
    "TextsNaming",
    "Os registros do workspace cujos textos ainda citam a pessoa",
    "The records of the workspace whose texts still name the person",
  ),
);

const Moved = object({
  activities: field(count(), ["Atividades", "Activities", 40]),
  contacts: field(count(), ["Contatos da empresa", "Contacts of the company", 0]),
  deals: field(count(), ["Negócios", "Deals", 20_000]),
  deal_contacts: field(count(), [
    "Negócios que tinham o contato como adicional ou com um papel",
    "Deals that had the contact as an additional one or in a role",
    2,
  ]),
  merged: field(count(), ["Registros unidos antes", "Records that were merged before", 0]),
}).meta(
  named(
    "Moved",
    "Quantos registros passaram ao registro que fica",
    "How many records were moved to the one that stays",
  ),
);

const Arguments = object({
  id: uuid(),
  merge_id: field(uuid().nullable(), ["O registro que foi unido", "The record that was merged", null]),
  texts: field(z.boolean().nullable(), [
    "Se apaga também os textos",
    "Whether texts are erased as well",
    true,
  ]),
}).meta(named("OperationArguments", "O que a chamada pediu", "What the call asked for"));

/** Background work: a call started it, and a job continues it. */
export const Operation = object({
  id: uuid(),
  kind: z.enum(["contact_erasure", "contact_merge", "company_merge"]),
  state: field(z.enum(["queued", "running", "done", "failed"]), ["Em que pé está", "How far it is", "done"]),
  arguments: field(Arguments, ["O que a chamada pediu", "What the call asked for"]),
  cleared: field(Cleared.nullable(), [
    "De um apagamento: o que já foi apagado",
    "In an erasure: what has been cleared so far",
  ]),
  texts_naming: field(TextsNaming.nullable(), [
    "De um apagamento concluído: o que ainda cita a pessoa",
    "In a completed erasure: what still names the person",
  ]),
  moved: field(Moved.nullable(), [
    "De uma união: o que já passou",
    "In a merge: what has been moved so far",
    null,
  ]),
  error: field(z.enum(["internal_error", "service_unavailable"]).nullable(), [
    "Por que o último passo falhou; null se não falhou. Para tentar de novo, repita a chamada",
    "Why the last step failed; null if it did not. To try again, repeat the call",
    null,
  ]),
  created_at: timestamp(),
  updated_at: timestamp(),
  ended_at: field(timestamp().nullable(), ["Quando terminou", "When it ended"]),
}).meta(
  named(
    "BackgroundOperation",
    "Um trabalho grande demais para uma chamada, que segue em segundo plano",
    "Work that is too large for one call and continues in the background",
  ),
);

/** The field in the reply to a merge or erasure that the call could not complete. */
export const operation = field(Operation.optional(), [
  "Só em uma resposta 202: o trabalho que segue em segundo plano; `Location` é o endereço para acompanhá-lo",
  "Only in a 202: the work that continues in the background; `Location` is the address that shows its progress",
]);

export const ErasedContact = object({
  id: uuid(),
  erased_at: field(timestamp(), [
    "Quando os dados pessoais foram apagados",
    "When the personal data was erased",
  ]),
  cleared: field(Cleared, ["O que esta chamada apagou", "What this call has cleared"]),
  texts_naming: field(TextsNaming.nullable(), [
    "O que ainda cita a pessoa; null enquanto o resto segue em segundo plano",
    "What still names the person; null while the erasure continues in the background",
  ]),
  operation,
}).meta(named("ErasedContact", "O contato apagado", "The erased contact"));
