import { contentTypeOf } from '../content/charsets.ts';
import { decodeChain } from '../content/codings.ts';
import { sha256Hex } from '../content/integrity.ts';
import type { TestbedCall } from '../endpoint.ts';
import { showContent } from './proxy-echo.ts';

export interface DecodedBody {
  /** The codings of Content-Encoding in the order they were applied; empty when there are none. */
  readonly codings: readonly string[];
  /** The content as it came. */
  readonly raw: Buffer;
  /** The content with every coding undone. */
  readonly decoded: Buffer;
}

// Honest content shrinks by less than this. Small content may shrink more: a page of equal letters is no attack.
const MAX_RATIO = 1000;
const RATIO_FREE_BYTES = 10 * 1024 * 1024;

/** The request body, decoded by its Content-Encoding: unknown 415, corrupt 400, a bomb 413 before it is unpacked. */
export async function readDecodedBody({ exchange, request, services }: TestbedCall): Promise<DecodedBody> {
  const { maxBodyBytes, maxDecodedBytes } = services.settings.limits;
  const raw = await exchange.body.bytes(maxBodyBytes);
  const contentEncoding = request.headers.get('content-encoding');
  if (contentEncoding === undefined) return { codings: [], raw, decoded: raw };
  const maxBytes = Math.min(maxDecodedBytes, Math.max(RATIO_FREE_BYTES, raw.length * MAX_RATIO));
  const { codings, decoded } = await decodeChain(contentEncoding, raw, maxBytes);
  return { codings, raw, decoded };
}

/** A decoded body as the echo endpoints tell of it. */
export function describeDecodedBody({ codings, raw, decoded }: DecodedBody, contentType: string | undefined) {
  const charset = contentTypeOf(contentType).charset ?? null;
  return {
    contentEncoding: codings,
    rawLength: raw.length,
    rawSha256: sha256Hex(raw),
    decodedLength: decoded.length,
    decodedSha256: sha256Hex(decoded),
    charset,
    ...showContent(decoded, charset),
  };
}
