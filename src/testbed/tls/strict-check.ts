import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type ConnectionOptions, connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import type { Material } from './material.ts';

/** What a strict client saw: one that trusts the test root only, checks the name, and keeps today's defaults. */
export interface Observation {
  readonly result: 'ok' | 'fail';
  readonly error: ObservedError | null;
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly alpn: string | null;
  /** As the server sent it, each below its issuer. */
  readonly chain: ReadonlyArray<{ subject: string; issuer: string; notAfter: string; sha256: string }>;
  /** The status of a request for `/get`. */
  readonly httpStatus: number | null;
  readonly elapsedMs: number;
}

interface ObservedError {
  readonly code: string;
  readonly message: string;
  /** The name of the alert, when the server sent one. */
  readonly alert: string | null;
}

export interface StrictClient {
  readonly host: string;
  readonly port: number;
  readonly deadlineMs: number;
  /** Anything a less strict client would change. */
  readonly changes?: ConnectionOptions;
}

const SERVER_NAME = 'localhost';
const MAX_CHAIN = 10;

export async function observe(material: Material, client: StrictClient): Promise<Observation> {
  const startedAtMs = performance.now();
  const socket = connect({
    host: client.host,
    port: client.port,
    servername: SERVER_NAME,
    ca: material.chainPem(['root']),
    ALPNProtocols: ['h2', 'http/1.1'],
    ...client.changes,
  });
  const seen: Pick<Observation, 'protocol' | 'cipher' | 'alpn' | 'chain'> & { httpStatus: number | null } = {
    protocol: null,
    cipher: null,
    alpn: null,
    chain: [],
    httpStatus: null,
  };
  const timer = setTimeout(() => socket.destroy(timeout(client.deadlineMs)), client.deadlineMs);
  // Before the certificate is judged, so that the chain of a refused one can be shown.
  socket.prependOnceListener('secure', () => Object.assign(seen, describe(socket)));
  let error: ObservedError | null = null;
  try {
    const failed = once(socket, 'close').then(() => {
      throw socket.errored ?? new Error('the server closed the connection');
    });
    failed.catch(() => {});
    await Promise.race([once(socket, 'secureConnect'), failed]);
    seen.httpStatus = await Promise.race([requestStatus(socket), failed]);
  } catch (cause) {
    error = describeError(cause as NodeJS.ErrnoException);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  return {
    result: error ? 'fail' : 'ok',
    error,
    ...seen,
    elapsedMs: Math.round(performance.now() - startedAtMs),
  };
}

function describe(socket: TLSSocket) {
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.name ?? null,
    alpn: socket.alpnProtocol || null,
    chain: chainOf(socket.getPeerCertificate(true)),
  };
}

function chainOf(leaf: DetailedPeerCertificate): Observation['chain'] {
  const chain: Array<Observation['chain'][number]> = [];
  for (let at = leaf; at?.raw && chain.length < MAX_CHAIN; at = at.issuerCertificate) {
    chain.push({
      subject: nameText(at.subject),
      issuer: nameText(at.issuer),
      notAfter: new Date(at.valid_to).toISOString(),
      sha256: at.fingerprint256.replaceAll(':', '').toLowerCase(),
    });
    if (at.issuerCertificate === at) break;
  }
  return chain;
}

function nameText(name: object | undefined): string {
  return Object.entries(name ?? {})
    .map(([type, value]) => `${type}=${value}`)
    .join(', ');
}

async function requestStatus(socket: TLSSocket): Promise<number> {
  if (socket.alpnProtocol === 'h2') return http2Status(socket);
  socket.write(`GET /get HTTP/1.1\r\nHost: ${SERVER_NAME}\r\nConnection: close\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return Number(/^HTTP\/1\.\d (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? 0);
}

async function http2Status(socket: TLSSocket): Promise<number> {
  const session = connectHttp2(`https://${SERVER_NAME}`, { createConnection: () => socket });
  const stream = session.request({ ':path': '/get' });
  const failed = Promise.race([once(session, 'error'), once(stream, 'error')]).then(([error]) => {
    throw error;
  });
  failed.catch(() => {});
  try {
    const [headers] = await Promise.race([once(stream, 'response'), failed]);
    return Number(headers[':status']);
  } finally {
    session.destroy();
  }
}

function describeError({ code, message }: NodeJS.ErrnoException): ObservedError {
  return { code: code ?? 'UNKNOWN', message: message.trim(), alert: alertOf(message) };
}

/** OpenSSL names the alerts it was sent: `…:SSL alert number 40` behind `sslv3 alert handshake failure`. */
function alertOf(message: string): string | null {
  const found = /(?:sslv3|tlsv1|tlsv13|ssl\/tls) alert ([a-z ]+)/.exec(message)?.[1];
  return found ? found.trim().replaceAll(' ', '_') : null;
}

function timeout(deadlineMs: number): Error {
  return Object.assign(new Error(`nothing came for ${deadlineMs} ms`), { code: 'ETIMEDOUT' });
}
