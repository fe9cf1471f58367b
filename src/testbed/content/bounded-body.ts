import type { RequestBody } from '../../http1/exchange.ts';
import { fault } from '../../kernel/faults.ts';

/** Content as it arrives; its length, where it is declared. */
type Arriving<Chunk extends Uint8Array> = AsyncIterable<Chunk> & Partial<Pick<RequestBody, 'declaredLength'>>;

/** The chunks of content that may not be larger; a body that declares too much is refused before it is sent. */
export async function* atMost<Chunk extends Uint8Array>(
  content: Arriving<Chunk>,
  maxBytes: number,
): AsyncGenerator<Chunk> {
  if ((content.declaredLength ?? 0) > maxBytes) throw fault('body.too-large', { maxBytes });
  let length = 0;
  for await (const chunk of content) {
    length += chunk.length;
    if (length > maxBytes) throw fault('body.too-large', { maxBytes });
    yield chunk;
  }
}

/** Content that is all there, for those who take it as it arrives. */
export async function* inOnePiece(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
