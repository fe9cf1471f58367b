import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { binary, int32, noBody, problem, text } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { encodeWhole } from '../../content/codings.ts';
import { duration, durationMs, refuseLongerThan } from '../../content/durations.ts';
import { patternBytes } from '../../content/python-random.ts';
import { rangedAnswer } from '../../content/ranged.ts';
import { drip } from '../../content/streaming.ts';
import { dialectOf } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Dynamic Data';
const maxBytes = 100 * 1024;
const maxGoBytes = 1024 * 1024;
const octets = 'application/octet-stream';

/** How httpbin reads Range: one range, and anything it cannot read is the whole. */
export function httpbinRange(header: string | undefined, length: number): { first: number; last: number } {
  const whole = { first: 0, last: length - 1 };
  const specifier = /^bytes=(.*)$/.exec(header ?? '')?.[1];
  if (specifier === undefined) return whole;
  const [from, to] = specifier
    .split('-')
    .map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : undefined));
  if (from === undefined && to === undefined) return whole;
  if (from === undefined) return { first: Math.max(0, length - to!), last: length - 1 };
  return { first: from, last: to ?? length - 1 };
}

interface Pace {
  readonly chunkBytes: number;
  readonly durationMs: number;
}

/** httpbin's rules to the letter: an unquoted ETag, Content-Range also on 200, and 416 when the end is beyond the content. */
function httpbinRangeAnswer(call: TestbedCall, length: number, pace: Pace): PlainAnswer {
  const validators = ['ETag', `range${length}`, 'Accept-Ranges', 'bytes'];
  const { first, last } = httpbinRange(call.request.headers.first('range'), length);
  if (first > last || last >= length) {
    return reply.empty(416, [...validators, 'Content-Range', `bytes */${length}`, 'Content-Length', '0']);
  }
  const size = last - first + 1;
  const status = size === length ? 200 : 206;
  const headers = [...validators, 'Content-Range', `bytes ${first}-${last}/${length}`];
  if (pace.durationMs === 0) return reply.bytes(patternBytes(size, first), octets, { status, headers });

  const chunkCount = Math.ceil(size / pace.chunkBytes);
  const piece = (from: number, count: number) => {
    const at = from * pace.chunkBytes;
    return patternBytes(Math.min(count * pace.chunkBytes, size - at), first + at);
  };
  // The duration is that of the whole, so a part comes in its share of it.
  const shareMs = (pace.durationMs * size) / length;
  return reply.stream(octets, (out) => drip(out, { count: chunkCount, durationMs: shareMs, piece }, call), {
    status,
    headers: [...headers, 'Content-Length', String(size)],
  });
}

/** go-httpbin leaves ranges to Go's file server, which keeps to RFC 9110. */
function goRangeAnswer(call: TestbedCall, length: number): Promise<PlainAnswer> | PlainAnswer {
  if (length <= 0 || length > maxGoBytes) {
    throw fault('parameter.invalid', { in: 'path', name: 'numbytes', rule: `must be 1 to ${maxGoBytes}` });
  }
  return rangedAnswer(call, patternBytes(length), {
    contentType: 'text/plain; charset=utf-8',
    etag: `"range${length}"`,
  });
}

