/** Matches a header line without control characters, because parsers differ in how they treat these. */
// deno-lint-ignore no-control-regex
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*$/;

/**
 * Whether a 2xx answer certainly ends with its headers, so that the connection may carry another request (RFC 9112, 6.3
 * and 9.3). True for a 204 and for `Content-Length: 0`, over HTTP/1.1 and without `Connection: close`. Any other answer
 * may have a body, which would have to be read.
 *
 * @param head the status line and the headers, up to and including the empty line
 */
export function endsWithHeaders(status: number, head: string): boolean {
  if (status < 200 || status > 299 || !head.startsWith("HTTP/1.1 ")) return false;
  const lengths: string[] = [];
  for (const line of head.split("\r\n").slice(1, -2)) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return false;
    switch (name.toLowerCase()) {
      case "content-length":
        lengths.push(value);
        break;
      case "transfer-encoding":
        return false;
      case "connection":
        if (value.toLowerCase().split(",").some((option) => option.trim() === "close")) return false;
    }
  }
  return lengths.length === 0 ? status === 204 : lengths.length === 1 && lengths[0] === "0";
}
