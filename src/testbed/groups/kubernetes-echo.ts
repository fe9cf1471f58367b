import { Type } from 'typebox';
import { isToken } from '../../http1/characters.ts';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { allowedMs } from '../delays.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { wireFault } from '../wire/faults.ts';
import { countAttempt } from './proxy-connection-redirect/resilience.ts';

const GROUP = 'Request Inspection';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'];
const DURATION = '^([0-9]+(\\.[0-9]+)?(ms|s|m))+$';

const duration = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: DURATION,
      maxLength: 40,
      description: `${description}, such as \`10s\` or \`1m30s\`.`,
    }),
  );

const echo = endpoint({
  id: 'k8s-echo',
  group: GROUP,
  methods: METHODS,
  path: '/k8s/echo',
  aliases: ['/k8s/echo/**'],
  summary: 'The request as the echo server of the Kubernetes Gateway API tells it.',
  description:
    'Shape and controls of the backend that the Gateway API conformance tests use: `?delay=`, and ' +
    '`X-Echo-Set-Header: Name:value, Name:value` for fields of the answer.',
  query: Type.Object({ delay: duration('Time before the answer') }),
  responses: { 200: json('Path, host, method, protocol and header fields.') },
  examples: [
    {
      name: 'names in canonical casing, values in lists',
      path: '/k8s/echo?a=1',
      headers: ['Host', 'gateway.test', 'x-one', '1', 'X-One', '2'],
      expect: {
        status: 200,
        json: {
          path: '/k8s/echo?a=1',
          host: 'gateway.test',
          method: 'GET',
          proto: 'HTTP/1.1',
          headers: { 'X-One': ['1', '2'] },
        },
      },
    },
    {
      name: 'sets header fields of the answer',
      headers: ['X-Echo-Set-Header', 'X-A:1, X-B: two'],
      expect: { status: 200, headers: { 'x-a': '1', 'x-b': 'two' } },
    },
    { name: 'waits', path: '/k8s/echo?delay=40ms', expect: { status: 200, notBeforeMs: 35 } },
    {
      name: 'no duration',
      path: '/k8s/echo?delay=soon',
      expect: { status: 400, json: { detail: /delay must match/ } },
    },
  ],
  handle: async (call) => {
    await pause(call, 'delay', call.query.delay);
    return echoAnswer(call);
  },
});

const retry = endpoint({
  id: 'k8s-retry',
  group: GROUP,
  methods: METHODS,
  path: '/k8s/retry',
  summary: 'Fails the first attempts of a uuid, then echoes.',
  description:
    'Without `responseCode` a failing attempt is a connection reset, as in the Gateway API conformance tests.',
  query: Type.Object({
    uuid: Type.String({ minLength: 1, maxLength: 200 }),
    succeedAfter: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    responseCode: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    delayRetry: duration('Time before a failing answer'),
  }),
  responses: { 200: json('The echo, once it succeeds.'), 503: problem('A failing attempt.') },
  examples: [
    {
      name: 'a failing attempt resets the connection',
      path: '/k8s/retry?uuid=a&succeedAfter=1',
      expect: { wire: /^$/, ends: 'reset' },
    },
    {
      name: 'a failing attempt with a status',
      path: '/k8s/retry?uuid=b&succeedAfter=1&responseCode=503',
      expect: { status: 503, json: { uuid: 'b', attempt: 1 } },
    },
    {
      name: 'then it echoes',
      path: '/k8s/retry?uuid=c&succeedAfter=1',
      setUp: [{ path: '/k8s/retry?uuid=c&succeedAfter=1' }],
      expect: { status: 200, json: { path: '/k8s/retry?uuid=c&succeedAfter=1' } },
    },
    {
      name: 'without a uuid',
      path: '/k8s/retry?succeedAfter=1',
      expect: { status: 400, json: { detail: /uuid is required/ } },
    },
  ],
  handle: async (call) => {
    const { uuid, succeedAfter, responseCode, delayRetry } = call.query;
    const { count: attempt } = await countAttempt(call, `k8s ${uuid}`);
    if (attempt > succeedAfter) return echoAnswer(call);
    await pause(call, 'delayRetry', delayRetry);
    if (responseCode === undefined) return wireFault('reset', call.services.settings);
    return reply.json({ uuid, attempt, succeedAfter }, { status: responseCode });
  },
});

export const kubernetesEcho: readonly TestbedEndpoint[] = [echo, retry];

function echoAnswer({ request, exchange }: TestbedCall): PlainAnswer {
  const { head, connection } = exchange;
  const headers: Record<string, string[]> = {};
  for (const [name, value] of request.headers.pairs()) {
    // Its server keeps Host apart from the other fields.
    if (name.toLowerCase() === 'host') continue;
    headers[canonical(name)] ??= [];
    headers[canonical(name)]!.push(value);
  }
  const body = {
    path: request.target,
    host: request.authority,
    method: request.method,
    proto: head.version === '2' ? 'HTTP/2.0' : `HTTP/${head.version}`,
    headers,
    httpPort: String(connection.localPort),
    namespace: '',
    ingress: '',
    service: '',
    pod: '',
    ...(connection.tls && {
      tls: {
        version: connection.tls.version,
        serverName: connection.tls.serverName ?? '',
        negotiatedProtocol: connection.tls.alpn,
        cipherSuite: connection.tls.cipher,
      },
    }),
  };
  return reply.json(body, {
    headers: ['X-Content-Type-Options', 'nosniff', ...askedFields(request.headers.all('x-echo-set-header'))],
  });
}

/** Go's canonical form of a field name, which the conformance tests look for. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** `Name:value, Name:value`; values of a repeated name are joined. */
function askedFields(lines: readonly string[]): string[] {
  const fields = new Map<string, string[]>();
  for (const piece of lines.flatMap((line) => line.split(','))) {
    const colonAt = piece.indexOf(':');
    const name = piece.slice(0, Math.max(colonAt, 0)).trim();
    if (!isToken(name)) continue;
    fields.set(name, [...(fields.get(name) ?? []), piece.slice(colonAt + 1).trim()]);
  }
  return [...fields].flatMap(([name, values]) => [name, values.join(',')]);
}

async function pause(call: TestbedCall, name: string, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  const ms = durationMs(text);
  if (!Number.isFinite(ms))
    throw fault('parameter.invalid', { in: 'query', name, rule: 'must be a duration' });
  await call.services.clock.sleep(allowedMs(call.services, name, ms), call.exchange.signal);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function durationMs(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ms|s|m)/g)) sum += Number(amount) * UNIT_MS[unit!]!;
  return sum;
}
