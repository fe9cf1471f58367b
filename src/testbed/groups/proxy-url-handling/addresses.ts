import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { repeatedNames } from '../../content/repeated-names.ts';
import { reportUrl } from '../../content/url-report.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { group, urlEndpoint, urlHeaders, urlReportSchema } from './url-endpoint.ts';

const echo = urlEndpoint({
  name: 'echo',
  spec: '1 §4.6',
  path: '/proxy-test/url/echo',
  summary: 'Echoes target, authority and query as they arrived.',
  examples: [
    {
      name: 'every byte of the query is kept',
      path: '/proxy-test/url/echo?a=%2f&&b=+&a',
      headers: ['Host', 'shop.test:81'],
      expect: {
        status: 200,
        json: {
          target: '/proxy-test/url/echo?a=%2f&&b=+&a',
          authority: 'shop.test:81',
          rawQuery: 'a=%2f&&b=+&a',
          query: [
            ['a', '/'],
            ['b', ' '],
            ['a', ''],
          ],
        },
      },
    },
    {
      name: 'an absolute-form target',
      path: 'http://shop.test/proxy-test/url/echo?x',
      headers: ['Host', 'shop.test'],
      expect: {
        status: 200,
        json: {
          target: 'http://shop.test/proxy-test/url/echo?x',
          rawPath: '/proxy-test/url/echo',
          rawQuery: 'x',
        },
      },
    },
  ],
  further: ({ target, authority, scheme }) => ({ target, authority, scheme }),
});

const queryOrder = urlEndpoint({
  name: 'query-order',
  spec: '1 §4.6',
  path: '/proxy-test/url/query-order',
  summary: 'Tells the parameters of the query in the order they arrived, duplicates and empty ones kept.',
  examples: [
    {
      name: 'order and duplicates',
      path: '/proxy-test/url/query-order?c=3&a=1&b&c=',
      expect: {
        status: 200,
        json: {
          query: [
            ['c', '3'],
            ['a', '1'],
            ['b', ''],
            ['c', ''],
          ],
          names: ['c', 'a', 'b', 'c'],
          repeated: ['c'],
          isSorted: false,
        },
      },
    },
    {
      name: 'a proxy that sorts is found out',
      path: '/proxy-test/url/query-order?a=1&b=2',
      headers: ['X-Expect-Target', '/proxy-test/url/query-order?b=2&a=1'],
      expect: {
        status: 200,
        json: { isSorted: true, verdict: { ok: false } },
        text: /the order of the parameters changed/,
      },
    },
  ],
  further({ queryPairs }) {
    const names = queryPairs.map(([name]) => name);
    const repeated = repeatedNames(names);
    const isSorted = names.every((name, index) => index === 0 || names[index - 1]! <= name);
    return { names, repeated, isSorted };
  },
});

const deep = urlEndpoint({
  name: 'path-sub-deep',
  spec: '1 §4.6',
  path: '/proxy-test/url/path/sub/deep',
  summary: 'A path of several segments, for tests of prefixes and rewriting.',
  examples: [
    {
      name: 'segment by segment',
      expect: {
        status: 200,
        json: {
          rawPath: '/proxy-test/url/path/sub/deep',
          segments: ['proxy-test', 'url', 'path', 'sub', 'deep'].map((raw) => ({
            raw,
            decoded: raw,
            parameters: [],
          })),
        },
      },
    },
    {
      name: 'a doubled slash is another path',
      path: '/proxy-test/url/path//sub/deep',
      expect: { status: 404, json: { instance: '/proxy-test/url/path//sub/deep' } },
    },
  ],
});

