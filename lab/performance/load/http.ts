/** An answer with as much of its body as came with its head: enough to say why it is not the expected one. */
export interface Answer {
  status: number;
  head: string;
  body: string;
}

const decoder = new TextDecoder();
/** More than the head of any answer, and whole answers of an error. */
const READABLE_BYTES = 2_048;

/**
 * Sends a request of HTTP/1.1 and reads its answer to the end. The body must have a length, as all that a function sends
 * in one piece does.
 * @param buffer of the connection, for this answer alone
 */
export async function sendRequest(
  connection: Deno.TcpConn,
  request: Uint8Array,
  buffer: Uint8Array,
): Promise<Answer> {
  for (let written = 0; written < request.length;) {
    written += await connection.write(request.subarray(written));
  }
  let have = 0;
  let parsed: { answer: Answer; length: number } | null = null;
  do {
    // Of a body only the length is looked at: one that is longer than the buffer overwrites itself.
    const count = await connection.read(parsed ? buffer : buffer.subarray(have));
    if (count === null) throw new Error("The connection was closed before the answer");
    have += count;
    parsed ??= parse(buffer.subarray(0, have));
  } while (!parsed || have < parsed.length);
  if (have > parsed.length) throw new Error("More was answered than was asked for");
  return parsed.answer;
}

/** Null where the head is not whole yet. */
function parse(bytes: Uint8Array): { answer: Answer; length: number } | null {
  const text = decoder.decode(bytes.subarray(0, READABLE_BYTES));
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = text.slice(0, end);
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (bodyLength === undefined) throw new Error(`An answer without a length: ${head}`);
  return {
    answer: { status: Number(text.slice(9, 12)), head, body: text.slice(end + 4) },
    // Heads are ASCII: their characters are their bytes.
    length: end + 4 + Number(bodyLength),
  };
}
