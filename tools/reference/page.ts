// The page that shows an OpenAPI document with Scalar's standalone bundle.
import type { Language } from "../openapi/language.ts";

/** Addresses of the page's files, relative to the page. */
export interface PageLinks {
  scalar: string;
  start: string;
  style: string;
  document: string;
  /** The same page in the other language. */
  otherLanguage: string;
  /** The root of the guides in this language; null where the page stands alone. */
  guides: string | null;
}

export interface PageOptions {
  /** Whether requests can be sent from the page: the API must be at the page's own origin, because it allows no other. */
  tryIt: boolean;
  /** CSS that Scalar applies after its own. */
  theme: string;
}

const TEXTS = {
  pt: {
    lang: "pt-BR",
    title: "Referência da API",
    description: "Todas as operações da API do CRM, com campos, exemplos e erros.",
    other: "English",
    otherLang: "en",
    guides: "Guias",
    languages: "Idioma e páginas",
    loading: "Carregando a referência…",
    noScript: "A referência precisa de JavaScript. O documento OpenAPI não:",
    tryIt: "Para testar, informe em Autenticação a chave que <code>deno task start</code> mostrou.",
    noTryIt: "Para testar chamadas no navegador, rode a API na sua máquina e abra <code>/docs/</code>.",
  },
  en: {
    lang: "en",
    title: "API reference",
    description: "Every operation of the CRM API, with fields, examples and errors.",
    other: "Português",
    otherLang: "pt-BR",
    guides: "Guides",
    languages: "Language and pages",
    loading: "Loading the reference…",
    noScript: "The reference needs JavaScript. The OpenAPI document does not:",
    tryIt: "To try calls, give the key that <code>deno task start</code> printed under Authentication.",
    noTryIt: "To try calls in the browser, run the API on your machine and open <code>/docs/</code>.",
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
 * The page loads and calls nothing on other hosts. Scalar puts styles into elements, which no hash or nonce can allow;
 * its icons are `data:` images.
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

/** Writes the page in a language. */
export function referencePage(language: Language, links: PageLinks, options: PageOptions): string {
  const text = TEXTS[language];
  const guides = links.guides === null ? "" : `<a href="${links.guides}">${text.guides}</a>`;
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
<p class="page-hint">${options.tryIt ? text.tryIt : text.noTryIt}</p>
<p class="page-links">
${guides}
<a href="${links.document}">OpenAPI</a>
<a href="${links.otherLanguage}" hreflang="${text.otherLang}" lang="${text.otherLang}">${text.other}</a>
</p>
</nav>
<div id="reference"></div>
<p class="page-note page-loading">${text.loading}</p>
<noscript><p class="page-note">${text.noScript} <a href="${links.document}">openapi.json</a></p></noscript>
<script type="application/json" id="configuration">${
    embedded(configuration(language, links, options))
  }</script>
<script src="${links.scalar}"></script>
<script type="module" src="${links.start}"></script>
</body>
</html>
`;
}

/** Scalar's configuration: it must call no host but the API. */
function configuration(language: Language, { document }: PageLinks, { tryIt, theme }: PageOptions) {
  return {
    url: document,
    localization: { locale: language, ...(language === "pt" && { translations: PORTUGUESE }) },
    // Scalar's own fonts come from its host, as do its assistant, its registry and its proxy.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    // The key that a person enters must not stay in the browser after the page is closed.
    persistAuth: false,
    hideTestRequestButton: !tryIt,
    // The bar links to the unchanged document. Scalar would offer the one that start.js has changed.
    documentDownloadType: "none",
    authentication: { preferredSecurityScheme: "apiKey" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    // The document lists the important fields first.
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
