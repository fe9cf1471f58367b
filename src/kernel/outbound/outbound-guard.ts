import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressSource } from '../../http1/client/client-options.ts';
import { addressBytes, addressRange, isInRange } from './ip-address.ts';

export interface OutboundGuardOptions {
  /** Whether private addresses may be called; loopback counts as private. Log collectors live there, so they may. */
  readonly allowsPrivate?: boolean;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
}

/** Never called: whoever reaches them from here gets the machine's own credentials, or no host at all. */
const neverCalled = [
  '169.254.0.0/16', // link-local, with the metadata services of most clouds
  'fe80::/10', // link-local
  'fd00:ec2::/32', // metadata of AWS
  'fd20:ce::254/128', // metadata of Google Cloud
  '100.100.100.200/32', // metadata of Alibaba Cloud
  '168.63.129.16/32', // the platform's address in Azure
  '192.0.0.192/32', // metadata of older Oracle Cloud
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  'ff00::/8', // multicast
].map(addressRange);

/** Everything that is not the public Internet (the registries of RFC 6890). */
const privateRanges = [
  '0.0.0.0/8', // this host: a connection to 0.0.0.0 reaches the loopback
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '::/128',
  '::1/128',
  '100::/64', // discard
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fec0::/10', // site-local, deprecated
].map(addressRange);

/**
 * Decides at connect time which addresses are called. It sees the address that is really used, so a name that resolves
 * to something else the second time (DNS rebinding) gains nothing. What cannot be read is refused.
 */
export function outboundGuard(options: OutboundGuardOptions = {}): AddressSource {
  const { allowsPrivate = true, lookup = systemLookup as LookupFunction } = options;
  const refused = allowsPrivate ? neverCalled : [...neverCalled, ...privateRanges];
  return {
    lookup,
    refuses: (address) => {
      const bytes = addressBytes(address);
      if (bytes === undefined) return true;
      const all = [bytes, ...embeddedAddresses(bytes)];
      return all.some((each) => refused.some((range) => isInRange(each, range)));
    },
  };
}

/** Where IPv6 addresses carry an IPv4 address, as the position of its bytes. */
const embeddings: readonly { readonly range: string; readonly at: readonly number[] }[] = [
  { range: '::/96', at: [12, 13, 14, 15] }, // IPv4-compatible
  { range: '::ffff:0:0/96', at: [12, 13, 14, 15] }, // IPv4-mapped
  { range: '::ffff:0:0:0/96', at: [12, 13, 14, 15] }, // IPv4-translated, RFC 2765
  { range: '64:ff9b::/96', at: [12, 13, 14, 15] }, // NAT64, RFC 6052
  { range: '64:ff9b:1::/48', at: [12, 13, 14, 15] }, // local NAT64, RFC 8215, with a prefix of 96 bits
  { range: '64:ff9b:1::/48', at: [6, 7, 9, 10] }, // and with one of 48 bits
  { range: '2002::/16', at: [2, 3, 4, 5] }, // 6to4, RFC 3056
  { range: '2001::/32', at: [4, 5, 6, 7] }, // Teredo, RFC 4380: the server
];
const embeddingRanges = embeddings.map(({ range, at }) => ({ range: addressRange(range), at }));
const teredo = addressRange('2001::/32');
const HOST_OF_THIS_MACHINE = addressRange('::/127');

function embeddedAddresses(bytes: Uint8Array): Uint8Array[] {
  // `::` and `::1` are addresses of their own and carry none.
  if (bytes.length === 4 || isInRange(bytes, HOST_OF_THIS_MACHINE)) return [];
  const found = embeddingRanges
    .filter(({ range }) => isInRange(bytes, range))
    .map(({ at }) => Uint8Array.from(at, (index) => bytes[index]!));
  // Teredo hides the client's own address by inverting its bits.
  if (isInRange(bytes, teredo)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  if (isIsatap(bytes)) found.push(bytes.slice(12));
  return found;
}

/** RFC 5214 §6.1: the interface identifier is 0000:5efe or 0200:5efe with the IPv4 address behind it. */
function isIsatap(bytes: Uint8Array): boolean {
  const isFirstGroupFitting = (bytes[8]! & 0xfd) === 0 && bytes[9] === 0;
  return isFirstGroupFitting && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
