import { closePayload, composeFrame, opcodes, RSV1 } from './frame.ts';

export interface WebSocketFault {
  readonly does: string;
  /** What follows the handshake, exactly; then the connection ends by FIN. */
  readonly bytes: Uint8Array;
  /** For faults of the handshake itself. */
  readonly spoilHeaders?: (headers: readonly string[]) => string[];
}

const RSV2 = 0x20;
const NOTHING = new Uint8Array();
const MASK_KEY = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
const { text, continuation, ping, close } = opcodes;
const RESERVED_DATA_OPCODE = 0x3;
const RESERVED_CONTROL_OPCODE = 0xb;

/** Everything a server must not do, by name. */
export const webSocketFaults = {
  // Frames
  masked: { does: 'a masked frame', bytes: composeFrame(text, 'Hello', { maskKey: MASK_KEY }) },
  'reserved-opcode': { does: 'opcode 3', bytes: composeFrame(RESERVED_DATA_OPCODE, 'Hello') },
  'reserved-control-opcode': { does: 'opcode 11', bytes: composeFrame(RESERVED_CONTROL_OPCODE, '') },
  'reserved-bit': { does: 'RSV2 set', bytes: composeFrame(text, 'Hello', { reservedBits: RSV2 }) },
  'compressed-unasked': {
    does: 'RSV1 set though no compression was agreed on',
    bytes: composeFrame(text, 'Hello', { reservedBits: RSV1 }),
  },
  'long-form-length': {
    does: 'a length of 5 written in 16 bits',
    bytes: Buffer.concat([Uint8Array.of(0x81, 126, 0, 5), Buffer.from('Hello')]),
  },
  'length-beyond-63-bits': {
    does: 'a length with its highest bit set',
    bytes: Uint8Array.of(0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 1),
  },
  'truncated-frame': {
    does: 'the connection ends within a frame',
    bytes: composeFrame(text, 'Hello').subarray(0, 4),
  },

  // Control frames
  'fragmented-ping': { does: 'a ping in fragments', bytes: composeFrame(ping, 'p', { isFinal: false }) },
  'long-ping': { does: 'a ping of 126 bytes', bytes: composeFrame(ping, 'p'.repeat(126)) },
  'one-byte-close': { does: 'a Close of one byte', bytes: composeFrame(close, Uint8Array.of(3)) },
  'close-1005': { does: 'a Close with 1005', bytes: composeFrame(close, closePayload(1005)) },
  'close-reason-not-utf8': {
    does: 'a Close whose reason is no UTF-8',
    bytes: composeFrame(close, Uint8Array.of(0x03, 0xe8, 0xc0, 0xaf)),
  },
  'data-after-close': {
    does: 'a message after the Close',
    bytes: Buffer.concat([composeFrame(close, closePayload(1000)), composeFrame(text, 'Hello')]),
  },
  'no-close': { does: 'the connection ends without a Close', bytes: NOTHING },

  // Messages
  'orphan-continuation': {
    does: 'a continuation of nothing',
    bytes: composeFrame(continuation, 'Hello'),
  },
  'interrupted-message': {
    does: 'a new message before the last one ended',
    bytes: Buffer.concat([composeFrame(text, 'Hel', { isFinal: false }), composeFrame(text, 'lo')]),
  },
  'unfinished-message': {
    does: 'a message whose last frame never comes',
    bytes: composeFrame(text, 'Hel', { isFinal: false }),
  },

  // The handshake
  'wrong-accept': {
    does: 'a Sec-WebSocket-Accept that does not fit the key',
    bytes: NOTHING,
    spoilHeaders: (headers) =>
      headers.map((value, index) =>
        headers[index - 1] === 'Sec-WebSocket-Accept' ? 'bm90IHRoZSBwcm9vZiBhc2tlZA==' : value,
      ),
  },
  'unasked-extension': {
    does: 'an extension that was not offered',
    bytes: NOTHING,
    spoilHeaders: (headers) => [...headers, 'Sec-WebSocket-Extensions', 'x-surprise'],
  },
  'unasked-subprotocol': {
    does: 'a subprotocol that was not offered',
    bytes: NOTHING,
    spoilHeaders: (headers) => [...headers, 'Sec-WebSocket-Protocol', 'x-surprise'],
  },
} as const satisfies Record<string, WebSocketFault>;

export type WebSocketFaultName = keyof typeof webSocketFaults;
