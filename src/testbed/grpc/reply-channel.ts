import type { BodyWriter, Exchange } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import type { Flavour } from './flavour.ts';
import { framed } from './framing.ts';

/** Where the frames of a reply go: the one thing in which gRPC and grpc-web differ. */
export interface ReplyChannel {
  start(headers: HeaderPairs): void;
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends with a status; `headers` are sent with it when nothing was started. */
  end(trailers: HeaderPairs, headers: HeaderPairs): Promise<void>;
  /** Ends as if all were said. */
  endWithoutStatus(): Promise<void>;
}

export function replyChannel(exchange: Exchange, flavour: Flavour): ReplyChannel {
  return flavour === 'grpc' ? nativeChannel(exchange) : webChannel(exchange, flavour === 'grpc-web-text');
}

function nativeChannel(exchange: Exchange): ReplyChannel {
  let out: BodyWriter | undefined;
  return {
    start: (headers) => {
      out = exchange.startBody(200, headers);
    },
    write: (bytes) => out!.write(bytes),
    end: async (trailers, headers) => {
      // A status before any message travels in the head: gRPC calls it Trailers-Only.
      if (out) await out.end(trailers);
      else exchange.send(200, [...headers, ...trailers], null);
    },
    endWithoutStatus: () => out!.end(),
  };
}

const TRAILERS_FLAG = 0x80;

/** Browsers hide trailers from their pages, so the status is one more frame of the body. */
function webChannel(exchange: Exchange, isText: boolean): ReplyChannel {
  let out: BodyWriter | undefined;
  const write = (bytes: Uint8Array) => out!.write(isText ? Buffer.from(bytes).toString('base64') : bytes);
  const start = (headers: HeaderPairs) => {
    out = exchange.startBody(200, [...headers, ...corsFields(exchange, headers)]);
  };
  return {
    start,
    write,
    end: async (trailers, headers) => {
      if (!out) start(headers);
      await write(framed(Buffer.from(trailerLines(trailers), 'latin1'), TRAILERS_FLAG));
      await out!.end();
    },
    endWithoutStatus: () => out!.end(),
  };
}

function trailerLines(trailers: HeaderPairs): string {
  let lines = '';
  for (let index = 0; index < trailers.length; index += 2)
    lines += `${trailers[index]}: ${trailers[index + 1]}\r\n`;
  return lines;
}

/** Any page may call, and may read every field that is sent. */
export function corsFields({ head }: Exchange, sent: HeaderPairs): string[] {
  const names = sent.filter((_, index) => index % 2 === 0);
  return [
    ...['access-control-allow-origin', head.headers.first('origin') ?? '*'],
    ...['access-control-allow-credentials', 'true'],
    ...['access-control-expose-headers', [...new Set([...names, 'grpc-status', 'grpc-message'])].join(',')],
    ...['vary', 'Origin'],
  ];
}
