import assert from "node:assert/strict";
import { addressOf, parsePage, plainPage } from "../../site/markdown.ts";

const page = (path: string, body: string) => ({ path, title: "Webhooks", description: "What arrives", body });

Deno.test("A page's Markdown begins with its title and description, and has the page's own lines", () => {
  const text = plainPage(page("webhooks", "\nFirst.\n\n## Then\n\nLast.\n"));
  assert.equal(text, "# Webhooks\n\n> What arrives\n\nFirst.\n\n## Then\n\nLast.\n");
});

Deno.test("Links of a page's Markdown lead to the Markdown of other pages in its language", () => {
  const link = (path: string, target: string) =>
    plainPage(page(path, `[x](${target})`)).match(/\]\((.*)\)/)![1];
  assert.equal(link("webhooks", "../first-call/"), "first-call.md");
  assert.equal(link("webhooks", "../errors/#retry"), "errors.md#retry");
  assert.equal(link("webhooks", "../"), "index.md");
  assert.equal(link("en/webhooks", "../errors/"), "errors.md");
  assert.equal(link("en/webhooks", "../"), "index.md");
  assert.equal(link("index", "first-call/"), "first-call.md");
  assert.equal(link("index", "en/"), "en/index.md");
  assert.equal(link("en/index", "first-call/"), "first-call.md");
});

Deno.test("In a page's Markdown, links to the reference, to headings and to other hosts stay as they are", () => {
  const text = "[a](../reference/) [b](#top) [c](https://example.com/x/)";
  assert.match(
    plainPage(page("en/webhooks", text)),
    /\[a\]\(reference\/\) \[b\]\(#top\) \[c\]\(https:\/\/example.com\/x\/\)/,
  );
});

Deno.test("Code of a page's Markdown is untouched, and containers of the layout are left out", () => {
  const code = '```md\n<div class="x">\n[x](../first-call/)\n```';
  assert.ok(
    plainPage(page("webhooks", `<div class="example">\n\n${code}\n\n</div>\n`)).endsWith(`\n\n${code}\n`),
  );
});

Deno.test("A page without a title or a description is refused, and the error names the page", () => {
  assert.throws(() => parsePage("keys", "---\ntitle: Keys\n---\n"), /page keys has no line "description: …"/);
  assert.throws(() => parsePage("keys", "# Keys\n"), /page keys has no line "title: …"/);
  assert.deepEqual(parsePage("keys", '---\ntitle: "Keys: all"\ndescription: Get one\n---\nText\n'), {
    path: "keys",
    title: "Keys: all",
    description: "Get one",
    body: "Text\n",
  });
});

Deno.test("A page's address is its path with a slash, and home pages are the roots of their languages", () => {
  const addresses = ["index", "en/index", "webhooks", "en/webhooks"].map(addressOf);
  assert.deepEqual(addresses, ["", "en/", "webhooks/", "en/webhooks/"]);
});
