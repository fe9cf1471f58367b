import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { int32, problem, redirect } from '../../kernel/catalogue/declarations.ts';
import { decodedBytes, decodePercent } from '../../kernel/catalogue/query.ts';
import { fault } from '../../kernel/faults.ts';
import { dialectOf, hostOf, schemeOf } from '../echo/httpbin-echo.ts';
import { queryValue } from '../echo/meta.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { refuseElsewhere } from '../public-mode.ts';

const group = 'Redirects';
const spec = '1 §4.2';
const hops = Type.Object({ n: int32({ minimum: 1, description: 'How many redirects to follow.' }) });
const responses = {
  200: { description: 'Declared by the specification: the end of the chain.' },
  302: redirect('One redirect fewer to go.'),
  400: problem('Not a number of redirects.'),
};
const badHops = (path: string) => [
  { name: 'none at all', path: `${path}/0`, expect: { status: 400, json: { name: 'n' } } },
  { name: 'not a number', path: `${path}/x`, expect: { status: 400, json: { name: 'n' } } },
  {
    name: 'more than 32 bits hold',
    path: `${path}/2147483648`,
    expect: { status: 400, json: { name: 'n' } },
  },
];

const chain = endpoint({
  id: 'redirect',
  group,
  spec,
  methods: ['GET'],
  path: '/redirect/{n}',
  summary: 'Redirects n times, then to /get.',
  description: '`?absolute=true` makes every Location an absolute address.',
  params: hops,
  responses,
  examples: [
    { name: 'the last one', path: '/redirect/1', expect: { status: 302, headers: { location: '/get' } } },
    {
      name: 'a chain',
      path: '/redirect/3',
      expect: { status: 302, headers: { location: '/relative-redirect/2' } },
    },
    {
      name: 'an absolute chain',
      path: '/redirect/3?absolute=true',
      headers: ['Host', 'a.example:81'],
      expect: { status: 302, headers: { location: 'http://a.example:81/absolute-redirect/2' } },
    },
    ...badHops('/redirect'),
  ],
  handle: (call) => {
    const isAbsolute = queryValue(call.request, 'absolute')?.toLowerCase() === 'true';
    return isAbsolute ? absoluteHop(call, call.params.n) : relativeHop(call.params.n);
  },
});

const relative = endpoint({
  id: 'relative-redirect',
  group,
  spec,
  methods: ['GET'],
  path: '/relative-redirect/{n}',
  summary: 'Redirects n times by relative addresses, then to /get.',
  params: hops,
  responses,
  examples: [
    {
      name: 'a chain',
      path: '/relative-redirect/2',
      expect: { status: 302, headers: { location: '/relative-redirect/1' } },
    },
    { name: 'the last one', path: '/relative-redirect/1', expect: { headers: { location: '/get' } } },
    ...badHops('/relative-redirect'),
  ],
  handle: ({ params }) => relativeHop(params.n),
});

const absolute = endpoint({
  id: 'absolute-redirect',
  group,
  methods: ['GET'],
  path: '/absolute-redirect/{n}',
  summary: 'Redirects n times by absolute addresses, then to /get.',
  params: hops,
  responses,
  examples: [
    {
      name: 'a chain',
      path: '/absolute-redirect/2',
      headers: ['Host', 'a.example'],
      expect: { status: 302, headers: { location: 'http://a.example/absolute-redirect/1' } },
    },
    {
      name: 'the last one',
      path: '/absolute-redirect/1',
      headers: ['Host', 'a.example'],
      expect: { headers: { location: 'http://a.example/get' } },
    },
    {
      name: 'behind a proxy that ends TLS',
      path: '/absolute-redirect/1',
      headers: ['Host', 'a.example', 'X-Forwarded-Proto', 'https'],
      expect: { headers: { location: 'https://a.example/get' } },
    },
    ...badHops('/absolute-redirect'),
  ],
  handle: (call) => absoluteHop(call, call.params.n),
});

const chainWithStatus = endpoint({
  id: 'redirect-with-status',
  group,
  methods: ['ANY'],
  path: '/redirect/{status}/{n}',
  summary: 'Redirects n times with the given status, then to /anything, which tells the method that arrived.',
  description:
    '307 and 308 must keep method and body, 303 must not; 301 and 302 differ from client to client.',
  params: Type.Object({ status: Type.Enum([301, 302, 303, 307, 308]), n: hops.properties.n }),
  responses: {
    301: redirect(),
    302: redirect(),
    303: redirect(),
    307: redirect(),
    308: redirect(),
    400: problem('No such redirect.'),
  },
  examples: [
    {
      name: 'a chain that keeps the method',
      method: 'POST',
      path: '/redirect/307/3',
      body: 'x',
      expect: { status: 307, headers: { location: '/redirect/307/2' } },
    },
    {
      name: 'the last one',
      method: 'PUT',
      path: '/redirect/308/1',
      expect: { status: 308, headers: { location: '/anything' } },
    },
    { name: 'no redirect', path: '/redirect/304/1', expect: { status: 400, json: { name: 'status' } } },
    { name: 'none at all', path: '/redirect/303/0', expect: { status: 400, json: { name: 'n' } } },
  ],
  handle: ({ params: { status, n } }) =>
    reply.redirect(n === 1 ? '/anything' : `/redirect/${status}/${n - 1}`, status),
});

