import { reply } from '../../kernel/catalogue/answer.ts';
import { text } from '../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { bomb } from './client-edge-case-test/bombs.ts';
import { legalOddities } from './client-edge-case-test/legal-oddities.ts';

const varyWildcard = endpoint({
  id: 'vary-wildcard',
  group: 'Client/Edge Case Test',
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/vary/wildcard',
  summary: 'A cacheable answer with `Vary: *`: no stored copy may be reused without asking again.',
  responses: { 200: text('When the answer was made.') },
  examples: [
    {
      name: 'varies by everything',
      expect: {
        status: 200,
        headers: { vary: '*', 'cache-control': 'max-age=60' },
        text: /^made at \d{4}-.*Z\n$/,
      },
    },
  ],
  handle: ({ services }) => madeAt(services.clock.now(), ['Vary', '*']),
});

const varyNone = endpoint({
  id: 'vary-none',
  group: 'Client/Edge Case Test',
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/vary/none',
  summary: 'A cacheable answer without Vary: one stored copy serves everybody.',
  responses: { 200: text('When the answer was made.') },
  examples: [
    {
      name: 'varies by nothing',
      headers: ['Accept-Encoding', 'gzip', 'Accept-Language', 'tr'],
      expect: {
        status: 200,
        headers: { vary: null, 'cache-control': 'max-age=60' },
        text: /^made at \d{4}-.*Z\n$/,
      },
    },
  ],
  handle: ({ services }) => madeAt(services.clock.now(), []),
});

/** The time tells a stored copy from a fresh one. */
function madeAt(nowMs: number, headers: readonly string[]) {
  const body = `made at ${new Date(nowMs).toISOString()}\n`;
  return reply.text(body, { headers: ['Cache-Control', 'max-age=60', ...headers] });
}

export const clientEdgeCaseTest: readonly TestbedEndpoint[] = [
  varyWildcard,
  varyNone,
  bomb,
  ...legalOddities,
];
