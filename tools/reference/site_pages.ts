// The pages of the reference in the site: a page for each operation, and a page that lists the operations.
import type { Language } from "../openapi/language.ts";
import { type OpenApi, operationsOf } from "../openapi/read_document.ts";
import { exampleCall } from "./example_call.ts";
import { drawTable, operationPagePath, operationText } from "./markdown.ts";
import { samplesOf } from "./samples.ts";
import { WORDS, type Words } from "./words.ts";

/**
 * Writes the pages, with frontmatter for Starlight. The sidebar shows them in the order of the document.
 * @param base the path of the site, with a slash at its end
 */
export function sitePages(document: OpenApi, language: Language, base: string): Record<string, string> {
  const words = WORDS[language];
  const root = language === "en" ? "en/" : "";
  const operations = operationsOf(document);
  const pages = operations.map((listed, order): [string, string] => {
    const { operation: { summary }, method, path, event, operation } = listed;
    const call = exampleCall(document, listed);
    const samples = call === null ? [] : samplesOf(operation.operationId, call);
    const head = {
      title: summary,
      description: path === null ? `${words.delivery} ${event}` : `${method} ${path}`,
      sidebar: {
        order,
        ...(path !== null && { badge: { text: method, class: `method-${method.toLowerCase()}` } }),
      },
      tableOfContents: { maxHeadingLevel: 2 },
    };
    return [
      operationPagePath(language, operation),
      page(
        head,
        operationText(document, language, base, listed, samples, (head, rows) => list(head, rows, words)),
      ),
    ];
  });
  const groups = document.tags.map(({ name, description, "x-displayName": title }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const rows = own.map(({ operation, method, path, event }) => [
      `[${operation.summary}](${
        operationPagePath(language, operation).slice(root.length + "reference/".length, -3)
      }/)`,
      `\`${path === null ? event : `${method} ${path}`}\``,
    ]);
    return [`## ${title}`, description + ".", drawTable([words.operation, words.call], rows)].join("\n\n");
  });
  const index = page(
    {
      title: words.reference,
      description: words.summary.replaceAll("`", ""),
      tableOfContents: { maxHeadingLevel: 2 },
    },
    [words.introduction(base), ...groups].join("\n\n"),
  );
  return { [`${root}reference/index.md`]: index, ...Object.fromEntries(pages) };
}

/** Rows as a list, because a table with long descriptions would scroll on a phone. */
function list(head: string[], rows: string[][], words: Words): string {
  const items = rows.map(([name, ...cells]) => {
    const notes = cells.slice(0, -1).map((cell, index) => noteOf(head[index + 1]!, cell, words)).filter(
      Boolean,
    );
    return `- ${name} <span>${notes.join(" · ")}</span>\n\n  ${cells.at(-1)!.replaceAll("\n", "\n  ")}`;
  });
  return `<div class="fields">\n\n${items.join("\n")}\n\n</div>`;
}

/** The note beside a field's name, such as "required"; empty if there is nothing to say. */
function noteOf(head: string, cell: string, words: Words): string {
  if (head === words.always) return cell === words.yes ? "" : words.sometimes;
  if (head === words.required) return cell === words.yes ? `**${words.required.toLowerCase()}**` : "";
  return cell;
}

/** A page with its frontmatter; YAML can be written as JSON. */
function page(head: object, text: string): string {
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${text}`;
}
