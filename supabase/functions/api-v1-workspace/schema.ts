import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const WorkspaceMember = z.object({
  id: uuid(),
  name: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  is_active: z.boolean(),
}).meta({
  id: "WorkspaceMember",
  ...doc(
    "Um membro; só quem está ativo pode ser responsável por um registro novo",
    "A member; only active members can own new records",
  ),
  fields: {
    id: doc("O owner_id dos registros do membro", "The owner_id of the member's records"),
    name: doc("Nome do membro", "The member's name", "Bruno Lima"),
    email: doc("E-mail do membro", "The member's e-mail", "bruno@padariasol.com.br"),
    role: doc("Papel na empresa", "The role in the workspace", "vendedor"),
    is_active: doc("Se ainda é membro", "Whether the member is still active", true),
  },
});

const ActiveLossReason = z.object({ id: uuid(), name: z.string() }).meta({
  id: "ActiveLossReason",
  ...doc("Um motivo de perda ativo", "An active loss reason"),
  fields: {
    id: doc("O loss_reason_id de POST lose", "The loss_reason_id of POST lose"),
    name: doc("O motivo", "The reason", "Preço"),
  },
});

const ActiveStage = z.object({ id: uuid(), name: z.string(), type: z.string() }).meta({
  id: "ActiveStage",
  ...doc("Uma etapa ativa", "An active stage"),
  fields: {
    name: doc("Nome", "Name", "Prospecção"),
    type: doc("Tipo: pre-venda, venda, won ou lost", "Type: pre-venda, venda, won or lost", "pre-venda"),
  },
});

const ActivePipeline = z.object({
  id: uuid(),
  name: z.string(),
  is_default: z.boolean(),
  stages: z.array(ActiveStage),
}).meta({
  id: "ActivePipeline",
  ...doc("Um pipeline ativo com as suas etapas ativas", "An active pipeline with its active stages"),
  fields: {
    name: doc("Nome", "Name", "Vendas"),
    is_default: doc("Se é o padrão da empresa", "Whether it is the workspace's default", true),
    stages: doc("As etapas, na ordem do funil", "The stages, in the funnel's order"),
  },
});

export const Workspace = z.object({
  id: uuid(),
  name: z.string(),
  members: z.array(WorkspaceMember),
  loss_reasons: z.array(ActiveLossReason),
  pipelines: z.array(ActivePipeline),
  event_types: z.array(z.enum(EVENT_TYPES)),
}).meta({
  id: "Workspace",
  ...doc(
    "A empresa da chave, e o que se pode escolher nela",
    "The key's workspace, and what can be chosen in it",
  ),
  fields: {
    name: doc("Nome da empresa", "The workspace's name", "Padaria Sol"),
    members: doc(
      "Os membros, o mais antigo primeiro: os ativos, e depois os 200 mais novos dos inativos",
      "The members, oldest first: the active ones, then the 200 newest inactive ones",
    ),
    loss_reasons: doc("Os motivos de perda ativos", "The active loss reasons"),
    pipelines: doc("Os pipelines ativos, o mais antigo primeiro", "The active pipelines, oldest first"),
    event_types: doc("Os eventos que se podem assinar", "The events that can be subscribed to", ["deal.won"]),
  },
});
