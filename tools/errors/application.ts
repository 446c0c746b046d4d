import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { APPLICATION_ERRORS } from "../../supabase/functions/_shared/contract/errors/application.ts";
import type { ErrorText } from "./texts.ts";

/** The texts of the errors that only the application's functions return. */
export const APPLICATION_ERROR_TEXTS: Record<keyof typeof APPLICATION_ERRORS, ErrorText> = {
  missing_session: {
    when: doc("falta o cabeçalho `Authorization: Bearer`", "no `Authorization: Bearer` header"),
    remedy: doc("entre na conta", "sign in"),
  },
  invalid_session: {
    when: doc(
      "o token não é válido, ou a sessão dele terminou",
      "the token is not valid, or its session has ended",
    ),
    remedy: doc("entre de novo", "sign in again"),
  },
  not_a_member: {
    when: doc(
      "a pessoa não é membro ativo do workspace, ou não é de nenhum",
      "the person is not an active member of the workspace, or of any workspace",
    ),
    remedy: doc("peça um convite a um administrador", "ask an administrator for an invitation"),
  },
  workspace_required: {
    when: doc(
      "a pessoa é membro de vários workspaces, e a chamada não diz qual",
      "the person is a member of several workspaces, and the call does not say which",
    ),
    remedy: doc(
      "envie `X-Workspace-Id`, um dos ids de `/app-v1-workspace/choices`",
      "send `X-Workspace-Id`, one of the ids of `/app-v1-workspace/choices`",
    ),
  },
  insufficient_role: {
    when: doc(
      "o papel do membro é menor que o exigido pela operação",
      "the member's role is lower than the operation requires",
    ),
    remedy: doc("peça a um administrador", "ask an administrator"),
  },
  email_taken: {
    when: doc("outro membro já tem esse e-mail", "another member has that e-mail"),
    remedy: doc("use outro e-mail", "use another e-mail"),
  },
  already_signed_in: {
    when: doc(
      "o membro que seria convidado já entrou alguma vez",
      "the member who would be invited has signed in before",
    ),
    remedy: doc("nada", "nothing"),
  },
  too_many_invitations: {
    when: doc(
      "na última hora o workspace enviou 30 convites, ou 3 a este membro",
      "in the last hour the workspace sent 30 invitations, or 3 to this member",
    ),
    remedy: doc("espere uma hora", "wait an hour"),
  },
  last_admin: {
    when: doc(
      "o último administrador ativo perderia o papel, ou seria desativado",
      "the last active administrator would lose the role, or be deactivated",
    ),
    remedy: doc("antes, faça de outra pessoa um administrador", "make somebody else an administrator first"),
  },
  already_expired: {
    when: doc("o `expires_at` da chave já passou", "the key's `expires_at` is in the past"),
    remedy: doc("escolha um momento futuro", "choose a later moment"),
  },
  key_revoked: {
    when: doc(
      "a chave que receberia um segredo novo não funciona mais",
      "the key that would get a new secret no longer works",
    ),
    remedy: doc("crie outra chave", "create another key"),
  },
};
