import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { email, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const fields = {
  id: doc("Identificador da empresa", "The workspace's id", "019a2b3c-0000-7000-8000-000000000001"),
  name: doc("Nome da empresa", "The workspace's name", "Padaria Sol"),
  role: doc("Papel da pessoa nesta empresa", "The person's role in it", "admin"),
  suspended: doc(
    "Se a empresa está suspensa: chaves recusadas, webhooks retidos",
    "Whether the workspace is suspended: keys are refused, webhooks held",
    false,
  ),
  public_api: doc("Se o plano inclui a API pública", "Whether the plan includes the public API", true),
  rate_limit_per_minute: doc(
    "Chamadas por chave em 60 segundos",
    "Calls with each key in any 60 seconds",
    120,
  ),
  stale_after_days: doc(
    "Dias sem movimento até um negócio ficar parado",
    "Days without movement after which a deal is stale",
    14,
  ),
};

/** A workspace that the signed-in person may choose. */
const WorkspaceChoice = z.object({ id: uuid(), name: name(), role: z.enum(ROLES) }).meta({
  id: "WorkspaceChoice",
  ...doc("Uma empresa da qual a pessoa é membro", "A workspace in which the person is a member"),
  fields,
});

/** An invitation that the signed-in person has not answered. */
const Invitation = z.object({
  id: uuid(),
  workspace_id: uuid(),
  workspace_name: name(),
  role: z.enum(ROLES),
  invited_at: timestamp(),
}).meta({
  id: "OpenInvitation",
  ...doc("Um convite que espera resposta", "An invitation that waits for an answer"),
  fields: {
    id: doc("Identificador do convite", "The invitation's id", "019a2b3c-0000-7000-8000-000000000003"),
    workspace_name: fields.name,
    role: doc("Papel que a pessoa terá", "The role that the person will have", "vendedor"),
    invited_at: doc("Quando foi convidada", "When the person was invited"),
  },
});

/** The reply to GET /choices, and to a call that answers an invitation. */
export const WorkspaceChoices = z.object({
  data: z.array(WorkspaceChoice),
  invitations: z.array(Invitation),
}).meta({
  id: "WorkspaceChoices",
  ...doc("As empresas e os convites de uma pessoa", "The workspaces and the invitations of a person"),
  fields: {
    data: doc("As empresas de quem entrou", "The workspaces of the signed-in person"),
    invitations: doc(
      "Os convites que esperam resposta, até 100",
      "The invitations that wait for an answer, 100 at most",
    ),
  },
});

/** The signed-in person as a member of this workspace. */
const CurrentMember = z.object({ id: uuid(), name: name(), email: email(), role: z.enum(ROLES) }).meta({
  id: "CurrentMember",
  ...doc("Quem entrou", "Who is signed in"),
  fields: {
    id: doc("Identificador do membro", "The member's id", "019a2b3c-0000-7000-8000-000000000002"),
    name: doc("Nome do membro", "The member's name", "Ana Souza"),
    email: doc("E-mail do membro", "The member's e-mail", "ana@exemplo.com.br"),
    role: fields.role,
  },
});

/** The usage of a workspace. Counting stops at a bound, so a count that equals its bound may be too low. */
const Usage = z.object({
  calls_today: z.int(),
  calls_7_days: z.int(),
  active_keys: z.int(),
  active_webhooks: z.int(),
  active_members: z.int(),
  waiting_deliveries: z.int(),
}).meta({
  id: "Usage",
  ...doc("O uso da empresa", "What the workspace uses"),
  fields: {
    calls_today: doc("Chamadas à API hoje, em UTC", "Calls to the API today, in UTC", 120),
    calls_7_days: doc(
      "Chamadas à API em 7 dias, com hoje",
      "Calls to the API in 7 days, including today",
      980,
    ),
    active_keys: doc("Chaves que funcionam; conta até 5.000", "Keys that work; counts up to 5,000", 2),
    active_webhooks: doc("Webhooks ativos; conta até 1.000", "Active webhooks; counts up to 1,000", 1),
    active_members: doc("Membros ativos; conta até 5.000", "Active members; counts up to 5,000", 3),
    waiting_deliveries: doc(
      "Entregas que aguardam uma tentativa; conta até 10.000",
      "Deliveries that wait for an attempt; counts up to 10,000",
      0,
    ),
  },
});

export const Workspace = z.object({
  id: uuid(),
  name: name(),
  suspended: z.boolean(),
  public_api: z.boolean(),
  rate_limit_per_minute: z.int(),
  stale_after_days: z.int(),
  created_at: timestamp(),
  member: CurrentMember,
  workspaces: z.array(WorkspaceChoice),
  usage: Usage,
}).meta({
  id: "Workspace",
  ...doc("Uma empresa, seu plano e seu uso", "A workspace, its plan and its usage"),
  fields: {
    ...fields,
    member: doc("Quem entrou", "Who is signed in"),
    workspaces: doc("As empresas de quem entrou", "The workspaces of the signed-in person"),
    usage: doc("O uso da empresa", "What the workspace uses"),
  },
});

/** The body of PATCH: the properties that an admin may change. Only the operator may change the plan. */
export const WorkspacePatch = z.object({
  name: name().optional(),
  stale_after_days: z.int().min(1).max(3650).optional(),
}).meta({ id: "WorkspacePatch", ...doc("O que muda na empresa", "What changes in the workspace"), fields });
