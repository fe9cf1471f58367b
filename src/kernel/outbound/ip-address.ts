import { isIPv4, isIPv6 } from 'node:net';

const IPV6_GROUPS = 8;

/** The 4 or 16 bytes of an address, or undefined when the text is none. A zone (`%eth0`) does not count. */
export function addressBytes(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  const [withoutZone = ''] = address.split('%');
  return isIPv6(withoutZone) ? ipv6Bytes(withoutZone) : undefined;
}

function ipv6Bytes(address: string): Uint8Array {
  const [front = '', back] = withGroupsOnly(address).split('::');
  const frontGroups = groupsOf(front);
  const backGroups = groupsOf(back ?? '');
  const bytes = new Uint8Array(IPV6_GROUPS * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, group] of frontGroups.entries()) view.setUint16(index * 2, group);
  const backStart = IPV6_GROUPS - backGroups.length;
  for (const [index, group] of backGroups.entries()) view.setUint16((backStart + index) * 2, group);
  return bytes;
}

/** `::ffff:192.0.2.1` has its last two groups in the other notation. */
function withGroupsOnly(address: string): string {
  const start = address.lastIndexOf(':') + 1;
  const last = address.slice(start);
  if (!last.includes('.')) return address;
  const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number);
  return `${address.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** A range of addresses of one family. */
export interface AddressRange {
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

/** Reads `10.0.0.0/8` or `fc00::/7`. */
export function addressRange(text: string): AddressRange {
  const [address = '', prefix = ''] = text.split('/');
  const bytes = addressBytes(address);
  const prefixBits = Number(prefix);
  if (bytes === undefined || prefix === '' || !(prefixBits >= 0 && prefixBits <= bytes.length * 8)) {
    throw new Error(`${text} is no range of addresses`);
  }
  return { bytes, prefixBits };
}

export function isInRange(address: Uint8Array, { bytes, prefixBits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false;
  const wholeBytes = prefixBits >> 3;
  for (let index = 0; index < wholeBytes; index++) if (address[index] !== bytes[index]) return false;
  const restBits = prefixBits & 7;
  if (restBits === 0) return true;
  const mask = (0xff << (8 - restBits)) & 0xff;
  return (address[wholeBytes]! & mask) === (bytes[wholeBytes]! & mask);
}
