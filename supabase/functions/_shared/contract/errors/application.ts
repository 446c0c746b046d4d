import type { ErrorKind } from "./error_kind.ts";

/** The errors of the application's functions alone: no call with an API key is answered with them. */
export const APPLICATION_ERRORS = {
  missing_session: {
    status: 401,
    message: "Entre na sua conta para continuar",
    when: "no `Authorization: Bearer` header",
    remedy: "sign in",
  },
  invalid_session: {
    status: 401,
    message: "A sessão terminou; entre de novo",
    when: "the token is not valid, or its session has ended",
    remedy: "sign in again",
  },
  not_a_member: {
    status: 403,
    message: "Sua conta não é de um membro ativo desta empresa",
    when: "the person is no active member of the workspace, or of any",
    remedy: "ask an administrator for an invitation",
  },
  workspace_required: {
    status: 400,
    message: "Escolha a empresa no cabeçalho X-Workspace-Id",
    when: "the person is a member of several workspaces, and the call names none",
    remedy: "send `X-Workspace-Id`, see `GET /app-v1-workspace/choices`",
  },
  insufficient_role: {
    status: 403,
    message: "Seu papel não permite esta ação",
    when: "the member's role is below the one that the operation needs",
    remedy: "ask an administrator",
  },
  email_taken: {
    status: 409,
    message: "A empresa já tem um membro com este e-mail",
    when: "another member has that e-mail",
    remedy: "use another one",
  },
  already_signed_in: {
    status: 409,
    message: "Este membro já entrou e não precisa de convite",
    when: "the member who would be invited has signed in before",
    remedy: "nothing",
  },
  too_many_invitations: {
    status: 409,
    message: "Muitos convites na última hora; espere antes de convidar de novo",
    when: "in the last hour the workspace sent 30 invitations, or 3 to this member",
    remedy: "wait an hour",
  },
  last_admin: {
    status: 409,
    message: "A empresa precisa de pelo menos um administrador ativo",
    when: "the last active admin would lose the role, or be deactivated",
    remedy: "make somebody else an admin first",
  },
  already_expired: {
    status: 422,
    message: "O vencimento já passou",
    field: "Deve estar no futuro",
    when: "`expires_at` of a key is in the past",
    remedy: "choose a later moment",
  },
  key_revoked: {
    status: 409,
    message: "A chave foi revogada ou venceu",
    when: "the key that would get a new secret no longer works",
    remedy: "create another key",
  },
} as const satisfies Record<string, ErrorKind>;
