import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../../kernel/catalogue/request-view.ts';
import type { ServedText } from './descriptions.ts';

/** A text that was made before, compressed where the client takes that, and not at all where it has it already. */
export function servedAnswer(
  { headers }: RequestView,
  { bytes, gzipped, etag }: ServedText,
  contentType: string,
): PlainAnswer {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers.get('accept-encoding') ?? '');
  const tag = takesGzip ? `${etag.slice(0, -1)}-gzip"` : etag;
  const fields = ['ETag', tag, 'Vary', 'Accept-Encoding', 'Cache-Control', 'no-cache'];
  if (headers.get('if-none-match')?.includes(tag)) return reply.empty(304, fields);
  return takesGzip
    ? reply.bytes(gzipped, contentType, { headers: ['Content-Encoding', 'gzip', ...fields] })
    : reply.bytes(bytes, contentType, { headers: fields });
}
