import { ApiError } from "../contract/errors.ts";
import type { RouteEntry } from "../contract/route_table.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Success } from "./outcome.ts";

/**
 * The headers of a reply that shows a record in a version: its `ETag`. It is computed from the text of the reply, which
 * `crm.version` can compute as well, so that PATCH compares it under the lock of the row.
 */
export function versionHeaders({ etag }: RouteEntry, body: string): Record<string, string> {
  if (etag === undefined) return {};
  // A server that compresses a reply makes its tag a weak one, which If-Match never matches (RFC 9110, 13.1.1).
  return { "ETag": `"${versionOf(body, etag)}"`, "Cache-Control": "no-store, no-transform" };
}

function versionOf(body: string, etag: NonNullable<RouteEntry["etag"]>): string {
  if (etag === true) return digest(body);
  const name = "detailFrom" in etag ? etag.detailFrom : etag.recordBefore;
  const end = addedFieldAt(body, name);
  if (end === -1) throw new Error(`The reply has no field "${name}"`);
  const record = digest(`${body.slice(0, end)}}`);
  return "detailFrom" in etag ? `${record}.${digest(body.slice(end))}` : record;
}

/** Where a field begins that `crm.with_fields` has added to a reply; -1 if it has not. */
export function addedFieldAt(body: string, name: string): number {
  // Within a text the quotes would be escaped, within jsonb no space precedes a colon.
  return body.indexOf(`,"${name}" : `);
}

/** 16 hex digits: of 64 bits, two states of one record never have the same by accident. */
function digest(text: string): string {
  return sha256(text).slice(0, 16);
}

/** A reply to GET, or 304 without its body if `If-None-Match` names its version. */
export function notModifiedOr(reply: Success, { headers }: Request): Success {
  const header = headers.get("If-None-Match");
  const version = reply.headers?.["ETag"];
  if (header === null || version === undefined) return reply;
  const known = parseTags(header);
  // A header that cannot be read is ignored: the whole reply is never wrong.
  const matches = known === "any" || known?.some(({ opaque }) => opaque === version);
  return matches ? { ...reply, status: 304, body: null } : reply;
}

/**
 * The versions that `If-Match` names, in the form of `crm.version`; null if the header is absent or `*`, which every record
 * that exists matches. A weak tag matches nothing. Returns bad_request for a header that cannot be read: ignored, it
 * would let through the very write that it should prevent.
 */
export function readIfMatch({ headers }: Request): string[] | null | ApiError {
  const header = headers.get("If-Match");
  const tags = header === null ? "any" : parseTags(header);
  if (tags === "any") return null;
  if (tags === null) return new ApiError("bad_request", undefined, MALFORMED_IF_MATCH);
  // What follows the dot is the version of a detail, which PATCH does not change.
  return tags.flatMap(({ weak, opaque }) => weak ? [] : opaque.slice(1, -1).split(".")[0]!);
}

const MALFORMED_IF_MATCH = "O cabeçalho If-Match deve ser o ETag de uma resposta, com as aspas, ou *";

/** A tag, a separator, or whatever else. Each alternative is read in time linear in its length. */
const TOKEN = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")|[ \t]+|,|[^]/g;

/** Parses a list of entity tags (RFC 9110, 8.8.3); null if it is malformed or empty. */
function parseTags(header: string): { weak: boolean; opaque: string }[] | "any" | null {
  if (header.trim() === "*") return "any";
  const tags: { weak: boolean; opaque: string }[] = [];
  let separated = true;
  for (const [token, weak, opaque] of header.matchAll(TOKEN)) {
    if (opaque !== undefined) {
      if (!separated) return null;
      tags.push({ weak: weak !== undefined, opaque });
      separated = false;
    } else if (token === ",") {
      separated = true;
    } else if (token.trim() !== "") {
      return null;
    }
  }
  return tags.length > 0 ? tags : null;
}
