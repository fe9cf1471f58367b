import { decodePercent } from '../../../kernel/catalogue/query.ts';
import type { TestbedEndpoint } from '../../endpoint.ts';
import { decodeDots, resolveDots } from '../../verdict/target-changes.ts';
import { urlEndpoint } from './url-endpoint.ts';

const SEMICOLON = '/proxy-test/url/semicolon/';

const semicolon = urlEndpoint({
  name: 'semicolon',
  spec: '1 §4.6',
  path: `${SEMICOLON}**`,
  summary: 'Tells the parameters that follow semicolons in the segments of a path.',
  description: 'Servlet containers and some proxies cut them off, which lets rules on paths be evaded.',
  examples: [
    {
      name: 'parameters of two segments',
      path: `${SEMICOLON}a;v=1;w/b;x=%3B`,
      expect: {
        status: 200,
        json: {
          rawPath: `${SEMICOLON}a;v=1;w/b;x=%3B`,
          segments: [
            { raw: 'proxy-test', decoded: 'proxy-test', parameters: [] },
            { raw: 'url', decoded: 'url', parameters: [] },
            { raw: 'semicolon', decoded: 'semicolon', parameters: [] },
            {
              raw: 'a;v=1;w',
              decoded: 'a',
              parameters: [
                ['v', '1'],
                ['w', ''],
              ],
            },
            { raw: 'b;x=%3B', decoded: 'b', parameters: [['x', ';']] },
          ],
        },
      },
    },
    {
      name: 'parameters that were cut off',
      path: `${SEMICOLON}a`,
      headers: ['X-Expect-Target', `${SEMICOLON}a;v=1`],
      expect: { status: 200, json: { verdict: { ok: false } }, text: /path parameters were cut off/ },
    },
  ],
});

const DOUBLE = '/proxy-test/url/double-encoded/';

const doubleEncoded = urlEndpoint({
  name: 'double-encoded',
  spec: '1 §4.6',
  path: `${DOUBLE}**`,
  summary: 'Tells what the rest of the path is after one and after two decodings.',
  examples: [
    {
      name: 'still encoded twice',
      path: `${DOUBLE}a%252Fb%252e`,
      expect: {
        status: 200,
        json: {
          rawPath: `${DOUBLE}a%252Fb%252e`,
          isDoubleEncoded: true,
          decodedOnce: 'a%2Fb%2e',
          decodedTwice: 'a/b.',
          oddities: { encodedSlash: false },
        },
      },
    },
    {
      name: 'a proxy decoded it once',
      path: `${DOUBLE}a%2Fb`,
      expect: {
        status: 200,
        json: {
          isDoubleEncoded: false,
          decodedOnce: 'a/b',
          decodedTwice: 'a/b',
          normalized: { encodedSlash: false },
        },
      },
    },
  ],
  further({ rawPath }) {
    const raw = rawPath.slice(DOUBLE.length);
    const decodedOnce = decodePercent(raw);
    const decodedTwice = decodePercent(Buffer.from(decodedOnce).toString('latin1'));
    return { isDoubleEncoded: /%25[0-9a-f]{2}/i.test(raw), decodedOnce, decodedTwice };
  },
});

const TRAVERSAL = '/proxy-test/url/traversal/';

/** The disguises of `../` that a filter may overlook. */
const disguises: ReadonlyArray<{ name: string; pattern: RegExp }> = [
  { name: 'plain', pattern: /(^|\/)\.\.(\/|$)/ },
  { name: 'encoded dots', pattern: /%2e/i },
  { name: 'encoded slash', pattern: /%2f/i },
  { name: 'backslash', pattern: /\\|%5c/i },
  { name: 'double encoding', pattern: /%25(2e|2f|5c)/i },
  { name: 'overlong UTF-8', pattern: /%c0%(ae|af)|%e0%80%(ae|af)/i },
  { name: 'path parameter', pattern: /\.\.;/ },
  { name: 'NUL', pattern: /%00/ },
];

const traversal = urlEndpoint({
  name: 'traversal',
  path: `${TRAVERSAL}**`,
  summary: 'Takes any path with dot segments as it is, and tells where it would lead.',
  description:
    'No file is ever opened: the path is only described. `disguises` names the ways the climbing is hidden.',
  examples: [
    {
      name: 'a path that climbs out, not normalised',
      path: `${TRAVERSAL}../../../etc/passwd`,
      expect: {
        status: 200,
        json: {
          rawPath: `${TRAVERSAL}../../../etc/passwd`,
          resolvedPath: '/etc/passwd',
          escapes: true,
          disguises: ['plain'],
          normalized: { dotSegments: false },
        },
      },
    },
    {
      name: 'hidden behind an encoding',
      path: `${TRAVERSAL}a/..%2f%2e%2e/b//c`,
      expect: {
        status: 200,
        json: {
          disguises: ['encoded dots', 'encoded slash'],
          oddities: { doubleSlash: true, encodedSlash: true },
        },
      },
    },
    {
      name: 'staying below',
      path: `${TRAVERSAL}a/../b`,
      expect: { status: 200, json: { resolvedPath: `${TRAVERSAL}b`, escapes: false } },
    },
  ],
  further({ rawPath }) {
    const rest = rawPath.slice(TRAVERSAL.length);
    const resolvedPath = resolveDots(decodeDots(rawPath));
    const found = disguises.filter(({ pattern }) => pattern.test(rest));
    return {
      resolvedPath,
      escapes: !resolvedPath.startsWith(TRAVERSAL),
      disguises: found.map(({ name }) => name),
    };
  },
});

/** Paths that proxies like to rewrite. */
export const oddPathEndpoints: readonly TestbedEndpoint[] = [semicolon, doubleEncoded, traversal];
