import type { CALL_ERRORS } from "../../supabase/functions/_shared/contract/errors/calls.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { ErrorText } from "./texts.ts";

/** The texts of the errors that do not depend on the records of a call. */
export const CALL_ERROR_TEXTS: Record<keyof typeof CALL_ERRORS, ErrorText> = {
  missing_api_key: {
    when: doc("falta o cabeçalho `X-API-Key`", "no `X-API-Key` header"),
    remedy: doc("envie a chave", "send the key"),
  },
  invalid_api_key: {
    when: doc(
      "a chave não começa com `svc_`, tem o dígito verificador errado ou não existe",
      "the key does not begin with `svc_`, has a wrong checksum, or does not exist",
    ),
    remedy: doc("veja se a chave copiada está completa", "check whether the copied key is complete"),
  },
  revoked_api_key: {
    when: doc(
      "a chave foi revogada, venceu ou teve o valor trocado",
      "the key was revoked or has expired, or its value was replaced",
    ),
    remedy: doc("use o valor novo, ou crie outra chave", "use the new value, or create another key"),
  },
  insufficient_scope: {
    when: doc(
      "a chave não tem o escopo, ou não vale a partir do endereço IP da chamada; a mensagem diz o escopo ou o endereço",
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
      "a chave fez mais chamadas em 60 segundos do que o plano permite (120 por padrão)",
      "the key made more calls in 60 seconds than the plan allows (120 by default)",
    ),
    remedy: doc("espere os segundos de `Retry-After`", "wait `Retry-After` seconds"),
    repeat: "retry_after",
  },
  method_not_allowed: {
    when: doc("o endereço não aceita esse método", "the path does not accept that method"),
    remedy: doc("veja os métodos aceitos no cabeçalho `Allow`", "see the methods in the `Allow` header"),
  },
  invalid_body: {
    when: doc(
      "`POST /api-v1-leads`: o corpo está ausente ou não é um objeto JSON",
      "`POST /api-v1-leads`: the body is missing or is not a JSON object",
    ),
    remedy: doc("envie um objeto JSON", "send a JSON object"),
  },
  bad_request: {
    when: doc(
      "qualquer outra escrita: o corpo está ausente ou não é um objeto JSON, ou o `If-Match` está malformado",
      "any other write: the body is missing or is not a JSON object, or `If-Match` is malformed",
    ),
    remedy: doc(
      "envie um objeto JSON; em `If-Match`, envie o `ETag` de uma resposta, com as aspas, ou `*`",
      "send a JSON object; in `If-Match`, send a reply's `ETag` with its quotes, or `*`",
    ),
  },
  payload_too_large: {
    when: doc(
      "o corpo passa de 256 KiB ou, em um lote, de 1 MiB",
      "the body is over 256 KiB, or over 1 MiB for a batch",
    ),
    remedy: doc("envie um corpo menor; divida um lote", "send a smaller body; split a batch"),
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
      "campos ou parâmetros de consulta são inválidos: veja `details`",
      "fields or query parameters are invalid: see `details`",
    ),
    remedy: doc("corrija o que `details` aponta", "correct what `details` names"),
  },
  invalid_cursor: {
    when: doc(
      "o `cursor` não é um UUID; em eventos, na lista de repetidos e em listas com `sort`: a lista não devolveu esse cursor ou, exceto em eventos, devolveu-o há mais de um dia",
      "`cursor` is not a UUID; for events, lists of duplicates and lists with `sort`: the list did not return this cursor or, except for events, returned it more than a day ago",
    ),
    remedy: doc(
      "use o `meta.next_cursor` da página anterior",
      "use the `meta.next_cursor` of the previous page",
    ),
  },
  cursor_expired: {
    when: doc(
      "eventos: o `cursor` aponta para mais de 30 dias atrás, ou é de antes de o banco de dados ser restaurado de um backup",
      "events: `cursor` points to more than 30 days ago, or dates from before the database was restored from a backup",
    ),
    remedy: doc(
      "chame sem `cursor`, ou com `since`; o que mudou antes disso, leia nos próprios registros",
      "call without `cursor`, or with `since`; for what changed before that, read the records themselves",
    ),
  },
  too_many_records: {
    when: doc(
      "um resumo exige ler mais de 50.000 negócios ou 20.000 eventos; em um lote: não cabe mais um `get` na resposta",
      "a summary requires reading more than 50,000 deals or 20,000 events; in a batch: the reply has no room for another `get`",
    ),
    remedy: doc(
      "restrinja o resumo a um período (`since`, `until`, `closed_since`), a um responsável ou a `status=aberto`; divida o lote",
      "restrict the summary to a period (`since`, `until`, `closed_since`), an owner or `status=aberto`; split the batch",
    ),
  },
  invalid_idempotency_key: {
    when: doc(
      "a `Idempotency-Key` não tem de 1 a 255 caracteres",
      "`Idempotency-Key` does not have 1 to 255 characters",
    ),
    remedy: doc("use uma chave desse tamanho, como um UUID", "use a key of that length, such as a UUID"),
  },
  idempotency_conflict: {
    when: doc(
      "a chave de idempotência já foi usada com outro corpo, outros parâmetros ou em outro recurso",
      "the idempotency key was used before with another body or other parameters, or for another resource",
    ),
    remedy: doc("para uma requisição nova, use uma chave nova", "use a new key for a new request"),
  },
  idempotency_in_progress: {
    when: doc(
      "a primeira requisição com essa chave de idempotência ainda está em andamento",
      "the first request with that idempotency key is still in progress",
    ),
    remedy: doc(
      "repita depois dos segundos de `Retry-After`, com a mesma chave",
      "repeat after `Retry-After` seconds, with the same key",
    ),
    repeat: "retry_after",
  },
  batch_failed: {
    when: doc(
      "lote com `atomic: true`: um item falhou (veja `details`), e nada foi gravado; se um item tem um campo inválido, o código é `validation_error`",
      "batch with `atomic: true`: an item failed (see `details`), and nothing was written; if an item has an invalid field, the code is `validation_error`",
    ),
    remedy: doc(
      "corrija os itens que `details` aponta, ou envie o lote sem `atomic`",
      "correct the items that `details` names, or send the batch without `atomic`",
    ),
  },
  service_unavailable: {
    when: doc(
      "o banco de dados está fora do ar ou sobrecarregado, ou outra chamada reteve o registro por tempo demais",
      "the database is unavailable or overloaded, or another call held the record for too long",
    ),
    remedy: doc("repita depois dos segundos de `Retry-After`", "repeat after `Retry-After` seconds"),
    repeat: "retry_after",
  },
  internal_error: {
    when: doc("uma falha do serviço", "a fault of the service"),
    remedy: doc(
      "repita a chamada; se o erro continuar, informe o `X-Request-Id` ao suporte",
      "repeat the call; if the error persists, report the `X-Request-Id` to support",
    ),
    repeat: "three_times",
  },
};
