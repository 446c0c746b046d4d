// The page that shows an OpenAPI document with Scalar's standalone bundle.
import type { Language } from "../openapi/language.ts";

/** Addresses of the page's files, relative to the page. */
interface PageLinks {
  scalar: string;
  start: string;
  style: string;
  document: string;
  otherLanguage: string;
}

const TEXTS = {
  pt: {
    lang: "pt-BR",
    title: "Referência da API",
    description: "Todas as operações da API do CRM, com campos, exemplos e erros.",
    other: "English",
    otherLang: "en",
    languages: "Idioma e páginas",
    loading: "Carregando a referência…",
    noScript: "A referência precisa de JavaScript. O documento OpenAPI não:",
    tryIt: "Para testar, informe em Autenticação a chave que <code>deno task start</code> mostrou.",
  },
  en: {
    lang: "en",
    title: "API reference",
    description: "Every operation of the CRM API, with fields, examples and errors.",
    other: "Português",
    otherLang: "pt-BR",
    languages: "Language and pages",
    loading: "Loading the reference…",
    noScript: "The reference needs JavaScript. The OpenAPI document does not:",
    tryIt: "To try calls, give the key that <code>deno task start</code> printed under Authentication.",
  },
} as const;

/** Words of Scalar's Portuguese that are ambiguous, or too long for a phone. */
const PORTUGUESE = {
  operation: { testRequest: "Testar" },
  schema: { pattern: "Expressão regular" },
  actions: { copyAsMarkdown: "Copiar Markdown" },
  authentication: { required: "Exige chave" },
  // A longer text would cover the title "Autenticação".
  apiClient: { authSelector: { selectedType: "{type}" } },
};

/**
 * The page loads and calls nothing on other hosts. Styles need `unsafe-inline`, because Scalar sets them on elements,
 * which no hash or nonce can allow. Scalar's icons need `data:`.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * Writes the page in a language. It can send calls, because the API has the page's own origin.
 * @param theme CSS that Scalar applies after its own
 */
export function referencePage(language: Language, links: PageLinks, theme: string): string {
  const text = TEXTS[language];
  return `<!doctype html>
<html lang="${text.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${text.description}">
<title>${text.title} · CRM API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${links.style}">
</head>
<body>
<nav class="page-bar" aria-label="${text.languages}">
<p class="page-title"><strong>CRM API</strong> <span>${text.title}</span></p>
<p class="page-hint">${text.tryIt}</p>
<p class="page-links">
<a href="${links.document}">OpenAPI</a>
<a href="${links.otherLanguage}" hreflang="${text.otherLang}" lang="${text.otherLang}">${text.other}</a>
</p>
</nav>
<div id="reference"></div>
<p class="page-note page-loading">${text.loading}</p>
<noscript><p class="page-note">${text.noScript} <a href="${links.document}">openapi.json</a></p></noscript>
<script type="application/json" id="configuration">${embedded(configuration(language, links, theme))}</script>
<script src="${links.scalar}"></script>
<script type="module" src="${links.start}"></script>
</body>
</html>
`;
}

/** Scalar's configuration: it must call no host but the API. */
function configuration(language: Language, { document }: PageLinks, theme: string) {
  return {
    url: document,
    localization: { locale: language, ...(language === "pt" && { translations: PORTUGUESE }) },
    // Scalar's fonts, assistant, registry and proxy come from its own host.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    // The key that a person enters must not stay in the browser after the page is closed.
    persistAuth: false,
    // The bar links to the unchanged document instead. Scalar would offer the document that start.js has changed.
    documentDownloadType: "none",
    authentication: { preferredSecurityScheme: "apiKey" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    // Keeps the document's order, in which the important fields come first.
    orderSchemaPropertiesBy: "preserve",
    hideModels: true,
    defaultOpenFirstTag: false,
    customCss: theme,
  };
}

/** JSON for a script element, escaped so that no text can end the element. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
