import { createHash } from 'node:crypto';
import type { BodyWriter, RequestBody } from '../../http1/exchange.ts';
import { fault } from '../../kernel/faults.ts';
import { integrityHeadersOf } from './integrity.ts';

/**
 * Sends a request body back while it arrives. Reading never waits for writing: many clients read no answer
 * before they have sent everything, and both sides would wait for each other for ever. What such a client
 * leaves unread is held here, at most `maxBytes`; one that reads while it sends costs no memory.
 */
export async function echoBody(body: RequestBody, out: BodyWriter, maxBytes: number): Promise<void> {
  const hash = createHash('sha256');
  let length = 0;
  let lastWrite: Promise<void> = Promise.resolve();
  let failure: unknown;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw fault('body.too-large', { maxBytes });
    hash.update(chunk);
    // The engine may reuse nothing of a chunk it handed out, so it can wait in the chain without a copy.
    lastWrite = lastWrite.then(() => out.write(chunk));
    lastWrite.catch((error: unknown) => {
      failure ??= error;
    });
    if (failure) throw failure;
  }
  await lastWrite;
  const hasTrailers = body.declaredLength === undefined;
  await out.end(hasTrailers ? integrityHeadersOf(hash.digest()) : undefined);
}
