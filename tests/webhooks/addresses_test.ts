import assert from "node:assert/strict";
import ipaddr from "ipaddr.js";
import { isPublicAddress, REFUSED_BLOCKS } from "../../supabase/functions/_shared/webhooks/addresses.ts";

/** The address as a number and back, so that its neighbours can be named. */
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

for (const [block, why] of REFUSED_BLOCKS) {
  Deno.test(`isPublicAddress refuses ${block} (${why}) from its first address to its last`, () => {
    const [address, bits] = ipaddr.parseCIDR(block);
    const bytes = address.toByteArray().length;
    const size = 1n << BigInt(8 * bytes - bits);
    const first = toNumber(address.toString());
    assert.equal(first % size, 0n, "the block begins where its mask says");

    for (const number of [first, first + size / 2n, first + size - 1n]) {
      assert.equal(isPublicAddress(toText(number, bytes)), false, toText(number, bytes));
    }
    for (const number of [first - 1n, first + size]) {
      if (number < 0n || number >= 1n << BigInt(8 * bytes)) continue;
      const neighbour = toText(number, bytes);
      const refusedByAnother = REFUSED_BLOCKS.some(([other]) => {
        const [range, otherBits] = ipaddr.parseCIDR(other);
        return range.kind() === address.kind() && ipaddr.parse(neighbour).match(range, otherBits);
      });
      assert.equal(isPublicAddress(neighbour), !refusedByAnother, neighbour);
    }
  });
}

Deno.test("isPublicAddress accepts addresses of the public internet", () => {
  for (
    const text of ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "2606:4700::1111"]
  ) {
    assert.equal(isPublicAddress(text), true, text);
  }
});

Deno.test("isPublicAddress refuses every v6 form that carries a private v4 address", () => {
  for (const text of ["::ffff:10.0.0.1", "::10.0.0.1", "2002:a00:1::", "2001:0:1::1", "64:ff9b::a00:1"]) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

Deno.test("isPublicAddress refuses what is not one plain address", () => {
  for (
    const text of [
      "",
      "example.com",
      "010.8.8.8",
      "0x8.8.8.8",
      "8.8.8",
      "134744072",
      "2606:4700::1%eth0",
      "8.8.8.8/8",
    ]
  ) {
    assert.equal(isPublicAddress(text), false, text);
  }
});