const safe = urlEndpoint({
  name: 'path-safe',
  spec: '1 §4.6',
  path: '/proxy-test/url/path/safe',
  summary: 'Where a path such as /proxy-test/url/path/sub/../safe leads once somebody resolved it.',
  description:
    'Send the path with its dot segments in X-Expect-Target: the verdict then says that it was resolved on the way.',
  examples: [
    {
      name: 'reached through a proxy that resolves',
      headers: ['X-Expect-Target', '/proxy-test/url/path/sub/../safe'],
      expect: { status: 200, json: { normalized: { dotSegments: true }, verdict: { ok: false } } },
    },
    {
      name: 'unresolved it is not this path',
      path: '/proxy-test/url/path/sub/../safe',
      expect: { status: 404, json: { instance: '/proxy-test/url/path/sub/../safe' } },
    },
  ],
});

const long = endpoint({
  id: 'proxy-url-long',
  group,
  spec: '1 §4.6',
  methods: ['GET'],
  path: '/proxy-test/url/long',
  summary: 'Tells the lengths of target, path, query and head in bytes.',
  headers: urlHeaders,
  responses: {
    200: json('`lengths`, and the verdict when X-Expect-Target is sent.', urlReportSchema),
    414: problem('The target is longer than the listener takes.'),
  },
  examples: [
    {
      name: 'a query of 4000 bytes',
      path: `/proxy-test/url/long?${'x'.repeat(4000)}`,
      expect: { status: 200, json: { lengths: { target: 4021, path: 20, query: 4000 } } },
    },
    { name: 'no query', expect: { status: 200, json: { lengths: { target: 20, path: 20, query: null } } } },
  ],
  handle({ request, exchange }) {
    const lengths = {
      target: request.target.length,
      path: request.rawPath.length,
      query: request.rawQuery?.length ?? null,
      head: exchange.head.wireBytes?.length ?? null,
    };
    return reply.json({ ...reportUrl(request), lengths });
  },
});

const FRAGMENT = '/proxy-test/url/fragment';

const fragment = endpoint({
  id: 'proxy-url-fragment',
  group,
  methods: ['GET'],
  path: FRAGMENT,
  // A raw # is part of the path that is routed, so only a path that takes everything can catch it.
  aliases: ['/proxy-test/url/{rest**}'],
  summary: 'Tells whether a raw # arrived: clients keep fragments to themselves, proxies must not send them.',
  headers: urlHeaders,
  responses: {
    200: json('The report with `hasFragment`, `fragment` and `target`.', urlReportSchema),
    404: problem('Below /proxy-test/url there is no such address.'),
  },
  examples: [
    {
      name: 'a raw fragment behind the path',
      path: `${FRAGMENT}#part/one`,
      expect: {
        status: 200,
        json: { hasFragment: true, fragment: 'part/one', target: `${FRAGMENT}#part/one` },
      },
    },
    {
      name: 'a raw fragment behind the query',
      path: `${FRAGMENT}?a=1#part`,
      expect: { status: 200, json: { hasFragment: true, fragment: 'part', rawQuery: 'a=1#part' } },
    },
    {
      name: 'an encoded # is no fragment',
      path: `${FRAGMENT}?a=%23part`,
      expect: { status: 200, json: { hasFragment: false, fragment: null, query: [['a', '#part']] } },
    },
    {
      name: 'other addresses are not here',
      path: '/proxy-test/url/nowhere',
      expect: { status: 404, json: { instance: '/proxy-test/url/nowhere' } },
    },
  ],
  handle({ request }) {
    const { rawPath, target } = request;
    if (rawPath !== FRAGMENT && !rawPath.startsWith(`${FRAGMENT}#`)) {
      throw fault('route.not-found', { path: rawPath });
    }
    const hashAt = target.indexOf('#');
    const hasFragment = hashAt >= 0;
    const fragment = hasFragment ? target.slice(hashAt + 1) : null;
    return reply.json({ ...reportUrl(request), hasFragment, fragment, target });
  },
});

/** Plain addresses: what arrives of them, in which order and how long. */
export const addressEndpoints: readonly TestbedEndpoint[] = [queryOrder, deep, safe, long, echo, fragment];
