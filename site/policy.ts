// Adds the Content-Security-Policy to a page as a meta element, because GitHub Pages cannot send custom headers.
import { createHash } from "node:crypto";

const INLINE_SCRIPT = /<script((?:\s[^>]*)?)>([^]*?)<\/script>/g;

/**
 * Adds a policy: the page loads from and calls only its own origin, and runs only the inline scripts of the build.
 * Otherwise an injected script could read the sessions of the console, which has the same origin.
 */
export function withPolicy(html: string): string {
  const hashes = new Set<string>();
  for (const [, attributes, script] of html.matchAll(INLINE_SCRIPT)) {
    if (/\ssrc=/.test(attributes!)) continue;
    hashes.add(`'sha256-${createHash("sha256").update(script!).digest("base64")}'`);
  }
  const policy = [
    "default-src 'none'",
    // The search is compiled to WebAssembly.
    `script-src 'self' 'wasm-unsafe-eval' ${[...hashes].join(" ")}`.trim(),
    // Highlighted code has its colours in style attributes, which hashes cannot allow.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const added = html.replace(
    /<meta charset="utf-8"\s*\/?>/i,
    (charset) => `${charset}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
  if (added === html) throw new Error("A page has no meta element with its charset");
  return added;
}
