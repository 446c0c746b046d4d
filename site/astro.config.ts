import { defineConfig, passthroughImageService } from "astro/config";
import starlight from "@astrojs/starlight";
import { ExpressiveCodeBlock } from "@astrojs/starlight/expressive-code";
import process from "node:process";
import { TAGS } from "../tools/openapi/tags.ts";
import { readProgram } from "./markdown.ts";
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
  // Astro's default service resizes pictures with sharp, a large native package. No picture here needs resizing.
  image: { service: passthroughImageService() },
  // Built pages can import only the packages in deno.json, so Vite bundles all others.
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
      components: { Head: "./src/components/Head.astro", SocialIcons: "./src/components/SocialIcons.astro" },
      routeMiddleware: "./src/route_data.ts",
      // src/pages/404.astro is in both languages, because a host has only one such page.
      disable404Route: true,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      sidebar: [
        ...GROUPS.map(({ label, en, entries }) => ({
          label,
          translations: { en },
          items: entries.map(entry),
        })),
        {
          label: "Referência da API",
          translations: { en: "API reference" },
          items: [
            { label: "Operações", translations: { en: "Operations" }, slug: "reference" },
            ...Object.entries(TAGS).map(([tag, { "x-displayName": label, "x-displayName_en": en }]) => ({
              label,
              translations: { en },
              collapsed: true,
              items: [{ autogenerate: { directory: `reference/${tag}` } }],
            })),
          ],
        },
      ],
      expressiveCode: {
        // A block that is marked `program` has the path of the program that it shows.
        customCreateBlock: ({ input }) =>
          new ExpressiveCodeBlock(
            input.meta === "program" ? { ...input, code: readProgram(input.code.trim()) } : input,
          ),
        // Long lines wrap, so that a phone shows whole commands. Copied text has no such breaks.
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
