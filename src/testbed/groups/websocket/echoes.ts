import { Type } from 'typebox';
import { fault } from '../../../kernel/faults.ts';
import { allowedMs } from '../../delays.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { opcodes, RSV1 } from '../../websocket/frame.ts';
import { webSocketSession } from '../../websocket/session.ts';
import type { WebSocketOptions } from '../../websocket/websocket-connection.ts';
import {
  closeOfClient,
  closeOfServer,
  conversation,
  fromClient,
  fromServer,
  handshakeHeaders,
  notUpgraded,
  switchedThen,
  upgradeHeaders,
  webSocketResponses,
} from './example-frames.ts';

const group = 'Test Utilities';

const sendBack: WebSocketOptions['onMessage'] = ({ kind, data }, socket) => socket.send(kind, data);

const echo = endpoint({
  id: 'ws-echo',
  group,
  methods: ['GET'],
  path: '/ws/echo',
  summary: 'A WebSocket that sends every message back.',
  description:
    'Text comes back as text, binary as binary, in one frame. Pings are answered, a Close is answered with its code. ' +
    'No extension is accepted; /ws/deflate compresses.',
  headers: handshakeHeaders,
  responses: webSocketResponses,
  examples: [
    conversation(
      'text, binary and a ping come back',
      '/ws/echo',
      [
        fromClient('text', 'Hello'),
        fromClient('binary', Uint8Array.of(0, 255)),
        fromClient('ping', 'p'),
        closeOfClient,
      ],
      [
        fromServer('text', 'Hello'),
        fromServer('binary', Uint8Array.of(0, 255)),
        fromServer('pong', 'p'),
        closeOfServer(),
      ],
    ),
    {
      ...conversation(
        'an unmasked frame',
        '/ws/echo',
        [fromServer('text', 'Hello')],
        [closeOfServer(1002, 'frames of a client must be masked')],
      ),
      shown: false,
    },
    notUpgraded('/ws/echo'),
    {
      name: 'another version of the protocol',
      headers: upgradeHeaders.map((text) => (text === '13' ? '8' : text)),
      expect: { status: 426, headers: { 'sec-websocket-version': '13' }, json: { detail: /version 13/ } },
    },
    {
      name: 'a key that is none',
      headers: upgradeHeaders.map((text) => (text.endsWith('==') ? 'short' : text)),
      expect: { status: 400, json: { detail: /Sec-WebSocket-Key must be 16 bytes in base64/ } },
    },
  ],
  handle: (call) => webSocketSession(call, { onMessage: sendBack }),
});

const MAX_GO_BYTES = 1024 * 1024;

const goEcho = endpoint({
  id: 'websocket-echo',
  group,
  methods: ['GET'],
  path: '/websocket/echo',
  summary: "go-httpbin's echo, with limits that the client chooses.",
  description: 'A frame or message over its limit closes the connection with 1009.',
  headers: handshakeHeaders,
  query: Type.Object({
    max_fragment_size: Type.Integer({ minimum: 1, maximum: MAX_GO_BYTES, default: MAX_GO_BYTES / 2 }),
    max_message_size: Type.Integer({ minimum: 1, maximum: MAX_GO_BYTES, default: MAX_GO_BYTES }),
  }),
  responses: webSocketResponses,
  examples: [
    conversation(
      'a message within the limits',
      '/websocket/echo?max_fragment_size=3&max_message_size=5',
      [fromClient('text', 'Hel', { isFinal: false }), fromClient('continuation', 'lo'), closeOfClient],
      [fromServer('text', 'Hello'), closeOfServer()],
    ),
    conversation(
      'a frame over its limit',
      '/websocket/echo?max_fragment_size=4&max_message_size=5',
      [fromClient('text', 'Hello')],
      [closeOfServer(1009, 'a frame may have 4 bytes')],
    ),
    conversation(
      'a message over its limit',
      '/websocket/echo?max_fragment_size=5&max_message_size=5',
      [fromClient('text', 'Hello', { isFinal: false }), fromClient('continuation', '!')],
      [closeOfServer(1009, 'a message may have 5 bytes')],
    ),
    {
      name: 'a message smaller than its frames',
      path: '/websocket/echo?max_fragment_size=5&max_message_size=4',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /max_message_size must be at least max_fragment_size/ } },
    },
    notUpgraded('/websocket/echo'),
  ],
  handle: (call) => {
    const { max_fragment_size: maxFrameBytes, max_message_size: maxMessageBytes } = call.query;
    if (maxMessageBytes < maxFrameBytes) {
      const rule = 'must be at least max_fragment_size';
      throw fault('parameter.invalid', { in: 'query', name: 'max_message_size', rule });
    }
    return webSocketSession(call, { onMessage: sendBack, limits: { maxFrameBytes, maxMessageBytes } });
  },
});

const delayed = endpoint({
  id: 'ws-delay',
  group,
  methods: ['GET'],
  path: '/ws/delay',
  summary: 'Sends every message back after a delay, one after the other.',
  description:
    'While a message waits nothing is read, so that a client that sends faster meets back-pressure.',
  headers: handshakeHeaders,
  query: Type.Object({
    delay: Type.Integer({ minimum: 0, default: 1000, description: 'Milliseconds before each message.' }),
  }),
  responses: webSocketResponses,
  examples: [
    {
      ...conversation(
        'in order, each after its delay',
        '/ws/delay?delay=20',
        [fromClient('text', 'one'), fromClient('text', 'two'), closeOfClient],
        [fromServer('text', 'one'), fromServer('text', 'two'), closeOfServer()],
      ),
    },
    {
      name: 'longer than the service waits',
      path: '/ws/delay?delay=999999999',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /delay must be at most/ } },
    },
    notUpgraded('/ws/delay'),
  ],
  handle: (call) => {
    const delayMs = allowedMs(call.services, 'delay', call.query.delay);
    return webSocketSession(call, {
      onMessage: async ({ kind, data }, socket) => {
        await call.services.clock.sleep(delayMs, socket.signal);
        await socket.send(kind, data);
      },
    });
  },
});

