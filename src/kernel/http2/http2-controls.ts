import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Http2Controls } from '../../http1/exchange.ts';

const GOAWAY_TYPE = 0x7;

/**
 * The frames that tests ask for. `socket` carries the stream's session; what is written on it directly comes between
 * two frames of the session.
 */
export function http2ControlsOf(stream: ServerHttp2Stream, socket: Socket): Http2Controls {
  return {
    goAway(errorCode, isProcessed = true) {
      const lastStreamId = isProcessed ? stream.id! : stream.id! - 2;
      // node:http2 cannot say that no stream at all was processed, so the frame is ours.
      socket.write(goAwayFrame(errorCode, Math.max(0, lastStreamId)));
      if (!isProcessed) socket.destroySoon();
    },
    resetStream(errorCode) {
      resetSoon(stream, errorCode);
    },
    async floodSettings(count) {
      const { session } = stream;
      if (!session) return;
      const closed = new Promise<void>((resolve) => session.once('close', resolve));
      const acknowledged = Array.from(
        { length: count },
        () => new Promise<void>((resolve) => session.settings({}, () => resolve())),
      );
      await Promise.race([Promise.all(acknowledged), closed]);
    },
  };
}

/**
 * RST_STREAM in the next turn, so that what was written leaves first. Besides, CANCEL within a callback of the session
 * can make node:http2 (v26) write until memory is gone.
 */
export function resetSoon(stream: ServerHttp2Stream, errorCode: number): void {
  setImmediate(() => stream.close(errorCode));
}

function goAwayFrame(errorCode: number, lastStreamId: number): Buffer {
  const frame = Buffer.alloc(17);
  frame.writeUIntBE(8, 0, 3);
  frame[3] = GOAWAY_TYPE;
  frame.writeUInt32BE(lastStreamId, 9);
  frame.writeUInt32BE(errorCode, 13);
  return frame;
}
