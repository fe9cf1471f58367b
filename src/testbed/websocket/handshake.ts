import { createHash } from 'node:crypto';
import type { Exchange } from '../../http1/exchange.ts';
import type { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import { type AcceptedDeflate, type DeflateWishes, negotiateDeflate, parseExtensions } from './extensions.ts';

export interface HandshakeOptions {
  /** Picks one of the subprotocols the client offers, in its order; none unless given. */
  readonly chooseSubprotocol?: (offered: readonly string[]) => string | undefined;
  /** Given when compression is wanted, if the client offers it. */
  readonly deflate?: DeflateWishes;
}

export interface Handshake {
  /** The header fields that accept it. */
  readonly headers: string[];
  readonly offeredSubprotocols: readonly string[];
  readonly subprotocol: string | undefined;
  readonly deflate: AcceptedDeflate | undefined;
}

/** Checks the opening handshake (RFC 6455 §4.2, over HTTP/2 RFC 8441 §5) and decides on the answer, without sending it. */
export function readHandshake(exchange: Exchange, options: HandshakeOptions): Handshake {
  const { head } = exchange;
  const { headers } = head;
  const isHttp2 = head.version === '2';
  requireUpgrade(exchange);
  if (headers.get('sec-websocket-version') !== '13')
    throw fault('websocket.version', {}, ['Sec-WebSocket-Version', '13', ...UPGRADE_FIELDS]);
  // An HTTP/2 stream needs no proof that the server understood: its :protocol is that proof.
  const accepted = isHttp2 ? [] : ['Sec-WebSocket-Accept', acceptKey(keyOf(headers))];
  if (!isHttp2 && exchange.body.isPresent) throw invalid('the request must have no body');

  const offeredSubprotocols = subprotocolsOf(headers);
  const subprotocol = options.chooseSubprotocol?.(offeredSubprotocols);
  const extensions = parseExtensions(headers.get('sec-websocket-extensions') ?? '');
  if (!extensions) throw invalid('Sec-WebSocket-Extensions is malformed');
  const deflate = options.deflate && negotiateDeflate(extensions, options.deflate);
  return {
    headers: [
      ...UPGRADE_FIELDS,
      ...accepted,
      ...(subprotocol === undefined ? [] : ['Sec-WebSocket-Protocol', subprotocol]),
      ...(deflate ? ['Sec-WebSocket-Extensions', deflate.field] : []),
    ],
    offeredSubprotocols,
    subprotocol,
    deflate,
  };
}

const UPGRADE_FIELDS = ['Upgrade', 'websocket', 'Connection', 'Upgrade'];
const PROTOCOL_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Proves to the client that its key was read (RFC 6455 §4.2.2). */
export function acceptKey(key: string): string {
  return createHash('sha1')
    .update(key + PROTOCOL_GUID)
    .digest('base64');
}

function requireUpgrade({ head }: Exchange): void {
  const { method, version, headers } = head;
  const isAsked =
    method === 'GET' &&
    version !== '1.0' &&
    listHas(headers.get('connection'), 'upgrade') &&
    listHas(headers.get('upgrade'), 'websocket');
  if (!isAsked) throw fault('upgrade.required', { protocol: 'websocket' }, UPGRADE_FIELDS);
}

function keyOf(headers: HeaderList): string {
  const keys = headers.all('sec-websocket-key');
  const key = keys[0]?.trim() ?? '';
  // 16 bytes in base64: 22 characters of which the last carries two bits, and the padding.
  if (keys.length !== 1 || !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(key))
    throw invalid('Sec-WebSocket-Key must be 16 bytes in base64, once');
  return key;
}

function subprotocolsOf(headers: HeaderList): string[] {
  const field = headers.get('sec-websocket-protocol');
  if (field === undefined) return [];
  const names = field.split(',').map((name) => name.trim());
  const isWellFormed = names.every((name) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name));
  if (!isWellFormed || new Set(names).size !== names.length)
    throw invalid('Sec-WebSocket-Protocol must list different tokens');
  return names;
}

function listHas(field: string | undefined, lowerMember: string): boolean {
  return (field ?? '').split(',').some((one) => one.trim().toLowerCase() === lowerMember);
}

function invalid(reason: string): Error {
  return fault('websocket.handshake', { reason });
}
