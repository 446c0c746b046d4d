import { z } from "zod";
import { FieldInUse } from "../_shared/contract/custom_fields.ts";
import { named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const WorkspaceMember = object({
  id: field(uuid(), ["O owner_id dos registros do membro", "The owner_id of the member's records"]),
  name: field(z.string(), ["Nome do membro", "The member's name", "Bruno Lima"]),
  email: field(z.string(), ["E-mail do membro", "The member's e-mail", "bruno@padariasol.com.br"]),
  role: field(z.enum(ROLES), ["Papel na empresa", "The role in the workspace", "vendedor"]),
  is_active: field(z.boolean(), ["Se ainda é membro", "Whether the member is still active", true]),
}).meta(
  named(
    "WorkspaceMember",
    "Um membro; só quem está ativo pode ser responsável por um registro novo",
    "A member; only active members can own new records",
  ),
);

const ActiveLossReason = object({
  id: field(uuid(), ["O loss_reason_id de POST lose", "The loss_reason_id of POST lose"]),
  name: field(z.string(), ["O motivo", "The reason", "Preço"]),
}).meta(named("ActiveLossReason", "Um motivo de perda ativo", "An active loss reason"));

const ActiveStage = object({
  id: uuid(),
  name: field(z.string(), ["Nome", "Name", "Prospecção"]),
  type: field(z.string(), [
    "Tipo: pre-venda, venda, won ou lost",
    "Type: pre-venda, venda, won or lost",
    "pre-venda",
  ]),
}).meta(named("ActiveStage", "Uma etapa ativa", "An active stage"));

const ActivePipeline = object({
  id: uuid(),
  name: field(z.string(), ["Nome", "Name", "Vendas"]),
  is_default: field(z.boolean(), ["Se é o padrão da empresa", "Whether it is the workspace's default", true]),
  stages: field(z.array(ActiveStage), ["As etapas, na ordem do funil", "The stages, in the funnel's order"]),
}).meta(
  named(
    "ActivePipeline",
    "Um pipeline ativo com as suas etapas ativas",
    "An active pipeline with its active stages",
  ),
);

export const Workspace = object({
  id: uuid(),
  name: field(z.string(), ["Nome da empresa", "The workspace's name", "Padaria Sol"]),
  members: field(z.array(WorkspaceMember), [
    "Os membros, o mais antigo primeiro: os ativos, e depois os 200 mais novos dos inativos",
    "The members, oldest first: the active ones, then the 200 newest inactive ones",
  ]),
  loss_reasons: field(z.array(ActiveLossReason), ["Os motivos de perda ativos", "The active loss reasons"]),
  pipelines: field(z.array(ActivePipeline), [
    "Os pipelines ativos, o mais antigo primeiro",
    "The active pipelines, oldest first",
  ]),
  event_types: field(z.array(z.enum(EVENT_TYPES)), [
    "Os eventos que se podem assinar",
    "The events that can be subscribed to",
    ["deal.won"],
  ]),
  custom_fields: field(z.array(FieldInUse), [
    "Os campos definidos que custom_fields pode ter",
    "The defined fields that custom_fields may have",
  ]),
}).meta(
  named(
    "Workspace",
    "A empresa da chave, com os ids que outras chamadas aceitam",
    "The key's workspace, with the ids that other calls accept",
  ),
);
