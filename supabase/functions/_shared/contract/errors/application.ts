import type { ErrorKind } from "./error_kind.ts";

/** The errors that only the application's functions return; no call with an API key gets them. */
export const APPLICATION_ERRORS = {
  missing_session: { status: 401, message: "Entre na sua conta para continuar" },
  invalid_session: { status: 401, message: "A sessão terminou; entre de novo" },
  not_a_member: { status: 403, message: "Sua conta não é de um membro ativo desta empresa" },
  workspace_required: { status: 400, message: "Escolha a empresa no cabeçalho X-Workspace-Id" },
  insufficient_role: { status: 403, message: "Seu papel não permite esta ação" },
  email_taken: { status: 409, message: "A empresa já tem um membro com este e-mail" },
  already_signed_in: { status: 409, message: "Este membro já entrou e não precisa de convite" },
  too_many_invitations: {
    status: 409,
    message: "Muitos convites na última hora; espere antes de convidar de novo",
  },
  last_admin: { status: 409, message: "A empresa precisa de pelo menos um administrador ativo" },
  already_expired: { status: 422, message: "O vencimento já passou", field: "Deve estar no futuro" },
  key_revoked: { status: 409, message: "A chave foi revogada ou venceu" },
} as const satisfies Record<string, ErrorKind>;
