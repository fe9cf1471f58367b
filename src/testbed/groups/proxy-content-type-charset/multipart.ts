import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import type { Expectation } from '../../../kernel/catalogue/endpoint.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { type WrittenPart, writeMultipart } from '../../content/multipart-writer.ts';
import { echoMultipart } from '../../echo/described-parts.ts';
import { endpoint } from '../../endpoint.ts';

const base = '/proxy-test/content-type';

/** A red picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

const rangePart = (first: number, last: number): WrittenPart => ({
  headers: ['Content-Type', 'text/plain', 'Content-Range', `bytes ${first}-${last}/${alphabet.length}`],
  content: alphabet.slice(first, last + 1),
});

interface Kind {
  readonly subtype: string;
  readonly summary: string;
  readonly boundary: string;
  /** Further parameters of the Content-Type. */
  readonly params?: string;
  readonly status?: number;
  readonly parts: readonly WrittenPart[];
  readonly expect: Expectation;
}

const kinds: readonly Kind[] = [
  {
    subtype: 'mixed',
    summary: 'Three independent parts: JSON, text, and a picture in base64.',
    boundary: 'gatehouse-mixed',
    parts: [
      { headers: ['Content-Type', 'application/json'], content: '{"part":1}' },
      { headers: ['Content-Type', 'text/plain; charset=utf-8'], content: 'İkinci bölüm' },
      {
        headers: ['Content-Type', 'image/png', 'Content-Transfer-Encoding', 'base64'],
        content: pixel,
      },
    ],
    expect: {
      text:
        '--gatehouse-mixed\r\nContent-Type: application/json\r\n\r\n{"part":1}\r\n' +
        '--gatehouse-mixed\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nİkinci bölüm\r\n' +
        `--gatehouse-mixed\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${pixel}\r\n` +
        '--gatehouse-mixed--\r\n',
    },
  },
  {
    subtype: 'related',
    summary: 'A page and the picture it refers to by its Content-ID (RFC 2387).',
    boundary: 'gatehouse related',
    params: '; type="text/html"; start="<page@example.test>"',
    parts: [
      {
        headers: ['Content-Type', 'text/html; charset=utf-8', 'Content-ID', '<page@example.test>'],
        content: '<img src="cid:pixel@example.test" alt="">',
      },
      {
        headers: ['Content-Type', 'image/png', 'Content-ID', '<pixel@example.test>'],
        content: Buffer.from(pixel, 'base64'),
      },
    ],
    expect: {
      wire: /\r\n--gatehouse related\r\nContent-Type: image\/png\r\nContent-ID: <pixel@example\.test>\r\n\r\n\x89PNG/,
    },
  },
  {
    subtype: 'alternative',
    summary: 'The same message twice, the richest form last.',
    boundary: 'gatehouse-alternative',
    parts: [
      { headers: ['Content-Type', 'text/plain; charset=utf-8'], content: 'Günaydın' },
      { headers: ['Content-Type', 'text/html; charset=utf-8'], content: '<p>Günaydın</p>' },
    ],
    expect: {
      text: /\r\n\r\nGünaydın\r\n--gatehouse-alternative\r\n[\s\S]*<p>Günaydın<\/p>\r\n--gatehouse-alternative--\r\n$/,
    },
  },
  {
    subtype: 'byteranges',
    summary: 'Three ranges of a-z in one 206, as if asked for by `Range: bytes=0-4,10-14,-1`.',
    boundary: 'gatehouse-byteranges',
    status: 206,
    parts: [rangePart(0, 4), rangePart(10, 14), rangePart(25, 25)],
    expect: {
      text:
        '--gatehouse-byteranges\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-4/26\r\n\r\nabcde\r\n' +
        '--gatehouse-byteranges\r\nContent-Type: text/plain\r\nContent-Range: bytes 10-14/26\r\n\r\nklmno\r\n' +
        '--gatehouse-byteranges\r\nContent-Type: text/plain\r\nContent-Range: bytes 25-25/26\r\n\r\nz\r\n' +
        '--gatehouse-byteranges--\r\n',
    },
  },
];

const answers = kinds.map(({ subtype, summary, boundary, params = '', status = 200, parts, expect }) => {
  const contentType = `multipart/${subtype}; boundary="${boundary}"${params}`;
  return endpoint({
    id: `content-type-multipart-${subtype}`,
    group: 'Proxy Content-Type & Charset',
    methods: ['GET'],
    path: `${base}/multipart-${subtype}`,
    summary,
    responses: { [status]: anyType('The parts.') },
    examples: [
      {
        name: 'boundaries and parts are exact',
        expect: { status, headers: { 'content-type': contentType }, ...expect },
      },
    ],
    handle: () => {
      const body = writeMultipart(boundary, parts);
      return reply.bytes(body, contentType, { status, headers: integrityHeaders(body) });
    },
  });
});

const echo = endpoint({
  id: 'content-type-multipart-echo',
  group: 'Proxy Content-Type & Charset',
  methods: ['POST'],
  path: `${base}/multipart-mixed/echo`,
  summary: 'Takes any multipart body apart: headers, length and digest of each part.',
  body: rawBody('multipart/mixed', 'multipart/related', 'multipart/alternative', 'multipart/form-data'),
  responses: {
    200: json('The parts in their order.'),
    400: problem('The body is malformed.'),
    413: problem('The body is too large or has too many parts.'),
    415: problem('The body is not multipart.'),
  },
  examples: [
    {
      name: 'two parts under a quoted boundary',
      headers: ['Content-Type', 'multipart/mixed; boundary="a b"'],
      body: '--a b\r\nContent-Type: application/json\r\n\r\n{}\r\n--a b\r\n\r\n--a bc\r\n--a b--',
      expect: {
        status: 200,
        json: {
          type: 'multipart/mixed',
          parts: [
            {
              contentType: 'application/json',
              length: 2,
              sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
              text: '{}',
            },
            { contentType: null, headers: [], length: 6, text: '--a bc' },
          ],
        },
      },
    },
    {
      name: 'no boundary named',
      headers: ['Content-Type', 'multipart/mixed'],
      body: 'x',
      expect: { status: 400, json: { detail: /boundary/ } },
    },
    { name: 'not multipart', body: 'x', expect: { status: 415, json: { detail: /multipart/ } } },
  ],
  handle: async (call) => reply.json(await echoMultipart(call)),
});

export const multipartTests = [...answers, echo];
