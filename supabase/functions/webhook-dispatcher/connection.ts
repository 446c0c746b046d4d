const BUFFER_BYTES = 16 * 1024;

/** A connection to a receiver, over TCP or TLS. */
export class Connection {
  /** Every answer is read into it; it has room for the headers of one. */
  readonly buffer = new Uint8Array(BUFFER_BYTES);
  /** In milliseconds of `performance.now()`. */
  readonly openedAt = performance.now();
  #ahead: Promise<number | null> | undefined;

  /** @param address that it goes to, as the caller of `connect` gave it */
  constructor(readonly socket: Deno.Conn, readonly address: string) {}

  async write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) sent += await this.socket.write(bytes.subarray(sent));
  }

  /** Reads into the buffer from `offset`, which is 0 for the first read of an answer. Returns null at the end. */
  read(offset: number): Promise<number | null> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ?? this.socket.read(this.buffer.subarray(offset));
  }

  /**
   * Begins the first read of the next answer. It ends before there is a request only if the receiver closes the
   * connection or sends what nobody asked for.
   */
  readAhead(): Promise<number | null> {
    return this.#ahead = this.socket.read(this.buffer);
  }

  close(): void {
    this.socket.close();
  }
}
