import ipaddr from "ipaddr.js";

/**
 * Every address block that a delivery must not reach: IANA's special-purpose registries (v4 and v6), and multicast and
 * deprecated blocks from other registries. Also blocks marked "globally reachable" (AS112, AMT, PCP anycast): they
 * serve the network's infrastructure, and no receiver has an address in them.
 *
 * In v6 only 2000::/3 is public, because IANA assigns global unicast addresses nowhere else. Blocks that embed v4
 * addresses are refused, because every public receiver has a plain v4 or v6 address.
 */
export const REFUSED_BLOCKS = [
  ["0.0.0.0/8", "this network, RFC 791"],
  ["10.0.0.0/8", "private, RFC 1918"],
  ["100.64.0.0/10", "carrier-grade NAT, RFC 6598"],
  ["127.0.0.0/8", "loopback, RFC 1122"],
  ["168.63.129.16/32", "the host agent of Azure: a public address with an internal use"],
  ["169.254.0.0/16", "link-local and cloud metadata, RFC 3927"],
  ["172.16.0.0/12", "private, RFC 1918"],
  ["192.0.0.0/24", "protocol assignments, RFC 6890"],
  ["192.0.2.0/24", "documentation, RFC 5737"],
  ["192.31.196.0/24", "AS112, RFC 7535"],
  ["192.52.193.0/24", "AMT, RFC 7450"],
  ["192.88.99.0/24", "6to4 relay, RFC 7526"],
  ["192.168.0.0/16", "private, RFC 1918"],
  ["192.175.48.0/24", "AS112, RFC 7534"],
  ["198.18.0.0/15", "benchmarking, RFC 2544"],
  ["198.51.100.0/24", "documentation, RFC 5737"],
  ["203.0.113.0/24", "documentation, RFC 5737"],
  ["224.0.0.0/4", "multicast, RFC 5771"],
  ["240.0.0.0/4", "reserved and broadcast, RFC 1112"],
  ["::/3", "v6 outside 2000::/3, RFC 4291: unspecified, loopback, v4-mapped, NAT64, discard-only"],
  ["2001::/23", "protocol assignments and Teredo, RFC 2928, RFC 4380"],
  ["2001:db8::/32", "documentation, RFC 3849"],
  ["2002::/16", "6to4, RFC 3056"],
  ["2620:4f:8000::/48", "AS112, RFC 7534"],
  ["3fff::/20", "documentation, RFC 9637"],
  ["4000::/2", "v6 outside 2000::/3, RFC 4291: unassigned, segment routing"],
  ["8000::/1", "v6 outside 2000::/3, RFC 4291: unassigned, unique local, link-local, site-local, multicast"],
] as const;

const REFUSED = REFUSED_BLOCKS.map(([block]) => ipaddr.parseCIDR(block));

/**
 * Whether `text` is a plain v4 or v6 address on the public internet. An address with a zone (`fe80::1%eth0`) or with
 * octal numbers is not plain.
 */
export function isPublicAddress(text: string): boolean {
  const plain = ipaddr.IPv4.isValidFourPartDecimal(text) ||
    (ipaddr.IPv6.isValid(text) && !text.includes("%"));
  if (!plain) return false;
  const address = ipaddr.parse(text);
  return !REFUSED.some(([block, bits]) => block.kind() === address.kind() && address.match(block, bits));
}
