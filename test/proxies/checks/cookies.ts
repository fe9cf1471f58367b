import { type CheckGroup, changed, unchanged } from '../proxy-check.ts';
import { get } from '../request-bytes.ts';
import { jsonOf, sameFields } from '../verdicts.ts';

const setCookies = sameFields('Set-Cookie');

export const cookieHandling: CheckGroup = {
  name: 'Proxy Cookie Handling',
  checks: [
    {
      id: 'cookies.lines',
      asks: 'five Set-Cookie lines',
      request: get('/proxy-test/cookie/multiple?count=5'),
      direct: { status: 200, json: { count: 5 }, wire: /(Set-Cookie: cookie\d=value\d; Path=\/\r\n){5}/ },
      verdict: setCookies,
    },
    {
      id: 'cookies.special',
      asks: 'quotes, spaces, commas and UTF-8 in cookies',
      request: get('/proxy-test/cookie/special'),
      direct: { status: 200, json: { count: 8 }, wire: /Set-Cookie: utf8=\xc5\x9f\xc4\x9f; Path=\/\r\n/ },
      verdict: setCookies,
    },
    {
      id: 'cookies.expires',
      asks: 'commas in Expires',
      request: get('/proxy-test/cookie/expires'),
      direct: {
        status: 200,
        json: { count: 3 },
        wire: /Expires=Wednesday, 21-Oct-37 07:28:00 GMT; Path=\/\r\n/,
      },
      verdict: setCookies,
    },
    {
      id: 'cookies.path-domain',
      asks: 'Path and Domain (not rewritten)',
      request: get('/proxy-test/cookie/path-domain'),
      direct: { status: 200, json: { count: 3 } },
      verdict: setCookies,
    },
    {
      id: 'cookies.attributes',
      asks: 'Secure, HttpOnly, SameSite, Partitioned',
      request: get('/proxy-test/cookie/attributes'),
      direct: { status: 200, wire: /; SameSite=None/ },
      verdict: setCookies,
    },
    {
      id: 'cookies.large-answer',
      asks: 'Set-Cookie of 4096 bytes',
      request: get('/proxy-test/cookie/large'),
      direct: { status: 200, headers: { 'set-cookie': /^large=x{4091}; Path=\/$/ } },
      verdict: setCookies,
    },
    {
      id: 'cookies.two-lines',
      asks: 'Cookie on two lines',
      request: get('/proxy-test/cookie/echo', 'Cookie: a=1; b="x y"', 'Cookie: c=3'),
      direct: { status: 200, json: { lines: ['a=1; b="x y"', 'c=3'], count: 3 } },
      verdict: ({ answer }) => {
        const { lines } = jsonOf(answer) as { lines: string[] };
        if (lines.length === 2) return unchanged();
        const joints = { 'a=1; b="x y"; c=3': 'joined by ;', 'a=1; b="x y", c=3': 'joined by ,' };
        return changed(joints[lines[0] as keyof typeof joints] ?? 'changed');
      },
    },
    {
      id: 'cookies.large-request',
      asks: 'Cookie of 7 KB',
      request: get('/proxy-test/cookie/echo', `Cookie: large=${'x'.repeat(7_000)}`),
      direct: { status: 200, json: { count: 1, bytes: 7_006 } },
      verdict: ({ answer }) => (jsonOf(answer).bytes === 7_006 ? unchanged() : changed('cut off')),
    },
  ],
};
