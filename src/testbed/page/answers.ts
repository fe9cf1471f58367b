import type { PlainAnswer } from '../../kernel/catalogue/answer.ts';
import { encodeWhole } from '../content/codings.ts';
import { chooseCoding } from '../content/negotiation.ts';
import { rangedAnswer } from '../content/ranged.ts';
import type { TestbedCall } from '../endpoint.ts';

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
