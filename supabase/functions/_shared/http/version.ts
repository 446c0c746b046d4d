import { ApiError } from "../contract/errors.ts";
import type { RouteEntry } from "../contract/route_table.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Success } from "./outcome.ts";

/**
 * `ETag` for a reply that shows one record. Computed from the reply's text as in `crm.version`, so that SQL can compare
 * the version for PATCH while it holds the row's lock.
 */
export function versionHeaders({ method }: RouteEntry, body: string): Record<string, string> {
  // `no-transform`: a proxy that compresses a reply would make its tag weak, and If-Match never matches a weak tag (RFC
  // 9110, 13.1.1).
  return { "ETag": `"${versionOf(body, method === "GET")}"`, "Cache-Control": "no-store, no-transform" };
}

/**
 * The record's version, followed by a dot and the version of the rest: the fields that a GET added to the record, and
 * the field that changes with the clock.
 */
function versionOf(body: string, isRead: boolean): string {
  const end = body.search(ADDED_FIELD);
  const shown = end === -1 ? body : `${body.slice(0, end)}}`;
  const [byClock] = CHANGED_BY_CLOCK.exec(shown) ?? [""];
  const record = digest(shown.replace(byClock, ""));
  const rest = byClock + (end === -1 ? "" : body.slice(end));
  // Only a GET adds fields that belong to the version; other calls add fields about the call itself.
  return isRead && rest !== "" ? `${record}.${digest(rest)}` : record;
}

/** `crm.version` leaves this field out too: if it counted, an activity's due time alone would make If-Match fail. */
const CHANGED_BY_CLOCK = /,"is_overdue":(?:true|false)/;

/**
 * Matches the first field that `crm.with_fields` appended. Nothing else matches: Postgres itself writes no space before
 * a colon, and quotes inside a string are escaped.
 */
const ADDED_FIELD = /,"[\w-]+" : /;

/** The position of a field that `crm.with_fields` appended to a reply; -1 if there is none. */
export function addedFieldAt(body: string, name: string): number {
  return body.indexOf(`,"${name}" : `);
}

/** 16 hex digits: with 64 bits, two states of a record do not collide by accident. */
function digest(text: string): string {
  return sha256(text).slice(0, 16);
}

/** The reply to a GET; a 304 without a body if `If-None-Match` names its version. */
export function notModifiedOr(reply: Success, { headers }: Request): Success {
  const header = headers.get("If-None-Match");
  const version = reply.headers?.["ETag"];
  if (header === null || version === undefined) return reply;
  const known = parseTags(header);
  // A malformed header is ignored, because the whole reply is always correct.
  const matches = known === "any" || known?.some(({ opaque }) => opaque === version);
  return matches ? { ...reply, status: 304, body: null } : reply;
}

/**
 * The versions that `If-Match` names, as `crm.version` writes them. Null if the header is absent or is `*`, which
 * matches every existing record. A weak tag matches nothing. A malformed header is bad_request: ignoring it would allow
 * a change that the client wants to prevent.
 */
export function readIfMatch({ headers }: Request): string[] | null | ApiError {
  const header = headers.get("If-Match");
  const tags = header === null ? "any" : parseTags(header);
  if (tags === "any") return null;
  if (tags === null) return new ApiError("bad_request", undefined, MALFORMED_IF_MATCH);
  // Drops the part after the dot, which does not belong to the record's version.
  return tags.flatMap(({ weak, opaque }) => weak ? [] : opaque.slice(1, -1).split(".")[0]!);
}

const MALFORMED_IF_MATCH = "O cabeçalho If-Match deve ser o ETag de uma resposta, com as aspas, ou *";

/** Matches a tag, a separator, or any other character, in linear time. */
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
