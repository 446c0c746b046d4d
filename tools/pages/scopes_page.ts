import type { Language } from "../openapi/language.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { type Scope, SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { ANY_KEY, code, replaceSection, sitePages, table, textIn } from "./page.ts";

/** What a key may do with a scope. The texts continue "A key with this scope may". */
const PERMITTED = {
  "leads:write": doc("enviar leads", "send leads"),
  "deals:read": doc(
    "ler negócios e as somas deles; um negócio lido pelo id traz também o contato e a empresa, com e-mail e telefone",
    "read deals and their sums; a deal read by its id also has its contact and company, with e-mail and phone",
  ),
  "deals:write": doc(
    "criar, alterar, mover, ganhar, perder e arquivar negócios",
    "create, change, move, win, lose and archive deals",
  ),
  "activities:read": doc("ler atividades", "read activities"),
  "activities:write": doc("criar e alterar atividades", "create and change activities"),
  "contacts:read": doc("ler contatos", "read contacts"),
  "contacts:write": doc(
    "criar, alterar, unir e arquivar contatos",
    "create, change, merge and archive contacts",
  ),
  "contacts:manage": doc(
    "apagar os dados pessoais de um contato, sem volta",
    "erase the personal data of a contact, for good",
  ),
  "companies:read": doc("ler empresas", "read companies"),
  "companies:write": doc(
    "criar, alterar, unir e arquivar empresas",
    "create, change, merge and archive companies",
  ),
  "notes:read": doc("ler anotações", "read notes"),
  "notes:write": doc("criar anotações", "create notes"),
  "pipelines:read": doc("ler pipelines e etapas", "read pipelines and stages"),
  "workspace:read": doc(
    "ler membros (com e-mail), motivos de perda, pipelines e campos livres",
    "read members (with e-mail), loss reasons, pipelines and custom fields",
  ),
  "workspace:manage": doc("definir os campos livres", "define the custom fields"),
  "events:read": doc(
    "ler tudo o que aconteceu, com os dados de todos os recursos: dê este escopo a poucas chaves",
    "read all that happened, with the data of every resource: give this scope to few keys",
  ),
  "changes:read": doc("ler quem mudou o quê", "read who changed what"),
  "webhooks:manage": doc(
    "assinar eventos e ver entregas, com os dados de todos os recursos: dê este escopo a poucas chaves",
    "subscribe to events and see deliveries, with the data of every resource: give this scope to few keys",
  ),
} satisfies Record<Scope, unknown>;

const HEAD: Record<Language, [scopes: string[], tools: string[]]> = {
  pt: [["escopo", "o que permite"], ["escopo", "ferramentas"]],
  en: [["scope", "what it permits"], ["scope", "tools"]],
};

/** Writes what each scope permits into the page on keys, and the tools of each scope into the page on MCP. */
export const scopesPages = [
  ...sitePages("keys", (page, language) => {
    const rows = SCOPES.map((scope) => [code(scope), textIn(PERMITTED[scope], language)]);
    return replaceSection(page, "scopes", table(HEAD[language][0], rows));
  }),
  ...sitePages("mcp", (page, language) => {
    const rows = [...SCOPES, null].flatMap((scope) => {
      const tools = [...TOOLS.values()].filter((tool) => tool.scope === scope);
      return tools.length === 0 ? [] : [[
        scope === null ? textIn(ANY_KEY, language) : code(scope),
        tools.map(({ definition }) => code(definition.name)).join(", "),
      ]];
    });
    return replaceSection(page, "tools", table(HEAD[language][1], rows));
  }),
];
