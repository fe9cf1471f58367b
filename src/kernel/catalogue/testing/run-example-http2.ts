import assert from 'node:assert/strict';
import { HeaderList } from '../../../http1/header-list.ts';
import { connectHttp2, http2Request } from '../../testing/http2-client.ts';
import type { Endpoint, Example, ExampleRequest, Expectation } from '../endpoint.ts';
import { methodOf, targetOf } from './example-bytes.ts';
import { brokenExpectations } from './expectations.ts';

type Entry = Pick<Endpoint<never>, 'id' | 'methods' | 'path'>;

/** Fields that mean something for one HTTP/1.1 connection only; HTTP/2 has none of them (RFC 9113 §8.2.2). */
const HTTP1_FIELDS = new Set([
  'connection',
  'upgrade',
  'transfer-encoding',
  'keep-alive',
  'proxy-connection',
]);

/** Whether the example can be sent over HTTP/2 at all. */
export function fitsHttp2(entry: Entry, example: Example): boolean {
  return [example, ...(example.setUp ?? [])].every((request) => !needsHttp1(entry, request));
}

/**
 * Runs one example over HTTP/2 with prior knowledge and fails with everything that did not hold. An example that looks
 * at the bare wire may be answered by 505 instead: the answer it wants exists on HTTP/1.1 only.
 */
export async function runExampleOverHttp2(port: number, entry: Entry, example: Example): Promise<void> {
  const authority = `127.0.0.1:${port}`;
  const session = connectHttp2(port);
  const ask = (request: ExampleRequest) =>
    http2Request(session, authority, {
      method: methodOf(entry, request),
      target: targetOf(entry, request),
      headers: request.headers ?? [],
      body: request.body === undefined ? undefined : bytesOf(request.body),
    });
  try {
    for (const request of example.setUp ?? []) await ask(request);
    const answer = await ask(example);
    const { wire, ends } = example.expect;
    const looksAtWire = wire !== undefined || ends !== undefined;
    if (looksAtWire && answer.status === 505) return;
    const broken = brokenExpectations(withoutWire(example.expect), answer);
    const shown = answer.body.toString('latin1', 0, 1000);
    assert.deepEqual(
      broken,
      [],
      `${entry.id}, example "${example.name}", answered ${answer.status}: ${shown}`,
    );
  } finally {
    session.destroy();
  }
}

function withoutWire({ wire: _wire, ends: _ends, headers = {}, ...expect }: Expectation): Expectation {
  const kept = Object.entries(headers).filter(([name]) => !HTTP1_FIELDS.has(name));
  return { ...expect, headers: Object.fromEntries(kept) };
}

function needsHttp1(entry: Entry, { headers = [], ...request }: ExampleRequest): boolean {
  if (request.upgraded !== undefined || !targetOf(entry, request).startsWith('/')) return true;
  const fields = new HeaderList(headers);
  if ([...fields.pairs()].some(([name]) => HTTP1_FIELDS.has(name.toLowerCase()))) return true;
  if (fields.has('te') && fields.get('te') !== 'trailers') return true;
  // HTTP/2 frames the body by itself, so a length that is not the truth makes a request malformed.
  const declaredLength = fields.first('content-length');
  return declaredLength !== undefined && Number(declaredLength) !== bytesOf(request.body).length;
}

function bytesOf(body: string | Uint8Array = ''): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
