import type { ErrorKind } from "./error_kind.ts";

/** The errors of a call, whatever it is about: its credential, its form, its limits, and the service itself. */
export const CALL_ERRORS = {
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
  rate_limited: {
    status: 429,
    message: "Limite de requisições por minuto atingido; aguarde o tempo de Retry-After",
    when: "more than the plan's calls (120) in the last 60 seconds",
    remedy: "wait `Retry-After` seconds",
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
    when: "any other write: the body is missing or is not a JSON object, or `If-Match` is malformed",
    remedy: "send JSON; in `If-Match` a reply's `ETag` with its quotes, or `*`",
  },
  payload_too_large: {
    status: 413,
    message: "O corpo da requisição passa do tamanho máximo",
    when: "the body is over 256 KiB; of a batch, over 1 MiB",
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
  too_many_records: {
    status: 422,
    message: "Os filtros alcançam mais de 50.000 registros; restrinja-os, por exemplo com since e until",
    when: "a summary would have to look through more than 50,000 records",
    remedy: "ask for less at once: a period (`since`, `until`, `closed_since`), an owner, `status=aberto`",
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
  batch_failed: {
    status: 422,
    message: "Um ou mais itens falharam, e nenhum foi gravado",
    when:
      "batch with `atomic: true`: items without an invalid field failed, see `details`; nothing was written. Where a field is invalid: `validation_error`",
    remedy: "correct those items, or send them without `atomic`",
  },
  service_unavailable: {
    status: 503,
    message: "Serviço temporariamente indisponível; tente de novo em instantes",
    when: "the database is unavailable or overloaded",
    remedy: "repeat after `Retry-After` seconds",
  },
  internal_error: {
    status: 500,
    message: "Erro interno; informe o X-Request-Id ao suporte",
    when: "a fault of the service",
    remedy: "repeat it; if it persists, report the `X-Request-Id`",
  },
} as const satisfies Record<string, ErrorKind>;
