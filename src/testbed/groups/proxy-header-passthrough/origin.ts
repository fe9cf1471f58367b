import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { firstHopAddress, readForwarding } from '../../verdict/forwarding.ts';

const group = 'Proxy Header Passthrough';
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'];

const forwarded = endpoint({
  id: 'proxy-headers-forwarded',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/forwarded',
  summary: 'Reads Forwarded, X-Forwarded-*, X-Real-IP, Via and CDN-Loop, and lists the hops.',
  description:
    'A client that tries to pass for another one sends the address in X-Forwarded-For or Forwarded and again in X-Spoofed-For: `spoofed` says whether a backend that trusts the first hop would believe it.',
  headers: Type.Object({
    'x-spoofed-for': Type.Optional(Type.String({ description: 'The address the client claims falsely.' })),
  }),
  responses: { 200: json('The fields taken apart, `hops`, `peer` and `spoofed`.') },
  examples: [
    {
      name: 'Forwarded and Via are taken apart',
      headers: [
        ...[
          'Forwarded',
          'for="[2001:db8::17]:4711";proto=https, for=198.51.100.2',
          'Via',
          '1.1 edge (made up)',
        ],
        ...['X-Forwarded-For', '203.0.113.7, 198.51.100.2'],
      ],
      expect: {
        status: 200,
        json: {
          forwarded: [{ for: '[2001:db8::17]:4711', proto: 'https' }, { for: '198.51.100.2' }],
          xForwardedFor: ['203.0.113.7', '198.51.100.2'],
          via: [{ protocol: '1.1', receivedBy: 'edge', comment: 'made up' }],
          malformed: [],
          clientAsTold: '2001:db8::17',
          spoofed: null,
        },
      },
    },
    {
      name: 'a false address is believed',
      headers: ['X-Forwarded-For', '203.0.113.7', 'X-Spoofed-For', '203.0.113.7'],
      expect: { status: 200, json: { clientAsTold: '203.0.113.7', spoofed: true } },
    },
    {
      name: 'a malformed field is named',
      headers: ['Forwarded', 'for=a b'],
      expect: { status: 200, json: { forwarded: null, malformed: ['Forwarded'] } },
    },
  ],
  handle({ request }) {
    const forwarding = readForwarding(request.headers);
    const clientAsTold = firstHopAddress(forwarding) ?? null;
    const claimed = request.headers.first('x-spoofed-for');
    const spoofed = claimed === undefined ? null : claimed === clientAsTold;
    return reply.json({ ...forwarding, peer: request.peerAddress, clientAsTold, spoofed });
  },
});

const host = endpoint({
  id: 'proxy-headers-host',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/host',
  summary: 'Tells every name the server was called by: Host or :authority, target, X-Forwarded-Host, SNI.',
  responses: { 200: json('The names, and `agree`: whether all that are there name the same host.') },
  examples: [
    {
      name: 'names that differ',
      headers: ['Host', 'backend.test:8080', 'X-Forwarded-Host', 'shop.test'],
      expect: {
        status: 200,
        json: {
          host: 'backend.test:8080',
          xForwardedHost: 'shop.test',
          isAbsoluteForm: false,
          sni: null,
          agree: false,
        },
      },
    },
    {
      name: 'an absolute-form target wins over Host',
      path: 'http://front.test/proxy-test/headers/host',
      headers: ['Host', 'front.test'],
      expect: { status: 200, json: { authority: 'front.test', isAbsoluteForm: true, agree: true } },
    },
  ],
  handle({ request, exchange }) {
    const { headers, target, authority } = request;
    const names = {
      host: headers.first('host') ?? null,
      authority,
      xForwardedHost: headers.get('x-forwarded-host') ?? null,
      forwardedHost: readForwarding(headers).forwarded?.[0]?.host ?? null,
      sni: exchange.connection.tls?.serverName ?? null,
    };
    const given = Object.values(names).filter((name) => name !== null);
    const hosts = new Set(given.map((name) => name.toLowerCase().replace(/:\d+$/, '')));
    return reply.json({
      ...names,
      target,
      isAbsoluteForm: /^[a-z][a-z0-9+.-]*:\/\//i.test(target),
      agree: hosts.size === 1,
    });
  },
});

/** Endpoints that tell where a request seems to come from and whom it asks for. */
export const originEndpoints: readonly TestbedEndpoint[] = [forwarded, host];
