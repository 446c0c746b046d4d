import { defineConfig, passthroughImageService } from "astro/config";
import starlight from "@astrojs/starlight";
import process from "node:process";
import { readSettings } from "./settings.ts";
import { type Entry, GROUPS } from "./sidebar.ts";

const { base, origin } = readSettings((name) => process.env[name]);

function entry(entry: Entry) {
  if (typeof entry === "string") return { slug: entry };
  const { en, ...others } = entry;
  return { ...others, translations: { en } };
}

export default defineConfig({
  base,
  ...(origin !== undefined && { site: origin }),
  trailingSlash: "always",
  // The pages have no pictures that would need another size, and sharp is a large native package.
  image: { service: passthroughImageService() },
  // Deno puts only the packages of deno.json where a built page could import them from; Vite bundles the others.
  vite: { environments: { prerender: { resolve: { noExternal: true } } } },
  integrations: [
    starlight({
      title: "CRM API",
      defaultLocale: "root",
      locales: {
        root: { label: "Português", lang: "pt-BR" },
        en: { label: "English", lang: "en" },
      },
      customCss: ["../console/styles/tokens.css", "./src/styles/theme.css"],
      components: { Head: "./src/components/Head.astro" },
      // The page of src/pages/404.astro speaks both languages, because a host has one such page for all.
      disable404Route: true,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      sidebar: GROUPS.map(({ label, en, entries }) => ({
        label,
        translations: { en },
        items: entries.map(entry),
      })),
      expressiveCode: {
        // A command must be seen whole, also on a phone; what is copied has no such breaks.
        defaultProps: { wrap: true, preserveIndent: true },
        styleOverrides: {
          borderRadius: "var(--radius)",
          borderColor: "var(--line)",
          codeBackground: "var(--raised)",
          frames: { shadowColor: "transparent", frameBoxShadowCssValue: "none" },
        },
      },
    }),
  ],
});
