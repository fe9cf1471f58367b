import http2 from 'node:http2';
import { HeaderList, type HeaderPairs } from '../../http1/header-list.ts';
import type { RawExchange } from './raw-client.ts';

export interface Http2Request {
  readonly method: string;
  /** One character is one byte. */
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body?: Uint8Array | undefined;
}

/** A client that keeps order and repetition of fields. */
export function connectHttp2(port: number): http2.ClientHttp2Session {
  // The types know the option for servers only.
  const options: http2.ClientSessionOptions & { strictSingleValueFields: boolean } = {
    strictSingleValueFields: false,
  };
  const session = http2.connect(`http://127.0.0.1:${port}`, options);
  session.on('error', () => {});
  return session;
}

/** Asks on a stream of its own; the answer has the shape of the raw client's, as far as HTTP/2 has such things. */
export function http2Request(
  session: http2.ClientHttp2Session,
  authority: string,
  { method, target, headers, body }: Http2Request,
): Promise<RawExchange> {
  const given = new HeaderList(headers);
  const fields = [':method', method, ':scheme', 'http', ':path', target];
  // A Host of its own stands for :authority.
  if (!given.has('host')) fields.push(':authority', authority);
  for (const [name, value] of given.pairs()) fields.push(name.toLowerCase(), value);
  if (body && !given.has('content-length')) fields.push('content-length', String(body.length));

  return new Promise((resolve, reject) => {
    const sentAtMs = performance.now();
    const stream = session.request(fields, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    let answered = new HeaderList([]);
    let firstByteMs: number | undefined;
    let trailers: HeaderPairs = [];
    const chunks: Buffer[] = [];
    stream.on('response', (_head, _flags, raw: string[] = []) => {
      firstByteMs = performance.now() - sentAtMs;
      answered = new HeaderList(raw);
    });
    stream.on('trailers', (_head, _flags, raw: string[] = []) => {
      trailers = raw;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      const content = Buffer.concat(chunks);
      resolve({
        interim: [],
        status: Number(answered.first(':status') ?? 0),
        reason: '',
        headers: [...answered.pairs()],
        header: (name) => (answered.has(name) ? answered.all(name).join(', ') : undefined),
        body: content,
        trailers: [...new HeaderList(trailers).pairs()],
        isComplete: stream.rstCode === http2.constants.NGHTTP2_NO_ERROR,
        rest: Buffer.alloc(0),
        wire: content,
        ended: 'open',
        firstByteMs,
      });
    });
  });
}
