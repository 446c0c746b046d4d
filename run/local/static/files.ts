import { createHash } from "node:crypto";
import { extname, join } from "node:path";

/** The content types of all files in a build. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
};

/**
 * The paths of files in a build. Names do not begin with a dot and characters are not encoded, so no path leads out of
 * the folder or to the file `.local`. Names are not empty, so no redirect leads to another host (`//host`).
 */
const PATH = /^\/([\w~-][\w.~-]*\/)*([\w~-][\w.~-]*)?$/;
/** A name with a hash of the content, as esbuild writes it. */
const HASHED = /-[0-9A-Z]{8}\.\w+$/;
const META_POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/i;

/**
 * Serves the files of a folder as GitHub Pages does: `/x/` is `/x/index.html`, and `/x` redirects there.
 * @param status the status for a file that exists
 * @returns null if there is no such file.
 */
export async function serveFile(request: Request, folder: string, status = 200): Promise<Response | null> {
  const { pathname, search } = new URL(request.url);
  if (!PATH.test(pathname)) return null;
  const path = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
  const info = await Deno.stat(path).catch(() => null);
  if (info?.isDirectory && await Deno.stat(join(path, "index.html")).then(() => true, () => false)) {
    return new Response(null, {
      status: 301,
      headers: { location: `${pathname}/${search}`, "cache-control": "no-cache" },
    });
  }
  if (!info?.isFile) return null;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  return respond(request, path, await Deno.readFile(path), status);
}

function respond(request: Request, path: string, body: Uint8Array<ArrayBuffer>, status: number): Response {
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  const headers = new Headers({
    "content-type": type,
    "cache-control": HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
    "x-content-type-options": "nosniff",
    etag,
  });
  if (type === TYPES[".html"]) {
    const policy = META_POLICY.exec(new TextDecoder().decode(body))?.[1];
    if (policy) headers.set("content-security-policy", policy);
    // In a header, because a Content-Security-Policy inside a document cannot forbid framing.
    headers.set("x-frame-options", "DENY");
  }
  // Compared without `W/`, because Deno makes the ETag of a compressed response weak.
  const known = (request.headers.get("if-none-match") ?? "").split(",").map((tag) =>
    tag.trim().replace(/^W\//, "")
  );
  if (status === 200 && known.includes(etag)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") {
    headers.set("content-length", String(body.byteLength));
    return new Response(null, { status, headers });
  }
  return new Response(body, { status, headers });
}

/** Whether a browser asks for a page, and not for a file that a page uses. */
export function opensPage({ method, url, headers }: Request): boolean {
  const { pathname } = new URL(url);
  const lastName = pathname.slice(pathname.lastIndexOf("/") + 1);
  return method === "GET" && !lastName.includes(".") && (headers.get("accept") ?? "").includes("text/html");
}
