/** An answer, with the part of its body that arrived with the head: enough to explain an unexpected status. */
export interface Answer {
  status: number;
  head: string;
  body: string;
}

const decoder = new TextDecoder();
/** Longer than any head, and than any error. */
const READABLE_BYTES = 2_048;

/**
 * Sends a request of HTTP/1.1 and reads its answer to the end. The answer must have a Content-Length.
 * @param buffer not shared with another connection
 */
export async function sendRequest(
  connection: Deno.TcpConn,
  request: Uint8Array,
  buffer: Uint8Array,
): Promise<Answer> {
  await writeAll(connection, request);
  return await readAnswer(connection, buffer);
}

export async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

/** Reads one answer to its end; see {@link sendRequest}. */
export async function readAnswer(connection: Deno.TcpConn, buffer: Uint8Array): Promise<Answer> {
  let have = 0;
  let parsed: { answer: Answer; length: number } | null = null;
  do {
    // After the head only the number of bytes matters, so the rest of a body may overwrite the buffer.
    const count = await connection.read(parsed ? buffer : buffer.subarray(have));
    if (count === null) throw new Error("The connection was closed before the answer");
    have += count;
    parsed ??= parse(buffer.subarray(0, have));
  } while (!parsed || have < parsed.length);
  if (have > parsed.length) throw new Error("The answer is longer than its Content-Length");
  return parsed.answer;
}

/** Returns null while the head is incomplete. */
function parse(bytes: Uint8Array): { answer: Answer; length: number } | null {
  const text = decoder.decode(bytes.subarray(0, READABLE_BYTES));
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = text.slice(0, end);
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (bodyLength === undefined) throw new Error(`An answer without Content-Length: ${head}`);
  return {
    answer: { status: Number(text.slice(9, 12)), head, body: text.slice(end + 4) },
    // A head is ASCII, so its characters are its bytes.
    length: end + 4 + Number(bodyLength),
  };
}
