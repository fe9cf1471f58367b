import { parseRawAnswer } from '../../../src/kernel/testing/raw-answer.ts';
import {
  type CheckGroup,
  changed,
  type ProxyCheck,
  type Sight,
  unchanged,
  type Verdict,
} from '../proxy-check.ts';
import { get, HOST, request } from '../request-bytes.ts';
import { lackOf } from '../run-check.ts';
import { jsonOf } from '../verdicts.ts';

const BASE = '/proxy-test/connection';
const INFO = get(`${BASE}/info`);
/** A proxy of several processes has a pool in each, so one request before is not enough. */
const WARM_UP = Array.from({ length: 8 }, () => INFO);
const kept = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

/** Fails once; the tally says how often the proxy tried. Connections used before stand ready for it. */
function retryCheck(id: string, asks: string, method: string, failure: string, says: string): ProxyCheck {
  const body = method === 'POST' ? 'hello' : '';
  return {
    id: `retry.${id}`,
    asks,
    earlier: WARM_UP,
    request: (token) => request(method, `${BASE}/retry?id=${token}&succeedAfter=1&${failure}`, [], body),
    waitMs: 3_000,
    afterwards: (token) => get(`${BASE}/retry/${token}`),
    direct: failure === 'status=503' ? { status: 503, json: { attempt: 1 } } : { wire: /^$/, ends: 'reset' },
    directVerdict: says,
    judgesEverything: true,
    verdict: retried,
  };
}

function retried({ answer, afterwards }: Sight): Verdict {
  const outcome = answer.status === 0 ? lackOf(answer) : String(answer.status);
  const { count } = jsonOf(afterwards) as { count: number };
  return count === 1 ? unchanged(`not tried again: ${outcome}`) : changed(`tried ${count} times: ${outcome}`);
}

export const connections: CheckGroup = {
  name: 'Proxy Connection & Redirect: connections and retries',
  checks: [
    retryCheck('get-reset', 'GET whose connection is reset', 'GET', 'fault=reset', 'not tried again: reset'),
    retryCheck(
      'post-reset',
      'POST whose connection is reset',
      'POST',
      'fault=reset',
      'not tried again: reset',
    ),
    retryCheck('get-503', 'GET that is answered by 503', 'GET', 'status=503', 'not tried again: 503'),
    {
      id: 'connection.same-client',
      asks: 'two requests of one client connection share an upstream connection',
      request: kept(`${BASE}/info`) + INFO,
      direct: { status: 200, json: { requestNo: 1 } },
      directVerdict: 'shared',
      verdict: ({ answer }) => {
        const second = parseRawAnswer(answer.rest, 'GET');
        if (second.status !== 200) return changed(`second request: ${second.status}`);
        const ids = [answer, second].map(({ body }) => JSON.parse(body.toString()).connectionId);
        return ids[0] === ids[1] ? unchanged('shared') : changed('one each');
      },
    },
    {
      id: 'connection.pooled',
      asks: 'requests of several client connections share an upstream connection',
      earlier: WARM_UP,
      request: INFO,
      direct: { status: 200, json: { requestNo: 1, reused: false } },
      directVerdict: 'one each',
      verdict: ({ answer, earlier }) => {
        const ids = [...earlier, answer].map((each) => jsonOf(each).connectionId);
        return new Set(ids).size < ids.length ? changed('shared') : unchanged('one each');
      },
    },
    {
      id: 'connection.race',
      asks: 'a request that crosses the close of its upstream connection',
      request: kept(`${BASE}/idle-close?ms=800`),
      later: { afterMs: 300, bytes: INFO },
      waitMs: 3_000,
      direct: { status: 200, json: { closesInMs: 800 }, ends: 'close' },
      directVerdict: 'lost',
      verdict: ({ answer }) => {
        const second = parseRawAnswer(answer.rest, 'GET');
        if (second.status === 200) return changed('answered');
        return second.status === 0 ? unchanged('lost') : changed(`${second.status}`);
      },
    },
    {
      id: 'connection.upgrade',
      asks: 'an upgrade to an unknown protocol',
      request: get(`${BASE}/upgrade`, 'Connection: Upgrade', 'Upgrade: raw-echo'),
      later: { afterMs: 200, bytes: 'echo me' },
      waitMs: 600,
      direct: { status: 101, headers: { upgrade: 'raw-echo' }, wire: /\r\n\r\necho me$/ },
      verdict: ({ answer }) => {
        if (answer.status !== 101) return changed(`not passed on: ${answer.status}`);
        return answer.wire.toString('latin1').endsWith('\r\n\r\necho me')
          ? unchanged()
          : changed('101, then silence');
      },
    },
  ],
};
