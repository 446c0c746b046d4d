import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { money, timestamp, uuid } from "../_shared/contract/fields.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { ACTIVITY_STATUSES, DEAL_STATUSES } from "../_shared/contract/statuses.ts";
import { DealProposal } from "./proposal.ts";

const text = () => z.string().nullable();

const DealPerson = extended(Reference, {
  email: field(text(), ["E-mail", "E-mail address", "ana@example.com"]),
  phone: field(text(), ["Telefone", "Phone number", "+55 11 91234-5678"]),
  role: field(text(), ["O que faz no negócio", "What the contact does in the deal", "decisor"]),
}).meta(named("DealPerson", "Um contato do negócio", "A contact of the deal"));

const DealActivity = object({
  id: field(uuid(), ["A atividade", "The activity"]),
  type: field(z.string(), ["Tipo", "Type", "reuniao"]),
  title: field(z.string(), ["Título", "Title", "Apresentar a proposta"]),
  description: field(text(), ["Descrição", "Description"]),
  status: field(z.enum(ACTIVITY_STATUSES), ["Situação", "Status", "pendente"]),
  due_at: field(timestamp().nullable(), ["Prazo", "Due date"]),
  completed_at: field(timestamp().nullable(), ["Quando foi concluída", "When it was completed"]),
  owner: field(Reference, ["Responsável", "Owner"]),
  created_at: timestamp(),
}).meta(named("DealActivity", "Uma atividade do negócio", "An activity of the deal"));

const DealNote = object({
  id: field(uuid(), ["A anotação", "The note"]),
  body: field(z.string(), ["Texto", "Text", "Pediu desconto"]),
  author: field(Reference, ["Quem escreveu", "Who wrote it"]),
  created_at: timestamp(),
}).meta(named("DealNote", "Uma anotação do negócio", "A note of the deal"));

const DealEvent = object({
  id: field(uuid(), ["O evento", "The event"]),
  event: field(z.enum(EVENT_TYPES), ["O tipo do evento", "The type of the event", "deal.won"]),
  changed_fields: field(z.array(z.string()), [
    "Os campos que mudaram; vazia se o evento não diz quais",
    "The fields that changed; empty if the event does not say which",
    ["value"],
  ]),
  occurred_at: field(timestamp(), ["Quando ocorreu", "When it occurred"]),
}).meta(named("DealEvent", "Um evento do negócio", "An event of the deal"));

export const OpenedDeal = object({
  id: field(uuid(), ["Identificador do negócio", "The deal's id"]),
  title: field(z.string(), ["Título", "Title", "Plano anual"]),
  status: field(z.enum(DEAL_STATUSES), ["Situação", "Status", "aberto"]),
  value: field(money().nullable(), ["Valor", "Value", 1500]),
  recurring_value: field(money().nullable(), ["Valor mensal", "Monthly value", 300]),
  pipeline: field(Reference, ["Pipeline", "Pipeline"]),
  stage: field(Reference, ["Etapa", "Stage"]),
  owner: field(Reference, ["Responsável", "Owner"]),
  company: field(Reference.nullable(), ["Empresa cliente", "The customer's company"]),
  contact: field(DealPerson.nullable(), ["Contato principal", "Main contact"]),
  other_contacts: field(z.array(DealPerson), ["Outros contatos, até 20", "Other contacts, 20 at most"]),
  source: field(text(), ["De onde veio", "Where it came from", "site"]),
  tags: field(z.array(z.string()), ["Etiquetas", "Tags", ["vip"]]),
  expected_close_date: field(z.iso.date().nullable(), ["Previsão de fechamento", "Expected close date"]),
  loss_reason: field(Reference.nullable(), ["Motivo da perda", "Loss reason"]),
  loss_note: field(text(), ["Observação sobre a perda", "Note about the loss"]),
  created_at: timestamp(),
  stage_entered_at: field(timestamp(), ["Desde quando está na etapa", "When it entered the stage"]),
  closed_at: field(timestamp().nullable(), [
    "Quando foi ganho ou perdido",
    "When it was won or lost",
  ]),
  proposals: field(z.array(DealProposal), ["As 20 propostas mais novas", "The newest 20 proposals"]),
  activities: field(z.array(DealActivity), ["As 20 atividades mais novas", "The newest 20 activities"]),
  notes: field(z.array(DealNote), ["As 20 anotações mais novas", "The newest 20 notes"]),
  events: field(z.array(DealEvent), [
    "Os 20 eventos mais novos, dos últimos 90 dias",
    "The newest 20 events, of the last 90 days",
  ]),
}).meta(named("OpenedDeal", "Um negócio e o que há com ele", "A deal and what happens with it"));
