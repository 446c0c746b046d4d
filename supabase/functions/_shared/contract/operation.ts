import { z } from "zod";
import { doc } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";

const count = () => z.int().min(0);

const Cleared = z.object({
  contacts: count(),
  deals: count(),
  notes: count(),
  activities: count(),
  proposals: count(),
  lead_receipts: count(),
  stored_replies: count(),
}).meta({
  id: "Cleared",
  ...doc(
    "Quantos registros de cada tipo esta chamada mudou",
    "How many records of each kind this call changed",
  ),
  fields: {
    contacts: doc("O contato e os unidos a ele", "The contact and those merged into it", 1),
    deals: doc("Negócios", "Deals", 2),
    notes: doc("Anotações", "Notes", 3),
    activities: doc("Atividades", "Activities", 1),
    proposals: doc("Propostas", "Proposals", 0),
    lead_receipts: doc("external_id de leads recebidos", "external_id of leads that were received", 1),
    stored_replies: doc(
      "Respostas guardadas para uma Idempotency-Key",
      "Replies stored for an Idempotency-Key",
      2,
    ),
  },
});

/** The kinds of records whose texts an erasure searches for the person's name. */
export const NAMING_OBJECTS = ["activity", "company", "contact", "deal", "note", "proposal"] as const;

const NamingRecord = z.object({ object: z.enum(NAMING_OBJECTS), id: uuid() }).meta({
  id: "NamingRecord",
  ...doc("Um registro que ainda cita a pessoa", "A record that still names the person"),
  fields: { object: doc("O tipo do registro", "The kind of the record", "note") },
});

const TextsNaming = z.object({
  count: count(),
  is_minimum: z.boolean(),
  records: z.array(NamingRecord).max(20),
}).meta({
  id: "TextsNaming",
  ...doc(
    "Os registros do workspace cujos textos ainda citam a pessoa",
    "The records of the workspace whose texts still name the person",
  ),
  fields: {
    count: doc("Quantos são", "How many there are", 1),
    is_minimum: doc(
      "true se podem ser mais: o contato já estava apagado, e só se procura entre os que o citavam então",
      "true if there may be more: the contact was erased before, and only those that named it then are looked at",
      false,
    ),
    records: doc("Os primeiros 20", "The first 20"),
  },
});

const Moved = z.object({ activities: count(), contacts: count(), deals: count(), merged: count() }).meta({
  id: "Moved",
  ...doc("Quantos registros passaram ao que fica", "How many records were moved to the one that stays"),
  fields: {
    activities: doc("Atividades", "Activities", 40),
    contacts: doc("Contatos da empresa", "Contacts of the company", 0),
    deals: doc("Negócios", "Deals", 20_000),
    merged: doc("Registros unidos antes", "Records that were merged before", 0),
  },
});

const Arguments = z.object({ id: uuid(), merge_id: uuid().nullable(), texts: z.boolean().nullable() }).meta({
  id: "OperationArguments",
  ...doc("O que a chamada pediu", "What the call asked for"),
  fields: {
    merge_id: doc("O registro que foi unido", "The record that was merged", null),
    texts: doc("Se apaga também os textos", "Whether texts are erased as well", true),
  },
});

/** Work that a call started and a job continues. */
export const Operation = z.object({
  id: uuid(),
  kind: z.enum(["contact_erasure", "contact_merge", "company_merge"]),
  state: z.enum(["queued", "running", "done", "failed"]),
  arguments: Arguments,
  cleared: Cleared.nullable(),
  texts_naming: TextsNaming.nullable(),
  moved: Moved.nullable(),
  error: z.enum(["internal_error", "service_unavailable"]).nullable(),
  created_at: timestamp(),
  updated_at: timestamp(),
  ended_at: timestamp().nullable(),
}).meta({
  id: "BackgroundOperation",
  ...doc(
    "Um trabalho grande demais para uma chamada, que segue em segundo plano",
    "Work that is too large for one call and continues in the background",
  ),
  fields: {
    kind: doc("O que se faz", "What is done", "contact_erasure"),
    state: doc("Em que pé está", "How far it is", "done"),
    arguments: doc("O que a chamada pediu", "What the call asked for"),
    cleared: doc("De um apagamento: o que já foi apagado", "In an erasure: what has been cleared so far"),
    texts_naming: doc(
      "De um apagamento concluído: o que ainda cita a pessoa",
      "In a completed erasure: what still names the person",
    ),
    moved: doc("De uma união: o que já passou", "In a merge: what has been moved so far", null),
    error: doc(
      "Por que o último passo falhou; null se não falhou. De novo: repita a chamada",
      "Why the last step failed; null if it did not. To try again, repeat the call",
      null,
    ),
    ended_at: doc("Quando terminou", "When it ended"),
  },
});

const operation = Operation.optional();
const operationText = doc(
  "Só em uma resposta 202: o que segue em segundo plano; `Location` é onde ver até onde foi",
  "Only in a 202: the work that continues in the background; `Location` is its address",
);

/** The reply to an erasure. */
export const ErasedContact = z.object({
  id: uuid(),
  erased_at: timestamp(),
  cleared: Cleared,
  texts_naming: TextsNaming.nullable(),
  operation,
}).meta({
  id: "ErasedContact",
  ...doc("O contato apagado", "The erased contact"),
  fields: {
    erased_at: doc("Quando os dados pessoais foram apagados", "When the personal data was erased"),
    cleared: doc("O que esta chamada apagou", "What this call has cleared"),
    texts_naming: doc(
      "O que ainda cita a pessoa; null enquanto o resto segue em segundo plano",
      "What still names the person; null while the erasure continues in the background",
    ),
    operation: operationText,
  },
});

/** The field that the reply to a merge adds to the remaining record. */
export const merged = { shape: { operation }, texts: { operation: operationText } };
