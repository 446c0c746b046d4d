import { type Doc, doc } from "./doc.ts";

/** The planned removal of an endpoint (docs/upgrading.md). Dates are ISO 8601 in UTC, such as `2027-01-31`. */
export interface Deprecation {
  readonly since: string;
  /** From this date on, at least six months after `since`, the endpoint may answer 404. */
  readonly sunset: string;
  /** URL of the page that says what to use instead. */
  readonly page: string;
}

const MONTHS = 6;

/** The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and `Link` with the page. */
export function deprecationHeaders({ since, sunset, page }: Deprecation): Record<string, string> {
  return {
    "Deprecation": `@${Date.parse(since) / 1000}`,
    "Sunset": new Date(sunset).toUTCString(),
    "Link": `<${page}>; rel="deprecation"`,
  };
}

/** The deprecation notice in the documents, the SDK and the tools. */
export function deprecationText({ since, sunset, page }: Deprecation): Doc {
  return doc(
    `Obsoleto desde ${since}; responde até ${sunset}. O que usar: ${page}`,
    `Deprecated since ${since}; answers until ${sunset}. What to use: ${page}`,
  );
}

/** @throws Error if the sunset is less than six months after the deprecation */
export function requireTime({ since, sunset }: Deprecation): void {
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS);
  if (!(new Date(sunset) >= earliest)) {
    throw new Error(`A sunset on ${sunset} is less than ${MONTHS} months after ${since}`);
  }
}
