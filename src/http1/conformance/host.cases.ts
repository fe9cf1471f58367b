import { accept, headOf, refuse } from './case.ts';

const hostIs = (value: string) => headOf('GET / HTTP/1.1', `Host: ${value}`);

const VALID = [
  'a.example',
  'A.Example.',
  'a.example:80',
  'a.example:',
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]',
  '[::1]:443',
  '[2001:db8::192.0.2.1]',
  '[v1.a:b]',
  'xn--a-ecp.example',
  'a_b',
  "a!$&'()*+,;=b~-.",
  '%41%c3%bc',
  'a:65536',
];

const INVALID = [
  'a b',
  'a,b c',
  'a/b',
  'a?b',
  'a#b',
  'b@a',
  'http://a',
  'a:b',
  'a:80:80',
  'a:-1',
  'a:80 ,b',
  '::1',
  '[::1',
  '::1]',
  '[]',
  '[a.example]',
  '[::1]a',
  '[::1%25eth0]',
  'a%',
  'a%4',
  'a%zz',
  'a\tb',
  '"a"',
  '<a>',
  'a\\b',
  'a|b',
  'a^b',
  '{a}',
  '\xfc.example',
];

export const hostCases = [
  ...VALID.map((value) =>
    accept(`Host ${value}`, 'RFC 9112 §3.2', hostIs(value), { headers: ['Host', value] }),
  ),
  accept(
    'an empty Host, for a target without an authority',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.1', 'Host:'),
    {
      headers: ['Host', ''],
    },
  ),
  accept('a Host of a port alone', 'RFC 9110 §7.2', hostIs(':80'), { headers: ['Host', ':80'] }),
  accept('a Host that is not the first field', 'RFC 9110 §7.2', headOf('GET / HTTP/1.1', 'X: y', 'Host: a'), {
    headers: ['X', 'y', 'Host', 'a'],
  }),
  accept(
    'a Host other than the absolute form says',
    'RFC 9112 §3.2.2',
    headOf('GET http://b/ HTTP/1.1', 'Host: a'),
    {
      target: 'http://b/',
      headers: ['Host', 'a'],
    },
  ),
  accept('HTTP/1.0 without Host', 'RFC 9112 §3.2', headOf('GET / HTTP/1.0'), {
    version: '1.0',
    staysOpen: false,
    headers: [],
  }),
  accept('HTTP/1.0 with Host', 'RFC 9112 §3.2', headOf('GET / HTTP/1.0', 'Host: a'), {
    version: '1.0',
    staysOpen: false,
  }),
  ...INVALID.map((value) => refuse(`Host ${value}`, 'RFC 9112 §3.2', hostIs(value), '400 host-invalid')),
  refuse('no Host', 'RFC 9112 §3.2', headOf('GET / HTTP/1.1'), '400 host-missing'),
  refuse(
    'no Host but other fields',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.1', 'X-Host: a', 'Hos: a'),
    '400 host-missing',
  ),
  refuse(
    'no Host with the absolute form',
    'RFC 9112 §3.2',
    headOf('GET http://a/ HTTP/1.1'),
    '400 host-missing',
  ),
  refuse(
    'no Host with a higher minor version',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.2'),
    '400 host-missing',
  ),
  refuse('two Hosts', 'RFC 9112 §3.2', headOf('GET / HTTP/1.1', 'Host: a', 'Host: b'), '400 host-repeated'),
  refuse(
    'the same Host twice',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.1', 'Host: a', 'host: a'),
    '400 host-repeated',
  ),
  refuse(
    'two Hosts far apart',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.1', 'Host: a', 'X: y', 'HOST: b'),
    '400 host-repeated',
  ),
  refuse(
    'an empty Host beside another',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.1', 'Host:', 'Host: a'),
    '400 host-repeated',
  ),
  refuse(
    'two Hosts in HTTP/1.0',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.0', 'Host: a', 'Host: b'),
    '400 host-repeated',
  ),
  refuse(
    'an invalid Host in HTTP/1.0',
    'RFC 9112 §3.2',
    headOf('GET / HTTP/1.0', 'Host: a/b'),
    '400 host-invalid',
  ),
  refuse(
    'an invalid Host beside the absolute form',
    'RFC 9112 §3.2',
    headOf('GET http://a/ HTTP/1.1', 'Host: a/b'),
    '400 host-invalid',
  ),
];
