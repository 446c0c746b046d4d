// The names and texts of n8n's forms, as its linter wants them.
import { singular } from "../openapi/read_document.ts";

/** n8n's own names for operations, by the document's names. */
const NAMES: Readonly<Record<string, string>> = { list: "Get Many", upsert: "Create or Update" };
const CAPITALS = /\b(id|ids|url|utm|q)\b/gi;

/** `first_name` → `First Name`, `company_id` → `Company ID`, `deal.won` → `Deal Won`. */
export function titled(name: string): string {
  return NAMES[name] ?? name.replace(/^-(.*)/, "$1 descending").replaceAll(/[_.-]/g, " ")
    .replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll(CAPITALS, (word) => word.toUpperCase()).replaceAll("IDS", "IDs");
}

/** The description of a field or an operation; absent where it would only repeat the name. */
export function described(name: string, text: string, type = "string"): { description?: string } {
  if (name === "limit") return { description: "Max number of results to return" };
  const ids = text.replaceAll(/\bid(s?)\b/g, "ID$1");
  const sentence = type === "boolean"
    ? `Whether this applies: ${ids}`
    : ids.slice(0, 1).toUpperCase() + ids.slice(1);
  const ended = /\. [A-Z]/.test(sentence) && !sentence.endsWith(".") ? `${sentence}.` : sentence;
  return ["", titled(name).toLowerCase()].includes(ended.toLowerCase()) ? {} : { description: ended };
}

/** The text of an operation in the list of actions: its summary, or its name if the linter refuses the summary. */
export function actionOf(operation: string, resource: string, summary: string): string {
  if (/^[A-Z][a-z ]+$/.test(summary)) return summary;
  const name = `${titled(operation)} ${singular(resource)}`;
  return name[0] + name.slice(1).toLowerCase().replaceAll("_", " ");
}
