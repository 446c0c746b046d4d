import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { email, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { extended, field, object, textsOf } from "../_shared/contract/object.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const Member = object({
  id: field(uuid(), ["Identificador do membro", "The member's id", "019a2b3c-0000-7000-8000-000000000002"]),
  workspace_id: uuid(),
  name: field(name(), ["Nome do membro", "The member's name", "Ana Souza"]),
  email: field(email(), [
    "E-mail com que o membro entra; único na empresa",
    "The e-mail address with which the member signs in; unique in the workspace",
    "ana@exemplo.com.br",
  ]),
  role: z.enum(ROLES),
  is_active: field(z.boolean(), [
    "Se o membro pode entrar e ser responsável por registros",
    "Whether the member can sign in and own records",
    true,
  ]),
  has_signed_in: field(z.boolean(), ["Se o membro já entrou", "Whether the member has signed in", true]),
  working_keys: field(z.int(), [
    "Quantas chaves criadas pelo membro ainda funcionam",
    "How many keys that the member created still work",
    1,
  ]),
  created_at: timestamp(),
}).meta(named("Member", "Um membro da empresa", "A member of the workspace"));

const fields = textsOf(Member);

/** The reply to GET /, without pages: at most 1,000 members. */
export const MemberList = z.object({ data: z.array(Member) });

export const Invitation = z.object({ name: name(), email: email(), role: z.enum(ROLES) })
  .meta({ ...named("Invitation", "Quem convidar", "Whom to invite"), fields });

/** The reply to POST / and POST /:id/invite. */
export const InvitedMember = extended(Member, {
  invitation_sent: field(z.boolean(), [
    "Se um convite foi enviado, ou a pessoa já tem conta e vê o convite ao entrar",
    "Whether an invitation was sent, or the person has an account and sees the invitation after signing in",
    true,
  ]),
  invited_to: field(name(), [
    "Nome da empresa, como no e-mail",
    "The workspace's name, as in the mail",
    "Padaria Sol",
  ]),
  invited_by: field(name(), ["Nome de quem convidou", "Name of the person who invited", "Ana Souza"]),
}).meta(named("InvitedMember", "O membro convidado", "The member who was invited"));

export const MemberPatch = z.object({
  name: name().optional(),
  role: z.enum(ROLES).optional(),
  is_active: z.boolean().optional(),
}).meta({ ...named("MemberPatch", "O que muda no membro", "What changes in the member"), fields });

const WorkingKey = object({
  id: field(uuid(), ["Identificador da chave", "The key's id"]),
  name: field(name(), ["Nome da chave", "The key's name", "Site"]),
  prefix: field(z.string(), ["O começo da chave", "The first characters of the key", "svc_u8g0YZp1"]),
  scopes: field(z.array(z.string()), ["O que a chave permite", "What the key may do", ["leads:write"]]),
  expires_at: field(timestamp().nullable(), ["Quando vence; null: nunca", "When it expires; null: never"]),
}).meta(named("WorkingKey", "Uma chave que ainda funciona", "A key that still works"));

/** The reply to PATCH and POST /leave, with the keys that still work after a deactivation. */
export const UpdatedMember = extended(Member, {
  keys: field(z.array(WorkingKey), [
    "As chaves criadas pelo membro que ainda funcionam, até 1.000",
    "The keys that the member created and that still work, 1,000 at most",
  ]),
  active_managers: field(z.int(), [
    "Quantos admins e gestores ativos a empresa tem; conta até 1.000",
    "How many active admins and gestores the workspace has; counts up to 1,000",
    2,
  ]),
}).meta(named("UpdatedMember", "O membro, como ficou", "The member after the change"));
