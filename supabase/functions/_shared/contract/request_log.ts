import { z } from "zod";
import { doc, named } from "./doc.ts";
import { ErrorDetail } from "./error_detail.ts";
import { timestamp, uuid } from "./fields.ts";
import { field, object } from "./object.ts";
import { ListQuery, pageOf } from "./pagination.ts";

export const RequestFilter = ListQuery.pick({ limit: true, cursor: true }).extend({
  status: z.string().regex(/^[1-5](\d\d|xx)$/, "Deve ser um status HTTP, como 422, ou uma classe, como 4xx")
    .optional().meta(
      doc(
        "Só as respondidas com este status, ou com um desta classe",
        "Only those answered with this status, or with one of this class",
        "4xx",
      ),
    ),
  code: z.string().regex(/^[a-z_]{1,60}$/, "Deve ser um código de erro, como validation_error")
    .optional().meta(
      doc(
        "Só as que falharam com este código",
        "Only those that failed with this code",
        "validation_error",
      ),
    ),
  path: z.string().min(1).max(255).optional().meta(
    doc("Só as de caminhos que começam assim", "Only those whose path begins like this", "/api-v1-contacts"),
  ),
  since: ListQuery.shape.since.meta(
    doc("Só as que começaram a partir deste momento", "Only those that began at or after this moment"),
  ),
  until: ListQuery.shape.until.meta(
    doc("Só as que começaram antes deste momento", "Only those that began before this moment"),
  ),
});

const LoggedError = object({
  code: field(z.string(), ["O código", "The code", "validation_error"]),
  message: field(z.string(), ["O que houve", "What happened", "A requisição tem campos inválidos"]),
  details: field(z.array(ErrorDetail).optional(), [
    "Os campos com problema",
    "The invalid fields",
    [{ field: "email", message: "Deve ser um e-mail válido" }],
  ]),
}).meta(
  named(
    "LoggedError",
    "Um erro, como foi respondido, sem valores enviados",
    "An error as it was answered, without values that were sent",
  ),
);

export const LoggedRequest = object({
  request_id: field(uuid(), ["O X-Request-Id da resposta", "The reply's X-Request-Id"]),
  started_at: field(timestamp(), ["Quando começou", "When it began"]),
  method: field(z.string(), ["O método", "The method", "POST"]),
  path: field(z.string(), [
    "O caminho, com os nomes dos parâmetros e sem os valores",
    "The path with the names of its parameters, without their values",
    "/api-v1-contacts?match_by",
  ]),
  status: field(z.int(), ["O status da resposta", "The reply's status", 422]),
  duration_ms: field(z.int(), ["Duração no serviço, em ms", "Duration in the service, in ms", 12]),
  error: field(LoggedError.nullable(), ["O erro; null se deu certo", "The error; null if it succeeded"]),
}).meta(named("LoggedRequest", "Uma requisição feita com a chave", "A request made with the key"));

export const RequestList = pageOf(LoggedRequest);
