import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { email, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const fields = {
  id: doc("Identificador do membro", "The member's id", "019a2b3c-0000-7000-8000-000000000002"),
  name: doc("Nome do membro", "The member's name", "Ana Souza"),
  email: doc(
    "E-mail com que o membro entra; único na empresa",
    "The e-mail address with which the member signs in; unique in the workspace",
    "ana@exemplo.com.br",
  ),
  role: doc(
    "Papel: admin, gestor ou vendedor (só vê)",
    "Role: admin, gestor or vendedor (who can only read)",
    "gestor",
  ),
  is_active: doc(
    "Se o membro pode entrar e ser responsável por registros",
    "Whether the member can sign in and own records",
    true,
  ),
  has_signed_in: doc("Se o membro já entrou", "Whether the member has signed in", true),
  working_keys: doc(
    "Quantas chaves criadas pelo membro ainda funcionam",
    "How many keys that the member created still work",
    1,
  ),
  keys: doc(
    "As chaves criadas pelo membro que ainda funcionam, até 1.000",
    "The keys that the member created and that still work, 1,000 at most",
  ),
  active_managers: doc(
    "Quantos admins e gestores ativos a empresa tem; conta até 1.000",
    "How many active admins and gestores the workspace has; counts up to 1,000",
    2,
  ),
  invitation_sent: doc(
    "Se um convite foi enviado, ou a pessoa já tem conta e vê o convite ao entrar",
    "Whether an invitation was sent, or the person has an account and sees the invitation after signing in",
    true,
  ),
};

const Member = z.object({
  id: uuid(),
  workspace_id: uuid(),
  name: name(),
  email: email(),
  role: z.enum(ROLES),
  is_active: z.boolean(),
  has_signed_in: z.boolean(),
  working_keys: z.int(),
  created_at: timestamp(),
}).meta({ id: "Member", ...doc("Um membro da empresa", "A member of the workspace"), fields });

/** The reply to GET /, without pages: at most 1,000 members. */
export const MemberList = z.object({ data: z.array(Member) });

export const Invitation = z.object({ name: name(), email: email(), role: z.enum(ROLES) }).meta({
  id: "Invitation",
  ...doc("Quem convidar", "Whom to invite"),
  fields,
});

/** The reply to POST / and POST /:id/invite. */
export const InvitedMember = Member.extend({ invitation_sent: z.boolean() }).meta({
  id: "InvitedMember",
  ...doc("O membro convidado", "The member who was invited"),
  fields,
});

export const MemberPatch = z.object({
  name: name().optional(),
  role: z.enum(ROLES).optional(),
  is_active: z.boolean().optional(),
}).meta({ id: "MemberPatch", ...doc("O que muda no membro", "What changes in the member"), fields });

const WorkingKey = z.object({
  id: uuid(),
  name: name(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  expires_at: timestamp().nullable(),
}).meta({
  id: "WorkingKey",
  ...doc("Uma chave que ainda funciona", "A key that still works"),
  fields: {
    id: doc("Identificador da chave", "The key's id"),
    name: doc("Nome da chave", "The key's name", "Site"),
    prefix: doc("O começo da chave", "The first characters of the key", "svc_u8g0YZp1"),
    scopes: doc("O que a chave permite", "What the key may do", ["leads:write"]),
    expires_at: doc("Quando vence; null: nunca", "When it expires; null: never"),
  },
});

/** The reply to PATCH and POST /leave, with the keys that still work after a deactivation. */
export const UpdatedMember = Member.extend({ keys: z.array(WorkingKey), active_managers: z.int() }).meta({
  id: "UpdatedMember",
  ...doc("O membro, como ficou", "The member after the change"),
  fields,
});
