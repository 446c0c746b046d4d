import { join } from "node:path";
import { type Build, createBuild, ROOT } from "./build.ts";
import { opensPage, serveFile } from "./files.ts";
import { type PageServer, pageUntilBuilt } from "./pages.ts";

const OUT = join(ROOT, "console", "dist");

const TEXTS = {
  lang: "pt-BR",
  preparing: "O console está sendo preparado…",
  wait: "Esta página se atualiza sozinha. Na primeira vez isso leva alguns segundos.",
  failed: "O console não pôde ser preparado",
  retry: "A API continua funcionando. Corrija o erro abaixo e recarregue a página para tentar de novo.",
};

function consoleBuild(out: string): Build {
  return createBuild({
    out,
    // The contract too, because the console shows lists from it, such as the scopes.
    sources: [join(ROOT, "console"), join(ROOT, "supabase", "functions", "_shared", "contract")],
    command: ["task", "console"],
    // The console calls the origin that serves it.
    env: {
      CONSOLE_BASE_PATH: "/",
      CONSOLE_SUPABASE_URL: "",
      CONSOLE_PUBLISHABLE_KEY: "local",
      CONSOLE_SITE_URL: "",
    },
  });
}

/**
 * Serves the console from the folder of its build. When a browser first opens a page, the build starts. While it
 * runs, the page says so.
 */
export function openConsole(out = OUT, build: Build = consoleBuild(out)): PageServer {
  return {
    async handle(request) {
      if (opensConsole(request)) {
        const instead = await pageUntilBuilt(build, TEXTS);
        if (instead) return instead;
      }
      const found = await serveFile(request, out);
      if (found || !opensConsole(request)) return found;
      const lost = new Request(new URL("/404.html", request.url), { method: request.method });
      return await serveFile(lost, out, 404);
    },
    close: () => build.close(),
  };
}

/** Whether a browser asks for a page, or any client asks for `/`. So an API client's wrong URL starts no build. */
function opensConsole(request: Request): boolean {
  return opensPage(request) || request.method === "GET" && new URL(request.url).pathname === "/";
}
