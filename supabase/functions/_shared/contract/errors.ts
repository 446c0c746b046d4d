/** One line of `error.details` (spec 7): which field, and what is wrong with it, in Portuguese. */
export interface FieldError {
  field: string;
  message: string;
}

interface ErrorKind {
  status: number;
  /** Portuguese, for the client: what is wrong and what is allowed. */
  message: string;
  /** English, for docs/errors.md: what a client should do. */
  remedy: string;
  /** English, for docs/errors.md and the OpenAPI document: when the error is returned. */
  when: string;
  /** Portuguese: the message for a field that a verb reports without its own message. */
  field?: string;
}

/**
 * Every error of the API (spec 7), its status and its text. There is no default: a code that is not listed here does
 * not compile. `payload_too_large`, `request_timeout`, `service_unavailable` and the codes of proposals are additions to
 * the table of the spec, see docs/errors.md.
 */
const API_ERRORS = {
  missing_api_key: {
    status: 401,
    message: "Informe a chave de API no cabeçalho X-API-Key",
    when: "no `X-API-Key` header",
    remedy: "send the key",
  },
  invalid_api_key: {
    status: 401,
    message: "Chave de API inválida",
    when: "the key does not begin with `svc_`, its checksum is wrong, or it does not exist",
    remedy: "check for a truncated key",
  },
  revoked_api_key: {
    status: 401,
    message: "Chave de API revogada ou expirada",
    when: "the key was revoked, or has expired, or its value was replaced",
    remedy: "use its new value, or create another key",
  },
  insufficient_scope: {
    status: 403,
    message: "A chave de API não tem o escopo exigido",
    when: "the key lacks the scope that the message names",
    remedy: "create a key with it",
  },
  workspace_suspended: {
    status: 403,
    message: "A conta está suspensa",
    when: "the workspace is suspended",
    remedy: "ask the workspace's administrator",
  },
  feature_disabled: {
    status: 403,
    message: "O plano da conta não inclui a API pública",
    when: "the plan does not include the API",
    remedy: "change the plan",
  },
  method_not_allowed: {
    status: 405,
    message: "Método não aceito neste endereço",
    when: "the path does not have that method",
    remedy: "see the `Allow` header",
  },
  invalid_body: {
    status: 400,
    message: "O corpo da requisição está ausente ou não é um objeto JSON válido",
    when: "POST leads: the body is missing or is not a JSON object",
    remedy: "send JSON",
  },
  bad_request: {
    status: 400,
    message: "O corpo da requisição está ausente ou não é um objeto JSON válido",
    when: "any other write: the body is missing or is not a JSON object",
    remedy: "send JSON",
  },
  payload_too_large: {
    status: 413,
    message: "O corpo da requisição passa do tamanho máximo",
    when: "the body is over 256 KiB",
    remedy: "send less",
  },
  request_timeout: {
    status: 408,
    message: "O corpo da requisição demorou mais de 15 segundos para chegar",
    when: "the body was not received within 15 seconds; nothing was done",
    remedy: "repeat it",
  },
  validation_error: {
    status: 422,
    message: "A requisição tem campos inválidos",
    field: "Valor inválido",
    when: "fields, or query parameters of a list, are invalid, see `details`",
    remedy: "correct them",
  },
  invalid_cursor: {
    status: 422,
    message: "O cursor não é válido; use o meta.next_cursor da página anterior",
    when: "`cursor` is not a UUID; of events: is not one that the list gave",
    remedy: "use `meta.next_cursor`",
  },
  cursor_expired: {
    status: 410,
    message:
      "O cursor é mais antigo que os eventos guardados; recomece sem cursor, ou de um momento com since",
    when:
      "events: `cursor` is older than the 30 days that are kept, or was given by a database that was restored since",
    remedy: "call without `cursor`, or with `since`; read the objects themselves for what is no longer kept",
  },
  not_found: {
    status: 404,
    message: "Recurso não encontrado",
    when: "no such path, or no such record in the workspace",
    remedy: "check the id",
  },
  invalid_reference: {
    status: 422,
    message: "Um dos ids informados não existe no workspace",
    field: "Não existe no workspace",
    when: "an id in the body is not of the workspace",
    remedy: "check the id",
  },
  pipeline_not_found: {
    status: 422,
    message: "O pipeline não existe no workspace ou está inativo",
    field: "Pipeline inexistente ou inativo",
    when: "`pipeline_id` is not of the workspace, or inactive",
    remedy: "see `GET /api-v1-pipelines`",
  },
  no_default_pipeline: {
    status: 422,
    message: "O workspace não tem um pipeline padrão ativo",
    when: "no `pipeline_id`, and no active default pipeline",
    remedy: "name one, or set a default",
  },
  stage_not_found: {
    status: 422,
    message: "A etapa não pertence ao pipeline ou está inativa",
    field: "Etapa de outro pipeline ou inativa",
    when: "`stage_id` is not of the pipeline, or inactive; leads: or not of the workspace",
    remedy: "see `GET /api-v1-pipelines`",
  },
  pipeline_has_no_stage: {
    status: 422,
    message: "O pipeline não tem nenhuma etapa ativa",
    when: "the pipeline has no active stage",
    remedy: "activate one",
  },
  owner_unresolved: {
    status: 422,
    message: "Nenhum membro ativo pode ser o responsável pelo lead",
    when: "leads: no active member can own it",
    remedy: "activate a member",
  },
  no_owner_available: {
    status: 422,
    message: "Nenhum membro ativo pode ser o responsável pelo registro",
    when: "other records: no active member can own it",
    remedy: "activate a member",
  },
  no_author_available: {
    status: 422,
    message: "O criador da chave de API não é mais um membro ativo",
    when: "notes: the key's creator is no active member",
    remedy: "use another key",
  },
  invalid_idempotency_key: {
    status: 400,
    message: "O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres",
    when: "`Idempotency-Key` is not 1-255 characters",
    remedy: "shorten it",
  },
  idempotency_conflict: {
    status: 422,
    message: "Esta Idempotency-Key já foi usada com outro corpo ou em outro recurso",
    when: "the key was used with another body or resource",
    remedy: "use a new key for a new request",
  },
  idempotency_in_progress: {
    status: 409,
    message: "A requisição original com esta Idempotency-Key ainda está em processamento",
    when: "the first request with that key is still in progress",
    remedy: "repeat it in a moment",
  },
  rate_limited: {
    status: 429,
    message: "Limite de requisições por minuto atingido; aguarde o tempo de Retry-After",
    when: "more than the plan's calls (120) in the last 60 seconds",
    remedy: "wait `Retry-After` seconds",
  },
  webhook_not_found: {
    status: 404,
    message: "Assinatura de webhook não encontrada",
    when: "reserved; deleting an unknown subscription answers `not_found`",
    remedy: "handle `not_found` instead",
  },
  invalid_event_type: {
    status: 422,
    message: "Um dos eventos não existe no catálogo",
    when: "an event is not in the catalog",
    remedy: "see the events in docs/webhooks.md",
  },
  invalid_target_url: {
    status: 422,
    message: "O endereço de destino deve ser https e público",
    when:
      "the target is not https or not public, its port is below 1024 and not 443, or it has a user, a password or a fragment",
    remedy: "use a public address",
  },
  subscription_inactive: {
    status: 409,
    message: "A assinatura está inativa; reative-a antes",
    when: "a test, a redelivery or a recovery for a webhook subscription that is inactive",
    remedy: "`POST /api-v1-webhooks/<id>/reactivate` first",
  },
  service_unavailable: {
    status: 503,
    message: "Serviço temporariamente indisponível; tente de novo em instantes",
    when: "the database is unavailable or overloaded",
    remedy: "repeat after `Retry-After` seconds",
  },
  proposal_expired: {
    status: 410,
    message: "O prazo para responder a proposta terminou",
    when: "public link: the proposal was not answered in time",
    remedy: "send another proposal",
  },
  proposal_closed: {
    status: 409,
    message: "A proposta já foi respondida, e a resposta é definitiva",
    when: "public link: the proposal was already answered the other way",
    remedy: "nothing: the answer is final",
  },
  internal_error: {
    status: 500,
    message: "Erro interno; informe o X-Request-Id ao suporte",
    when: "a fault of the service",
    remedy: "repeat it; if it persists, report the `X-Request-Id`",
  },
} as const satisfies Record<string, ErrorKind>;

