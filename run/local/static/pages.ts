// The pages that the gateway shows until the requested pages are built.
import { escapeHtml } from "../html.ts";
import type { Build } from "./build.ts";

/** Texts in the language of the pages. */
export interface BuildTexts {
  lang: string;
  /** `preparing` and `wait`: title and text while a build runs. `failed` and `retry`: after a failure. */
  preparing: string;
  wait: string;
  failed: string;
  retry: string;
}

/** Serves the pages of a build. Opening a page starts the build if it is outdated. */
export interface PageServer {
  /** Returns null if there is no such page or file. */
  handle(request: Request): Promise<Response | null>;
  close(): Promise<void>;
}

/** The page to show instead of the requested page; null if the build is current. */
export async function pageUntilBuilt(build: Build, texts: BuildTexts): Promise<Response | null> {
  const state = await build.state();
  if (state === "ready") return null;
  const { lang, preparing, wait, failed, retry } = texts;
  if (state === "building") {
    return page(202, lang, preparing, `<p>${wait}</p>`, `<meta http-equiv="refresh" content="1">`);
  }
  return page(500, lang, failed, `<p>${retry}</p>\n<pre>${escapeHtml(state.failed)}</pre>`);
}

function page(status: number, lang: string, title: string, body: string, head = ""): Response {
  return new Response(
    `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title}</title>
<style>body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 4rem auto; padding: 0 1rem }
pre { overflow: auto }</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`,
    {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      },
    },
  );
}
