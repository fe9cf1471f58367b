import type { ProxyHeader } from '../http1/exchange.ts';

/** What the first bytes of a connection say about a PROXY protocol header (HAProxy's specification, versions 1 and 2). */
export type ProxyHeaderReading =
  | { readonly outcome: 'incomplete' }
  | { readonly outcome: 'invalid'; readonly reason: string }
  | { readonly outcome: 'read'; readonly header: ProxyHeader; readonly length: number };

const V1_START = Buffer.from('PROXY ');
const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V1_MAX_BYTES = 107;
const V2_HEAD_BYTES = 16;
// Room for TLVs (authority, TLS details); anything larger is no honest header.
const V2_MAX_BYTES = 4096;

export function readProxyHeader(bytes: Buffer): ProxyHeaderReading {
  if (startsAlike(bytes, V2_SIGNATURE)) {
    return bytes.length < V2_HEAD_BYTES ? { outcome: 'incomplete' } : readVersion2(bytes);
  }
  if (startsAlike(bytes, V1_START)) {
    return bytes.length < V1_START.length ? { outcome: 'incomplete' } : readVersion1(bytes);
  }
  return { outcome: 'invalid', reason: 'the connection does not start with a PROXY protocol header' };
}

function startsAlike(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length);
  return bytes.compare(signature, 0, length, 0, length) === 0;
}

function readVersion1(bytes: Buffer): ProxyHeaderReading {
  const end = bytes.subarray(0, V1_MAX_BYTES).indexOf('\r\n');
  if (end < 0) {
    return bytes.length < V1_MAX_BYTES
      ? { outcome: 'incomplete' }
      : invalid('the version 1 line is too long');
  }
  const words = bytes.toString('latin1', 0, end).split(' ');
  const length = end + 2;
  if (words[1] === 'UNKNOWN') return { outcome: 'read', header: localHeader(1), length };
  const [, family, source, destination, sourcePort, destinationPort, ...rest] = words;
  const ports = [sourcePort, destinationPort].map(Number);
  const isWhole = (family === 'TCP4' || family === 'TCP6') && source && destination && rest.length === 0;
  if (!isWhole || !ports.every((port) => Number.isInteger(port) && port >= 0 && port <= 65535)) {
    return invalid('the version 1 line is malformed');
  }
  const header: ProxyHeader = {
    version: 1,
    command: 'PROXY',
    sourceAddress: source,
    sourcePort: ports[0]!,
    destinationAddress: destination,
    destinationPort: ports[1]!,
  };
  return { outcome: 'read', header, length };
}

function readVersion2(bytes: Buffer): ProxyHeaderReading {
  const versionAndCommand = bytes[12]!;
  if (versionAndCommand >> 4 !== 2) return invalid('the version is not 2');
  const command = versionAndCommand & 0x0f;
  if (command > 1) return invalid('the command is neither LOCAL nor PROXY');
  const length = V2_HEAD_BYTES + bytes.readUInt16BE(14);
  if (length > V2_MAX_BYTES) return invalid('the version 2 header is too long');
  if (bytes.length < length) return { outcome: 'incomplete' };
  const addressBytes = { 1: 4, 2: 16 }[bytes[13]! >> 4];
  if (command === 0 || addressBytes === undefined) return { outcome: 'read', header: localHeader(2), length };
  if (length < V2_HEAD_BYTES + 2 * addressBytes + 4) return invalid('the addresses are cut short');
  const portsAt = V2_HEAD_BYTES + 2 * addressBytes;
  const header: ProxyHeader = {
    version: 2,
    command: 'PROXY',
    sourceAddress: addressText(bytes.subarray(V2_HEAD_BYTES, V2_HEAD_BYTES + addressBytes)),
    sourcePort: bytes.readUInt16BE(portsAt),
    destinationAddress: addressText(bytes.subarray(V2_HEAD_BYTES + addressBytes, portsAt)),
    destinationPort: bytes.readUInt16BE(portsAt + 2),
  };
  return { outcome: 'read', header, length };
}

/** The proxy speaks for itself (a health check, say) or does not know the client. */
function localHeader(version: 1 | 2): ProxyHeader {
  return {
    version,
    command: 'LOCAL',
    sourceAddress: '',
    sourcePort: 0,
    destinationAddress: '',
    destinationPort: 0,
  };
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

function invalid(reason: string): ProxyHeaderReading {
  return { outcome: 'invalid', reason };
}
