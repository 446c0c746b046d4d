import assert from "node:assert/strict";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { isPublicAddress, REFUSED_BLOCKS } from "../../supabase/functions/_shared/webhooks/addresses.ts";

/** Converts an address to a number, so that the test can compute its neighbours. */
function toNumber(text: string): bigint {
  return ipaddr.parse(text).toByteArray().reduce((number, byte) => number << 8n | BigInt(byte), 0n);
}

function toText(number: bigint, bytes: number): string {
  const array = Array.from(
    { length: bytes },
    (_, i) => Number(number >> BigInt(8 * (bytes - 1 - i)) & 0xffn),
  );
  return ipaddr.fromByteArray(array).toNormalizedString();
}

function rangeOf(block: string): { bytes: number; first: bigint; last: bigint } {
  const [address, bits] = ipaddr.parseCIDR(block);
  const bytes = address.toByteArray().length;
  const size = 1n << BigInt(8 * bytes - bits);
  const first = toNumber(address.toString());
  assert.equal(first % size, 0n, "the block begins where its mask says");
  return { bytes, first, last: first + size - 1n };
}

const RANGES = REFUSED_BLOCKS.map(([block]) => rangeOf(block));
const isRefused = (number: bigint, bytes: number) =>
  RANGES.some((range) => range.bytes === bytes && range.first <= number && number <= range.last);

Deno.test("isPublicAddress refuses each block from its first address to its last, and not beyond", () => {
  for (const { bytes, first, last } of RANGES) {
    for (const number of [first - 1n, first, last, last + 1n]) {
      if (number < 0n || number >= 1n << BigInt(8 * bytes)) continue;
      assert.equal(isPublicAddress(toText(number, bytes)), !isRefused(number, bytes), toText(number, bytes));
    }
  }
});

Deno.test("isPublicAddress accepts every address outside the refused blocks, and none inside", () => {
  for (const bytes of [4, 16]) {
    // Also tries addresses near the blocks, because a random v6 address would hardly ever be there.
    const edges = RANGES.filter((range) => range.bytes === bytes).flatMap(({ first, last }) => [first, last]);
    const most = (1n << BigInt(8 * bytes)) - 1n;
    const anywhere = fc.bigInt(0n, most);
    const near = fc.tuple(fc.constantFrom(...edges), fc.bigInt(-1_000n, 1_000n))
      .map(([edge, distance]) => edge + distance)
      .filter((number) => number >= 0n && number <= most);
    fc.assert(
      fc.property(
        fc.oneof(anywhere, near),
        (number) => isPublicAddress(toText(number, bytes)) === !isRefused(number, bytes),
      ),
      { numRuns: 2_000 },
    );
  }
});

/** Public addresses, v6 forms of a private v4 address, and text that is not a plain address. */
const PUBLIC = "1.1.1.1 8.8.8.8 93.184.216.34 172.15.255.255 172.32.0.0 2606:4700::1111";
const CARRYING = "::ffff:10.0.0.1 ::10.0.0.1 2002:a00:1:: 2001:0:1::1 64:ff9b::a00:1";
const NO_ADDRESS = "example.com 010.8.8.8 0x8.8.8.8 8.8.8 134744072 2606:4700::1%eth0 8.8.8.8/8";

Deno.test("isPublicAddress accepts public addresses, no v6 form that carries a private one, and no other text", () => {
  for (const text of PUBLIC.split(" ")) assert.equal(isPublicAddress(text), true, text);
  for (const text of `${CARRYING} ${NO_ADDRESS}`.split(" ").concat("")) {
    assert.equal(isPublicAddress(text), false, text);
  }
});
