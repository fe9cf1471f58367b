import type { BodyWriter, RawSocket } from '../../http1/exchange.ts';

/**
 * What a handler gives back: a value, not an act. The dispatcher sends it, so that wrappers
 * (HEAD, CORS, the control overlay) can look at it and change it first.
 */
export type Answer = PlainAnswer | WireAnswer;

export interface PlainAnswer {
  readonly status: number;
  /** Reason phrase on HTTP/1.1, when not the usual one. */
  readonly reason?: string;
  /** Name, value, name, value, …; one character is one byte. */
  readonly headers: string[];
  readonly body: string | Uint8Array | StreamedBody | null;
}

/** A body that is produced while it is sent. It must await every `write` and may throw to break the answer off. */
export interface StreamedBody {
  readonly pump: (out: BodyWriter) => Promise<void>;
}

/** An answer written on the bare socket, for what no correct server sends. HTTP/1.1 only; the connection ends with it. */
export interface WireAnswer {
  readonly wire: (socket: RawSocket) => Promise<void>;
}

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: readonly string[];
}

export function isStreamed(body: PlainAnswer['body']): body is StreamedBody {
  return body !== null && typeof body === 'object' && 'pump' in body;
}

export function isWire(answer: Answer): answer is WireAnswer {
  return 'wire' in answer;
}

/** The ways to answer. Each returns a fresh value whose headers may be added to. */
export const reply = {
  /** JSON, two spaces deep, ended by a newline. */
  json(value: unknown, options: AnswerOptions = {}): PlainAnswer {
    return whole('application/json', `${JSON.stringify(value, null, 2)}\n`, options);
  },
  text(text: string, options: AnswerOptions = {}): PlainAnswer {
    return whole('text/plain; charset=utf-8', text, options);
  },
  html(markup: string, options: AnswerOptions = {}): PlainAnswer {
    return whole('text/html; charset=utf-8', markup, options);
  },
  /** Any whole body. Without a type no Content-Type is sent. */
  bytes(
    body: string | Uint8Array,
    contentType: string | undefined,
    options: AnswerOptions = {},
  ): PlainAnswer {
    return whole(contentType, body, options);
  },
  empty(status = 200, headers: readonly string[] = []): PlainAnswer {
    return { status, headers: [...headers], body: null };
  },
  redirect(location: string, status = 302, headers: readonly string[] = []): PlainAnswer {
    return { status, headers: ['Location', location, ...headers], body: '' };
  },
  stream(
    contentType: string | undefined,
    pump: StreamedBody['pump'],
    options: AnswerOptions = {},
  ): PlainAnswer {
    const answer = whole(contentType, '', options);
    return { ...answer, body: { pump } };
  },
  wire(wire: WireAnswer['wire']): WireAnswer {
    return { wire };
  },
};

function whole(
  contentType: string | undefined,
  body: string | Uint8Array,
  { status = 200, headers = [] }: AnswerOptions,
): PlainAnswer {
  return {
    status,
    headers: contentType === undefined ? [...headers] : ['Content-Type', contentType, ...headers],
    body,
  };
}