/** The errors of the application's functions alone: no call with an API key is answered with them. */
const APP_ERRORS = {
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

/** Every error of the service: those of the API, and those of the application. */
export const ERRORS = { ...API_ERRORS, ...APP_ERRORS };

/** A stable English code: of the spec's part 7, or of the application. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether only the application's functions answer with this code. */
export function isAppError(code: ErrorCode): boolean {
  return Object.hasOwn(APP_ERRORS, code);
}

/** Whether a text from the database is one of the API's codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/**
 * An error that a client gets. Functions return it as a value, and callers check for it with `instanceof`. An exception
 * is always a fault of the service, whose message must not reach a client.
 */
export class ApiError {
  /**
   * @param code stable, so that clients can depend on it
   * @param details every invalid field
   * @param message Portuguese; the text of the code by default
   * @param headers of the reply, in addition to those of every error
   */
  constructor(
    readonly code: ErrorCode,
    readonly details?: FieldError[],
    readonly message: string = ERRORS[code].message,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The envelope of spec 7, as JSON text. */
  body(): string {
    const { code, message, details } = this;
    return JSON.stringify({ error: { code, message, ...(details && { details }) } });
  }
}

/** The error for a method that a path does not have. HTTP requires the allowed methods in the header `Allow`. */
export function methodNotAllowed(methods: Iterable<string>): ApiError {
  const allow = [...methods].join(", ");
  const message = `Método não aceito neste endereço; use ${allow}`;
  return new ApiError("method_not_allowed", undefined, message, { Allow: allow });
}

/** The error for a body over `maxBytes`, a multiple of 1 KiB. */
export function payloadTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    "payload_too_large",
    undefined,
    `O corpo da requisição passa de ${maxBytes / 1024} KiB`,
  );
}

/** The message for a field that a verb reports with a code and without its own message. */
export function fieldMessage(code: ErrorCode): string {
  const kind: ErrorKind = ERRORS[code];
  return kind.field ?? kind.message;
}
