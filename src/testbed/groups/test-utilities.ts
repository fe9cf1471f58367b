import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { anyType, int64, problem } from '../../kernel/catalogue/declarations.ts';
import { initialDelayTiming } from '../content/durations.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Test Utilities';
const string = (description: string) => anyType(description, Type.String());

const hello = endpoint({
  id: 'hello',
  group,
  spec: '1 §4.6',
  methods: ['GET'],
  path: '/test/test/hello',
  summary: 'Says hello.',
  responses: { 200: string('A greeting.') },
  examples: [
    {
      name: 'a greeting',
      expect: {
        status: 200,
        text: 'Hello',
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '5' },
      },
    },
    { name: 'other methods', method: 'POST', expect: { status: 405, headers: { allow: /GET/ } } },
  ],
  handle: () => reply.text('Hello'),
});

const helloWait = endpoint({
  id: 'hello-wait',
  group,
  spec: '1 §4.6',
  methods: ['GET'],
  path: '/test/test/helloWait',
  summary: 'Says hello after a wait.',
  description:
    'Waits no longer than the delay limit of the service, and not at all once the client has left.',
  query: Type.Object({ waitTimeInMillis: int64({ minimum: 0, description: 'Milliseconds to wait.' }) }),
  responses: {
    200: string('A greeting that tells the wait.'),
    400: problem('The wait is missing or not valid.'),
  },
  examples: [
    {
      name: 'a tenth of a second',
      path: '/test/test/helloWait?waitTimeInMillis=100',
      expect: {
        status: 200,
        text: 'Hello after 100 ms',
        notBeforeMs: 95,
        headers: { 'server-timing': /initial_delay;dur=100\.00/ },
      },
    },
    { name: 'no wait given', expect: { status: 400, json: { detail: /waitTimeInMillis is required/ } } },
    {
      name: 'no number',
      path: '/test/test/helloWait?waitTimeInMillis=long',
      expect: { status: 400, json: { detail: /waitTimeInMillis must be an integer/ } },
    },
    {
      name: 'negative',
      path: '/test/test/helloWait?waitTimeInMillis=-1',
      expect: { status: 400, json: { detail: /waitTimeInMillis must be at least 0/ } },
    },
  ],
  handle: async ({ query, services, exchange }) => {
    const waitMs = Math.min(query.waitTimeInMillis, services.settings.limits.maxDelayMs);
    await services.clock.sleep(waitMs, exchange.signal);
    return reply.text(`Hello after ${waitMs} ms`, { headers: initialDelayTiming(waitMs) });
  },
});

const multipleHeaders = endpoint({
  id: 'multiple-headers',
  group,
  spec: '1 §4.6',
  methods: ['GET'],
  path: '/test/multipleHeaders',
  summary: 'Sends one field several times, on lines of its own and as a list.',
  description:
    'A proxy may join the X-Multiple lines with commas, but must keep their order; Set-Cookie lines it must not join.',
  responses: { 200: string('What was sent.') },
  examples: [
    {
      name: 'order and lines kept',
      expect: {
        status: 200,
        text: 'X-Multiple: first, second, third; X-List: a, b; Set-Cookie: one=1, two=2',
        headers: { 'x-multiple': 'first, second, third', 'x-list': 'a, b' },
        wire: /\r\nX-Multiple: first\r\nX-Multiple: second\r\nX-Multiple: third\r\nX-List: a, b\r\nSet-Cookie: one=1; Path=\/\r\nSet-Cookie: two=2; Path=\/\r\n/,
      },
    },
  ],
  handle: () =>
    reply.text('X-Multiple: first, second, third; X-List: a, b; Set-Cookie: one=1, two=2', {
      headers: [
        ...['X-Multiple', 'first', 'X-Multiple', 'second', 'X-Multiple', 'third'],
        ...['X-List', 'a, b'],
        ...['Set-Cookie', 'one=1; Path=/', 'Set-Cookie', 'two=2; Path=/'],
      ],
    }),
});

const patch = endpoint({
  id: 'test-patch',
  group,
  spec: '1 §4.6',
  methods: ['PATCH'],
  path: '/test/test/patch',
  summary: 'Answers PATCH and tells how many bytes came with it.',
  responses: { 200: string('What was patched.') },
  examples: [
    { name: 'with a body', body: 'abc', expect: { status: 200, text: 'Patched with 3 bytes' } },
    { name: 'without a body', expect: { status: 200, text: 'Patched with 0 bytes' } },
    { name: 'other methods', method: 'GET', expect: { status: 405, headers: { allow: /PATCH/ } } },
  ],
  handle: async ({ exchange, services }) => {
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    return reply.text(`Patched with ${exchange.body.receivedLength} bytes`);
  },
});

export const testUtilities: readonly TestbedEndpoint[] = [hello, helloWait, multipleHeaders, patch];
