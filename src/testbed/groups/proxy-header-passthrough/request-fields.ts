import { Type } from 'typebox';
import type { HeaderList } from '../../../http1/header-list.ts';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { headersByName } from '../../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { listOf } from '../../verdict/check.ts';
import { hopByHopNames } from '../../verdict/hop-by-hop.ts';

const group = 'Proxy Header Passthrough';
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'];

/** Fields that say how this very answer is framed or read; mirroring them would break it. */
const unmirrored = new Set([
  ...hopByHopNames,
  'content-length',
  'content-type',
  'content-encoding',
  'date',
  'host',
]);

const echo = endpoint({
  id: 'proxy-headers-echo',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/echo',
  summary: 'Echoes the header fields: by name, and as the lines that arrived.',
  responses: { 200: json('`headers`, `rawHeaders`, `count` and `bytes`.') },
  examples: [
    {
      name: 'order, spelling and duplicates are kept',
      headers: ['X-b', '1', 'x-A', '2', 'X-B', '3'],
      expect: {
        status: 200,
        json: { headers: { 'x-b': ['1', '3'], 'x-a': ['2'] } },
        text: /\[\s+"X-b",\s+"1"\s+\],\s+\[\s+"x-A",\s+"2"\s+\],\s+\[\s+"X-B",\s+"3"\s+\]/,
      },
    },
  ],
  handle: ({ request }) => reply.json(describeFields(request.headers)),
});

const duplicate = endpoint({
  id: 'proxy-headers-duplicate',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/duplicate',
  summary: 'Tells which fields came on several lines or joined by commas, and answers with repeated fields.',
  description:
    'The answer has `X-Dup` on three lines and `Warning` and `Link` on two each; a proxy must lose none.',
  responses: { 200: json('`repeated` (several lines), `joined` (several members on one line) and `sent`.') },
  examples: [
    {
      name: 'lines and joined members are told apart',
      headers: ['X-Many', 'a', 'X-Many', 'b', 'X-Joined', 'a, b'],
      expect: {
        status: 200,
        json: { repeated: { 'x-many': ['a', 'b'] }, joined: { 'x-joined': 'a, b' } },
        wire: /\r\nX-Dup: one\r\nX-Dup: two\r\nX-Dup: three\r\n/,
      },
    },
  ],
  handle({ request }) {
    const byName = Object.entries(headersByName(request.headers));
    const repeated = Object.fromEntries(byName.filter(([, values]) => values.length > 1));
    const joined = Object.fromEntries(
      byName
        .filter(([, values]) => values.length === 1 && values[0]!.includes(','))
        .map(([name, [value]]) => [name, value]),
    );
    const sent = [
      ...['X-Dup', 'one', 'X-Dup', 'two', 'X-Dup', 'three'],
      ...['Warning', '199 testbed "first"', 'Warning', '199 testbed "second, with a comma"'],
      ...['Link', '</a>; rel="next"', 'Link', '</b>; rel="prev"'],
    ];
    return reply.json({ repeated, joined, sent: { 'X-Dup': 3, Warning: 2, Link: 2 } }, { headers: sent });
  },
});

const largest = endpoint({
  id: 'proxy-headers-large-echo',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/large/echo',
  summary: 'Tells the size of each field that arrived and which was the longest.',
  responses: {
    200: json('`count`, `bytes` and `longest`.'),
    431: problem('The header section is larger than the limit of the listener.'),
  },
  examples: [
    {
      name: 'a field of 8 KiB',
      headers: ['X-Large', 'x'.repeat(8192)],
      expect: { status: 200, json: { longest: { name: 'X-Large', valueBytes: 8192 } } },
    },
  ],
  handle({ request }) {
    const { count, bytes } = describeFields(request.headers);
    const sizes = [...request.headers.pairs()].map(([name, value]) => ({ name, valueBytes: value.length }));
    const longest = sizes.reduce(
      (one, other) => (other.valueBytes > one.valueBytes ? other : one),
      sizes[0]!,
    );
    return reply.json({ count, bytes, longest });
  },
});

const custom = endpoint({
  id: 'proxy-headers-custom',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/custom',
  summary: 'Echoes every X- field, and answers each of them as X-Echo-<name>.',
  responses: { 200: json('`received`: the fields whose names begin with X-.') },
  examples: [
    {
      name: 'a field is mirrored',
      headers: ['X-Colour', 'ash', 'x-colour', 'oak', 'Accept', '*/*'],
      expect: {
        status: 200,
        json: {
          received: [
            ['X-Colour', 'ash'],
            ['x-colour', 'oak'],
          ],
        },
        wire: /\r\nX-Echo-X-Colour: ash\r\nX-Echo-x-colour: oak\r\n/,
      },
    },
  ],
  handle({ request }) {
    const received = [...request.headers.pairs()].filter(([name]) => /^x-/i.test(name));
    const mirrored = received.flatMap(([name, value]) => [`X-Echo-${name}`, value]);
    return reply.json({ received }, { headers: mirrored });
  },
});

const mirror = endpoint({
  id: 'proxy-headers-mirror',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/mirror',
  summary: 'Answers with the named request fields as response fields, byte for byte.',
  description: 'Fields that frame or describe this very answer are not mirrored and stand in `refused`.',
  query: Type.Object({
    names: Type.String({ description: 'Names of the fields, by commas.', minLength: 1, maxLength: 8192 }),
  }),
  responses: {
    200: json('`mirrored`, `missing` and `refused` names.'),
    400: problem('No names are given.'),
  },
  examples: [
    {
      name: 'bytes and duplicates are kept',
      path: '/proxy-test/headers/mirror?names=x-one,x-gone,content-length',
      headers: ['X-One', 'a\xe9 \tb', 'X-One', 'second'],
      expect: {
        status: 200,
        json: { mirrored: ['x-one'], missing: ['x-gone'], refused: ['content-length'] },
        wire: /\r\nX-One: a\xe9 \tb\r\nX-One: second\r\n/,
      },
    },
    {
      name: 'names are required',
      path: '/proxy-test/headers/mirror',
      expect: { status: 400, json: { detail: /names is required/ } },
    },
  ],
  handle({ request, query }) {
    const names = [...new Set(listOf(query.names.toLowerCase()))];
    const refused = names.filter((name) => unmirrored.has(name));
    const allowed = names.filter((name) => !unmirrored.has(name));
    const mirrored = allowed.filter((name) => request.headers.has(name));
    const missing = allowed.filter((name) => !request.headers.has(name));
    const fields = [...request.headers.pairs()].filter(([name]) => mirrored.includes(name.toLowerCase()));
    return reply.json({ mirrored, missing, refused }, { headers: fields.flat() });
  },
});

function describeFields(headers: HeaderList) {
  const rawHeaders = [...headers.pairs()];
  // A line is name, colon, space, value and line end; other white space shows only in the raw head.
  const bytes = rawHeaders.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return { headers: headersByName(headers), rawHeaders, count: headers.size, bytes };
}

/** Endpoints that tell which fields arrived. */
export const requestFieldEndpoints: readonly TestbedEndpoint[] = [echo, duplicate, largest, custom, mirror];
