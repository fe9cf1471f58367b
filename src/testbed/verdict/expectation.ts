import { type TObject, Type } from 'typebox';
import { HeaderList } from '../../http1/header-list.ts';
import { type Fault, fault } from '../../kernel/faults.ts';
import { type BodyDigests, digestBody } from '../content/body-digest.ts';
import type { TestbedCall } from '../endpoint.ts';
import type { Check } from './check.ts';

/** A request that was read to its end, as the judges look at it. */
export interface Arrival {
  readonly call: TestbedCall;
  readonly headers: HeaderList;
  readonly trailers: HeaderList;
  readonly body: BodyDigests;
}

export async function readArrival(call: TestbedCall): Promise<Arrival> {
  const { exchange, request, services } = call;
  const body = await digestBody(exchange.body, request.headers, services.settings.limits.maxVerifyBytes);
  return { call, headers: request.headers, trailers: new HeaderList(exchange.body.trailers), body };
}

/** Something a client may say about the request it sent, and how it is judged on arrival. */
export interface Expectation {
  /** The ids of its checks begin with this. */
  readonly id: string;
  /** The field the client says it in. */
  readonly header: string;
  readonly description: string;
  readonly judge: (expected: string, arrival: Arrival) => Check | readonly Check[];
}

export interface NotAsked {
  readonly id: string;
  readonly header: string;
}

/** Judges what the client asked for and names what it did not ask. */
export function judge(
  expectations: readonly Expectation[],
  arrival: Arrival,
): { checks: Check[]; notAsked: NotAsked[] } {
  const checks: Check[] = [];
  const notAsked: NotAsked[] = [];
  for (const { id, header, judge } of expectations) {
    const expected = arrival.headers.get(header.toLowerCase());
    if (expected === undefined) notAsked.push({ id, header });
    else checks.push(...[judge(expected, arrival)].flat());
  }
  return { checks, notAsked };
}

/** The fields, as the OpenAPI document shows them. */
export function declareExpectations(expectations: readonly Expectation[]): TObject {
  const properties = expectations.map(({ header, description }) => [
    header.toLowerCase(),
    Type.Optional(Type.String({ description })),
  ]);
  return Type.Object(Object.fromEntries(properties));
}

/** A check of equality, the commonest of all. */
export function equalityCheck(id: string, expected: unknown, seen: unknown, why: string): Check {
  return { id, ok: expected === seen, expected, seen, why };
}

/** An expectation that cannot be understood is the client's mistake, not the proxy's. */
export function badExpectation(name: string, rule: string): Fault {
  return fault('parameter.invalid', { in: 'header', name, rule });
}
