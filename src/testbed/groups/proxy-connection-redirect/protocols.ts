import { pipeline } from 'node:stream';
import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, json, noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { writeAndEnd } from '../../wire/faults.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection';

/** What each interim status carries along. */
const interimHeaders: Readonly<Record<number, readonly string[]>> = {
  100: [],
  102: [],
  103: ['Link', '</style.css>; rel=preload; as=style'],
  199: ['X-Interim', 'unknown but valid'],
};

const interim = endpoint({
  id: 'connection-1xx',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/1xx/{status}`,
  summary: 'Interim answers, then 200.',
  description:
    'A proxy must pass interim answers on or drop them, but never take one for the final answer (RFC 9110 §15.2).',
  params: Type.Object({
    status: Type.Union(Object.keys(interimHeaders).map((status) => Type.Literal(Number(status)))),
  }),
  query: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 100, default: 1 }) }),
  responses: { 200: json('How many interim answers came before.') },
  examples: [
    {
      name: 'early hints',
      path: `${BASE}/1xx/103?count=2`,
      expect: {
        status: 200,
        json: { interim: 103, count: 2 },
        wire: /^(HTTP\/1\.1 103 Early Hints\r\nLink: <\/style\.css>; rel=preload; as=style\r\n\r\n){2}HTTP\/1\.1 200 OK\r\n/,
      },
    },
    {
      name: 'a status that is not interim',
      path: `${BASE}/1xx/200`,
      expect: { status: 400, json: { detail: /status must be one of 100, 102, 103, 199/ } },
    },
  ],
  handle: ({ params, query, exchange }) => {
    for (let sent = 0; sent < query.count; sent++)
      exchange.sendInterim(params.status, interimHeaders[params.status]);
    return reply.json({ interim: params.status, count: query.count });
  },
});

const http10 = endpoint({
  id: 'connection-http10',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/http10`,
  summary: 'An answer in HTTP/1.0 without a length, ended by the close.',
  responses: { 200: anyType('A text ended by the close of the connection.') },
  examples: [
    {
      name: 'HTTP/1.0, no length, close',
      expect: {
        wire: /^HTTP\/1\.0 200 OK\r\nContent-Type: text\/plain\r\n\r\nHTTP\/1\.0 ends here\n$/,
        ends: 'close',
      },
    },
  ],
  handle: ({ request }) => {
    const head = 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n';
    const answer = request.method === 'HEAD' ? head : `${head}HTTP/1.0 ends here\n`;
    return reply.wire((socket) => writeAndEnd(socket, answer, 'close'));
  },
});

const RAW_ECHO = 'raw-echo';

const upgrade = endpoint({
  id: 'connection-upgrade',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/upgrade`,
  summary: 'Switches to a protocol that sends every byte back.',
  headers: Type.Object({
    connection: Type.String({ description: 'Must name Upgrade.' }),
    upgrade: Type.String({ description: `Must be ${RAW_ECHO}.` }),
  }),
  responses: {
    101: noBody('From here on every byte comes back.'),
    426: problem('No such upgrade was asked for.'),
  },
  examples: [
    {
      name: 'switches protocols',
      headers: ['Connection', 'Upgrade', 'Upgrade', RAW_ECHO],
      expect: { wire: /^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*Upgrade: raw-echo\r\n/ },
    },
    {
      name: 'without asking for it',
      expect: { status: 426, headers: { upgrade: RAW_ECHO }, json: { detail: /Upgrade: raw-echo/ } },
    },
  ],
  handle: async ({ request, exchange, services }) => {
    const isAsked =
      listHas(request.headers.get('connection'), 'upgrade') &&
      listHas(request.headers.get('upgrade'), RAW_ECHO);
    if (!isAsked)
      throw fault('upgrade.required', { protocol: RAW_ECHO }, ['Upgrade', RAW_ECHO, 'Connection', 'Upgrade']);
    // The protocol begins behind the request, so behind its body. An HTTP/2 stream is that body from the start.
    if (exchange.head.version !== '2') await exchange.body.discard(services.settings.limits.maxBodyBytes);
    const duplex = exchange.upgrade(['Upgrade', RAW_ECHO, 'Connection', 'Upgrade']);
    if (!duplex) throw fault('protocol.http1-only');
    // The connection is handed over: when it breaks there is nobody left to be told.
    pipeline(duplex, duplex, () => {});
    return reply.empty(101);
  },
});

function listHas(field: string | undefined, member: string): boolean {
  return (field ?? '').split(',').some((one) => one.trim().toLowerCase() === member);
}

export const protocolEndpoints: readonly TestbedEndpoint[] = [interim, http10, upgrade];