const fragmented = endpoint({
  id: 'ws-fragmented',
  group,
  methods: ['GET'],
  path: '/ws/fragmented',
  summary: 'Sends every message back in several frames.',
  description:
    'The frames are as equal as they can be; text may be cut within a character, which is legal. With pings, a ping stands ' +
    'between the frames, which is legal too.',
  headers: handshakeHeaders,
  query: Type.Object({
    count: Type.Integer({ minimum: 1, maximum: 1000, default: 3, description: 'Frames of a message.' }),
    pings: Type.Boolean({ default: false, description: 'A ping between the frames.' }),
  }),
  responses: webSocketResponses,
  examples: [
    conversation(
      'three frames',
      '/ws/fragmented',
      [fromClient('text', 'Hello'), closeOfClient],
      [
        fromServer('text', 'H', false),
        fromServer('continuation', 'el', false),
        fromServer('continuation', 'lo'),
        closeOfServer(),
      ],
    ),
    conversation(
      'a ping in between',
      '/ws/fragmented?count=2&pings=true',
      [fromClient('binary', 'ab'), closeOfClient],
      [
        fromServer('binary', 'a', false),
        fromServer('ping', 'between'),
        fromServer('continuation', 'b'),
        closeOfServer(),
      ],
    ),
    notUpgraded('/ws/fragmented'),
  ],
  handle: (call) => {
    const { count, pings } = call.query;
    return webSocketSession(call, {
      onMessage: async ({ kind, data }, socket) => {
        for (let index = 0; index < count; index++) {
          const from = Math.floor((data.length * index) / count);
          const to = Math.floor((data.length * (index + 1)) / count);
          const opcode = index === 0 ? opcodes[kind] : opcodes.continuation;
          const isFinal = index === count - 1;
          if (pings && index > 0) await socket.sendFrame(opcodes.ping, Buffer.from('between'));
          await socket.sendFrame(opcode, data.subarray(from, to), 0, isFinal);
        }
      },
    });
  },
});

const windowBits = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 8, maximum: 15, description }));

/** "Hello" as RFC 7692 §7.2.3.1 compresses it. */
const COMPRESSED_HELLO = Uint8Array.of(0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00);

const deflate = endpoint({
  id: 'ws-deflate',
  group,
  methods: ['GET'],
  path: '/ws/deflate',
  summary: 'An echo that compresses by permessage-deflate (RFC 7692) when the client offers it.',
  description:
    'What the query asks for is added to what the client offers. A client that does not offer the extension gets the ' +
    'plain echo. client_max_window_bits can only be asked of a client that offers it.',
  headers: handshakeHeaders,
  query: Type.Object({
    server_no_context_takeover: Type.Boolean({ default: false }),
    client_no_context_takeover: Type.Boolean({ default: false }),
    server_max_window_bits: windowBits('Window the server compresses with.'),
    client_max_window_bits: windowBits('Window the client may compress with.'),
  }),
  responses: webSocketResponses,
  examples: [
    {
      name: 'a compressed message comes back compressed',
      headers: [...upgradeHeaders, 'Sec-WebSocket-Extensions', 'permessage-deflate'],
      upgraded: Buffer.concat([fromClient('text', COMPRESSED_HELLO, { reservedBits: RSV1 }), closeOfClient]),
      expect: {
        wire: switchedThen(
          [
            Uint8Array.of(0x80 | RSV1 | opcodes.text, COMPRESSED_HELLO.length),
            COMPRESSED_HELLO,
            closeOfServer(),
          ],
          'Sec-WebSocket-Extensions: permessage-deflate\r\n',
        ),
        ends: 'close',
      },
    },
    {
      name: 'all four parameters',
      path: '/ws/deflate?server_max_window_bits=10&client_no_context_takeover=true',
      headers: [
        ...upgradeHeaders,
        'Sec-WebSocket-Extensions',
        'permessage-deflate; server_no_context_takeover; client_max_window_bits=12',
      ],
      upgraded: closeOfClient,
      expect: {
        wire: switchedThen(
          [closeOfServer()],
          'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover; ' +
            'server_max_window_bits=10; client_max_window_bits=12\r\n',
        ),
      },
    },
    conversation(
      'without the offer it is a plain echo',
      '/ws/deflate',
      [fromClient('text', 'Hello'), closeOfClient],
      [fromServer('text', 'Hello'), closeOfServer()],
    ),
    {
      name: 'an offer that is malformed',
      headers: [...upgradeHeaders, 'Sec-WebSocket-Extensions', 'permessage-deflate; ='],
      expect: { status: 400, json: { detail: /Sec-WebSocket-Extensions is malformed/ } },
    },
    notUpgraded('/ws/deflate'),
  ],
  handle: (call) => {
    const { query } = call;
    return webSocketSession(call, {
      onMessage: sendBack,
      deflate: {
        serverNoContextTakeover: query.server_no_context_takeover,
        clientNoContextTakeover: query.client_no_context_takeover,
        ...(query.server_max_window_bits && { serverMaxWindowBits: query.server_max_window_bits }),
        ...(query.client_max_window_bits && { clientMaxWindowBits: query.client_max_window_bits }),
      },
    });
  },
});

export const webSocketEchoes: readonly TestbedEndpoint[] = [echo, goEcho, delayed, fragmented, deflate];
