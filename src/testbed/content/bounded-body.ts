import type { RequestBody } from '../../http1/exchange.ts';
import { fault } from '../../kernel/faults.ts';

/** The chunks of a body that may not be larger; one that declares too much is refused before it is sent. */
export async function* atMost(body: RequestBody, maxBytes: number): AsyncGenerator<Buffer> {
  if ((body.declaredLength ?? 0) > maxBytes) throw fault('body.too-large', { maxBytes });
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw fault('body.too-large', { maxBytes });
    yield chunk;
  }
}

/** Reads a body to its end, keeps nothing, and tells its length. */
export async function drainBody(body: RequestBody, maxBytes: number): Promise<number> {
  let length = 0;
  for await (const chunk of atMost(body, maxBytes)) length += chunk.length;
  return length;
}
