import { Buffer } from "node:buffer";
import { eventually } from "../../bench/harness/waiting.ts";
import type { Received } from "./receiver.ts";

export { eventually };

/** A request that a mailbox received. */
export interface Message {
  path: string;
  headers: Headers;
  /** The bytes of the body. */
  raw: Uint8Array;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  body: any;
  at: number;
}

const origin = Deno.env.get("TEST_RECEIVER_ORIGIN");

/**
 * Opens a new mailbox at the shared receiver (receiver.ts).
 *
 * @param behaviour the query that programs its answers, e.g. `status=500,200`
 */
export function openMailbox(behaviour = "") {
  const address = `${origin}/box/${crypto.randomUUID()}`;
  return {
    /** The target of a subscription. */
    url: behaviour === "" ? address : `${address}?${behaviour}`,
    /** Every request that it has received so far. */
    async messages(): Promise<Message[]> {
      const response = await fetch(address);
      const received: Received[] = await response.json();
      return received.map(({ path, headers, body, at }) => {
        const raw = new Uint8Array(Buffer.from(body, "base64"));
        return {
          path,
          headers: new Headers(headers),
          raw,
          body: JSON.parse(new TextDecoder().decode(raw)),
          at,
        };
      });
    },
    /** Waits until it has `count` messages; throws an error after `seconds`, as `eventually` does. */
    async waitFor(count: number, seconds?: number): Promise<Message[]> {
      const messages = await eventually(
        async () => {
          const messages = await this.messages();
          return messages.length >= count ? messages : undefined;
        },
        `${count} messages at ${address}`,
        seconds,
      );
      return messages;
    },
  };
}
