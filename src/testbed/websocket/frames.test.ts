import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { closePayload, composeFrame, opcodes } from './frame.ts';
import { carriers, talk } from './testing/frame-client.ts';

const { text, binary, continuation, close, ping, pong } = opcodes;
const maskKey = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
const [RSV1, RSV2, RSV3] = [0x40, 0x20, 0x10];

type Payload = string | Uint8Array;
const sent = (opcode: number, payload: Payload, options: { isFinal?: boolean; reservedBits?: number } = {}) =>
  composeFrame(opcode, payload, { ...options, maskKey });
const back = (opcode: number, payload: Payload) => composeFrame(opcode, payload);
const part = (opcode: number, payload: Payload) => sent(opcode, payload, { isFinal: false });
const bytes = (...values: number[]) => Uint8Array.from(values);
const bye = sent(close, closePayload(1000));
const byeBack = back(close, closePayload(1000));
const failed = (code: number, reason: string) => back(close, closePayload(code, reason));
const maskedHead = (...head: number[]) => Buffer.concat([bytes(...head), maskKey]);

interface Row {
  readonly rule: string;
  readonly sends: readonly Uint8Array[];
  readonly gets: readonly Uint8Array[];
}

const NOT_UTF8 = failed(1007, 'the text is not valid UTF-8');
const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 100_003];

