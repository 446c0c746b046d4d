import { join } from "node:path";
import type { Language } from "../../../tools/openapi/language.ts";
import type { OpenApi } from "../../../tools/openapi/read_document.ts";
import { type Build, createBuild, ROOT } from "./build.ts";
import { opensPage, serveFile } from "./files.ts";
import { type BuildTexts, type PageServer, pageUntilBuilt } from "./pages.ts";

/** The reference is at `/docs/` in Portuguese, and at `/docs/en/` in English. */
export const REFERENCE_PREFIX = "/docs";

/** Paths that redirect to the same path with a final slash. */
const FOLDERS = [REFERENCE_PREFIX, `${REFERENCE_PREFIX}/en`];

const OUT = join(ROOT, "tools", "reference", "local");

const TEXTS: Record<Language, BuildTexts> = {
  pt: {
    lang: "pt-BR",
    preparing: "A referência está sendo preparada…",
    wait: "Esta página se atualiza sozinha. Na primeira vez o Scalar é baixado, o que leva alguns segundos.",
    failed: "A referência não pôde ser preparada",
    retry: "A API continua funcionando. Corrija o erro abaixo e recarregue a página para tentar de novo.",
  },
  en: {
    lang: "en",
    preparing: "The reference is being prepared…",
    wait: "This page reloads by itself. The first time, downloading Scalar takes some seconds.",
    failed: "The reference could not be prepared",
    retry: "The API still works. Correct the error below and reload the page to try again.",
  },
};

/**
 * Serves the API reference from the folder of its build. When a browser first opens a page, the build starts. While it
 * runs, the page says so.
 * @param origin the origin of the gateway, which the served documents name as the API's server
 */
export function openReference(
  origin: string,
  out = OUT,
  build: Build = referenceBuild(out),
): PageServer {
  return {
    async handle(request) {
      const url = new URL(request.url);
      if (FOLDERS.includes(url.pathname)) {
        const headers = { location: `${url.pathname}/`, "cache-control": "no-cache" };
        return new Response(null, { status: 301, headers });
      }
      if (!url.pathname.startsWith(`${REFERENCE_PREFIX}/`)) return null;
      const path = url.pathname.slice(REFERENCE_PREFIX.length);
      const language = path.startsWith("/en/") ? "en" : "pt";
      if (path === (language === "en" ? "/en/openapi.json" : "/openapi.json")) {
        return Response.json(await localDocument(language, origin), {
          headers: { "cache-control": "no-cache", "x-content-type-options": "nosniff" },
        });
      }
      // `deno task start` prints this address, so any client that requests it starts the build, even curl.
      if (opensPage(request) || FOLDERS.includes(url.pathname.slice(0, -1))) {
        const instead = await pageUntilBuilt(build, TEXTS[language]);
        if (instead) return instead;
      }
      url.pathname = path;
      // Copies only these parts, because Deno would warn about the signal in a copy of the whole request.
      return await serveFile(new Request(url, { method: request.method, headers: request.headers }), out);
    },
    close: () => build.close(),
  };
}

function referenceBuild(out: string): Build {
  return createBuild({
    out,
    sources: [join(ROOT, "tools", "reference"), join(ROOT, "console", "styles")],
    command: ["run", "-A", join(ROOT, "tools", "reference", "build.ts")],
  });
}

/** A cache, because computing a document blocks all other requests for half a second. */
const documents = new Map<Language, OpenApi>();

/** The document with this stack as its only server: other servers refuse calls from this page. */
async function localDocument(language: Language, origin: string): Promise<object> {
  // Imported only now, because the schemas of all resources would delay each start.
  const { openApiDocument } = await import("../../../tools/openapi/document.ts");
  const document = documents.get(language) ?? openApiDocument("api", language) as OpenApi;
  documents.set(language, document);
  return { ...document, servers: [{ ...document.servers[0], url: `${origin}/functions/v1` }] };
}
