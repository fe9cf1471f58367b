import { createHash } from 'node:crypto';
import type { BodyWriter, RequestBody } from '../../http1/exchange.ts';
import { atMost } from './bounded-body.ts';
import { integrityHeadersOf } from './integrity.ts';

export interface EchoOptions {
  readonly maxBytes: number;
  /** Whether the digest follows as trailers, which need chunks or HTTP/2. */
  readonly sendsDigest: boolean;
}

/**
 * Sends a request body back while it arrives. Reading never waits for writing: many clients read no answer
 * before they have sent everything, and both sides would wait for each other for ever. What such a client
 * leaves unread is kept here, at most `maxBytes`; one that reads while it sends costs no memory.
 */
export async function echoBody(body: RequestBody, out: BodyWriter, options: EchoOptions): Promise<void> {
  const hash = createHash('sha256');
  let lastWrite: Promise<void> = Promise.resolve();
  let failure: unknown;
  let unsentBytes = 0;
  for await (const chunk of atMost(body, options.maxBytes)) {
    hash.update(chunk);
    unsentBytes += chunk.length;
    body.keeps(unsentBytes);
    lastWrite = lastWrite.then(async () => {
      await out.write(chunk);
      unsentBytes -= chunk.length;
    });
    lastWrite.catch((error: unknown) => {
      failure ??= error;
    });
    if (failure) throw failure;
  }
  await lastWrite;
  await out.end(options.sendsDigest ? integrityHeadersOf(hash.digest()) : undefined);
}
