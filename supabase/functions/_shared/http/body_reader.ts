import { ApiError, payloadTooLarge } from "../contract/errors.ts";
import { deadlines } from "../runtime/deadlines.ts";

/** Maximum bytes of a body that is read before the door (postgres/door.ts) has identified its sender. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Maximum milliseconds for reading a body before the door has identified its sender. */
const SMALL_BODY_MS = 1_000;
/** Maximum time to read a whole body, in milliseconds. */
const MAX_BODY_MS = 15_000;
/** Maximum bytes read from a body, including those beyond the body's limit, which are discarded. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The client closed its connection before the end of the body, so only the log shows this error. */
const CLIENT_LEFT = new ApiError("bad_request");

class TooSlow extends Error {}

/**
 * Reads a request's body in two steps, so that the door can identify the sender in between. Never cancels a body: after
 * a cancel, Deno 2.9 keeps the connection open for as long as the client does. Without a cancel, Deno closes the
 * connection when the request is garbage-collected.
 */
export class BodyReader {
  readonly #request: Request;
  /** Created by the first read, if Content-Length is absent or over the limit. */
  #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Content-Length; NaN if absent. */
  readonly #announced: number;
  readonly #end = performance.now() + MAX_BODY_MS;
  readonly #chunks: Uint8Array[] = [];
  /** Bytes read so far, including discarded ones. */
  #length = 0;
  #ended = false;
  /** A read that has not finished; the next step continues to await it. */
  #pending: Promise<void> | undefined;

  /** @param maxBytes maximum size of the body, in bytes */
  constructor(request: Request, readonly maxBytes: number) {
    this.#request = request;
    this.#announced = Number(request.headers.get("Content-Length") ?? NaN);
  }

  /** Reads a small body. Returns false if it is over 16 KiB or takes over a second; the rest is then still unread. */
  async readSmall(): Promise<boolean> {
    if (this.#announced > SMALL_BODY_BYTES) return false;
    try {
      await this.#readUntil(performance.now() + SMALL_BODY_MS, SMALL_BODY_BYTES);
    } catch (error) {
      return !(error instanceof TooSlow);
    }
    return this.#ended;
  }

  /** Reads the whole body. Returns request_timeout after 15 s, payload_too_large over `maxBytes`. */
  async readAll(): Promise<Uint8Array | ApiError> {
    try {
      // Reads and discards the excess. If the connection closed while the client sends, the client would never read the
      // reply.
      await this.#readUntil(this.#end, MAX_DISCARDED_BYTES);
    } catch (error) {
      return error instanceof TooSlow ? new ApiError("request_timeout") : CLIENT_LEFT;
    }
    return this.#length > this.maxBytes ? payloadTooLarge(this.maxBytes) : this.#join();
  }

  async #readUntil(time: number, maxBytes: number): Promise<void> {
    while (!this.#ended && this.#length <= maxBytes) {
      this.#pending ??= this.#readChunk();
      await deadlines.enforce(time - performance.now(), () => new TooSlow(), this.#pending);
      this.#pending = undefined;
    }
  }

  async #readChunk(): Promise<void> {
    if (this.#announced <= this.maxBytes) {
      // Does not use a stream, which would take 28 µs more, and hold 64 KiB while the sender is slow.
      this.#keep(new Uint8Array(await this.#request.arrayBuffer()));
      this.#ended = true;
      return;
    }
    this.#source ??= this.#request.body?.getReader();
    const chunk = await this.#source?.read();
    if (chunk?.value) this.#keep(chunk.value);
    else this.#ended = true;
  }

  #keep(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length <= this.maxBytes) this.#chunks.push(chunk);
  }

  #join(): Uint8Array {
    const [first, second] = this.#chunks;
    if (second === undefined) return first ?? new Uint8Array();
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return bytes;
  }
}
