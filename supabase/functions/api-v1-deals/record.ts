import { doc } from "../_shared/contract/doc.ts";
import { Utm } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";
import { DEAL_STATUSES } from "../_shared/contract/statuses.ts";

/** A sale, in progress or closed (spec 4.6). The actions that close it (spec 3) are in schema.ts. */
export const deal = record("deal", {
  table: "deals",
  sql: ["insert", "save", "list", "archive"],
  schema: "Deal",
  text: doc("Um negócio", "A deal"),
  create: doc(
    "Um negócio a criar; ao menos um de title, contact_id e company_id",
    "A deal to create; at least one of title, contact_id and company_id",
  ),
  update: doc(
    "O que muda; null apaga; status aberto reabre o negócio; para ganhar ou perder, use POST /api-v1-deals/<id>/win " +
      "ou POST /api-v1-deals/<id>/lose",
    "What changes; null clears; status aberto reopens the deal; to win or lose the deal, use POST " +
      "/api-v1-deals/<id>/win or POST /api-v1-deals/<id>/lose",
    { value: 14000, expected_close_date: "2026-12-20" },
  ),
  upsert: {
    by: ["external_id"],
    text: doc(
      "Um negócio a criar, com ao menos um de title, contact_id e company_id, ou o que muda nele",
      "A deal to create, with at least one of title, contact_id and company_id, or what changes in it",
    ),
  },
  atLeastOneOf: ["title", "contact_id", "company_id"],
  summary: ["owner", "stage", "month", "source"],
  sorts: ["value", "moved_at", "expected_close_date"],
  filters: {
    inactive_since: field.before(
      "moved_at",
      "Parados desde este momento: sem mudança, atividade ou anotação depois dele",
      "Stalled since this moment: without a change, an activity or a note after it",
    ),
    closed_since: field.since(
      "closed_at",
      "Ganhos ou perdidos a partir deste momento, nas mesmas formas que since",
      "Won or lost at or after this moment, in the same forms as since",
    ),
    closed_until: field.before(
      "closed_at",
      "Ganhos ou perdidos antes deste momento, nas mesmas formas que since",
      "Won or lost before this moment, in the same forms as since",
    ),
    expected_close_since: field.daySince(
      "expected_close_date",
      "Com fechamento previsto para este dia ou depois",
      "Expected to close on this day or later",
    ),
    expected_close_until: field.dayBefore(
      "expected_close_date",
      "Com fechamento previsto para antes deste dia",
      "Expected to close before this day",
    ),
  },
  search: {
    text: doc(
      "Todas estas palavras, em qualquer ordem, sem distinguir acentos e maiúsculas, em título e external_id",
      "All of these words, in any order, ignoring accents and case, in title and external_id",
    ),
    texts: ["title", "external_id"],
  },
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  title: field.name({
    text: doc(
      "Título; se ausente ao criar, o nome do contato ou da empresa",
      "Title; if absent on creation, the name of the contact or company",
      "Padaria Sol: plano anual",
    ),
    presence: "defaulted on create",
  }),
  status: field.choice(DEAL_STATUSES, {
    text: doc("Situação", "Status", "aberto"),
    presence: "required",
    written: "on update",
    filter: true,
  }, {
    offered: ["aberto"],
    error: 'Deve ser "aberto"; para ganhar ou perder o negócio, use POST /api-v1-deals/:id/win ou ' +
      "POST /api-v1-deals/:id/lose",
  }),
  value: field.money(),
  recurring_value: field.money(),
  // The verbs check the pipeline, because an unknown pipeline has its own code (spec 7). They also check that the stage
  // belongs to the pipeline.
  pipeline_id: field.idCheckedByVerb("pipelines", { presence: "defaulted on create", filter: true }),
  stage_id: field.reference("stages", { presence: "defaulted on create", filter: true }),
  contact_id: field.reference("contacts", { filter: true }),
  company_id: field.reference("companies", { filter: true }),
  owner_id: field.owner(),
  expected_close_date: field.date({ text: doc("Fechamento previsto", "Expected close date", "2026-12-15") }),
  loss_reason_id: field.reference("loss_reasons", {
    text: doc("Motivo da perda (GET /api-v1-workspace)", "Reason for the loss (GET /api-v1-workspace)", null),
    written: "by an action",
  }, true),
  loss_note: field.text(1000, {
    text: doc("Comentário da perda", "Note on the loss"),
    written: "by an action",
  }),
  source: field.text(120),
  utm: field.object(Utm),
  custom_fields: field.customFields(),
  tags: field.tags(),
  external_id: field.text(255, {
    text: doc(
      "Identificador no sistema de origem",
      "The id in the system that the deal comes from",
      "pedido-2026-0042",
    ),
    filter: { sparse: true },
  }, 1),
  stage_changed_at: field.readOnlyDatetime({
    text: doc("Quando mudou de etapa pela última vez", "When it last changed stage"),
    presence: "required",
  }),
  last_activity_at: field.readOnlyDatetime({ text: doc("A última atividade", "The last activity") }),
  won_at: field.readOnlyDatetime({ text: doc("Quando foi ganho", "When it was won") }),
  lost_at: field.readOnlyDatetime({ text: doc("Quando foi perdido", "When it was lost") }),
  closed_at: field.readOnlyDatetime({ text: doc("Quando foi ganho ou perdido", "When it was won or lost") }),
  archived_at: field.readOnlyDatetime(),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
