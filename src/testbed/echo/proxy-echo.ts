import { X509Certificate } from 'node:crypto';
import type { Exchange, TlsInfo } from '../../http1/exchange.ts';
import type { HeaderList, HeaderPairs } from '../../http1/header-list.ts';
import { decodePercent } from '../../kernel/catalogue/query.ts';
import { charsetOf, contentTypeOf, decodeText } from '../content/charsets.ts';
import { md5Hex, sha256Hex } from '../content/integrity.ts';
import type { TestbedCall } from '../endpoint.ts';

// A body larger than this is described by its digests and not repeated in the answer.
const MAX_SHOWN_BYTES = 1024 * 1024;

/**
 * The request as it arrived behind a proxy: the answer of the `/proxy-test/…/echo` endpoints.
 * Strings taken from the wire have one character per byte, so that nothing is lost to a decoding.
 */
export async function proxyEcho(call: TestbedCall): Promise<ProxyEcho> {
  const content = await call.exchange.body.bytes(call.services.settings.limits.maxBodyBytes);
  return proxyEchoOf(call, content);
}

/** The same for a body that was read already. */
export function proxyEchoOf({ exchange, request, services }: TestbedCall, content: Buffer): ProxyEcho {
  const { connection, head } = exchange;
  return {
    method: head.method,
    path: decodePercent(request.rawPath),
    rawPath: request.rawPath,
    rawQuery: request.rawQuery ?? null,
    query: request.queryPairs,
    httpVersion: head.version,
    scheme: request.scheme,
    host: request.authority,
    headers: headersByName(head.headers),
    rawHeaders: [...head.headers.pairs()],
    trailers: pairsOf(exchange.body.trailers),
    body: describeBody(head.headers, content),
    client: { ip: request.peerAddress, port: connection.remotePort },
    connection: { id: connection.id, requestNo: exchange.requestNo, keepAlive: isKeptAlive(exchange) },
    tls: connection.tls ? describeTls(connection.tls) : null,
    forwarded: describeForwarding(head.headers),
    receivedAt: new Date(services.clock.now()).toISOString(),
  };
}

export interface ProxyEcho {
  method: string;
  path: string;
  rawPath: string;
  rawQuery: string | null;
  query: TestbedCall['request']['queryPairs'];
  httpVersion: string;
  scheme: string;
  host: string;
  headers: Record<string, string[]>;
  rawHeaders: Array<[name: string, value: string]>;
  trailers: Array<[name: string, value: string]>;
  body: ReturnType<typeof describeBody>;
  client: { ip: string; port: number };
  connection: { id: string; requestNo: number; keepAlive: boolean };
  tls: ReturnType<typeof describeTls> | null;
  forwarded: ReturnType<typeof describeForwarding>;
  receivedAt: string;
}

/** Header fields by lower-case name, each with one value per line that was sent. */
export function headersByName(headers: HeaderList): Record<string, string[]> {
  const byName: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headers.pairs()) {
    const lowerName = name.toLowerCase();
    byName[lowerName] ??= [];
    byName[lowerName].push(value);
  }
  return byName;
}

export function pairsOf(flat: HeaderPairs): Array<[name: string, value: string]> {
  const pairs: Array<[string, string]> = [];
  for (let index = 0; index < flat.length; index += 2) pairs.push([flat[index]!, flat[index + 1]!]);
  return pairs;
}

function describeBody(headers: HeaderList, content: Buffer) {
  const contentType = headers.first('content-type') ?? null;
  const charset = contentType === null ? null : (contentTypeOf(contentType).charset ?? null);
  return {
    length: content.length,
    sha256: sha256Hex(content),
    md5: md5Hex(content),
    contentType,
    charset,
    contentEncoding: headers.get('content-encoding') ?? null,
    transferEncoding: headers.get('transfer-encoding') ?? null,
    ...showContent(content, charset),
  };
}

export type ShownContent = { text: string } | { base64: string } | { omitted: string };

/** Content as an answer repeats it: as text where it is text, else in base64. */
export function showContent(content: Buffer, charset: string | null): ShownContent {
  if (content.length > MAX_SHOWN_BYTES) return { omitted: `more than ${MAX_SHOWN_BYTES} bytes` };
  const text = textOf(content, charset ?? 'utf-8');
  return text === undefined ? { base64: content.toString('base64') } : { text };
}

/** Undefined when the bytes are no text of that charset, or hold NUL as only binary data does. */
function textOf(content: Buffer, label: string): string | undefined {
  const charset = charsetOf(label);
  if (charset === undefined) return undefined;
  const { text, isValid } = decodeText(content, charset);
  return isValid && !text.includes('\0') ? text : undefined;
}

/** Whether the client lets the connection live on after this answer (RFC 9112 §9.3). */
function isKeptAlive({ head }: Exchange): boolean {
  const options = (head.headers.get('connection') ?? '').toLowerCase().split(/[\t ]*,[\t ]*/);
  if (head.version === '1.0') return options.includes('keep-alive');
  return !options.includes('close');
}

function describeTls({ version, cipher, serverName, alpn, peerCertificate }: TlsInfo) {
  return {
    version,
    cipher,
    sni: serverName ?? null,
    alpn: alpn ?? null,
    clientCert: peerCertificate ? describeCertificate(peerCertificate) : null,
  };
}

function describeCertificate(der: Buffer) {
  const { subject, issuer, serialNumber, fingerprint256, validFrom, validTo } = new X509Certificate(der);
  return { subject, issuer, serialNumber, fingerprint256, validFrom, validTo };
}

function describeForwarding(headers: HeaderList) {
  return {
    for: headers.get('x-forwarded-for') ?? null,
    proto: headers.get('x-forwarded-proto') ?? null,
    host: headers.get('x-forwarded-host') ?? null,
    port: headers.get('x-forwarded-port') ?? null,
    via: headers.get('via') ?? null,
    forwarded: headers.get('forwarded') ?? null,
  };
}
