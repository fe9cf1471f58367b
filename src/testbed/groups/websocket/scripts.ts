import { Type } from 'typebox';
import { fault } from '../../../kernel/faults.ts';
import { patternBytes } from '../../content/python-random.ts';
import { allowedMs } from '../../delays.ts';
import { proxyEchoOf } from '../../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { composeFrame, MAX_CONTROL_BYTES, opcodes } from '../../websocket/frame.ts';
import { defaultWebSocketLimits } from '../../websocket/limits.ts';
import { webSocketSession } from '../../websocket/session.ts';
import {
  closeOfClient,
  closeOfServer,
  conversation,
  fromClient,
  fromServer,
  handshakeHeaders,
  monologue,
  notUpgraded,
  switchedThen,
  upgradeHeaders,
  webSocketResponses,
} from './example-frames.ts';

const group = 'Test Utilities';
const MiB = 1024 * 1024;

const message = endpoint({
  id: 'ws-message',
  group,
  methods: ['GET'],
  path: '/ws/message',
  summary: 'Sends one text message, then closes.',
  headers: handshakeHeaders,
  query: Type.Object({ text: Type.String({ default: 'Hello', maxLength: 4096 }) }),
  responses: webSocketResponses,
  examples: [
    monologue('the given text', '/ws/message?text=G%C3%BCn', [fromServer('text', 'Gün'), closeOfServer()]),
    notUpgraded('/ws/message'),
  ],
  handle: (call) =>
    webSocketSession(call, {
      script: async (socket) => {
        await socket.send('text', call.query.text);
        socket.close();
      },
    }),
});

const headers = endpoint({
  id: 'ws-headers',
  group,
  methods: ['GET'],
  path: '/ws/headers',
  summary: 'Sends the request that opened the WebSocket as a JSON message, then closes.',
  description: 'The object of /proxy-test/headers/echo: what a proxy in between made of the handshake.',
  headers: handshakeHeaders,
  responses: webSocketResponses,
  examples: [
    {
      name: 'the handshake as it came',
      headers: [...upgradeHeaders, 'X-Canary', 'yellow'],
      expect: {
        wire: /\r\n\r\n\x81\x7e..\{"method":"GET","path":"\/ws\/headers",.*\["Sec-WebSocket-Version","13"\],.*\["X-Canary","yellow"\]/s,
        ends: 'open',
      },
    },
    notUpgraded('/ws/headers'),
  ],
  handle: (call) =>
    webSocketSession(call, {
      script: async (socket) => {
        await socket.send('text', JSON.stringify(proxyEchoOf(call, Buffer.alloc(0))));
        socket.close();
      },
    }),
});

const close = endpoint({
  id: 'ws-close',
  group,
  methods: ['GET'],
  path: '/ws/close/{code}',
  summary: 'Closes at once with the given code.',
  description:
    'Any 16-bit number is sent, so also codes that no endpoint may send, such as 1005, 1006 and 1015.',
  headers: handshakeHeaders,
  params: Type.Object({ code: Type.Integer({ minimum: 0, maximum: 65_535 }) }),
  query: Type.Object({
    reason: Type.String({ default: '', description: 'At most 123 bytes of UTF-8.' }),
  }),
  responses: webSocketResponses,
  examples: [
    monologue('code and reason', '/ws/close/4001?reason=enough', [closeOfServer(4001, 'enough')]),
    monologue('a code that must not be sent', '/ws/close/1006', [closeOfServer(1006)]),
    {
      ...conversation('answered, the connection ends', '/ws/close/1000', [closeOfClient], [closeOfServer()]),
      shown: false,
    },
    {
      name: 'too long a reason',
      path: `/ws/close/1000?reason=${'r'.repeat(124)}`,
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /reason must have at most 123 bytes/ } },
    },
    notUpgraded('/ws/close/1000'),
  ],
  handle: (call) => {
    const { reason } = call.query;
    const maxBytes = MAX_CONTROL_BYTES - 2;
    if (Buffer.byteLength(reason) > maxBytes) {
      const rule = `must have at most ${maxBytes} bytes`;
      throw fault('parameter.invalid', { in: 'query', name: 'reason', rule });
    }
    return webSocketSession(call, { script: (socket) => socket.close(call.params.code, reason) });
  },
});