const redirectTo = endpoint({
  id: 'redirect-to',
  group,
  spec,
  methods: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
  path: '/redirect-to',
  summary: 'Redirects to the given address.',
  description:
    'The decoded bytes of `url` stand in Location as they are; parameter names are taken in any casing. A status_code ' +
    'outside 300 to 399 counts as 302. In public mode only relative addresses and allowed hosts are taken.',
  query: Type.Object({
    url: Type.String({ 'x-ignore-case': true, description: 'Where to go.' }),
    status_code: Type.Optional(int32({ 'x-ignore-case': true, default: 302 })),
  }),
  responses: {
    200: { description: 'Declared by the specification; never sent.' },
    302: redirect('To the given address, with the status asked for.'),
    400: problem('No address, a line break in it, or a status_code that is no integer.'),
    403: problem('In public mode: an address elsewhere.'),
  },
  examples: [
    {
      name: 'by default 302',
      path: '/redirect-to?url=/get',
      expect: { status: 302, headers: { location: '/get' } },
    },
    {
      name: 'another status and method',
      method: 'PATCH',
      path: '/redirect-to?status_code=308&url=http%3A%2F%2Fa.example%2F%3Fx%3D1%26y',
      expect: { status: 308, headers: { location: 'http://a.example/?x=1&y' } },
    },
    {
      name: 'exact bytes, also those that are no UTF-8',
      path: '/redirect-to?url=/%FE%C5%9F%25',
      expect: { headers: { location: '/\xfe\xc5\x9f%' } },
    },
    {
      name: 'names in any casing',
      path: '/redirect-to?URL=/get&Status_Code=307',
      expect: { status: 307, headers: { location: '/get' } },
    },
    {
      name: 'a status that is no redirect',
      path: '/redirect-to?url=/get&status_code=200',
      expect: { status: 302 },
    },
    { name: 'no address', path: '/redirect-to', expect: { status: 400, json: { name: 'url' } } },
    {
      name: 'a status that is no integer',
      path: '/redirect-to?url=/get&status_code=3.5',
      expect: { status: 400, json: { name: 'status_code' } },
    },
    {
      name: 'go-httpbin dialect: an empty address is none',
      path: '/redirect-to?url=&dialect=go',
      expect: { status: 400, json: { detail: 'query parameter url is required.' } },
    },
    {
      name: 'a line break would begin another header',
      path: '/redirect-to?url=/get%0d%0aX-Evil:%201',
      expect: { status: 400, headers: { 'x-evil': null }, json: { name: 'url' } },
    },
  ],
  handle: (call) => {
    const location = exactUrl(call.request.rawQuery ?? '');
    if (location === '' && dialectOf(call) === 'go')
      throw fault('parameter.missing', { in: 'query', name: 'url', rule: 'is required' });
    if (/[\x00-\x1f\x7f]/.test(location)) {
      throw fault('parameter.invalid', {
        in: 'query',
        name: 'url',
        rule: 'must not hold control characters',
      });
    }
    refuseElsewhere(call.services.settings, location);
    return reply.redirect(location, redirectStatus(call, call.query.status_code ?? 302));
  },
});

function relativeHop(n: number) {
  return reply.redirect(n === 1 ? '/get' : `/relative-redirect/${n - 1}`);
}

function absoluteHop({ request }: TestbedCall, n: number) {
  const path = n === 1 ? '/get' : `/absolute-redirect/${n - 1}`;
  const scheme = schemeOf(request) === 'https' ? 'https' : 'http';
  return reply.redirect(`${scheme}://${hostOf(request)}${path}`);
}

/** The bytes `url` stands for, one character per byte; a decoded text could not give back what is no UTF-8. */
function exactUrl(rawQuery: string): string {
  const pairs = rawQuery.split('&').map((piece) => {
    const equalsAt = piece.indexOf('=');
    return equalsAt < 0 ? [piece, ''] : [piece.slice(0, equalsAt), piece.slice(equalsAt + 1)];
  });
  const named = (name: string) =>
    pairs.find(([raw = '']) => decodePercent(raw.replaceAll('+', ' ')) === name);
  const spelled = pairs.find(([raw = '']) => decodePercent(raw.replaceAll('+', ' ')).toLowerCase() === 'url');
  const [, value = ''] = named('url') ?? spelled ?? [];
  return decodedBytes(value.replaceAll('+', ' ')).toString('latin1');
}

function redirectStatus(call: TestbedCall, asked: number): number {
  if (asked >= 300 && asked <= 399) return asked;
  if (dialectOf(call) !== 'go') return 302;
  throw fault('parameter.invalid', { in: 'query', name: 'status_code', rule: 'must be between 300 and 399' });
}

export const redirects: readonly TestbedEndpoint[] = [chain, relative, absolute, chainWithStatus, redirectTo];
