import type { ErrorKind } from "./error_kind.ts";

/** The errors that any call can get: about its credential and form, about limits, and about the service itself. */
export const CALL_ERRORS = {
  missing_api_key: { status: 401, message: "Informe a chave de API no cabeçalho X-API-Key" },
  invalid_api_key: { status: 401, message: "Chave de API inválida" },
  revoked_api_key: { status: 401, message: "Chave de API revogada ou expirada" },
  insufficient_scope: { status: 403, message: "A chave de API não tem o escopo exigido" },
  workspace_suspended: { status: 403, message: "A conta está suspensa" },
  feature_disabled: { status: 403, message: "O plano da conta não inclui a API pública" },
  rate_limited: {
    status: 429,
    message: "Limite de requisições por minuto atingido; aguarde o tempo de Retry-After",
  },
  method_not_allowed: { status: 405, message: "Método não aceito neste endereço" },
  invalid_body: { status: 400, message: "O corpo da requisição está ausente ou não é um objeto JSON válido" },
  bad_request: { status: 400, message: "O corpo da requisição está ausente ou não é um objeto JSON válido" },
  payload_too_large: { status: 413, message: "O corpo da requisição passa do tamanho máximo" },
  request_timeout: { status: 408, message: "O corpo da requisição demorou mais de 15 segundos para chegar" },
  validation_error: { status: 422, message: "A requisição tem campos inválidos", field: "Valor inválido" },
  invalid_cursor: {
    status: 422,
    message: "O cursor não é válido; use o meta.next_cursor da página anterior",
  },
  cursor_expired: {
    status: 410,
    message: "O cursor não vale mais; recomece sem cursor, ou de um momento com since",
  },
  too_many_records: {
    status: 422,
    message: "São registros demais para uma chamada; restrinja o período com since e until, ou divida o lote",
  },
  invalid_idempotency_key: {
    status: 400,
    message: "O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres",
  },
  idempotency_conflict: {
    status: 422,
    message: "Esta Idempotency-Key já foi usada com outro corpo ou em outro recurso",
  },
  idempotency_in_progress: {
    status: 409,
    message:
      "A requisição original com esta Idempotency-Key ainda está em processamento; repita em um segundo",
  },
  batch_failed: { status: 422, message: "Um ou mais itens falharam, e nenhum foi gravado" },
  service_unavailable: {
    status: 503,
    message: "Serviço temporariamente indisponível; tente de novo em instantes",
  },
  internal_error: { status: 500, message: "Erro interno; informe o X-Request-Id ao suporte" },
} as const satisfies Record<string, ErrorKind>;
