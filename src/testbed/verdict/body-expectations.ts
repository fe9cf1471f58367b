import { expectedDigests } from '../content/body-digest.ts';
import { type Check, listOf } from './check.ts';
import { type Arrival, badExpectation, type Expectation, equalityCheck } from './expectation.ts';
import { digestCheck } from './verify-body.ts';

/** What may become of the content, its framing and its trailers. */
export const bodyExpectations: readonly Expectation[] = [
  {
    id: 'body.sha-256',
    header: 'X-Expect-Sha256',
    description: 'SHA-256 of the content as sent, in hex.',
    judge: (_, arrival) => digestChecks('x-expect-sha256', arrival),
  },
  {
    id: 'body.content-digest',
    header: 'Content-Digest',
    description: 'Digests of the content as RFC 9530 writes them; sha-256 and sha-512 are compared.',
    judge: (_, arrival) => digestChecks('content-digest', arrival),
  },
  {
    id: 'body.length',
    header: 'X-Expect-Length',
    description: 'Bytes of content that were sent.',
    judge: (expected, { body }) => {
      if (!/^\d+$/.test(expected)) throw badExpectation('X-Expect-Length', 'must be a number of bytes');
      return equalityCheck('body.length', Number(expected), body.length, 'No byte may be lost or added.');
    },
  },
  {
    id: 'body.framing',
    header: 'X-Expect-Framing',
    description: 'How the content was framed: `length`, `chunked`, `stream` (HTTP/2) or `none`.',
    judge: (expected, { call }) => {
      const seen = call.exchange.body.framing;
      return equalityCheck('body.framing', expected, seen, framingWhy(expected, seen));
    },
  },
  {
    id: 'body.chunks',
    header: 'X-Expect-Chunks',
    description: 'Sizes of the chunks that were sent, such as `5, 5, 3`.',
    judge: (expected, { call }) => {
      const sent = listOf(expected).map(Number);
      if (sent.some((size) => !Number.isSafeInteger(size))) {
        throw badExpectation('X-Expect-Chunks', 'must be a list of chunk sizes');
      }
      const seen = [...call.exchange.body.chunkSizes];
      return {
        id: 'body.chunks',
        ok: sent.length === seen.length && sent.every((size, index) => size === seen[index]),
        expected: sent,
        seen,
        why: 'RFC 9112 §7.1: chunk borders mean nothing and may change; it shows buffering and rechunking.',
      };
    },
  },
  {
    id: 'trailers',
    header: 'X-Expect-Trailers',
    description: 'Names of the trailer fields that were sent after the content.',
    judge: (expected, arrival) => trailerChecks(expected, arrival),
  },
];

function digestChecks(field: string, { headers, body }: Arrival): Check[] {
  return expectedDigests(headers)
    .filter((expectation) => expectation.field === field)
    .map((expectation) => ({ ...digestCheck(body, expectation), id: idOf(field, expectation.algorithm) }));
}

/** Both fields may speak of SHA-256, and ids are unique within a verdict. */
function idOf(field: string, algorithm: string): string {
  return field === 'content-digest' ? `body.content-digest.${algorithm}` : `body.${algorithm}`;
}

function framingWhy(expected: string, seen: string): string {
  if (expected === 'chunked' && seen === 'length')
    return 'The proxy read the whole body and gave it a length.';
  if (expected === 'length' && seen === 'chunked')
    return 'The proxy sends chunks where a length was declared.';
  if (expected === 'none' && seen !== 'none') return 'The proxy framed a body where there was none.';
  return 'RFC 9112 §6: framing belongs to one connection; a streaming proxy keeps it.';
}

function trailerChecks(expected: string, { headers, trailers }: Arrival): Check[] {
  const names = listOf(expected.toLowerCase());
  const announced = listOf((headers.get('trailer') ?? '').toLowerCase());
  return [
    {
      id: 'trailers.fields',
      ok: names.every((name) => trailers.has(name)),
      expected: names,
      seen: names.filter((name) => trailers.has(name)),
      why: 'RFC 9110 §6.5.1: an intermediary may drop trailers, and most do.',
    },
    {
      id: 'trailers.announced',
      ok: names.every((name) => announced.includes(name)),
      expected: names,
      seen: announced,
      why: 'RFC 9110 §6.6.2: Trailer names the fields that follow the content.',
    },
    {
      id: 'trailers.not-merged',
      ok: !names.some((name) => headers.has(name)),
      expected: [],
      seen: names.filter((name) => headers.has(name)),
      why: 'RFC 9110 §6.5.1: trailers must not be merged into the header section unless their definition allows it.',
    },
  ];
}