const reset = endpoint({
  id: 'ws-reset',
  group,
  methods: ['GET'],
  path: '/ws/reset',
  summary: 'Resets the connection: RST, on HTTP/2 RST_STREAM.',
  headers: handshakeHeaders,
  query: Type.Object({
    after: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: 'Messages that are sent back before.',
    }),
  }),
  responses: webSocketResponses,
  examples: [
    {
      name: 'after one message',
      path: '/ws/reset?after=1',
      headers: upgradeHeaders,
      upgraded: fromClient('text', 'Hello'),
      expect: { ends: 'reset' },
    },
    notUpgraded('/ws/reset'),
  ],
  handle: (call) => {
    let left = call.query.after;
    return webSocketSession(call, {
      onMessage: async ({ kind, data }, socket) => {
        await socket.send(kind, data);
        if (--left === 0) socket.reset();
      },
      script: (socket) => {
        if (left === 0) socket.reset();
      },
    });
  },
});

const slow = endpoint({
  id: 'ws-slow',
  group,
  methods: ['GET'],
  path: '/ws/slow',
  summary: 'Sends messages, or the bytes of one message, with a pause before each; then closes.',
  headers: handshakeHeaders,
  query: Type.Object({
    delay: Type.Integer({ minimum: 0, default: 1000, description: 'Milliseconds of a pause.' }),
    count: Type.Integer({ minimum: 1, maximum: 10_000, default: 5, description: 'How many.' }),
    unit: Type.Union([Type.Literal('message'), Type.Literal('byte')], {
      default: 'message',
      description: 'What comes slowly: whole messages, or the bytes of one frame of so many bytes.',
    }),
  }),
  responses: webSocketResponses,
  examples: [
    monologue('two messages', '/ws/slow?delay=20&count=2', [
      fromServer('text', 'message 1 of 2'),
      fromServer('text', 'message 2 of 2'),
      closeOfServer(),
    ]),
    monologue('a frame byte by byte', '/ws/slow?delay=10&count=4&unit=byte', [
      fromServer('binary', 'abcd'),
      closeOfServer(),
    ]),
    {
      name: 'longer than the service waits',
      path: '/ws/slow?delay=100000&count=4',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /delay must be at most 75000/ } },
    },
    notUpgraded('/ws/slow'),
  ],
  handle: (call) => {
    const { delay, count, unit } = call.query;
    const { clock, settings } = call.services;
    const maxMs = Math.floor(settings.limits.maxDelayMs / count);
    if (delay > maxMs) {
      const rule = `must be at most ${maxMs} for ${count} pauses`;
      throw fault('parameter.invalid', { in: 'query', name: 'delay', rule });
    }
    const pieces =
      unit === 'byte'
        ? [...composeFrame(opcodes.binary, patternBytes(count))].map((byte) => Buffer.of(byte))
        : Array.from({ length: count }, (_, index) => fromServer('text', `message ${index + 1} of ${count}`));
    return webSocketSession(call, {
      script: async (socket) => {
        for (const piece of pieces) {
          await clock.sleep(delay, socket.signal);
          await socket.sendBytes(piece);
        }
        socket.close();
      },
    });
  },
});

const binary = endpoint({
  id: 'ws-binary',
  group,
  methods: ['GET'],
  path: '/ws/binary/{n}',
  summary: 'Sends one binary message of n bytes (a to z, repeated), then closes.',
  headers: handshakeHeaders,
  params: Type.Object({ n: Type.Integer({ minimum: 0, maximum: 16 * MiB }) }),
  responses: webSocketResponses,
  examples: [
    monologue('five bytes', '/ws/binary/5', [fromServer('binary', 'abcde'), closeOfServer()]),
    monologue('a length of 16 bits', '/ws/binary/126', [
      Uint8Array.of(0x82, 126, 0, 126),
      patternBytes(126),
      closeOfServer(),
    ]),
    {
      name: 'a length of 64 bits',
      path: '/ws/binary/65536',
      headers: upgradeHeaders,
      expect: { wire: /\r\n\r\n\x82\x7f\0{5}\x01\0{2}[a-z]+\x88\x02\x03\xe8$/, ends: 'open' },
    },
    notUpgraded('/ws/binary/5'),
  ],
  handle: (call) =>
    webSocketSession(call, {
      script: async (socket) => {
        await socket.send('binary', patternBytes(call.params.n));
        socket.close();
      },
    }),
});

