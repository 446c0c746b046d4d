import { fileURLToPath } from "node:url";
import { type ConsoleBuild, createConsoleBuild } from "./build.ts";
import { serveFile } from "./files.ts";
import { failedPage, preparingPage } from "./pages.ts";

const OUT = fileURLToPath(new URL("../../console/dist", import.meta.url));

export interface ConsoleServer {
  /** Returns null for what is neither a page nor a file of the console. */
  handle(request: Request): Promise<Response | null>;
  close(): Promise<void>;
}

/**
 * Serves the console from the folder of its build. Whoever opens a page in a browser starts the build, and meanwhile sees
 * a page that says so.
 */
export function openConsole(out = OUT, build: ConsoleBuild = createConsoleBuild({ out })): ConsoleServer {
  return {
    async handle(request) {
      if (opensPage(request)) {
        const state = await build.state();
        if (state === "building") return preparingPage();
        if (state !== "ready") return failedPage(state.failed);
      }
      const found = await serveFile(request, out);
      if (found || !opensPage(request)) return found;
      const lost = new Request(new URL("/404.html", request.url), { method: request.method });
      return await serveFile(lost, out, 404);
    },
    close: () => build.close(),
  };
}

/** Whether a browser, or anybody at the root, asks for a page: an API client that has lost its way starts no build. */
function opensPage({ method, url, headers }: Request): boolean {
  const { pathname } = new URL(url);
  const lastName = pathname.slice(pathname.lastIndexOf("/") + 1);
  return method === "GET" && !lastName.includes(".") &&
    (pathname === "/" || (headers.get("accept") ?? "").includes("text/html"));
}
