import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of an activity's fields. */
export const activityFields: FieldDocs = {
  deal_id: doc("Negócio a que a atividade pertence", "The deal that the activity belongs to"),
  contact_id: doc("Contato; o do negócio se ausente", "The contact; the deal's where absent"),
  created_by_id: doc(
    "Membro que criou a chave de API usada",
    "The member who created the API key that was used",
  ),
  type: doc(
    "Tipo: tarefa (se ausente), ligacao, reuniao, email, whatsapp, visita, ou outro",
    "Type: tarefa (where absent), ligacao, reuniao, email, whatsapp, visita, or another",
    "reuniao",
  ),
  title: doc(
    "Título; conforme o tipo se ausente",
    "Title; after the type where absent",
    "Apresentar a proposta",
  ),
  description: doc("Descrição", "Description", "Levar a amostra"),
  due_at: doc("Prazo", "Due date", "2026-10-15T14:00:00.000Z"),
  duration_minutes: doc("Duração em minutos", "Duration in minutes", 40),
  is_online_meeting: doc("Se é uma reunião on-line", "Whether it is an online meeting", true),
  meeting_url: doc("Endereço da reunião", "Address of the meeting", "https://meet.example.com/abc"),
  location: doc("Local", "Place"),
  status: doc("Situação; pendente se ausente", "State; pendente where absent", "pendente"),
  completed_at: doc("Quando foi concluída", "When it was completed"),
  is_overdue: doc("Se está pendente e o prazo passou", "Whether it is pending and past its due date", false),
};
