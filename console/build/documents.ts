import type { Page } from "./pages.ts";
import type { Settings } from "./settings.ts";

/** The addresses of the files that a document loads, each with the base path. */
interface Assets {
  style: string;
  icon: string;
  /** Classic script that sets theme and language before the first paint. */
  early: string;
  script: string;
  /** Modules that the script imports. The document preloads them, so that they need not wait for the script. */
  modules: string[];
}

/** The HTML of a page. It has no inline scripts or styles, because its content policy forbids them. */
export function documentOf(page: Page, assets: Assets, settings: Settings): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(settings)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<link rel="icon" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.early}"></script>
<script type="module" src="${assets.script}"></script>
${assets.modules.map((href) => `<link rel="modulepreload" href="${href}">\n`).join("")}</head>
<body>
<div id="app"></div>
<noscript>Esta página precisa de JavaScript. This page needs JavaScript.</noscript>
</body>
</html>
`;
}

/**
 * The content security policy of every document: scripts and styles only from the console, requests only to the console
 * and the project. A policy in a document cannot forbid frames, so app/early.ts guards against them.
 */
function contentPolicy({ supabaseUrl }: Settings): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${supabaseUrl && ` ${supabaseUrl}`}`,
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
