// Writes the pages as plain Markdown for programs: `/first-call/` also exists as `/first-call.md`.
import { join, posix } from "node:path";

/** A page of the site, as read from its file. */
export interface Page {
  /** Path below the site's root, without an ending: `first-call`, `en/index`. */
  path: string;
  title: string;
  description: string;
  /** The text below the frontmatter. */
  body: string;
}

/**
 * Reads a page. Its title and description must be on one line each.
 * @throws Error if one of them is missing
 */
export function parsePage(path: string, text: string): Page {
  const [, head = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  const read = (name: string) => {
    const [, value] = new RegExp(`^${name}: (.+)$`, "m").exec(head) ?? [];
    if (value === undefined) throw new Error(`The page ${path} has no line "${name}: …"`);
    return value.replace(/^(["'])(.*)\1$/, "$2");
  };
  return { path, title: read("title"), description: read("description"), body };
}

/** Replaces the path of a program, in each block that is marked `program`, with the program. */
export function withPrograms(text: string): string {
  return text.replaceAll(
    /^(```\w+) program\n(.+)$/gm,
    (_, fence: string, path: string) => `${fence}\n${readProgram(path)}`,
  );
}

/** Reads a program of the guides: `site/programs/call.mjs`. */
export function readProgram(path: string): string {
  return Deno.readTextFileSync(join(import.meta.dirname!, "..", path)).trimEnd();
}

/** Writes a page as Markdown without pictures; its links lead to the Markdown of other pages. */
export function plainPage({ path, title, description, body }: Page): string {
  const text = outsideFences(
    body,
    (line) =>
      line
        .replace(/^!\[.*\)$/, "")
        .replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${plainLink(path, target)})`)
        .replaceAll(/^<\/?div[^>]*>$/g, ""),
  );
  return `# ${title}\n\n> ${description}\n\n${text.replaceAll(/\n{3,}/g, "\n\n").trim()}\n`;
}

/** The address of a page below the site's root: `first-call/`; empty for the home page. */
export function addressOf(path: string): string {
  return `${path}/`.replace(/(^|\/)index\/$/, "$1");
}

/** Makes a link to a page point to its Markdown: `../webhooks/#retries` becomes `webhooks.md#retries`. */
function plainLink(path: string, target: string): string {
  if (/^([a-z]+:|#|\/)/.test(target)) return target;
  const { pathname, hash } = new URL(target, `http://site/${addressOf(path)}`);
  const linked = pathname.slice(1);
  const isPage = (linked === "" || linked.endsWith("/")) && !linked.endsWith("reference/");
  const file = isPage
    ? `${linked === "" || linked === "en/" ? `${linked}index` : linked.slice(0, -1)}.md`
    : linked;
  const slash = file.endsWith("/") ? "/" : "";
  return `${posix.relative(posix.dirname(path), file)}${slash}${hash}`;
}

/** Changes each line outside of fenced blocks. */
function outsideFences(text: string, change: (line: string) => string): string {
  let fence: string | null = null;
  return text.split("\n").map((line) => {
    const [, mark] = /^ *(```+)/.exec(line) ?? [];
    if (fence === null && mark === undefined) return change(line);
    if (fence === null) fence = mark!;
    else if (mark !== undefined && mark.length >= fence.length) fence = null;
    return line;
  }).join("\n");
}
