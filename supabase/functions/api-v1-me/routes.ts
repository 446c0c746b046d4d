import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { RequestFilter, RequestList } from "../_shared/contract/request_log.ts";
import { Me, withServiceLimits } from "./schema.ts";

export const me = resource("api-v1-me", {
  "GET /": endpoint({
    summary: doc("Mostra a chave usada na chamada", "Show the calling key"),
    scope: null,
    reply: Me,
    verb: "me_get",
    finish: withServiceLimits,
  }),
  "GET /requests": endpoint({
    summary: doc(
      "Lista as requisições da chave nos últimos 7 dias, com o erro das que falharam",
      "List the key's requests of the last 7 days, with the error of each that failed",
    ),
    scope: null,
    query: RequestFilter,
    reply: RequestList,
    verb: "me_requests",
  }),
}, doc("A chave da chamada: de quem é, e o que pode", "The calling key: whose it is, and what it may do"));
