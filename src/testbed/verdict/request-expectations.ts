import { type RequestView, splitTarget } from '../../kernel/catalogue/request-view.ts';
import { type Check, listOf } from './check.ts';
import { type Arrival, badExpectation, type Expectation, equalityCheck } from './expectation.ts';
import { presentFields } from './forwarding.ts';
import { explainPath, explainQuery } from './target-changes.ts';

/** What may become of the request line, the authority and the fields that tell of proxies. */
export const requestExpectations: readonly Expectation[] = [
  {
    id: 'method',
    header: 'X-Expect-Method',
    description: 'The method that was sent.',
    judge: (expected, { call }) =>
      equalityCheck(
        'method',
        expected,
        call.request.method,
        'RFC 9110 §9.1: methods are case-sensitive and kept.',
      ),
  },
  {
    id: 'target',
    header: 'X-Expect-Target',
    description: 'The request target that was sent, byte for byte. Path and query are judged apart.',
    judge: (expected, { call }) => targetChecks(expected, call.request),
  },
  {
    id: 'host',
    header: 'X-Expect-Host',
    description: 'The authority that was sent.',
    judge: (expected, { call }) =>
      equalityCheck(
        'host',
        expected,
        call.request.authority,
        'RFC 9112 §3.2.2: a proxy sends the Host of the target; gateways differ, so expect what yours is told to do.',
      ),
  },
  {
    id: 'version',
    header: 'X-Expect-Version',
    description: 'The HTTP version the last hop should speak: `1.0`, `1.1` or `2`.',
    judge: (expected, { call }) =>
      equalityCheck(
        'version',
        expected,
        call.exchange.head.version,
        'RFC 9110 §2.5: an intermediary sends its own version.',
      ),
  },
  {
    id: 'forwarding',
    header: 'X-Expect-Forwarded',
    description:
      'Names of the forwarding fields that must have been added, or `none` when there may be none.',
    judge: (expected, arrival) => forwardingChecks(expected, arrival),
  },
  {
    id: 'expect.continue',
    header: 'X-Expect-Continue',
    description:
      '`forwarded` when `Expect: 100-continue` must reach the backend, `answered` when the proxy must.',
    judge: (expected, { headers }) => {
      if (expected !== 'forwarded' && expected !== 'answered') {
        throw badExpectation('X-Expect-Continue', 'must be forwarded or answered');
      }
      const seen = headers.get('expect')?.toLowerCase() === '100-continue' ? 'forwarded' : 'answered';
      return equalityCheck(
        'expect.continue',
        expected,
        seen,
        'RFC 9110 §10.1.1: a proxy forwards the expectation unless it knows the next hop cannot meet it.',
      );
    },
  },
  {
    id: 'te',
    header: 'X-Expect-Te',
    description: 'The TE field that must arrive, such as `trailers` (gRPC needs it).',
    judge: (expected, { headers }) =>
      equalityCheck(
        'te',
        expected,
        headers.get('te') ?? null,
        'RFC 9110 §10.1.4: TE is hop-by-hop, so the proxy must have sent its own.',
      ),
  },
];

/** Compares path and query, each apart, so that it can be said what was done to which. */
export function targetChecks(expected: string, { rawPath, rawQuery }: RequestView): Check[] {
  const sent = splitTarget(expected);
  return [
    {
      id: 'target.path',
      ok: sent.rawPath === rawPath,
      expected: sent.rawPath,
      seen: rawPath,
      why:
        explainPath(sent.rawPath, rawPath) ??
        'RFC 9110 §7.6 and RFC 3986 §6: the path reached the backend as sent.',
    },
    {
      id: 'target.query',
      ok: sent.rawQuery === rawQuery,
      expected: sent.rawQuery ?? null,
      seen: rawQuery ?? null,
      why: explainQuery(sent.rawQuery, rawQuery) ?? 'The query reached the backend as sent.',
    },
  ];
}

function forwardingChecks(expected: string, { headers }: Arrival): Check[] {
  const present = presentFields(headers);
  if (expected.trim().toLowerCase() === 'none') {
    const seen = Object.keys(present);
    const why = 'The client wants no sign of a proxy in between.';
    return [{ id: 'forwarding.none', ok: seen.length === 0, expected: [], seen, why }];
  }
  return listOf(expected.toLowerCase()).map((name) => ({
    id: `forwarding.${name}`,
    ok: headers.has(name),
    expected: 'present',
    seen: headers.get(name) ?? null,
    why:
      name === 'via'
        ? 'RFC 9110 §7.6.3: a proxy or gateway must add itself to Via in the requests it forwards.'
        : 'The client expects the hop to add it.',
  }));
}
