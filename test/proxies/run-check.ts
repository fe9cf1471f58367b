import { setTimeout as delay } from 'node:timers/promises';
import { type RawExchange, rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { failed, type ProxyCheck, refused, type Sight, type Verdict } from './proxy-check.ts';

const WAIT_MS = 5_000;
// Long enough for a proxy to tell its backend that the client is gone.
const SETTLE_MS = 300;

/** Sends the check to a port, and what is to be asked afterwards to the test service itself. */
export async function runCheck(
  check: ProxyCheck,
  port: number,
  testbedPort: number,
  token: string,
): Promise<Omit<Sight, 'direct'>> {
  const { request, earlier, afterwards, later, waitMs = WAIT_MS } = check;
  const before = earlier === undefined ? undefined : await rawRequest(port, earlier, { waitMs });
  const bytes = typeof request === 'string' ? request : request(token);
  const answer = await rawRequest(port, bytes, { waitMs, later });
  if (!afterwards) return { answer, earlier: before, afterwards: undefined };
  await delay(SETTLE_MS);
  return {
    answer,
    earlier: before,
    afterwards: await rawRequest(testbedPort, afterwards(token), { waitMs }),
  };
}

export function verdictOf(check: ProxyCheck, sight: Sight): Verdict {
  const { answer, direct } = sight;
  if (check.judgesEverything) return check.verdict(sight);
  if (answer.status === 0) return failed(lackOf(answer));
  if (isFromTestbed(direct) && !isFromTestbed(answer)) return refused(answer.status);
  return check.verdict(sight);
}

/** How a client learns that there is no answer. */
export function lackOf({ wire, ended }: RawExchange): string {
  if (wire.length > 0) return 'no HTTP';
  return { close: 'closed', reset: 'reset', open: 'no answer' }[ended];
}

/** Every regular answer of the test service has a request id; errors that a proxy makes have none. */
function isFromTestbed(answer: RawExchange): boolean {
  return answer.header('x-request-id') !== undefined;
}
