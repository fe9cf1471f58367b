import { setTimeout as delay } from 'node:timers/promises';
import { type RawExchange, rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { changed, failed, type ProxyCheck, refused, type Sight, type Verdict } from './proxy-check.ts';

const WAIT_MS = 5_000;
const SETTLE_MS = 100;

/** Sends the check to a port, and what is to be asked afterwards to the test service itself. */
export async function runCheck(
  check: ProxyCheck,
  port: number,
  testbedPort: number,
  token: string,
): Promise<Omit<Sight, 'direct'>> {
  const { request, earlier = [], afterwards, later, waitMs = WAIT_MS } = check;
  const before: RawExchange[] = [];
  for (const bytes of earlier) before.push(await rawRequest(port, bytes, { waitMs }));
  const bytes = typeof request === 'string' ? request : request(token);
  const answer = await rawRequest(port, bytes, { waitMs, later });
  // The end of a broken connection must have arrived everywhere before the next check or question.
  if (check.judgesEverything) await delay(SETTLE_MS);
  const said = afterwards && (await rawRequest(testbedPort, afterwards(token), { waitMs }));
  return { answer, earlier: before, afterwards: said };
}

export function verdictOf(check: ProxyCheck, sight: Sight): Verdict {
  const { answer, direct } = sight;
  if (check.judgesEverything) return check.verdict(sight);
  if (answer.status === 0) return failed(lackOf(answer));
  if (isRefusedByTestbed(answer) && !isRefusedByTestbed(direct))
    return changed(`the backend refuses: ${answer.status}`);
  if (isFromProxy(answer, direct))
    return answer.status < 400 ? changed('answered by the proxy') : refused(answer.status);
  return check.verdict(sight);
}

/** How a client learns that there is no answer. */
export function lackOf({ wire, interim, ended }: RawExchange): string {
  if (interim.length > 0) return 'only interim answers';
  if (wire.length > 0) return 'no HTTP';
  return { close: 'closed', reset: 'reset', open: 'no answer' }[ended];
}

/** Every regular answer of the test service has a request id; what a proxy makes itself has none. */
function isFromProxy(answer: RawExchange, direct: RawExchange): boolean {
  if (answer.header('x-request-id') !== undefined) return false;
  return direct.header('x-request-id') !== undefined || answer.status >= 400;
}

/** What is no HTTP the test service refuses before it could give it an id, in a problem of its own. */
function isRefusedByTestbed(answer: RawExchange): boolean {
  return answer.header('x-request-id') === undefined && answer.body.includes('"type": "/problems/');
}
