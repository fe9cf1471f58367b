import type { HeaderList, HeaderPairs } from '../../http1/header-list.ts';
import { grpcError } from './status.ts';

/** One entry of metadata. Keys that end in `-bin` hold bytes, all others text. */
export type MetadataEntry = readonly [key: string, value: string | Buffer];

/** Fields of the transport itself; everything else a client sends is metadata. */
const transportFields = new Set([
  'host',
  'te',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'user-agent',
  'grpc-timeout',
  'grpc-encoding',
  'grpc-accept-encoding',
  'grpc-message-type',
]);

/** The metadata of a request in its order. One `-bin` line may hold several values, divided by commas. */
export function readMetadata(headers: HeaderList): MetadataEntry[] {
  const entries: MetadataEntry[] = [];
  for (const [name, value] of headers.pairs()) {
    const key = name.toLowerCase();
    if (transportFields.has(key)) continue;
    if (!key.endsWith('-bin')) entries.push([key, value]);
    else for (const one of value.split(',')) entries.push([key, binaryValue(key, one.trim())]);
  }
  return entries;
}

function binaryValue(key: string, encoded: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.replace(/=+$/, '').length % 4 === 1)
    throw grpcError('INTERNAL', `metadata ${key} is not base64`);
  return Buffer.from(encoded, 'base64');
}

const KEY = /^[0-9a-z_.-]+$/;
const TEXT = /^[\x20-\x7e]*$/;

/** Metadata as header fields. What gRPC has no room for is the caller's mistake. */
export function writeMetadata(entries: readonly MetadataEntry[]): HeaderPairs {
  return entries.flatMap(([key, value]) => {
    if (!KEY.test(key)) throw grpcError('INVALID_ARGUMENT', `${JSON.stringify(key)} is no metadata key`);
    if (key.startsWith('grpc-') || transportFields.has(key))
      throw grpcError('INVALID_ARGUMENT', `metadata ${key} belongs to gRPC itself`);
    if (key.endsWith('-bin')) return [key, unpadded(Buffer.from(value))];
    const text = value.toString();
    if (!TEXT.test(text))
      throw grpcError(
        'INVALID_ARGUMENT',
        `metadata ${key} holds more than printable ASCII; call it ${key}-bin`,
      );
    return [key, text];
  });
}

/** Base64 without padding, as senders of `-bin` fields should write it. */
export function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
