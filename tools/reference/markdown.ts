// One page for each operation: in the site, and as Markdown for people without a browser and for language models.
import type { JsonSchema } from "../openapi/json_schema.ts";
import type { Language } from "../openapi/language.ts";
import { table } from "../pages/page.ts";
import { curlOf } from "./curl.ts";
import {
  type ListedOperation,
  type OpenApi,
  type Operation,
  operationsOf,
  parametersOf,
  repliesOf,
  type Reply,
} from "../openapi/read_document.ts";
import { exampleCall } from "./example_call.ts";
import { fieldsOf, typeOf } from "./fields.ts";
import type { Sample } from "./samples.ts";
import { WORDS, type Words } from "./words.ts";

/** Matches a line in the description of an error reply: a code and its text. */
const ERROR_LINE = /^- `(\w+)`: (.*)$/gm;

/** The path of an operation's Markdown below the site's root; its page has a slash in place of the ending `.md`. */
export function operationPagePath(language: Language, { operationId, tags: [tag] }: Operation): string {
  return `${language === "en" ? "en/" : ""}reference/${tag}/${operationId.split(".").at(-1)}.md`;
}

/**
 * Writes a page for each call and each delivery of a document of the API.
 * @param baseUrl of the site, with a slash at its end
 * @returns the text of each page by its path below the site's root
 */
export function operationPages(
  document: OpenApi,
  language: Language,
  baseUrl: string,
): Record<string, string> {
  return Object.fromEntries(
    operationsOf(document).map((listed) => [
      operationPagePath(language, listed.operation),
      `# ${listed.operation.summary}\n\n${operationText(document, language, baseUrl, listed)}`,
    ]),
  );
}

/** Draws rows under headings. The last column has the longest texts. */
type Draw = (head: string[], rows: string[][]) => string;

/** The page of an operation without its title. `samples`: programs to show in addition to the curl. */
export function operationText(
  document: OpenApi,
  language: Language,
  baseUrl: string,
  listed: ListedOperation,
  samples: Sample[] = [],
  draw: Draw = drawTable,
): string {
  const words = WORDS[language];
  const { method, path, event, operation } = listed;
  const target = path === null
    ? `${words.delivery} \`${event}\`: \`${method}\` ${words.goesTo}.`
    : `\`${method} ${path}\``;
  const errorsPage = `${baseUrl}${language === "en" ? "en/" : ""}errors/`;
  const sections = [
    target,
    operation.description ?? "",
    ...exampleSection(document, listed, words, samples),
    ...parameterSection(document, operation, words, draw),
    ...bodySection(document, operation, words, draw),
    ...replySections(document, operation, words, errorsPage, draw),
  ];
  return sections.filter(Boolean).join("\n\n") + "\n";
}

function parameterSection(document: OpenApi, operation: Operation, words: Words, draw: Draw): string[] {
  const parameters = parametersOf(document, operation);
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, required, schema, description = "", ...parameter }) => [
    `\`${name}\``,
    words.places[parameter.in],
    typeOf(document, schema, words),
    required ? words.yes : words.no,
    description,
  ]);
  return [
    `## ${words.parameters}`,
    draw([words.name, words.where, words.type, words.required, words.description], rows),
  ];
}

function bodySection(
  document: OpenApi,
  { requestBody }: Operation,
  words: Words,
  draw: Draw,
): string[] {
  if (!requestBody) return [];
  const { schema } = requestBody.content["application/json"];
  return [
    `## ${words.body}`,
    requestBody.required ? "" : words.optionalBody,
    fieldTable(document, schema, words, words.required, draw),
  ];
}

function exampleSection(
  document: OpenApi,
  listed: ListedOperation,
  words: Words,
  samples: Sample[],
): string[] {
  const call = exampleCall(document, listed);
  const { requestBody } = listed.operation;
  if (call === null) {
    return [`## ${words.example}`, code("json", requestBody?.content["application/json"].example)];
  }
  return [
    `## ${words.example}`,
    `${words.address(document.servers[0]!.url)} ${words.ids}`,
    `\`\`\`sh\n${curlOf(call)}\n\`\`\``,
    ...samples.map(({ title, language, code }) =>
      `<details>\n<summary>${title}</summary>\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n</details>`
    ),
  ];
}

function replySections(
  document: OpenApi,
  operation: Operation,
  words: Words,
  errorsPage: string,
  draw: Draw,
): string[] {
  const replies = repliesOf(document, operation);
  const errors = replies.flatMap(([status, reply]) => errorRows(status, reply));
  const others = replies.filter(([, { description }]) => errorRows("", { description }).length === 0);
  return [
    `## ${words.replies}`,
    ...others.flatMap(([status, reply]) => oneReply(document, status, reply, words, draw)),
    ...(errors.length === 0 ? [] : [
      `## ${words.errors}`,
      `${words.errorShape} [${words.errors}](${errorsPage})`,
      draw([words.code, words.status, words.description], errors),
    ]),
  ];
}

function oneReply(
  document: OpenApi,
  status: string,
  { description, content }: Reply,
  words: Words,
  draw: Draw,
): string[] {
  const title = `### ${status === "2XX" ? description : `${status} ${description}`}`;
  if (!content) return [title, words.noBody];
  const { schema, example } = content["application/json"];
  // The reply to a repeated call repeats the first reply, so it has no example and no table of its own.
  if (example === undefined) return [title];
  return [title, fieldTable(document, schema, words, words.always, draw), code("json", example)];
}

function errorRows(status: string, { description }: Pick<Reply, "description">): string[][] {
  return [...description.matchAll(ERROR_LINE)].map(([, name, text]) => [`\`${name}\``, status, text!]);
}

function fieldTable(
  document: OpenApi,
  schema: JsonSchema,
  words: Words,
  presence: string,
  draw: Draw,
): string {
  const rows = fieldsOf(document, schema, words).map(({ name, type, required, description }) => [
    `\`${name}\``,
    type,
    required ? words.yes : words.no,
    description,
  ]);
  return rows.length === 0 ? "" : draw([words.field, words.type, presence, words.description], rows);
}

export function drawTable(head: string[], rows: string[][]): string {
  return table(head, rows).join("\n");
}

function code(language: string, value: unknown): string {
  return `\`\`\`${language}\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
