import * as esbuild from "esbuild";
import { join } from "node:path";
import { documentOf } from "./documents.ts";
import { type Page, PAGES } from "./pages.ts";
import type { Settings } from "./settings.ts";
import type { Loaded } from "./sizes.ts";
import { unusedParts } from "./unused_parts.ts";

const EARLY = "app/early.ts";
const STYLE = "styles/main.css";
const ICON = "app/icon.svg";

/**
 * Builds every page of the console into a folder. Returns the files that each page loads, as paths below this folder.
 */
export async function bundle(source: string, out: string, settings: Settings): Promise<Loaded[]> {
  const options: esbuild.BuildOptions = {
    absWorkingDir: source,
    outdir: out,
    bundle: true,
    minify: true,
    format: "esm",
    // The first versions that support popover, light-dark() and AbortSignal.any, from spring 2024.
    target: ["chrome123", "safari17.5", "firefox125"],
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    metafile: true,
    logLevel: "warning",
    plugins: [unusedParts],
    define: {
      BASE_PATH: JSON.stringify(settings.basePath),
      SUPABASE_URL: JSON.stringify(settings.supabaseUrl),
      PUBLISHABLE_KEY: JSON.stringify(settings.publishableKey),
      SITE_URL: JSON.stringify(settings.siteUrl),
    },
    loader: { ".svg": "copy" },
  };
  const [modules, early] = await Promise.all([
    esbuild.build({
      ...options,
      splitting: true,
      entryPoints: [...new Set(PAGES.map(({ script }) => script)), STYLE, ICON],
    }),
    esbuild.build({ ...options, format: "iife", entryPoints: [EARLY] }),
  ]);
  const outputs = { ...modules.metafile!.outputs, ...early.metafile!.outputs };
  const below = (output: string) => join(source, output).slice(out.length + 1);
  const outputOf = (entry: string) => {
    const found = Object.entries(outputs).find(([path, output]) =>
      output.entryPoint === entry || (entry === ICON && path.endsWith(".svg"))
    );
    if (!found) throw new Error(`Nothing that was built begins with ${entry}`);
    return found[0];
  };
  const href = (output: string) => settings.basePath + below(output);

  return await Promise.all(PAGES.map(async (page: Page) => {
    const script = outputOf(page.script);
    const loaded = closureOf([script, ...(page.module ? [outputOf(page.module)] : [])], outputs);
    const shared = [outputOf(STYLE), outputOf(EARLY), outputOf(ICON)];
    const file = page.path.endsWith("/") ? `${page.path.slice(1)}index.html` : page.path.slice(1);
    await Deno.mkdir(join(out, file, ".."), { recursive: true });
    await Deno.writeTextFile(
      join(out, file),
      documentOf(page, {
        style: href(outputOf(STYLE)),
        icon: href(outputOf(ICON)),
        early: href(outputOf(EARLY)),
        script: href(script),
        modules: loaded.filter((output) => output !== script).map(href),
      }, settings),
    );
    return { path: page.path, files: [file, ...[...loaded, ...shared].map(below)] };
  }));
}

/** The given outputs, and all outputs that they import statically. */
function closureOf(first: string[], outputs: esbuild.Metafile["outputs"]): string[] {
  const reached = new Set(first);
  for (const output of reached) {
    for (const { path, kind } of outputs[output]?.imports ?? []) {
      if (kind === "import-statement" && outputs[path]) reached.add(path);
    }
  }
  return [...reached];
}
