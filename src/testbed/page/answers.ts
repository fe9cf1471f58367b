import type { PlainAnswer } from '../../kernel/catalogue/answer.ts';
import { encodeWhole } from '../content/codings.ts';
import { chooseCoding } from '../content/negotiation.ts';
import { rangedAnswer } from '../content/ranged.ts';
import type { TestbedCall } from '../endpoint.ts';

/** Nothing but the files of this service: no inline code, no frames, no other origin. Pictures of answers are blobs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  PAGE_POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
];

/** Content with a validator, compressed for clients that take it. */
export async function documentAnswer(
  call: TestbedCall,
  content: string | Uint8Array,
  contentType: string,
  headers: readonly string[],
): Promise<PlainAnswer> {
  const { chosen = 'identity' } = chooseCoding(call.request.headers.get('accept-encoding'), [
    'gzip',
    'identity',
  ]);
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const coded = chosen === 'gzip' ? await encodeWhole('gzip', bytes) : bytes;
  const coding = chosen === 'gzip' ? ['Content-Encoding', 'gzip'] : [];
  return rangedAnswer(call, coded, { contentType, headers: [...coding, ...headers] });
}

/** Where the client reaches the service. A Host field that is no plain name is not repeated into the page. */
export function baseUrlOf({ request }: TestbedCall): string {
  const authority = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(request.authority)
    ? request.authority
    : 'localhost';
  return `${request.scheme}://${authority}`;
}
