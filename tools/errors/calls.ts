import type { CALL_ERRORS } from "../../supabase/functions/_shared/contract/errors/calls.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { ErrorText } from "./texts.ts";

/** The texts of the errors of a call, whatever it is about. */
export const CALL_ERROR_TEXTS: Record<keyof typeof CALL_ERRORS, ErrorText> = {
  missing_api_key: {
    when: doc("falta o cabeçalho `X-API-Key`", "no `X-API-Key` header"),
    remedy: doc("envie a chave", "send the key"),
  },
  invalid_api_key: {
    when: doc(
      "a chave não começa com `svc_`, o dígito verificador está errado, ou ela não existe",
      "the key does not begin with `svc_`, its checksum is wrong, or it does not exist",
    ),
    remedy: doc("veja se a chave foi cortada ao copiar", "check for a truncated key"),
  },
  revoked_api_key: {
    when: doc(
      "a chave foi revogada, venceu ou teve o valor trocado",
      "the key was revoked, or has expired, or its value was replaced",
    ),
    remedy: doc("use o valor novo, ou crie outra chave", "use its new value, or create another key"),
  },
  insufficient_scope: {
    when: doc(
      "a chave não tem o escopo, ou não pode ser usada a partir do endereço IP da chamada; a mensagem diz qual",
      "the key lacks the scope, or may not be used from the caller's IP address; the message names the scope or address",
    ),
    remedy: doc(
      "crie uma chave com esse escopo, ou inclua o endereço nas redes da chave",
      "create a key with the scope, or add the address to the key's networks",
    ),
  },
  workspace_suspended: {
    when: doc("o workspace está suspenso", "the workspace is suspended"),
    remedy: doc("fale com o administrador do workspace", "ask the workspace's administrator"),
  },
  feature_disabled: {
    when: doc("o plano não inclui a API", "the plan does not include the API"),
    remedy: doc("mude de plano", "change the plan"),
  },
  rate_limited: {
    when: doc(
      "mais chamadas do que o plano permite (120) nos últimos 60 segundos",
      "more calls in the last 60 seconds than the plan allows (120)",
    ),
    remedy: doc("espere os segundos de `Retry-After`", "wait `Retry-After` seconds"),
    repeat: "retry_after",
  },
  method_not_allowed: {
    when: doc("o endereço não aceita esse método", "the path does not have that method"),
    remedy: doc("veja os métodos aceitos no cabeçalho `Allow`", "see the `Allow` header"),
  },
  invalid_body: {
    when: doc(
      "POST de leads: o corpo está ausente ou não é um objeto JSON",
      "POST leads: the body is missing or is not a JSON object",
    ),
    remedy: doc("envie um objeto JSON", "send a JSON object"),
  },
  bad_request: {
    when: doc(
      "qualquer outra escrita: o corpo está ausente ou não é um objeto JSON, ou o `If-Match` está malformado",
      "any other write: the body is missing or is not a JSON object, or `If-Match` is malformed",
    ),
    remedy: doc(
      "envie um objeto JSON; no `If-Match`, o `ETag` de uma resposta, com as aspas, ou `*`",
      "send a JSON object; in `If-Match` a reply's `ETag` with its quotes, or `*`",
    ),
  },
  payload_too_large: {
    when: doc(
      "o corpo passa de 256 KiB; o de um lote, de 1 MiB",
      "the body is over 256 KiB, or over 1 MiB for a batch",
    ),
    remedy: doc("envie menos; divida o lote", "send less; divide the batch"),
  },
  request_timeout: {
    when: doc(
      "o corpo não chegou inteiro em 15 segundos; nada foi feito",
      "the body was not received within 15 seconds; nothing was done",
    ),
    remedy: doc("repita a chamada", "repeat the call"),
    repeat: "doubling",
  },
  validation_error: {
    when: doc(
      "campos, ou parâmetros da consulta de uma lista, são inválidos: veja `details`",
      "fields, or query parameters of a list, are invalid: see `details`",
    ),
    remedy: doc("corrija o que `details` aponta", "correct what `details` names"),
  },
  invalid_cursor: {
    when: doc(
      "o `cursor` não é um UUID; em eventos: não é um que a lista deu",
      "`cursor` is not a UUID; for events: it is not a cursor that the list returned",
    ),
    remedy: doc(
      "use o `meta.next_cursor` da página anterior",
      "use `meta.next_cursor` of the page before",
    ),
  },
  cursor_expired: {
    when: doc(
      "eventos: o `cursor` é mais antigo que os 30 dias guardados, ou foi dado por um banco que depois foi restaurado de um backup",
      "events: `cursor` is older than the 30 days that are kept, or dates from before the database was restored from a backup",
    ),
    remedy: doc(
      "chame sem `cursor`, ou com `since`; leia os próprios registros para ter o que já não está guardado",
      "call without `cursor`, or with `since`; read the objects themselves for what is no longer kept",
    ),
  },
  too_many_records: {
    when: doc(
      "um resumo teria de percorrer mais de 50.000 registros, ou 20.000 eventos",
      "a summary would have to look through more than 50,000 records, or 20,000 events",
    ),
    remedy: doc(
      "peça menos de cada vez: um período (`since`, `until`, `closed_since`), um responsável, `status=aberto`",
      "ask for less at once: a period (`since`, `until`, `closed_since`), an owner, `status=aberto`",
    ),
  },
  invalid_idempotency_key: {
    when: doc(
      "a `Idempotency-Key` não tem de 1 a 255 caracteres",
      "`Idempotency-Key` is not 1-255 characters",
    ),
    remedy: doc("use uma chave desse tamanho, como um UUID", "use a key of that length, such as a UUID"),
  },
  idempotency_conflict: {
    when: doc(
      "a chave de idempotência já foi usada com outro corpo ou em outro recurso",
      "the idempotency key was used before with another body or for another resource",
    ),
    remedy: doc(
      "para uma requisição nova, use uma chave nova",
      "use a new key for a new request",
    ),
  },
  idempotency_in_progress: {
    when: doc(
      "a primeira requisição com essa chave de idempotência ainda está em andamento",
      "the first request with that idempotency key is still in progress",
    ),
    remedy: doc("repita daqui a pouco, com a mesma chave", "repeat it in a moment, with the same key"),
    repeat: "second",
  },
  batch_failed: {
    when: doc(
      "lote com `atomic: true`: um item falhou por outro motivo que não um campo inválido (veja `details`); nada foi gravado. Se há um campo inválido, o código é `validation_error`",
      "batch with `atomic: true`: an item failed for another reason than an invalid field (see `details`); nothing was written. If a field is invalid, the code is `validation_error`",
    ),
    remedy: doc(
      "corrija esses itens, ou envie o lote sem `atomic`",
      "correct those items, or send them without `atomic`",
    ),
  },
  service_unavailable: {
    when: doc(
      "o banco de dados está fora do ar ou sobrecarregado",
      "the database is unavailable or overloaded",
    ),
    remedy: doc("repita depois dos segundos de `Retry-After`", "repeat after `Retry-After` seconds"),
    repeat: "retry_after",
  },
  internal_error: {
    when: doc("uma falha do serviço", "a fault of the service"),
    remedy: doc(
      "repita; se continuar, informe o `X-Request-Id` ao suporte",
      "repeat it; if it persists, report the `X-Request-Id`",
    ),
    repeat: "three_times",
  },
};
