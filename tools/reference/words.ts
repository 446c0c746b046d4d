import type { Language } from "../openapi/language.ts";

/** Words of the operation pages that are not in the document. */
export type Words = typeof PORTUGUESE;

const PORTUGUESE = {
  delivery: "Entrega de webhook",
  goesTo: "para o endereço da sua assinatura",
  parameters: "Parâmetros",
  body: "Corpo",
  optionalBody: "O corpo pode ser omitido.",
  example: "Exemplo",
  address: (url: string) =>
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
  sometimes: "pode faltar",
  errorShape: 'O corpo de um erro é `{ "error": { "code", "message", "details"? } }`.',
  places: { path: "caminho", query: "consulta", header: "cabeçalho" },
  summary:
    "API pública de um CRM de vendas: leads, negócios, contatos, empresas, atividades, anotações e webhooks assinados. " +
    "JSON sobre HTTP, com a chave no cabeçalho `X-API-Key`.",
  guides: "Guias",
  document: "Documento OpenAPI 3.1, com todos os esquemas",
  otherLanguage: "In English",
  reference: "Referência da API",
  operation: "Operação",
  call: "Chamada ou evento",
  /** The beginning of the page that lists the operations. `base`: the path of the site. */
  introduction: (base: string) =>
    "Cada operação tem uma página com parâmetros, campos, respostas, erros e um exemplo em curl, TypeScript, Python e " +
    `PHP. Para o seu programa, baixe o documento [OpenAPI](${base}reference/openapi.json), a coleção do ` +
    `[Postman](${base}reference/crm.postman_collection.json) ou o [crm.http](${base}reference/crm.http).\n\n` +
    "Para testar chamadas no navegador, rode a API na sua máquina e abra `/docs/` no endereço que ela mostra.",
};

const ENGLISH: Words = {
  delivery: "Webhook delivery",
  goesTo: "to the address of your subscription",
  parameters: "Parameters",
  body: "Body",
  optionalBody: "The body may be left out.",
  example: "Example",
  address: (url) =>
    `\`CRM_URL\` is the address of the API (for the local API \`${url}\`), and \`CRM_KEY\` is your key.`,
  ids: "Replace the ids in the example with the ids of your records.",
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
  sometimes: "may be absent",
  errorShape: 'The body of an error is `{ "error": { "code", "message", "details"? } }`.',
  places: { path: "path", query: "query", header: "header" },
  summary:
    "Public API of a sales CRM: leads, deals, contacts, companies, activities, notes and signed webhooks. " +
    "JSON over HTTP, with the key in the header `X-API-Key`.",
  guides: "Guides",
  document: "OpenAPI 3.1 document, with every schema",
  otherLanguage: "Em português",
  reference: "API reference",
  operation: "Operation",
  call: "Call or event",
  introduction: (base) =>
    "Each operation has a page with parameters, fields, replies, errors and a sample in curl, TypeScript, Python and PHP. " +
    `For your program, download the [OpenAPI](${base}en/reference/openapi.json) document, the ` +
    `[Postman](${base}reference/crm.postman_collection.json) collection or [crm.http](${base}reference/crm.http).\n\n` +
    "To try calls in the browser, run the API on your machine and open `/docs/` at the address that it prints.",
};

export const WORDS: Readonly<Record<Language, Words>> = { pt: PORTUGUESE, en: ENGLISH };
