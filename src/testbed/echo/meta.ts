import type { Exchange, TlsInfo } from '../../http1/exchange.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { sha256Hex } from '../content/integrity.ts';

/** Whether the client asked for `_meta`; plain answers stay byte-compatible with httpbin's. */
export function isVerbose(request: RequestView): boolean {
  return request.headers.first('x-test-verbose') === '1' || queryValue(request, 'verbose') === '1';
}

/** A query parameter that few requests carry: nothing is parsed unless the query can hold it. */
export function queryValue(request: RequestView, name: string): string | undefined {
  if (request.rawQuery?.includes(name) !== true) return undefined;
  return request.queryPairs.find((pair) => pair[0] === name)?.[1];
}

/** What no httpbin answer says: the fields as they came, the connection they came on, the digest of the body. */
export function metaOf({ head, connection, requestNo, body }: Exchange, bytes?: Buffer): object {
  return {
    body: bytes ? { framing: body.framing, length: bytes.length, sha256: sha256Hex(bytes) } : null,
    connection: { id: connection.id, requestNo },
    httpVersion: head.version,
    rawHeaders: [...head.headers.pairs()],
    tls: connection.tls ? describeTls(connection.tls) : null,
  };
}

function describeTls({ version, cipher, serverName, alpn }: TlsInfo): object {
  return { alpn: alpn ?? null, cipher, serverName: serverName ?? null, version };
}