const range = endpoint({
  id: 'range',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/range/{numbytes}',
  summary: 'The letters a to z over and over, with byte ranges.',
  description:
    "httpbin's own rules: ETag without quotes, Content-Range on every answer, one range, 416 when its end lies " +
    'beyond the content. The go dialect follows RFC 9110: quoted ETag, conditions, several ranges.',
  params: Type.Object({
    numbytes: int32({ description: 'Length of the content, 1 to 102400; in the go dialect to 1048576.' }),
  }),
  query: Type.Object({
    chunk_size: Type.Optional(
      int32({ default: 10240, description: 'Bytes per write when it is slowed down.' }),
    ),
    duration: Type.Optional(duration({ default: 0, description: 'Over how long the whole would come.' })),
  }),
  responses: {
    200: binary('The whole.'),
    206: binary('The part that was asked for.'),
    304: noBody('The client has it already (go dialect).'),
    400: problem('A parameter is not valid.'),
    404: text('There is no content of that length.'),
    412: problem('A precondition does not hold (go dialect).'),
    416: noBody('The content has no such part.'),
  },
  examples: [
    {
      name: 'the whole',
      path: '/range/28',
      expect: {
        status: 200,
        text: 'abcdefghijklmnopqrstuvwxyzab',
        headers: { etag: 'range28', 'content-range': 'bytes 0-27/28', 'accept-ranges': 'bytes' },
      },
    },
    {
      name: 'a part',
      path: '/range/100',
      headers: ['Range', 'bytes=25-30'],
      expect: { status: 206, text: 'zabcde', headers: { 'content-range': 'bytes 25-30/100' } },
    },
    {
      name: 'the end',
      path: '/range/26',
      headers: ['Range', 'bytes=-5'],
      expect: { status: 206, text: 'vwxyz', headers: { 'content-range': 'bytes 21-25/26' } },
    },
    {
      name: 'from the middle on',
      path: '/range/26',
      headers: ['Range', 'bytes=20-'],
      expect: { status: 206, text: 'uvwxyz' },
    },
    {
      name: 'an end beyond the content',
      path: '/range/26',
      headers: ['Range', 'bytes=10-26'],
      expect: {
        status: 416,
        length: 0,
        headers: { 'content-range': 'bytes */26', 'content-length': '0', etag: 'range26' },
      },
    },
    {
      name: 'slowly, in chunks',
      path: '/range/6?duration=0.2&chunk_size=2',
      expect: { status: 200, text: 'abcdef', headers: { 'content-length': '6' } },
    },
    { name: 'no content', path: '/range/0', expect: { status: 404, headers: { etag: 'range0' } } },
    { name: 'too long', path: '/range/102401', expect: { status: 404 } },
    { name: 'no number', path: '/range/x', expect: { status: 400 } },
    {
      name: 'go dialect: several ranges',
      path: '/range/26?dialect=go',
      headers: ['Range', 'bytes=0-1,24-'],
      expect: {
        status: 206,
        headers: { 'content-type': /^multipart\/byteranges; boundary=/, etag: '"range26"' },
        text: /Content-Range: bytes 0-1\/26\r\n\r\nab\r\n--.*Content-Range: bytes 24-25\/26\r\n\r\nyz\r\n--/s,
      },
    },
    {
      name: 'go dialect: longer',
      path: '/range/102401?dialect=go',
      headers: ['Range', 'bytes=102398-'],
      expect: { status: 206, text: 'klm', headers: { 'content-range': 'bytes 102398-102400/102401' } },
    },
    {
      name: 'go dialect: no content',
      path: '/range/0?dialect=go',
      expect: { status: 400, json: { status_code: 400, detail: /numbytes must be 1 to 1048576/ } },
    },
  ],
  handle: (call) => {
    const { params, query, services } = call;
    const length = params.numbytes;
    const overMs = durationMs(query.duration ?? 0);
    refuseLongerThan(services.settings.limits.maxDelayMs, overMs, 'duration', 'query');
    if (dialectOf(call) === 'go') return goRangeAnswer(call, length);
    if (length <= 0 || length > maxBytes) {
      const headers = ['ETag', `range${length}`, 'Accept-Ranges', 'bytes'];
      return reply.text(`number of bytes must be in the range (0, ${maxBytes}]`, { status: 404, headers });
    }
    return httpbinRangeAnswer(call, length, {
      chunkBytes: Math.max(query.chunk_size ?? 10240, 1),
      durationMs: overMs,
    });
  },
});

const tenKbGzip = endpoint({
  id: 'range-10kb-gzip',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/range/10kb/gzip',
  summary: '10240 letters in gzip, with byte ranges of the coded form.',
  description: 'Range counts bytes of the gzip stream, as RFC 9110 §14 says of coded content.',
  responses: {
    200: binary('The whole gzip stream.'),
    206: binary('A part of the gzip stream.'),
    304: noBody('The client has it already.'),
    412: problem('A precondition does not hold.'),
    416: noBody('The stream has no such part.'),
  },
  examples: [
    {
      name: 'the whole',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          'accept-ranges': 'bytes',
          etag: /^"/,
          vary: 'Accept-Encoding',
        },
        decodedText: /^(?:abcdefghijklmnopqrstuvwxyz){393}abcdefghijklmnopqrstuv$/,
      },
    },
    {
      name: 'the gzip header',
      headers: ['Range', 'bytes=0-2'],
      expect: {
        status: 206,
        hex: '1f8b08',
        headers: { 'content-encoding': 'gzip', 'content-range': /^bytes 0-2\/\d+$/ },
      },
    },
    {
      name: 'beyond its end',
      headers: ['Range', 'bytes=10240-'],
      expect: { status: 416, headers: { 'content-range': /^bytes \*\/\d+$/ } },
    },
  ],
  handle: async (call) =>
    rangedAnswer(call, await encodeWhole('gzip', patternBytes(10_240)), {
      contentType: 'text/plain; charset=us-ascii',
      headers: ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'],
    }),
});

export const ranges: readonly TestbedEndpoint[] = [range, tenKbGzip];
