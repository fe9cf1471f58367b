import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { refuseElsewhere } from '../../public-mode.ts';
import { BASE, GROUP, LANDING, redirectResponses, status } from './redirect-declarations.ts';

/** The forms a Location may have (RFC 9110 §10.2.2). Names and what a conforming gateway does with them. */
interface LocationForm {
  readonly path: string;
  readonly summary: string;
  readonly location: (call: TestbedCall) => string;
  readonly expected: string | RegExp;
}

const forms: readonly LocationForm[] = [
  {
    path: 'absolute',
    summary: 'Location with scheme and the host the client asked for.',
    location: ({ request }) => `${request.scheme}://${request.authority}${LANDING}`,
    expected: /^http:\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'relative',
    summary: 'Location relative to the path.',
    location: () => 'landing',
    expected: 'landing',
  },
  {
    path: 'root-relative',
    summary: 'Location with an absolute path only.',
    location: () => LANDING,
    expected: LANDING,
  },
  {
    path: 'protocol-relative',
    summary: 'Location without a scheme.',
    location: ({ request }) => `//${request.authority}${LANDING}`,
    expected: /^\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'cross-scheme',
    summary: 'Location with the other one of http and https.',
    location: ({ request }) =>
      `${request.scheme === 'http' ? 'https' : 'http'}://${request.authority}${LANDING}`,
    expected: /^https:\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'backend-host',
    summary: 'Location with the address of the backend itself, which a gateway must rewrite.',
    location: ({ request, exchange, services }) => {
      const { localAddress, localPort } = exchange.connection;
      const address = localAddress.replace(/^::ffff:/, '');
      const host = address.includes(':') ? `[${address}]` : address;
      const location = `${request.scheme}://${host}:${localPort}${LANDING}`;
      // It tells everybody where the backend stands.
      refuseElsewhere(services.settings, location);
      return location;
    },
    expected: /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'unicode',
    summary: 'Location with raw UTF-8 bytes, as careless backends send it.',
    location: () => Buffer.from(`${LANDING}/çığ`, 'utf8').toString('latin1'),
    expected: Buffer.from(`${LANDING}/çığ`, 'utf8').toString('latin1'),
  },
  {
    path: 'fragment',
    summary: 'Location with a fragment, which belongs to the client alone.',
    location: () => `${LANDING}#section-2`,
    expected: `${LANDING}#section-2`,
  },
  {
    path: 'loop',
    summary: 'Redirects to and fro between two addresses without end.',
    location: () => `${BASE}/loop/back`,
    expected: `${BASE}/loop/back`,
  },
  {
    path: 'loop/back',
    summary: 'The other end of the loop.',
    location: () => `${BASE}/loop`,
    expected: `${BASE}/loop`,
  },
  {
    path: 'self',
    summary: 'Redirects to itself without end.',
    location: ({ request }) => request.target,
    expected: `${BASE}/self`,
  },
  { path: 'empty-location', summary: 'A redirect with an empty Location.', location: () => '', expected: '' },
];

const formEndpoints = forms.map(({ path, summary, location, expected }) =>
  endpoint({
    id: `proxy-redirect-${path.replace('/', '-')}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary,
    query: Type.Object({ status }),
    responses: redirectResponses,
    examples: [
      { name: 'form of the location', expect: { status: 302, headers: { location: expected } } },
      { name: 'status as asked for', path: `${BASE}/${path}?status=308`, expect: { status: 308 } },
      noRedirect(`${BASE}/${path}`),
    ],
    handle: (call) => reply.redirect(location(call), call.query.status),
  }),
);

const otherPort = endpoint({
  id: 'proxy-redirect-same-host-other-port',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/same-host-other-port`,
  summary: 'Location with the same host and another port.',
  query: Type.Object({ status, port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8443 }) }),
  responses: redirectResponses,
  examples: [
    {
      name: 'another port',
      path: `${BASE}/same-host-other-port?port=9999`,
      headers: ['Host', 'gateway.test:80'],
      expect: { status: 302, headers: { location: `http://gateway.test:9999${LANDING}` } },
    },
    {
      name: 'no port',
      path: `${BASE}/same-host-other-port?port=0`,
      expect: { status: 400, json: { detail: /port must be at least 1/ } },
    },
  ],
  handle: ({ query, request }) => {
    const host = request.authority.replace(/:\d+$/, '');
    return reply.redirect(`${request.scheme}://${host}:${query.port}${LANDING}`, query.status);
  },
});

const external = endpoint({
  id: 'proxy-redirect-external',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/external`,
  summary: 'Location on another host, which a gateway must leave alone.',
  query: Type.Object({
    status,
    host: Type.String({ pattern: '^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$', default: 'example.com' }),
  }),
  responses: redirectResponses,
  examples: [
    { name: 'leaves', expect: { status: 302, headers: { location: 'https://example.com/' } } },
    {
      name: 'a host that is none',
      path: `${BASE}/external?host=a/b`,
      expect: { status: 400, json: { detail: /host must match/ } },
    },
  ],
  handle: ({ query, services }) => {
    const location = `https://${query.host}/`;
    refuseElsewhere(services.settings, location);
    return reply.redirect(location, query.status);
  },
});

export const redirectLocationEndpoints: readonly TestbedEndpoint[] = [...formEndpoints, otherPort, external];

function noRedirect(path: string): Example {
  return {
    name: 'a status that is no redirect',
    path: `${path}?status=200`,
    expect: { status: 400, json: { detail: /status must be one of 301, 302, 303, 307, 308/ } },
  };
}
