import type { Exchange } from '../../http1/exchange.ts';

/** How a call travels: gRPC itself, or grpc-web with its bytes as they are or as base64 text. */
export type Flavour = 'grpc' | 'grpc-web' | 'grpc-web-text';

/** The flavour of a Content-Type; undefined for one whose messages are no protocol buffers. */
export function flavourOf(contentType: string): Flavour | undefined {
  const match = /^application\/(grpc(?:-web(?:-text)?)?)(?:\+proto)?[ \t]*(?:;|$)/i.exec(contentType);
  return match ? (match[1]!.toLowerCase() as Flavour) : undefined;
}

const GRPC_TYPE = 'application/grpc';
/** `/package.Service/Method`. */
const METHOD_PATH = /^\/\w+(?:\.\w+)+\/\w+$/;

/** True for requests that are gRPC's: calls, and the preflights browsers send before calls of grpc-web. */
export function isGrpc({ head }: Exchange): boolean {
  const { method, headers, target } = head;
  if (method === 'GET' || method === 'HEAD') return false;
  if (method === 'OPTIONS') return headers.has('access-control-request-method') && METHOD_PATH.test(target);
  const contentType = headers.first('content-type');
  return (
    contentType !== undefined &&
    contentType.length >= GRPC_TYPE.length &&
    contentType.slice(0, GRPC_TYPE.length).toLowerCase() === GRPC_TYPE
  );
}
