import type { Language } from "../openapi/language.ts";

/** Words of the operation pages that are not in the document. */
export interface Words {
  delivery: string;
  goesTo: string;
  parameters: string;
  body: string;
  optionalBody: string;
  example: string;
  address: (url: string) => string;
  ids: string;
  replies: string;
  errors: string;
  name: string;
  where: string;
  type: string;
  required: string;
  description: string;
  field: string;
  status: string;
  code: string;
  yes: string;
  no: string;
  listOf: string;
  anything: string;
  noBody: string;
  always: string;
  errorShape: string;
  places: Record<"path" | "query" | "header", string>;
  summary: string;
  guides: string;
  document: string;
  otherLanguage: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  pt: {
    delivery: "Entrega de webhook",
    goesTo: "para o endereço da sua assinatura",
    parameters: "Parâmetros",
    body: "Corpo",
    optionalBody: "O corpo pode ser omitido.",
    example: "Exemplo",
    address: (url) =>
      `\`CRM_URL\` é o endereço da API (na API local, \`${url}\`) e \`CRM_KEY\` é a sua chave.`,
    ids: "Troque os ids do exemplo pelos dos seus registros.",
    replies: "Respostas",
    errors: "Erros",
    name: "Nome",
    where: "Onde",
    type: "Tipo",
    required: "Obrigatório",
    description: "Descrição",
    field: "Campo",
    status: "Status",
    code: "Código",
    yes: "sim",
    no: "não",
    listOf: "lista de",
    anything: "qualquer valor",
    noBody: "Sem corpo.",
    always: "Sempre presente",
    errorShape: 'O corpo de um erro é `{ "error": { "code", "message", "details"? } }`.',
    places: { path: "caminho", query: "consulta", header: "cabeçalho" },
    summary:
      "API pública de um CRM de vendas: leads, negócios, contatos, empresas, atividades, anotações e webhooks assinados. " +
      "JSON sobre HTTP, com a chave no cabeçalho `X-API-Key`.",
    guides: "Guias",
    document: "Documento OpenAPI 3.1, com todos os esquemas",
    otherLanguage: "In English",
  },
  en: {
    delivery: "Webhook delivery",
    goesTo: "to the address of your subscription",
    parameters: "Parameters",
    body: "Body",
    optionalBody: "The body may be left out.",
    example: "Example",
    address: (url) =>
      `\`CRM_URL\` is the address of the API (of the local API, \`${url}\`), and \`CRM_KEY\` is your key.`,
    ids: "Replace the example's ids by those of your records.",
    replies: "Replies",
    errors: "Errors",
    name: "Name",
    where: "Where",
    type: "Type",
    required: "Required",
    description: "Description",
    field: "Field",
    status: "Status",
    code: "Code",
    yes: "yes",
    no: "no",
    listOf: "list of",
    anything: "any value",
    noBody: "No body.",
    always: "Always present",
    errorShape: 'The body of an error is `{ "error": { "code", "message", "details"? } }`.',
    places: { path: "path", query: "query", header: "header" },
    summary:
      "Public API of a sales CRM: leads, deals, contacts, companies, activities, notes and signed webhooks. " +
      "JSON over HTTP, with the key in the header `X-API-Key`.",
    guides: "Guides",
    document: "OpenAPI 3.1 document, with every schema",
    otherLanguage: "Em português",
  },
};
