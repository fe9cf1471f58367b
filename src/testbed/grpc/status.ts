import type { HeaderPairs } from '../../http1/header-list.ts';

/** The status codes of gRPC. */
export const grpcCodes = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type GrpcCodeName = keyof typeof grpcCodes;

const names = Object.keys(grpcCodes) as GrpcCodeName[];

/** The name of a code; one that gRPC does not define is named by its number. */
export function codeName(code: number): string {
  return names[code] ?? `Code(${code})`;
}

/** A call that ends with another status than OK. */
export class GrpcError extends Error {
  readonly code: number;
  /** Trailing metadata that belongs to the status, encoded. */
  readonly trailers: HeaderPairs;

  constructor(code: number, message: string, trailers: HeaderPairs = []) {
    super(message);
    this.name = 'GrpcError';
    this.code = code;
    this.trailers = trailers;
  }
}

export function grpcError(name: GrpcCodeName, message: string, trailers: HeaderPairs = []): GrpcError {
  return new GrpcError(grpcCodes[name], message, trailers);
}

/** The trailers that end every call. */
export function statusFields(code: number, message: string): string[] {
  const fields = ['grpc-status', String(code)];
  if (message !== '') fields.push('grpc-message', percentEncoded(message));
  return fields;
}

/** grpc-message holds UTF-8; every byte that is not printable ASCII, and the percent sign, is percent-encoded. */
function percentEncoded(message: string): string {
  let encoded = '';
  for (const byte of Buffer.from(message.toWellFormed(), 'utf8')) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** How an HTTP status reads in gRPC: for our own faults, which know HTTP only. */
export function codeOfHttpStatus(status: number): number {
  switch (status) {
    case 400:
    case 415:
      return grpcCodes.INVALID_ARGUMENT;
    case 401:
      return grpcCodes.UNAUTHENTICATED;
    case 403:
      return grpcCodes.PERMISSION_DENIED;
    case 404:
      return grpcCodes.NOT_FOUND;
    case 408:
      return grpcCodes.DEADLINE_EXCEEDED;
    case 413:
    case 429:
    case 507:
      return grpcCodes.RESOURCE_EXHAUSTED;
    case 503:
      return grpcCodes.UNAVAILABLE;
    default:
      return status < 500 ? grpcCodes.FAILED_PRECONDITION : grpcCodes.INTERNAL;
  }
}
