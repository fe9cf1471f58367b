import { setMaxListeners } from 'node:events';
import { ClientGone } from '../../http1/exchange.ts';
import { type Answer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';
import { closeCodes } from './close-codes.ts';
import { type Handshake, type HandshakeOptions, readHandshake } from './handshake.ts';
import { defaultWebSocketLimits, type WebSocketLimits } from './limits.ts';
import { WebSocketConnection, type WebSocketOptions } from './websocket-connection.ts';

export interface SessionOptions
  extends HandshakeOptions,
    Partial<Pick<WebSocketOptions, 'onMessage' | 'onPong'>> {
  readonly limits?: Partial<WebSocketLimits>;
  /** Changes the accepting header fields, for handshakes no correct server completes. */
  readonly spoilHeaders?: (headers: readonly string[]) => string[];
  /** What the server does by itself once the connection stands. */
  readonly script?: (socket: WebSocketConnection, handshake: Handshake) => Promise<void> | void;
}

/**
 * Answers a call by a WebSocket and lasts as long as it does, so that an error in it ends where every error of a
 * handler ends.
 */
export async function webSocketSession(
  { exchange, services }: TestbedCall,
  options: SessionOptions,
): Promise<Answer> {
  const handshake = readHandshake(exchange, options);
  const { headers, deflate } = handshake;
  const stream = exchange.upgrade(options.spoilHeaders ? options.spoilHeaders(headers) : headers);
  if (!stream) throw fault('upgrade.required', { protocol: 'websocket' });
  const maxReceivedBytes = services.settings.limits.maxMessagesBytes;
  const socket = new WebSocketConnection(stream, {
    limits: { ...defaultWebSocketLimits, maxReceivedBytes, ...options.limits },
    contentBudget: services.contentBudget,
    deflate: deflate?.parameters,
    onMessage: options.onMessage,
    onPong: options.onPong,
  });
  const release = closeWhenStopping(socket, services.stopping);
  try {
    await options.script?.(socket, handshake);
  } catch (error) {
    // A client may leave in the midst of it.
    if (!(error instanceof ClientGone)) socket.fail(error);
  }
  try {
    await socket.closed;
  } finally {
    release();
  }
  return reply.empty(101);
}

function closeWhenStopping(socket: WebSocketConnection, stopping: AbortSignal): () => void {
  const onStop = () => socket.close(closeCodes.goingAway, 'the service is stopping');
  setMaxListeners(0, stopping);
  stopping.addEventListener('abort', onStop);
  return () => stopping.removeEventListener('abort', onStop);
}
