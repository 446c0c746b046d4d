import { ApiError, payloadTooLarge } from "../contract/errors.ts";
import { deadlines } from "../runtime/deadlines.ts";

/** A body up to this size, in bytes, may be read before its sender is known. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Milliseconds for which a body may be read before its sender is known. */
const SMALL_BODY_MS = 1_000;
/** Maximum time to read a whole body, in milliseconds. */
const MAX_BODY_MS = 15_000;
/** Number of bytes of a body that is too large which are read and discarded before reading stops. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** For the log alone: the client closed its connection before the end of the body. */
const CLIENT_LEFT = new ApiError("bad_request");

class TooSlow extends Error {}

/**
 * Reads the body of a request in two steps, so that its sender can be judged between them. A body that is not read to
 * its end is left alone: Deno reads no more of it, and closes the connection when it collects the request. (If the body
 * is cancelled, Deno 2.9 keeps the connection open as long as the client does.)
 */
export class BodyReader {
  readonly #request: Request;
  /** Created by the first read of a body whose length was not announced, or is too large. */
  #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** The length that the sender announced; NaN if it announced none. */
  readonly #announced: number;
  readonly #end = performance.now() + MAX_BODY_MS;
  readonly #chunks: Uint8Array[] = [];
  /** Bytes read so far, those that were discarded included. */
  #length = 0;
  #ended = false;
  /** A read that has not finished: it goes on when the next step begins. */
  #pending: Promise<void> | undefined;

  /** @param maxBytes maximum size of the body */
  constructor(request: Request, readonly maxBytes: number) {
    this.#request = request;
    this.#announced = Number(request.headers.get("Content-Length") ?? NaN);
  }

  /** Reads a small body. False: it is over 16 KiB or takes over a second, and is not read further. */
  async readSmall(): Promise<boolean> {
    if (this.#announced > SMALL_BODY_BYTES) return false;
    try {
      await this.#readUntil(performance.now() + SMALL_BODY_MS, SMALL_BODY_BYTES);
    } catch (error) {
      return !(error instanceof TooSlow);
    }
    return this.#ended;
  }

  /** Reads the whole body, or returns request_timeout after 15 s, or payload_too_large. */
  async readAll(): Promise<Uint8Array | ApiError> {
    try {
      // Discards instead of stopping at once: a client whose connection closes while it sends never reads the reply.
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
      // In one piece, because a stream costs 28 µs more, and holds 64 KiB while its sender is slow.
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
