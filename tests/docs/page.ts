export async function readPage(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
}

/**
 * The first fenced block of a language after a heading of a page.
 *
 * @throws Error if there is none.
 */
export async function readSnippet(page: string, heading: string, language: string): Promise<string> {
  const text = await readPage(page);
  const start = text.search(new RegExp(`^#+ ${heading}$`, "m"));
  const [, block] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "m").exec(text.slice(start)) ?? [];
  if (start === -1 || block === undefined) {
    throw new Error(`docs/${page} has no ${language} block under "${heading}"`);
  }
  return block;
}