const rows: Row[] = [
  // RFC 6455 §5.1
  {
    rule: 'an unmasked frame fails',
    sends: [back(text, 'Hello')],
    gets: [failed(1002, 'frames of a client must be masked')],
  },
  {
    rule: 'an unmasked Close fails too',
    sends: [byeBack],
    gets: [failed(1002, 'frames of a client must be masked')],
  },
  // §5.2
  ...LENGTHS.map((length) => ({
    rule: `a message of ${length} bytes comes back whole`,
    sends: [sent(binary, Buffer.alloc(length, 'gatehouse')), bye],
    gets: [back(binary, Buffer.alloc(length, 'gatehouse')), byeBack],
  })),
  ...[RSV1, RSV2, RSV3, RSV1 | RSV2 | RSV3].map((reservedBits) => ({
    rule: `reserved bits 0x${reservedBits.toString(16)} fail where no extension was agreed on`,
    sends: [sent(text, 'Hello', { reservedBits })],
    gets: [failed(1002, 'a reserved bit is set')],
  })),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => ({
    rule: `opcode ${opcode} fails`,
    sends: [sent(opcode, '')],
    gets: [failed(1002, `opcode ${opcode} is reserved`)],
  })),
  {
    rule: 'a short length written in 16 bits fails',
    sends: [maskedHead(0x82, 0x80 | 126, 0, 125)],
    gets: [failed(1002, 'the length is not written in the shortest form')],
  },
  {
    rule: 'a 16-bit length written in 64 bits fails',
    sends: [maskedHead(0x82, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff)],
    gets: [failed(1002, 'the length is not written in the shortest form')],
  },
  {
    rule: 'a length with its highest bit set fails',
    sends: [maskedHead(0x82, 0x80 | 127, 0x80, 0, 0, 0, 0, 0, 0, 0)],
    gets: [failed(1002, 'the highest bit of a length must be zero')],
  },
  {
    rule: 'a frame over the limit fails as soon as its length is there',
    sends: [bytes(0x82, 0x80 | 127, 0, 0, 0, 0, 0x01, 0, 0, 0x01)],
    gets: [failed(1009, 'a frame may have 16777216 bytes')],
  },
  // §5.4
  {
    rule: 'fragments become one message, whatever control frames stand between them',
    sends: [
      part(text, 'a'),
      sent(ping, '1'),
      part(continuation, ''),
      sent(pong, 'x'),
      sent(continuation, 'b'),
      bye,
    ],
    gets: [back(pong, '1'), back(text, 'ab'), byeBack],
  },
  {
    rule: 'fragments may all be empty',
    sends: [part(binary, ''), part(continuation, ''), sent(continuation, ''), bye],
    gets: [back(binary, ''), byeBack],
  },
  {
    rule: 'a continuation of nothing fails',
    sends: [sent(continuation, 'a')],
    gets: [failed(1002, 'there is no message to continue')],
  },
  {
    rule: 'a continuation after the last fragment fails',
    sends: [part(text, 'a'), sent(continuation, 'b'), sent(continuation, 'c')],
    gets: [back(text, 'ab'), failed(1002, 'there is no message to continue')],
  },
  ...[text, binary].map((opcode) => ({
    rule: `a new message (opcode ${opcode}) within another fails`,
    sends: [part(text, 'a'), sent(opcode, 'b')],
    gets: [failed(1002, 'a new message begins before the last one ended')],
  })),
  {
    rule: 'more fragments than the limit fail',
    sends: [Buffer.concat([part(binary, ''), ...Array.from({ length: 4096 }, () => part(continuation, ''))])],
    gets: [failed(1008, 'a message may have 4096 fragments')],
  },
  {
    rule: 'fragments that are too much together fail',
    sends: [Buffer.concat([part(binary, Buffer.alloc(16 * 1024 * 1024)), sent(continuation, 'x')])],
    gets: [failed(1009, 'a message may have 16777216 bytes')],
  },
  // §5.5
  {
    rule: 'pings are answered with their payload',
    sends: [sent(ping, ''), sent(ping, 'p'.repeat(125)), bye],
    gets: [back(pong, ''), back(pong, 'p'.repeat(125)), byeBack],
  },
  {
    rule: 'a pong nobody asked for is ignored',
    sends: [sent(pong, 'unasked'), sent(text, 'a'), bye],
    gets: [back(text, 'a'), byeBack],
  },
  ...[close, ping, pong].flatMap((opcode) => [
    {
      rule: `a control frame (opcode ${opcode}) in fragments fails`,
      sends: [part(opcode, '')],
      gets: [failed(1002, 'control frames must not be fragmented')],
    },
    {
      rule: `a control frame (opcode ${opcode}) of 126 bytes fails`,
      sends: [sent(opcode, 'x'.repeat(126))],
      gets: [failed(1002, 'control frames have at most 125 bytes')],
    },
  ]),
  {
    rule: 'more pings a second than the limit fail',
    sends: [Buffer.concat(Array.from({ length: 257 }, () => sent(ping, '')))],
    gets: [
      ...Array.from({ length: 256 }, () => back(pong, '')),
      failed(1008, 'at most 256 pings and pongs a second'),
    ],
  },
  // §5.5.1, §7.4
  {
    rule: 'a Close without a code is answered without one',
    sends: [sent(close, '')],
    gets: [back(close, '')],
  },
  {
    rule: 'a Close of one byte fails',
    sends: [sent(close, bytes(3))],
    gets: [failed(1002, 'the close code is not valid')],
  },
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999].map(
    (code) => ({
      rule: `a Close with ${code} is answered with it`,
      sends: [sent(close, closePayload(code, 'why not'))],
      gets: [back(close, closePayload(code))],
    }),
  ),
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map((code) => ({
    rule: `a Close with ${code} fails`,
    sends: [sent(close, closePayload(code))],
    gets: [failed(1002, 'the close code is not valid')],
  })),
  {
    rule: 'a close reason that is no UTF-8 fails',
    sends: [sent(close, bytes(0x03, 0xe8, 0xc0, 0xaf))],
    gets: [failed(1007, 'the close reason is not valid UTF-8')],
  },
  {
    rule: 'nothing is answered after the Close',
    sends: [Buffer.concat([bye, sent(text, 'late'), sent(ping, '')])],
    gets: [byeBack],
  },
  // §8.1
  {
    rule: 'text of every plane comes back',
    sends: [sent(text, 'a\u0000é€\ud7ff\ue000\uffff\u{10000}\u{10ffff}'), bye],
    gets: [back(text, 'a\u0000é€\ud7ff\ue000\uffff\u{10000}\u{10ffff}'), byeBack],
  },
  {
    rule: 'text may be cut within a character',
    sends: [
      part(text, bytes(0xf0)),
      part(continuation, bytes(0x9f, 0x98)),
      sent(continuation, bytes(0x80)),
      bye,
    ],
    gets: [back(text, '😀'), byeBack],
  },
  ...[
    ['a lone continuation', [0x80]],
    ['a character cut short', [0x61, 0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an overlong form of three bytes', [0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that never stands in UTF-8', [0xff]],
  ].map(([what, values]) => ({
    rule: `text with ${what} fails`,
    sends: [sent(text, Uint8Array.from(values as number[]))],
    gets: [NOT_UTF8],
  })),
  ...[
    ['overlong', [0x61, 0xe0, 0x80]],
    ['a surrogate', [0xed, 0xa0]],
    ['beyond U+10FFFF', [0xf4, 0x90]],
    ['no lead byte', [0xf8]],
  ].map(([what, values]) => ({
    rule: `a fragment that can only become ${what} fails before the message ends`,
    sends: [part(text, Uint8Array.from(values as number[]))],
    gets: [NOT_UTF8],
  })),
  {
    rule: 'a fragmented text whose last character is cut short fails',
    sends: [part(text, bytes(0x61, 0xe2)), sent(continuation, bytes(0x82))],
    gets: [NOT_UTF8],
  },
  {
    rule: 'binary may hold any byte',
    sends: [sent(binary, bytes(0xc0, 0xaf)), bye],
    gets: [back(binary, bytes(0xc0, 0xaf)), byeBack],
  },
];

/** Long rows sent byte by byte would prove no more, and the one that counts pings would not send them within a second. */
const MAX_BYTEWISE = 1000;

for (const carrier of carriers) {
  describe(`frames over ${carrier}`, { concurrency: 4 }, () => {
    let testbed: StartedTestbed;
    before(async () => {
      testbed = await startTestbed();
    });
    after(() => testbed.close());

    const check = async ({ gets }: Row, pieces: readonly Uint8Array[]) => {
      const { received, ended } = await talk(testbed.port, '/ws/echo', carrier, pieces);
      assert.equal(received.toString('hex'), Buffer.concat(gets).toString('hex'));
      assert.equal(ended, 'close');
      assert.deepEqual(testbed.errors, []);
    };

    for (const row of rows) {
      test(row.rule, async () => {
        const whole = Buffer.concat(row.sends);
        await check(row, [whole]);
        await check(row, row.sends);
        if (whole.length <= MAX_BYTEWISE)
          await check(
            row,
            [...whole].map((byte) => Uint8Array.of(byte)),
          );
      });
    }
  });
}
