import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { MAX_URL_LENGTH } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";
import { ACTIVITY_STATUSES } from "../_shared/contract/statuses.ts";

/** A web address. Only http and https: clients show it as a link, and `javascript:` would run a script. */
const webUrl = () =>
  z.url({ protocol: /^https?$/, error: "Deve ser uma URL http ou https" }).max(MAX_URL_LENGTH);

/**
 * A task, call, meeting or other activity for a deal (spec 4.6). It cannot be moved to another deal. `due_after` is
 * inclusive and `due_before` exclusive, so that adjacent windows do not overlap.
 */
export const activity = record("activity", {
  table: "activities",
  sql: ["insert", "save", "get", "list"],
  schema: "Activity",
  text: doc("Uma atividade de um negócio", "An activity of a deal"),
  create: doc("Uma atividade a criar", "An activity to create"),
  update: doc(
    "O que muda; null apaga, ou volta ao padrão",
    "What changes; null clears the field, or restores its default",
    { status: "concluida" },
  ),
  sorts: ["due_at"],
  filters: {
    company_id: field.dealFilter(
      "company_id",
      doc("Só de negócios desta empresa", "Only of deals with this company"),
    ),
    due_before: field.before(
      "due_at",
      "Prazo antes deste momento, nas mesmas formas que since",
      "Due before this moment, in the same forms as since",
    ),
    due_after: field.since(
      "due_at",
      "Prazo a partir deste momento, nas mesmas formas que since",
      "Due at or after this moment, in the same forms as since",
    ),
  },
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  deal_id: field.reference("deals", {
    text: doc(
      "Negócio a que a atividade pertence (GET /api-v1-deals)",
      "The deal that the activity belongs to (GET /api-v1-deals)",
    ),
    presence: "required",
    written: "on create",
    filter: true,
  }),
  contact_id: field.reference("contacts", {
    text: doc(
      "Contato; o do negócio se ausente ao criar",
      "The contact; the deal's contact if absent on creation",
    ),
    filter: true,
  }),
  owner_id: field.owner(),
  created_by_id: field.memberId({
    text: doc("Membro que criou a chave de API usada", "The member who created the API key that was used"),
  }),
  type: field.name({
    text: doc(
      "Tipo: tarefa (se ausente ao criar), ligacao, reuniao, email, whatsapp, visita, ou outro texto",
      "Type: tarefa (if absent on creation), ligacao, reuniao, email, whatsapp, visita, or another text",
      "reuniao",
    ),
    presence: "defaulted",
    filter: {
      text: doc(
        "Só deste tipo, ou de qualquer um de vários, separados por vírgulas",
        "Only of this type, or of any of several types, separated by commas",
      ),
      several: true,
    },
  }, 60),
  title: field.name({
    text: doc(
      "Título; se ausente ao criar, vem do tipo",
      "Title; derived from the type if absent on creation",
      "Apresentar a proposta",
    ),
    presence: "defaulted",
  }),
  description: field.text(10_000, { text: doc("Descrição", "Description", "Levar a amostra") }),
  due_at: field.datetime({
    text: doc(
      "Prazo: ISO 8601; sem fuso, UTC",
      "Due date: ISO 8601; without an offset, UTC",
      "2026-10-15T14:00:00.000Z",
    ),
  }),
  duration_minutes: field.count({ text: doc("Duração em minutos", "Duration in minutes", 40) }),
  is_online_meeting: field.flag({
    text: doc("Se é uma reunião on-line", "Whether it is an online meeting", true),
    presence: "defaulted",
  }),
  meeting_url: field.textWith(webUrl(), {
    text: doc("Endereço da reunião", "Address of the meeting", "https://meet.example.com/abc"),
  }),
  location: field.text(255, { text: doc("Local", "Place") }),
  status: field.choice(ACTIVITY_STATUSES, {
    text: doc("Situação; pendente se ausente ao criar", "State; pendente if absent on creation", "pendente"),
    presence: "defaulted",
    filter: true,
  }),
  completed_at: field.readOnlyDatetime({ text: doc("Quando foi concluída", "When it was completed") }),
  is_overdue: field.computed(
    "boolean",
    "t.status = 'pendente' and coalesce(t.due_at < now(), false)",
    z.boolean(),
    {
      text: doc("Se está pendente e o prazo passou", "Whether it is pending and past its due date", false),
      filter: {
        rule: z.enum(["true", "false"]).transform((flag) => flag === "true").meta({
          type: "boolean",
          enum: [true, false],
        }),
        text: doc("Só as atrasadas, ou só as outras", "Only the overdue ones, or only the others"),
        condition: {
          true: "t.status = 'pendente' and t.due_at < now()",
          false: "(t.status <> 'pendente' or t.due_at is null or t.due_at >= now())",
        },
        indexed: { value: "true", column: "due_at" },
      },
    },
  ),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
