import type { TestbedCall } from '../endpoint.ts';
import { bodyExpectations } from './body-expectations.ts';
import { listOf, type Verdict, verdictOf } from './check.ts';
import { type Arrival, type Expectation, judge, type NotAsked, readArrival } from './expectation.ts';
import { presentFields } from './forwarding.ts';
import { headerExpectations } from './header-expectations.ts';
import { hopByHopCheck, hopByHopFields } from './hop-by-hop.ts';
import { requestExpectations } from './request-expectations.ts';
import { odditiesOf } from './target-changes.ts';

/** Everything a client may say about its request, in the order of the answer. */
export const expectations: readonly Expectation[] = [
  ...requestExpectations,
  ...headerExpectations,
  ...bodyExpectations,
];

export interface ProxyVerdict extends Verdict {
  /** Checks that were left out because their field was not sent. */
  readonly notAsked: readonly NotAsked[];
  readonly observed: ReturnType<typeof observe>;
}

/** What changed between the client and us: hop-by-hop fields always, all else as the client asks. */
export async function proxyVerdict(call: TestbedCall): Promise<ProxyVerdict> {
  const arrival = await readArrival(call);
  const toBeRemoved = listOf(arrival.headers.get('x-expect-removed') ?? '');
  const hopByHop = hopByHopFields(call.exchange.head, toBeRemoved).map(hopByHopCheck);
  const { checks, notAsked } = judge(expectations, arrival);
  return { ...verdictOf([...hopByHop, ...checks]), notAsked, observed: observe(arrival) };
}

function observe({ call, headers, trailers, body }: Arrival) {
  const { exchange, request } = call;
  return {
    method: request.method,
    target: request.target,
    version: exchange.head.version,
    host: request.authority,
    oddities: odditiesOf(request.rawPath),
    headers: [...headers.pairs()],
    forwarding: presentFields(headers),
    body: {
      length: body.length,
      sha256: body.byAlgorithm.get('sha-256')!.toString('hex'),
      framing: exchange.body.framing,
      declaredLength: exchange.body.declaredLength ?? null,
      chunkSizes: exchange.body.chunkSizes,
    },
    trailers: [...trailers.pairs()],
    connection: { id: exchange.connection.id, requestNo: exchange.requestNo },
  };
}
