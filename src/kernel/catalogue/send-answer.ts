import { type BodyWriter, ClientGone, type Exchange } from '../../http1/exchange.ts';
import { fault } from '../faults.ts';
import { type Answer, isStreamed, isWire, type StreamedBody, type WireAnswer } from './answer.ts';

export interface DispatchLog {
  error(fields: object): void;
}

/** Sends an answer by the means its kind asks for. Throws only as long as nothing was sent. */
export function sendAnswer(exchange: Exchange, answer: Answer, log: DispatchLog): void {
  if (isWire(answer)) {
    sendWire(exchange, answer, log);
    return;
  }
  const { status, headers, body, reason } = answer;
  // node:http2 sends no other codes (RFC 9110 §15 calls them invalid); HTTP/1.1 does.
  if (status > 599 && exchange.head.version === '2') throw fault('protocol.status-http1-only', { status });
  if (isStreamed(body)) {
    void pump(exchange.startBody(status, headers, reason), body, exchange, log);
    return;
  }
  exchange.send(status, headers, body, reason);
}

/** A body nobody would see (HEAD, 204, 304) is never produced. */
async function pump(
  out: BodyWriter,
  body: StreamedBody,
  exchange: Exchange,
  log: DispatchLog,
): Promise<void> {
  try {
    if (!out.isDiscarding) await body.pump(out);
    await out.end();
  } catch (error) {
    if (!(error instanceof ClientGone) && !exchange.signal.aborted) {
      log.error({
        event: 'answer.broken-off',
        method: exchange.head.method,
        target: exchange.head.target,
        err: error,
      });
    }
    out.abort();
  }
}

function sendWire(exchange: Exchange, { wire }: WireAnswer, log: DispatchLog): void {
  const socket = exchange.takeSocket();
  if (!socket) throw fault('protocol.http1-only');
  wire(socket).catch((error: unknown) => {
    if (!(error instanceof ClientGone)) {
      log.error({
        event: 'answer.broken-off',
        method: exchange.head.method,
        target: exchange.head.target,
        err: error,
      });
    }
    socket.reset();
  });
}
