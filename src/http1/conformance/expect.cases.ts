import { accept, get, headOf, post, refuse } from './case.ts';

const RFC = 'RFC 9110 §10.1.1';
const continued = { method: 'POST', body: 'ab', isContinued: true } as const;

export const expectCases = [
  accept(
    '100-continue with a body',
    RFC,
    `${post('Expect: 100-continue', 'Content-Length: 2')}ab`,
    continued,
  ),
  accept(
    '100-continue with chunks',
    RFC,
    `${post('Expect: 100-continue', 'Transfer-Encoding: chunked')}2\r\nab\r\n0\r\n\r\n`,
    continued,
  ),
  accept(
    '100-continue in any case',
    RFC,
    `${post('expect: 100-CONTINUE', 'Content-Length: 2')}ab`,
    continued,
  ),
  accept(
    '100-continue on two lines',
    RFC,
    `${post('Expect: 100-continue', 'Expect: 100-continue', 'Content-Length: 2')}ab`,
    continued,
  ),
  accept(
    '100-continue in a list with empty members',
    'RFC 9110 §5.6.1',
    `${post('Expect: , 100-continue,', 'Content-Length: 2')}ab`,
    continued,
  ),
  accept('100-continue without a body', RFC, get('Expect: 100-continue')),
  accept('100-continue with a body of no bytes', RFC, get('Expect: 100-continue', 'Content-Length: 0')),
  accept('an empty expectation', 'RFC 9110 §5.6.1', `${post('Expect:', 'Content-Length: 2')}ab`, {
    method: 'POST',
    body: 'ab',
  }),
  accept(
    'an expectation of HTTP/1.0, which is ignored',
    RFC,
    `${headOf('POST / HTTP/1.0', 'Expect: 100-continue', 'Content-Length: 2')}ab`,
    {
      method: 'POST',
      version: '1.0',
      body: 'ab',
      staysOpen: false,
    },
  ),
  accept('an unknown expectation of HTTP/1.0', RFC, headOf('GET / HTTP/1.0', 'Expect: tea'), {
    version: '1.0',
    staysOpen: false,
  }),
  ...[
    'tea',
    '100-continue, tea',
    'tea, 100-continue',
    '100-continue;a=b',
    '100',
    '100-continued',
    '"100-continue"',
    '200-ok',
  ].map((value) =>
    refuse(
      `the expectation ${value}`,
      RFC,
      `${post(`Expect: ${value}`, 'Content-Length: 2')}ab`,
      '417 expectation-failed',
    ),
  ),
  refuse(
    'an unknown expectation on the second line',
    RFC,
    post('Expect: 100-continue', 'Expect: tea'),
    '417 expectation-failed',
  ),
  refuse('an unknown expectation without a body', RFC, get('Expect: tea'), '417 expectation-failed'),
];
