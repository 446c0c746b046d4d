import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { SearchQuery, SearchResult } from "./schema.ts";

export const search = resource(
  "api-v1-search",
  {
    "GET /": endpoint({
      summary: doc(
        "Busca empresas, contatos e negócios pelas palavras; também contatos e negócios pelo nome da empresa",
        "Search companies, contacts and deals by words; also contacts and deals by their company's name",
      ),
      // The verb leaves out the types that the key may not read.
      scope: null,
      query: SearchQuery,
      reply: SearchResult,
      verb: "search_list",
    }),
  },
  doc("Uma busca em tudo que a chave pode ler", "One search in all that the key may read"),
);
