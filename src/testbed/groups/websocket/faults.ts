import { Type } from 'typebox';
import { problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { patternBytes } from '../../content/python-random.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { composeFrameHead, opcodes } from '../../websocket/frame.ts';
import { webSocketSession } from '../../websocket/session.ts';
import {
  type WebSocketFault,
  type WebSocketFaultName,
  webSocketFaults,
} from '../../websocket/wire-faults.ts';
import {
  closeOfServer,
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

/** Bytes that are no UTF-8, each for a reason of its own. */
const invalidTexts = {
  'lone-continuation': Uint8Array.of(0x80),
  truncated: Uint8Array.of(0x61, 0xe2, 0x82),
  overlong: Uint8Array.of(0xc0, 0xaf),
  surrogate: Uint8Array.of(0xed, 0xa0, 0x80),
  'beyond-unicode': Uint8Array.of(0xf4, 0x90, 0x80, 0x80),
};
type InvalidText = keyof typeof invalidTexts;

const invalidUtf8 = endpoint({
  id: 'ws-invalid-utf8',
  group,
  methods: ['GET'],
  path: '/ws/invalid-utf8',
  summary: 'Sends a text message that is not valid UTF-8, then closes.',
  description: 'A client must fail the connection with 1007 (RFC 6455 §8.1).',
  headers: handshakeHeaders,
  query: Type.Object({
    kind: Type.Union(
      Object.keys(invalidTexts).map((kind) => Type.Literal(kind as InvalidText)),
      { default: 'overlong' },
    ),
  }),
  responses: webSocketResponses,
  examples: [
    monologue('an overlong slash', '/ws/invalid-utf8', [
      fromServer('text', invalidTexts.overlong),
      closeOfServer(),
    ]),
    monologue('a surrogate', '/ws/invalid-utf8?kind=surrogate', [
      fromServer('text', invalidTexts.surrogate),
      closeOfServer(),
    ]),
    {
      name: 'an unknown kind',
      path: '/ws/invalid-utf8?kind=shy',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /kind must be one of lone-continuation/ } },
    },
    notUpgraded('/ws/invalid-utf8'),
  ],
  handle: (call) =>
    webSocketSession(call, {
      script: async (socket) => {
        await socket.send('text', invalidTexts[call.query.kind]);
        socket.close();
      },
    }),
});

const oversize = endpoint({
  id: 'ws-oversize',
  group,
  methods: ['GET'],
  path: '/ws/oversize',
  summary: 'Announces a frame of any length, sends some of it and ends the connection.',
  description: 'A client with a limit should fail the connection with 1009 as soon as it sees the length.',
  headers: handshakeHeaders,
  query: Type.Object({
    announced: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 2 ** 40,
      description: 'Bytes the frame says it has.',
    }),
    sent: Type.Integer({
      minimum: 0,
      maximum: 16 * MiB,
      default: 1024,
      description: 'Bytes of it that are sent, at most all.',
    }),
  }),
  responses: webSocketResponses,
  examples: [
    {
      name: 'a terabyte, of which five bytes come',
      path: '/ws/oversize?sent=5',
      headers: upgradeHeaders,
      expect: {
        wire: switchedThen([Uint8Array.of(0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0), patternBytes(5)]),
        ends: 'close',
      },
    },
    {
      name: 'more than is ever sent',
      path: '/ws/oversize?sent=16777217',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /sent must be at most 16777216/ } },
    },
    notUpgraded('/ws/oversize'),
  ],
  handle: (call) => {
    const { announced, sent } = call.query;
    return webSocketSession(call, {
      script: async (socket) => {
        await socket.sendBytes(composeFrameHead(opcodes.binary, announced));
        await socket.sendBytes(patternBytes(Math.min(sent, announced)));
        socket.end();
      },
    });
  },
});

const broken = endpoint({
  id: 'ws-fault',
  group,
  methods: ['GET'],
  path: '/ws/fault/{name}',
  summary: 'Breaks one rule of RFC 6455, in the handshake or in its frames.',
  description: `A client must fail the connection. ${Object.entries(webSocketFaults)
    .map(([name, { does }]) => `${name}: ${does}`)
    .join('; ')}.`,
  headers: handshakeHeaders,
  params: Type.Object({
    name: Type.Union(Object.keys(webSocketFaults).map((name) => Type.Literal(name as WebSocketFaultName))),
  }),
  responses: { ...webSocketResponses, 403: problem('Faults are switched off.') },
  examples: [
    ...Object.entries<WebSocketFault>(webSocketFaults)
      .filter(([, { spoilHeaders }]) => !spoilHeaders)
      .map(([name, { does, bytes }]) => ({
        name: does,
        path: `/ws/fault/${name}`,
        headers: upgradeHeaders,
        expect: { wire: switchedThen([bytes]), ends: 'close' as const },
      })),
    {
      name: 'a wrong proof in the handshake',
      path: '/ws/fault/wrong-accept',
      headers: upgradeHeaders,
      expect: { wire: /\r\nSec-WebSocket-Accept: bm90IHRoZSBwcm9vZiBhc2tlZA==\r\n/ },
    },
    {
      name: 'an unknown fault',
      path: '/ws/fault/politeness',
      headers: upgradeHeaders,
      expect: { status: 400, json: { detail: /name must be one of masked/ } },
    },
    notUpgraded('/ws/fault/masked'),
  ],
  handle: (call) => {
    if (call.services.settings.isPublic) {
      throw fault('feature.disabled', { feature: 'A broken WebSocket', reason: 'this service is public' });
    }
    const { bytes, spoilHeaders }: WebSocketFault = webSocketFaults[call.params.name];
    return webSocketSession(call, {
      ...(spoilHeaders && { spoilHeaders }),
      script: async (socket) => {
        await socket.sendBytes(bytes);
        socket.end();
      },
    });
  },
});

export const webSocketFaultEndpoints: readonly TestbedEndpoint[] = [invalidUtf8, oversize, broken];
