/**
 * `deno task site:serve`: serves site/dist as GitHub Pages does, on PORT (default 4321), at the path for which it was
 * built (SITE_BASE_PATH).
 */
import { extname, join } from "node:path";
import { readSettings } from "./settings.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

interface SiteServer extends AsyncDisposable {
  /** Includes the base path and ends with a slash. */
  url: string;
}

/** Serves a folder at `base`. Adds a missing slash to a folder's address, and shows `404.html` at unknown addresses. */
export function serveSite(folder: string, base: string, port = 0): SiteServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const path = decodeURIComponent(pathname);
    const isOutside = !path.startsWith(base) || path.split("/").includes("..");
    const found = isOutside ? null : await find(join(folder, path.slice(base.length - 1)));
    if (found === "folder") {
      return new Response(null, { status: 301, headers: { location: `${pathname}/` } });
    }
    if (found !== null) return reply(found, 200);
    return reply(join(folder, "404.html"), 404);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}${base}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The file at a path; `folder` if a folder's path lacks its final slash; null if there is no file. */
async function find(path: string): Promise<string | "folder" | null> {
  const file = path.endsWith("/") ? join(path, "index.html") : path;
  const info = await Deno.stat(file).catch(() => null);
  if (info?.isDirectory) return "folder";
  return info === null ? null : file;
}

async function reply(file: string, status: number): Promise<Response> {
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  return new Response(await Deno.readFile(file), { status, headers: { "content-type": type } });
}

if (import.meta.main) {
  const { base } = readSettings(Deno.env.get.bind(Deno.env));
  const { url } = serveSite(join(import.meta.dirname!, "dist"), base, Number(Deno.env.get("PORT") ?? 4321));
  console.log(`The site: ${url}`);
}
