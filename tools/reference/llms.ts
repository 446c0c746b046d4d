// Writes llms.txt (llmstxt.org), the site's overview for language models.
import type { Language } from "../openapi/language.ts";
import { type ListedOperation, type OpenApi, operationsOf } from "../openapi/read_document.ts";
import { operationPagePath } from "./markdown.ts";
import { WORDS } from "./words.ts";

/** A page of the site that is also there as Markdown. */
interface GuidePage {
  /** Path of its Markdown below the site's root: `first-call.md`, `en/first-call.md`. */
  path: string;
  title: string;
  description: string;
}

/**
 * Writes the llms.txt of a language, for `llms.txt` or `en/llms.txt` of the site.
 * @param baseUrl of the site, with a slash at its end
 * @param guides the pages in that language, in the order of the sidebar
 */
export function llmsText(
  document: OpenApi,
  language: Language,
  baseUrl: string,
  guides: readonly GuidePage[] = [],
): string {
  const words = WORDS[language];
  const root = language === "en" ? "en/" : "";
  const link = (path: string, title: string, text: string) => `- [${title}](${baseUrl}${path}): ${text}`;
  const operationLink = ({ method, path, event, operation }: ListedOperation) =>
    link(
      operationPagePath(language, operation),
      path === null ? event! : `${method} ${path}`,
      operation.summary,
    );
  const operations = operationsOf(document);
  const sections = [
    `# ${document.info.title}`,
    `> ${words.summary}`,
    document.info.description,
    ...(guides.length === 0 ? [] : [
      `## ${words.guides}`,
      guides.map(({ path, title, description }) => link(path, title, description)).join("\n"),
    ]),
    ...document.tags.flatMap(({ name, description, "x-displayName": title }) => {
      const own = operations.filter(({ operation }) => operation.tags.includes(name));
      if (own.length === 0) return [];
      return [`## ${title}`, description, own.map(operationLink).join("\n")];
    }),
    "## Optional",
    [
      link(`${root}reference/openapi.json`, "openapi.json", words.document),
      link(language === "en" ? "llms.txt" : "en/llms.txt", "llms.txt", words.otherLanguage),
    ].join("\n"),
  ];
  return sections.join("\n\n") + "\n";
}
