const BUFFER_BYTES = 16 * 1024;

/** A connection to a receiver, over TCP or TLS. */
export class Connection {
  /** Every answer is read into this buffer, which has room for 16 KiB of headers. */
  readonly buffer = new Uint8Array(BUFFER_BYTES);
  /** When the connection was opened, in milliseconds of `performance.now()`. */
  readonly openedAt = performance.now();
  #ahead: Promise<number | null> | undefined;

  /** @param address the receiver's address, as passed to `connect` */
  constructor(readonly socket: Deno.Conn, readonly address: string) {}

  async write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) sent += await this.socket.write(bytes.subarray(sent));
  }

  /**
   * Reads into the buffer at `offset`, 0 for the first read of an answer. Returns the number of bytes read; null at the
   * end of the stream.
   */
  read(offset: number): Promise<number | null> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ?? this.socket.read(this.buffer.subarray(offset));
  }

  /**
   * Starts the first read of the next answer. If the read ends before a request is sent, the receiver has closed the
   * connection or sent something that nobody asked for.
   */
  readAhead(): Promise<number | null> {
    return this.#ahead = this.socket.read(this.buffer);
  }

  close(): void {
    this.socket.close();
  }
}
