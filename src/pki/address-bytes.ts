import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as its 4 or 16 bytes. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address) || address.includes('%')) throw new RangeError(`${address} is no IP address`);
  const [front = '', back] = withoutDottedTail(address).split('::');
  const left = groupsOf(front);
  const right = back === undefined ? [] : groupsOf(back);
  const bytes = Buffer.alloc(16);
  left.forEach((group, index) => {
    bytes.writeUInt16BE(group, index * 2);
  });
  right.forEach((group, index) => {
    bytes.writeUInt16BE(group, 16 - (right.length - index) * 2);
  });
  return bytes;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** `::ffff:192.0.2.1` with its last four bytes as two groups. */
function withoutDottedTail(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}
