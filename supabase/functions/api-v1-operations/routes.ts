import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { Operation } from "../_shared/contract/operation.ts";

export const operations = resource(
  "api-v1-operations",
  {
    "GET /:id": endpoint({
      summary: doc("Mostra em que pé está uma operação", "Show the progress of an operation"),
      scope: null,
      reply: Operation,
      verb: "operation_get",
      etag: true,
    }),
  },
  doc(
    "O trabalho que uma chamada começou e que continua em segundo plano",
    "Work that a call started and that continues in the background",
  ),
);
