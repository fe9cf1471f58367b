import { Type } from 'typebox';
import type { PlainAnswer } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { encodedAnswer } from '../../content/coded-answer.ts';
import type { Coding } from '../../content/codings.ts';
import { type Choice, chooseCoding } from '../../content/negotiation.ts';
import { endpoint } from '../../endpoint.ts';

/** The server's own preference, which decides between codings the client likes equally. */
const offered = ['br', 'zstd', 'gzip', 'deflate', 'identity'] as const satisfies readonly Coding[];

/** Fields worth sending, and the coding RFC 9110 §12.5.3 makes of each; null is 406. */
const weightCases = {
  'prefer-br': { send: 'gzip;q=0.5, br;q=1.0', expected: 'br' },
  'prefer-gzip': { send: 'br;q=0.1, zstd;q=0.5, gzip;q=0.9', expected: 'gzip' },
  'zero-excludes': { send: 'br;q=0, zstd;q=0, gzip;q=0, deflate', expected: 'deflate' },
  wildcard: { send: '*', expected: 'br' },
  'wildcard-for-the-rest': { send: 'br;q=0, zstd;q=0.2, *;q=0.3', expected: 'gzip' },
  'identity-preferred': { send: 'identity, gzip;q=0.5', expected: 'identity' },
  'identity-forbidden': { send: 'gzip;q=0.001, identity;q=0', expected: 'gzip' },
  'nothing-acceptable': { send: 'identity;q=0, *;q=0', expected: null },
  'unknown-only': { send: 'x-foo', expected: 'identity' },
  'three-decimals': { send: 'gzip;q=0.998, zstd;q=0.999', expected: 'zstd' },
  'malformed-weight': { send: 'br;q=2, gzip;q=0.5', expected: 'gzip' },
  'upper-case': { send: 'GZIP', expected: 'gzip' },
  'old-x-gzip': { send: 'x-gzip', expected: 'gzip' },
} as const satisfies Record<string, { send: string; expected: Coding | null }>;

type WeightCase = keyof typeof weightCases;
const weightCaseNames = Object.keys(weightCases) as WeightCase[];

const notAcceptable = problem('Every coding, identity too, is refused by the client.');

const negotiate = endpoint({
  id: 'encoding-test-negotiate',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/negotiate',
  summary: 'Chooses the coding by Accept-Encoding and explains the choice.',
  headers: Type.Object({ 'accept-encoding': Type.Optional(Type.String()) }),
  responses: { 200: json('The choice, in the chosen coding.'), 406: notAcceptable },
  examples: [
    {
      name: 'the highest weight wins',
      headers: ['Accept-Encoding', 'gzip;q=0.5, zstd;q=0.8'],
      expect: {
        status: 200,
        headers: { 'content-encoding': 'zstd', vary: 'Accept-Encoding' },
        decodedText: /"acceptEncoding": "gzip;q=0\.5, zstd;q=0\.8",\n {2}"chosen": "zstd"/,
      },
    },
    {
      name: 'without the field the content is sent plain',
      expect: {
        status: 200,
        headers: { 'content-encoding': null },
        json: { acceptEncoding: null, chosen: 'identity' },
      },
    },
    {
      name: 'identity;q=0 alone leaves nothing',
      headers: ['Accept-Encoding', 'identity;q=0'],
      expect: { status: 406, headers: { vary: 'Accept-Encoding' }, json: { status: 406 } },
    },
  ],
  handle: ({ request }) => {
    const acceptEncoding = request.headers.get('accept-encoding');
    const choice = chooseCoding(acceptEncoding, offered);
    return explained(choice, { acceptEncoding: acceptEncoding ?? null, ...choice });
  },
});

const weights = endpoint({
  id: 'encoding-test-q-value',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/q-value',
  summary: 'Explains the choice by Accept-Encoding and lists the fixed cases with their right outcome.',
  responses: { 200: json('The choice and the cases, in the chosen coding.'), 406: notAcceptable },
  examples: [
    {
      name: 'zero excludes',
      headers: ['Accept-Encoding', 'gzip;q=0, identity'],
      expect: {
        status: 200,
        headers: { 'content-encoding': null },
        json: {
          chosen: 'identity',
          cases: { 'prefer-br': { send: 'gzip;q=0.5, br;q=1.0', expected: 'br', chosen: 'br' } },
        },
      },
    },
    {
      name: 'a wildcard of weight 0 leaves nothing',
      headers: ['Accept-Encoding', '*;q=0'],
      expect: { status: 406, json: { status: 406 } },
    },
  ],
  handle: ({ request }) => {
    const acceptEncoding = request.headers.get('accept-encoding');
    const choice = chooseCoding(acceptEncoding, offered);
    const cases = Object.fromEntries(
      Object.entries(weightCases).map(([name, { send, expected }]) => {
        return [name, { send, expected, chosen: chooseCoding(send, offered).chosen ?? null }];
      }),
    );
    return explained(choice, { acceptEncoding: acceptEncoding ?? null, ...choice, cases });
  },
});

const weightCase = endpoint({
  id: 'encoding-test-q-value-case',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/q-value/{case}',
  summary:
    'One fixed case: send its Accept-Encoding and see whether it arrives unchanged and what follows from it.',
  params: Type.Object({ case: Type.Enum(weightCaseNames) }),
  responses: {
    200: json('What was to be sent, what came, what was chosen.'),
    400: problem('There is no such case.'),
    406: notAcceptable,
  },
  examples: [
    {
      name: 'sent as the case says',
      path: '/encoding-test/q-value/wildcard-for-the-rest',
      headers: ['Accept-Encoding', 'br;q=0, zstd;q=0.2, *;q=0.3'],
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip' },
        decodedText: /"isUnchanged": true,[\s\S]*"chosen": "gzip",\n {2}"isAsExpected": true/,
      },
    },
    {
      name: 'a field that was changed on the way is told',
      path: '/encoding-test/q-value/prefer-br',
      headers: ['Accept-Encoding', 'identity'],
      expect: {
        status: 200,
        json: { send: 'gzip;q=0.5, br;q=1.0', received: 'identity', isUnchanged: false, isAsExpected: false },
      },
    },
    {
      name: 'nothing acceptable',
      path: '/encoding-test/q-value/nothing-acceptable',
      headers: ['Accept-Encoding', 'identity;q=0, *;q=0'],
      expect: { status: 406 },
    },
    {
      name: 'no such case',
      path: '/encoding-test/q-value/maybe',
      expect: { status: 400, json: { detail: /case/ } },
    },
  ],
  handle: ({ request, params }) => {
    const { send, expected } = weightCases[params.case];
    const received = request.headers.get('accept-encoding') ?? null;
    const choice = chooseCoding(received ?? undefined, offered);
    return explained(choice, {
      case: params.case,
      send,
      received,
      isUnchanged: received === send,
      expected,
      chosen: choice.chosen ?? null,
      isAsExpected: (choice.chosen ?? null) === expected,
      ranked: choice.ranked,
    });
  },
});

async function explained({ chosen }: Choice<Coding>, explanation: object): Promise<PlainAnswer> {
  if (chosen === undefined) {
    throw fault('negotiation.not-acceptable', { offered: offered.join(', ') }, ['Vary', 'Accept-Encoding']);
  }
  const bytes = Buffer.from(`${JSON.stringify(explanation, null, 2)}\n`);
  return encodedAnswer({ contentType: 'application/json', bytes }, chosen);
}

export const negotiationTests = [negotiate, weights, weightCase];
