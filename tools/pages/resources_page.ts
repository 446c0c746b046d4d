import type { Language } from "../openapi/language.ts";
import type { Resource } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { resources } from "../resources.ts";
import { ANY_KEY, beginOf, replaceSection, sitePages, table, textIn } from "./page.ts";

/** Parameters of every paginated list. The tables omit them, because the page explains them once. */
const PAGINATION = ["limit", "cursor", "since", "until", "updated_since"];

const HEAD: Record<Language, string[]> = {
  pt: ["chamada", "o que faz", "escopo", "filtros"],
  en: ["call", "what it does", "scope", "filters"],
};

/** Writes the operations of each resource that requires a key into the pages on resources. The rest is hand-written. */
export const resourcesPages = sitePages("resources", (page, language) =>
  resources
    .filter(({ gate }) => gate === "key")
    .reduce(
      (text, resource) =>
        replaceSection(withSection(text, resource, language), resource.name, operations(resource, language)),
      page,
    ));

/** Appends a section with a sample call for a new resource; the author may move the section and add to it. */
function withSection(page: string, { name, about }: Resource, language: Language): string {
  const marker = beginOf(name);
  if (page.includes(marker)) return page;
  const title = name.replace("api-v1-", "");
  const heading = `## ${title[0]!.toUpperCase()}${title.slice(1)}`;
  const call = `\`\`\`sh\ncurl "$CRM_URL/${name}" -H "X-API-Key: $CRM_KEY"\n\`\`\`\n`;
  return `${page}\n${heading}\n\n${textIn(about, language)}.\n\n${marker}\n\n<!-- end -->\n\n${call}`;
}

function operations({ name, routes }: Resource, language: Language): string[] {
  const rows = routes.map(({ method, path, endpoint }) => {
    const filters = Object.keys(endpoint.query.shape).filter((parameter) => !PAGINATION.includes(parameter));
    return [
      `\`${method} /${name}${path.replaceAll(/:(\w+)/g, "<$1>").replace(/\/$/, "")}\``,
      textIn(endpoint.summary, language),
      endpoint.scope ? `\`${endpoint.scope}\`` : textIn(ANY_KEY, language),
      filters.map((filter) => `\`${filter}\``).join(", "),
    ];
  });
  const filtered = rows.some((cells) => cells[3] !== "");
  const columns = filtered ? 4 : 3;
  return table(HEAD[language].slice(0, columns), rows.map((cells) => cells.slice(0, columns)));
}