const ping = endpoint({
  id: 'ws-ping',
  group,
  methods: ['GET'],
  path: '/ws/ping/{n}',
  summary: 'Sends n pings at once, then tells in a JSON message which were answered, and closes.',
  description: 'A client may answer only the last of several pings (RFC 6455 §5.5.3).',
  headers: handshakeHeaders,
  params: Type.Object({ n: Type.Integer({ minimum: 1, maximum: 1000 }) }),
  query: Type.Object({
    timeout: Type.Integer({
      minimum: 0,
      default: 2000,
      description: 'Milliseconds to wait for the answers.',
    }),
  }),
  responses: webSocketResponses,
  examples: [
    {
      name: 'answered',
      path: '/ws/ping/2',
      headers: upgradeHeaders,
      upgraded: Buffer.concat([fromClient('pong', 'ping 1'), fromClient('pong', 'ping 2')]),
      expect: {
        wire: switchedThen([
          fromServer('ping', 'ping 1'),
          fromServer('ping', 'ping 2'),
          fromServer('text', '{"sent":2,"answered":2,"answeredLast":true,"unasked":0}'),
          closeOfServer(),
        ]),
        ends: 'open',
      },
    },
    monologue('not answered', '/ws/ping/1?timeout=50', [
      fromServer('ping', 'ping 1'),
      fromServer('text', '{"sent":1,"answered":0,"answeredLast":false,"unasked":0}'),
      closeOfServer(),
    ]),
    notUpgraded('/ws/ping/1'),
  ],
  handle: (call) => {
    const sent = call.params.n;
    const timeoutMs = allowedMs(call.services, 'timeout', call.query.timeout);
    const waiting = new Set(Array.from({ length: sent }, (_, index) => `ping ${index + 1}`));
    const last = `ping ${sent}`;
    const answers = new AbortController();
    let unasked = 0;
    return webSocketSession(call, {
      limits: { maxControlFramesPerSecond: sent + defaultWebSocketLimits.maxControlFramesPerSecond },
      onPong: (payload) => {
        if (!waiting.delete(payload.toString())) unasked++;
        if (waiting.size === 0) answers.abort();
      },
      script: async (socket) => {
        for (const payload of [...waiting]) await socket.sendFrame(opcodes.ping, Buffer.from(payload));
        const enough = AbortSignal.any([answers.signal, socket.signal]);
        await call.services.clock.sleep(timeoutMs, enough).catch(() => {});
        const [answered, answeredLast] = [sent - waiting.size, !waiting.has(last)];
        await socket.send('text', JSON.stringify({ sent, answered, answeredLast, unasked }));
        socket.close();
      },
    });
  },
});

const SPOKEN = ['echo.v2', 'echo.v1', 'json'];

const subprotocol = endpoint({
  id: 'ws-subprotocol',
  group,
  methods: ['GET'],
  path: '/ws/subprotocol',
  summary: 'Agrees on a subprotocol, tells it in a JSON message, then closes.',
  description:
    `Speaks ${SPOKEN.join(', ')}; the first of the client's list that is spoken is chosen. With \`answer\` the service ` +
    'names that one whether it was offered or not: a client must fail a connection whose subprotocol it did not offer.',
  headers: Type.Object({
    ...handshakeHeaders.properties,
    'sec-websocket-protocol': Type.Optional(
      Type.String({ description: 'Subprotocols, the preferred one first.' }),
    ),
  }),
  query: Type.Object({ answer: Type.Optional(Type.String({ pattern: "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$" })) }),
  responses: webSocketResponses,
  examples: [
    {
      name: "the client's first that is spoken",
      headers: [...upgradeHeaders, 'Sec-WebSocket-Protocol', 'chat, echo.v1, echo.v2'],
      expect: {
        wire: switchedThen(
          [
            fromServer(
              'text',
              '{"offered":["chat","echo.v1","echo.v2"],"spoken":["echo.v2","echo.v1","json"],"chosen":"echo.v1"}',
            ),
            closeOfServer(),
          ],
          'Sec-WebSocket-Protocol: echo.v1\r\n',
        ),
        ends: 'open',
      },
    },
    {
      name: 'one that was not offered',
      path: '/ws/subprotocol?answer=surprise',
      headers: upgradeHeaders,
      expect: { wire: /\r\nSec-WebSocket-Protocol: surprise\r\n/, ends: 'open' },
    },
    {
      name: 'the same one twice',
      headers: [...upgradeHeaders, 'Sec-WebSocket-Protocol', 'chat, chat'],
      expect: { status: 400, json: { detail: /Sec-WebSocket-Protocol must list different tokens/ } },
    },
    notUpgraded('/ws/subprotocol'),
  ],
  handle: (call) =>
    webSocketSession(call, {
      chooseSubprotocol: (offered) => call.query.answer ?? offered.find((name) => SPOKEN.includes(name)),
      script: async (socket, handshake) => {
        const { offeredSubprotocols: offered, subprotocol: chosen = null } = handshake;
        await socket.send('text', JSON.stringify({ offered, spoken: SPOKEN, chosen }));
        socket.close();
      },
    }),
});

export const webSocketScripts: readonly TestbedEndpoint[] = [
  message,
  headers,
  close,
  reset,
  slow,
  binary,
  ping,
  subprotocol,
];
