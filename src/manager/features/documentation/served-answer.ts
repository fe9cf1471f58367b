import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../../kernel/catalogue/request-view.ts';

const compress = promisify(gzip);

/** A document with a validator, compressed for clients that take it, and not sent at all to those that have it. */
export async function servedAnswer(
  { headers }: RequestView,
  content: string | Uint8Array,
  contentType: string,
  fields: readonly string[],
): Promise<PlainAnswer> {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '');
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  const etag = `"${digest}${takesGzip ? '-gzip' : ''}"`;
  const common = ['ETag', etag, 'Vary', 'Accept-Encoding', ...fields];
  if (headers.get('if-none-match')?.includes(etag)) return reply.empty(304, common);
  if (!takesGzip) return reply.bytes(content, contentType, { headers: common });
  const options = { headers: ['Content-Encoding', 'gzip', ...common] };
  return reply.bytes(await compress(content), contentType, options);
}
