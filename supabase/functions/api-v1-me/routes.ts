import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { Me, withServiceLimits } from "./schema.ts";

export const me = resource("api-v1-me", {
  "GET /": endpoint({
    summary: doc("Mostra a chave usada na chamada", "Show the calling key"),
    scope: null,
    reply: Me,
    verb: "me_get",
    finish: withServiceLimits,
  }),
}, doc("A chave da chamada: de quem é, e o que pode", "The calling key: whose it is, and what it may do"));
