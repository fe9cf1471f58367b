import { contentTypeOf, parametersOf } from '../content/charsets.ts';
import { sha256Hex } from '../content/integrity.ts';
import { type BodyPart, boundaryOf, readMultipart } from '../content/multipart-reader.ts';
import type { TestbedCall } from '../endpoint.ts';
import { readDecodedBody } from './decoded-body.ts';
import { pairsOf, showContent } from './proxy-echo.ts';

/** The parts of a multipart request body in their order; a Content-Encoding of the whole is undone first. */
export async function echoMultipart(call: TestbedCall) {
  const contentType = call.request.headers.first('content-type');
  const boundary = boundaryOf(contentType);
  const { decoded, codings } = await readDecodedBody(call);
  const parts = readMultipart(decoded, boundary, call.services.settings.limits);
  return {
    type: contentTypeOf(contentType).type,
    boundary,
    contentEncoding: codings,
    length: decoded.length,
    parts: parts.map(describePart),
  };
}

function describePart({ headers, content }: BodyPart, index: number) {
  const pairs = pairsOf(headers);
  const field = (lowerName: string) => pairs.find(([name]) => name.toLowerCase() === lowerName)?.[1];
  const disposition = field('content-disposition') ?? '';
  const dispositionEnd = disposition.indexOf(';');
  const params = dispositionEnd < 0 ? new Map<string, string>() : parametersOf(disposition, dispositionEnd);
  const contentType = field('content-type') ?? null;
  const charset = contentTypeOf(contentType ?? undefined).charset ?? null;
  return {
    index,
    headers: pairs,
    name: params.get('name') ?? null,
    filename: extendedValue(params.get('filename*')) ?? params.get('filename') ?? null,
    contentType,
    length: content.length,
    sha256: sha256Hex(content),
    ...showContent(content, charset),
  };
}

/** RFC 8187: `UTF-8'language'percent-encoded`. Undefined when it is none of that. */
function extendedValue(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // RFC 8187 §3.2.1: a value that cannot be decoded is ignored, and the plain parameter counts.
    return undefined;
  }
}
