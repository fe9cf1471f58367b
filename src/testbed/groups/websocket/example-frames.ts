import { Type } from 'typebox';
import { noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { closePayload, composeFrame, opcodes } from '../../websocket/frame.ts';

/** What every WebSocket endpoint declares. */
export const handshakeHeaders = Type.Object({
  connection: Type.String({ description: 'Must name Upgrade.' }),
  upgrade: Type.String({ description: 'Must be websocket.' }),
  'sec-websocket-version': Type.String({ description: 'Must be 13.' }),
  'sec-websocket-key': Type.String({ description: '16 random bytes in base64.' }),
});

export const webSocketResponses = {
  101: noBody('The connection is a WebSocket from here on. On HTTP/2 (RFC 8441) the status is 200.'),
  400: problem('The handshake or a parameter is not valid.'),
  426: problem('No WebSocket was asked for, or not its version 13.'),
};

/** The handshake of RFC 6455 §1.3. */
export const upgradeHeaders = [
  ...['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13'],
  ...['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

const MASK_KEY = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);

/** A frame as a client sends it. */
export function fromClient(
  kind: keyof typeof opcodes,
  payload: string | Uint8Array,
  options: { readonly isFinal?: boolean; readonly reservedBits?: number } = {},
): Buffer {
  return composeFrame(opcodes[kind], payload, { ...options, maskKey: MASK_KEY });
}

export const closeOfClient = fromClient('close', closePayload(1000));

/** A frame as this service sends it. */
export function fromServer(kind: keyof typeof opcodes, payload: string | Uint8Array, isFinal = true): Buffer {
  return composeFrame(opcodes[kind], payload, { isFinal });
}

export const closeOfServer = (code = 1000, reason = '') =>
  composeFrame(opcodes.close, closePayload(code, reason));

/** The whole answer on the wire: the 101, then exactly these frames. */
export function switchedThen(frames: readonly Uint8Array[], furtherFields = ''): RegExp {
  const head =
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n${furtherFields}\r\n`;
  return new RegExp(`^${RegExp.escape(head + Buffer.concat(frames).toString('latin1'))}$`);
}

/** Frames of a client, and the frames they are answered with. */
export function conversation(
  name: string,
  path: string,
  sent: readonly Uint8Array[],
  received: readonly Uint8Array[],
): Example {
  return {
    name,
    path,
    headers: upgradeHeaders,
    upgraded: Buffer.concat(sent),
    expect: { wire: switchedThen(received), ends: 'close' },
  };
}

/** What the server sends by itself, up to the Close that it waits to see answered. */
export function monologue(name: string, path: string, received: readonly Uint8Array[]): Example {
  return { name, path, headers: upgradeHeaders, expect: { wire: switchedThen(received), ends: 'open' } };
}

/** A request that asks for no WebSocket. */
export function notUpgraded(path: string): Example {
  return {
    name: 'not asked to upgrade',
    path,
    expect: { status: 426, headers: { upgrade: 'websocket' }, json: { detail: /Upgrade: websocket/ } },
  };
}
