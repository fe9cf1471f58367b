import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { text } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { signedIn } from '../../resources/examples.ts';

const probe = {
  group: 'Probes',
  spec: '2 §5',
  methods: ['GET'],
  access: 'token',
  errors: 'envelope',
} as const;
const withoutToken = {
  status: 401,
  json: {
    status: 'FAILURE',
    resultMessage: 'Empty Key! Client must be authenticated to access this resource.',
  },
};

/** The cheapest ways to find out whether a token works. */
export const probeEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...probe,
    id: 'probe-healthcheck',
    path: '/apiops/test/healthcheck/',
    summary: 'Answers OK to every valid token.',
    responses: { 200: text('OK') },
    examples: [
      { name: 'with a token', ...signedIn, expect: { status: 200, text: 'OK' } },
      { name: 'without a token', expect: withoutToken },
    ],
    handle: () => reply.text('OK'),
  }),
  endpoint({
    ...probe,
    id: 'probe-hello',
    path: '/apiops/test/hello/{name}/',
    summary: 'Greets by name.',
    params: Type.Object({ name: Type.String() }),
    responses: { 200: text('Hello and the name.') },
    examples: [
      {
        name: 'with a token',
        path: '/apiops/test/hello/World/',
        ...signedIn,
        expect: { status: 200, text: 'Hello World' },
      },
      { name: 'without a token', path: '/apiops/test/hello/World/', expect: withoutToken },
    ],
    handle: ({ params }) => reply.text(`Hello ${params.name}`),
  }),
];
