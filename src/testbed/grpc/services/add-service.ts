import type { Long } from 'protobufjs';
import { type ServiceMethods, unary } from '../call.ts';

/** Both methods tell a failure in their reply, with the status OK. */
const MIN_SUM = -(2 ** 31);
const MAX_SUM = 2 ** 31 - 1;
const MAX_LENGTH = 10;

export const addService: ServiceMethods = {
  Sum: unary(({ a, b }: { a: Long; b: Long }) => {
    // Exact as far as it matters: what a double cannot hold is out of bounds anyway.
    const sum = Number(a) + Number(b);
    if (Number(a) === 0 && Number(b) === 0) return { err: 'two zeroes cannot be summed' };
    if (sum < MIN_SUM || sum > MAX_SUM) return { err: 'integer overflow' };
    return { v: sum };
  }),
  Concat: unary(({ a, b }: { a: string; b: string }) =>
    a.length + b.length > MAX_LENGTH ? { err: `the result exceeds ${MAX_LENGTH} characters` } : { v: a + b },
  ),
};
