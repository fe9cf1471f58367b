import { HeaderList } from '../../http1/header-list.ts';

/** An HTTP/1.1 answer taken apart without repairing anything: what is wrong on the wire stays visible. */
export interface RawAnswer {
  /** Interim 1xx answers that came first. */
  readonly interim: ReadonlyArray<{
    readonly status: number;
    readonly headers: ReadonlyArray<[string, string]>;
  }>;
  /** 0 when no final status line could be read. */
  readonly status: number;
  readonly reason: string;
  readonly headers: ReadonlyArray<[name: string, value: string]>;
  /** A field of the final answer, its lines joined by `, `; case does not matter. */
  header(name: string): string | undefined;
  /**
   * The content. Chunked framing is undone and a Content-Length is obeyed, except where the message can have no content
   * (HEAD, 204, 304): there it is whatever wrongly followed the head.
   */
  readonly body: Buffer;
  readonly trailers: ReadonlyArray<[string, string]>;
  /** Whether the framing of the answer was closed: all of its length, or the last chunk. */
  readonly isComplete: boolean;
  /** Bytes after the end of the answer. */
  readonly rest: Buffer;
}

export function parseRawAnswer(wire: Buffer, requestMethod: string): RawAnswer {
  const interim: Array<{ status: number; headers: Array<[string, string]> }> = [];
  let at = 0;
  for (;;) {
    const head = parseHead(wire, at);
    if (!head)
      return answer({ status: 0, reason: '', headers: [] }, wire.subarray(at), interim, requestMethod);
    at = head.end;
    if (head.status >= 200 || head.status === 101)
      return answer(head, wire.subarray(at), interim, requestMethod);
    interim.push({ status: head.status, headers: head.headers });
  }
}

interface Head {
  readonly status: number;
  readonly reason: string;
  readonly headers: Array<[string, string]>;
}

function parseHead(wire: Buffer, at: number): (Head & { end: number }) | undefined {
  const endAt = wire.indexOf('\r\n\r\n', at);
  if (endAt < 0) return undefined;
  const [statusLine = '', ...lines] = wire.toString('latin1', at, endAt).split('\r\n');
  const parsed = /^HTTP\/\d\.\d (\d{3})(?: (.*))?$/.exec(statusLine);
  if (!parsed) return undefined;
  return {
    status: Number(parsed[1]),
    reason: parsed[2] ?? '',
    headers: lines.map(parseField),
    end: endAt + 4,
  };
}

function parseField(line: string): [string, string] {
  const colonAt = line.indexOf(':');
  return colonAt < 0 ? [line, ''] : [line.slice(0, colonAt), line.slice(colonAt + 1).trim()];
}

function answer(
  head: Head,
  content: Buffer,
  interim: RawAnswer['interim'],
  requestMethod: string,
): RawAnswer {
  const list = new HeaderList(head.headers.flat());
  const header = (name: string) =>
    list.all(name.toLowerCase()).join(', ') || (list.has(name.toLowerCase()) ? '' : undefined);
  const hasNoContent = requestMethod === 'HEAD' || head.status === 204 || head.status === 304;
  const framed = hasNoContent ? untilClose(content) : unframe(content, list);
  const { status, reason, headers } = head;
  return { interim, status, reason, headers, header, ...framed };
}

type Framed = Pick<RawAnswer, 'body' | 'trailers' | 'isComplete' | 'rest'>;

function untilClose(content: Buffer): Framed {
  return { body: content, trailers: [], isComplete: true, rest: Buffer.alloc(0) };
}

function unframe(content: Buffer, headers: HeaderList): Framed {
  if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) return dechunk(content);
  const lengthText = headers.first('content-length') ?? '';
  if (!/^\d+$/.test(lengthText)) return untilClose(content);
  const length = Number(lengthText);
  return {
    body: content.subarray(0, length),
    trailers: [],
    isComplete: content.length >= length,
    rest: content.subarray(length),
  };
}

/** Undoes chunked framing as far as it is well-formed. */
function dechunk(content: Buffer): Framed {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = content.indexOf('\r\n', at);
    const size =
      lineEnd < 0 ? undefined : /^([0-9a-fA-F]+)(;.*)?$/.exec(content.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined) return broken(chunks, content.subarray(at));
    const dataAt = lineEnd + 2;
    const length = Number.parseInt(size, 16);
    if (length === 0) return lastChunk(chunks, content, lineEnd);
    chunks.push(content.subarray(dataAt, dataAt + length));
    at = dataAt + length + 2;
    if (content.toString('latin1', dataAt + length, at) !== '\r\n')
      return broken(chunks, content.subarray(dataAt + length));
  }
}

function lastChunk(chunks: Buffer[], content: Buffer, lineEnd: number): Framed {
  const endAt = content.indexOf('\r\n\r\n', lineEnd);
  if (endAt < 0) return broken(chunks, content.subarray(lineEnd));
  const lines = content.toString('latin1', lineEnd + 2, Math.max(endAt, lineEnd + 2));
  const trailers = lines === '' ? [] : lines.split('\r\n').map(parseField);
  return { body: Buffer.concat(chunks), trailers, isComplete: true, rest: content.subarray(endAt + 4) };
}

function broken(chunks: Buffer[], rest: Buffer): Framed {
  return { body: Buffer.concat(chunks), trailers: [], isComplete: false, rest };
}
