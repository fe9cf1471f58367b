import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What becomes of a call: the index gets it, the connection is cut before or after that, the answer is kept back, or another one is given. */
export type Fate =
  | 'pass'
  | 'cut-before'
  | 'cut-after'
  | 'keep-answer'
  | { readonly status: number; readonly body: object | string };

export interface IndexProxyOptions {
  readonly fateOf?: (call: SeenCall) => Fate | Promise<Fate>;
  /** Asks for these, as `user:password`. */
  readonly credentials?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface IndexProxy extends AsyncDisposable {
  readonly host: string;
  /** Every call that came, in its order. */
  readonly calls: SeenCall[];
  /** Cuts every connection and takes no more, or takes them again. */
  setAway(isAway: boolean): void;
}

/** Stands between a tool and an index: writes down what is called, and breaks what it is told to break. */
export async function startIndexProxy(target: string, options: IndexProxyOptions = {}): Promise<IndexProxy> {
  const calls: SeenCall[] = [];
  let isAway = false;
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const call = await seenCall(incoming);
    calls.push(call);
    if (isAway) return incoming.socket.destroy();
    if (options.credentials !== undefined && !isAllowed(incoming, options.credentials))
      return answer(outgoing, 401, {
        error: { type: 'security_exception', reason: 'missing authentication credentials' },
        status: 401,
      });
    const fate = (await options.fateOf?.(call)) ?? 'pass';
    if (fate === 'cut-before') return incoming.socket.destroy();
    if (typeof fate === 'object') return answer(outgoing, fate.status, fate.body);
    const passed = await pass(target, call);
    if (fate === 'cut-after') return incoming.socket.destroy();
    if (fate === 'keep-answer') return undefined;
    return answer(outgoing, passed.status, passed.body);
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    setAway(value) {
      isAway = value;
      if (value) server.closeAllConnections();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function seenCall(incoming: IncomingMessage): Promise<SeenCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() };
}

function isAllowed({ headers }: IncomingMessage, credentials: string): boolean {
  return headers.authorization === `Basic ${Buffer.from(credentials).toString('base64')}`;
}

async function pass(target: string, { method, path, headers, body }: SeenCall) {
  const outgoing = request(target + path, {
    method,
    headers: { ...headers, host: new URL(target).host },
    agent: false,
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { status: incoming.statusCode ?? 502, body: Buffer.concat(chunks).toString() };
}

function answer(outgoing: ServerResponse, status: number, body: object | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
}
