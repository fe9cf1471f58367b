import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { negotiateDeflate, parseExtensions } from './extensions.ts';
import { closePayload, composeFrame, opcodes, RSV1 } from './frame.ts';
import { carriers, talk } from './testing/frame-client.ts';

const negotiations: ReadonlyArray<[offer: string, wishes: object, answer: string | undefined]> = [
  ['permessage-deflate', {}, 'permessage-deflate'],
  ['x-unknown, permessage-deflate', {}, 'permessage-deflate'],
  ['x-unknown', {}, undefined],
  ['', {}, undefined],
  [
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover',
    {},
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover',
  ],
  ['permessage-deflate; client_max_window_bits', {}, 'permessage-deflate'],
  [
    'permessage-deflate; client_max_window_bits',
    { clientMaxWindowBits: 9 },
    'permessage-deflate; client_max_window_bits=9',
  ],
  [
    'permessage-deflate; client_max_window_bits=10',
    { clientMaxWindowBits: 12 },
    'permessage-deflate; client_max_window_bits=10',
  ],
  ['permessage-deflate', { clientMaxWindowBits: 9 }, 'permessage-deflate'],
  ['permessage-deflate', { serverMaxWindowBits: 9 }, 'permessage-deflate; server_max_window_bits=9'],
  ['permessage-deflate; server_max_window_bits="8"', {}, 'permessage-deflate; server_max_window_bits=8'],
  // RFC 7692 §7.1: such an offer is declined, the next one may do.
  ['permessage-deflate; server_max_window_bits', {}, undefined],
  ['permessage-deflate; server_max_window_bits=7', {}, undefined],
  ['permessage-deflate; server_max_window_bits=16', {}, undefined],
  ['permessage-deflate; server_max_window_bits=08', {}, undefined],
  ['permessage-deflate; client_no_context_takeover=1', {}, undefined],
  ['permessage-deflate; server_no_context_takeover; server_no_context_takeover', {}, undefined],
  ['permessage-deflate; unknown', {}, undefined],
  ['permessage-deflate; unknown, permessage-deflate', {}, 'permessage-deflate'],
];

for (const [offer, wishes, answer] of negotiations) {
  test(`offer '${offer}' with ${JSON.stringify(wishes)} is answered by ${answer}`, () => {
    assert.equal(negotiateDeflate(parseExtensions(offer)!, wishes)?.field, answer);
  });
}

for (const malformed of ['a b', 'a;', 'a; =1', 'a; b="c d"', 'a; b=', 'a; b="c', ';a']) {
  test(`the field '${malformed}' is malformed`, () => assert.equal(parseExtensions(malformed), undefined));
}

describe('compressed messages', { concurrency: 4 }, () => {
  let testbed: StartedTestbed;
  before(async () => {
    testbed = await startTestbed();
  });
  after(() => testbed.close());

  const OFFER = { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate' } };
  const compressed = (data: Uint8Array) =>
    composeFrame(opcodes.text, data, { reservedBits: RSV1, maskKey: Uint8Array.of(9, 8, 7, 6) });
  const closing = (code: number, reason: string) => composeFrame(opcodes.close, closePayload(code, reason));
  const flushed = (text: string | Buffer) => {
    const coded = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
    return coded.subarray(0, coded.length - 4);
  };

  const refused: ReadonlyArray<[what: string, data: Uint8Array, code: number, reason: string]> = [
    ['that is no deflate data', Uint8Array.of(0xff, 0xff), 1007, 'the message is not valid deflate data'],
    ['of text that is no UTF-8', flushed(Buffer.from([0xc0, 0xaf])), 1007, 'the text is not valid UTF-8'],
    [
      'that is a bomb',
      flushed(Buffer.alloc(64 * 1024 * 1024)),
      1009,
      'a message may have 16777216 bytes once decompressed',
    ],
  ];
  for (const carrier of carriers) {
    for (const [what, data, code, reason] of refused) {
      test(`a message ${what} closes with ${code} over ${carrier}`, async () => {
        const { received } = await talk(testbed.port, '/ws/deflate', carrier, [compressed(data)], OFFER);
        assert.deepEqual(received, closing(code, reason));
      });
    }

    test(`a message that ends with a final block is read, and the next one too, over ${carrier}`, async () => {
      const final = Buffer.concat([deflateRawSync('once'), Uint8Array.of(0)]);
      const bye = composeFrame(opcodes.close, closePayload(1000), { maskKey: Uint8Array.of(1, 1, 1, 1) });
      const sent = [compressed(final), compressed(flushed('more')), bye];
      const query = '?server_no_context_takeover=true';
      const { received } = await talk(testbed.port, `/ws/deflate${query}`, carrier, sent, OFFER);
      const back = (text: string) => composeFrame(opcodes.text, flushed(text), { reservedBits: RSV1 });
      assert.deepEqual(
        received,
        Buffer.concat([back('once'), back('more'), composeFrame(opcodes.close, closePayload(1000))]),
      );
    });
  }

  const parameters = [
    {},
    { serverNoContextTakeover: true },
    { clientNoContextTakeover: true },
    { serverNoContextTakeover: true, clientNoContextTakeover: true },
    { serverMaxWindowBits: 9, clientMaxWindowBits: 9 },
    { serverMaxWindowBits: 8 },
  ];
  for (const perMessageDeflate of parameters) {
    test(`the ws client agrees on ${JSON.stringify(perMessageDeflate)} and gets every message back`, async () => {
      const client = new WebSocket(`ws://127.0.0.1:${testbed.port}/ws/deflate`, {
        perMessageDeflate: { threshold: 0, ...perMessageDeflate },
      });
      await once(client, 'open');
      assert.match(client.extensions, /^permessage-deflate/);
      const messages = [
        'short',
        '',
        'repeated '.repeat(5000),
        'repeated '.repeat(5000),
        randomBytes(100_000).toString('hex'),
        'end',
      ];
      const received: string[] = [];
      const all = new Promise<void>((resolve) => {
        client.on('message', (data) => {
          received.push(String(data));
          if (received.length === messages.length) resolve();
        });
      });
      for (const message of messages) client.send(message);
      await all;
      assert.deepEqual(received, messages);
      client.close(1000);
      const [code] = await once(client, 'close');
      assert.equal(code, 1000);
    });
  }
});
