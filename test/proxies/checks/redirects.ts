import { type CheckGroup, changed, type ProxyCheck, unchanged, type Verdict } from '../proxy-check.ts';
import { get, HOST } from '../request-bytes.ts';
import { linesOf, sameAnswer, sameFields } from '../verdicts.ts';

const BASE = '/proxy-test/redirect';
const LANDING = `${BASE}/landing`;

/** Whom an absolute Location leads to: ports differ from run to run, so only whose they are is told. */
function namedHost(location: string | undefined): string {
  const host = /^(?:[a-z]+:)?\/\/([^/]*)/.exec(location ?? '')?.[1];
  if (host === undefined) return 'no host';
  if (host === HOST) return 'the client’s host';
  return host.startsWith(`${HOST}:`) ? 'the client’s host, the proxy’s port' : 'the backend’s address';
}

function hostVerdict(location: string | undefined, expected: string): Verdict {
  const named = namedHost(location);
  return named === expected ? unchanged(named) : changed(named);
}

const verbatim = (path: string, asks: string, location: string): ProxyCheck => ({
  id: `redirect.${path}`,
  asks,
  request: get(`${BASE}/${path}`),
  direct: { status: 302, headers: { location } },
  verdict: sameFields('Location'),
});

export const redirects: CheckGroup = {
  name: 'Proxy Connection & Redirect: redirects',
  checks: [
    verbatim('root-relative', 'Location as a path', LANDING),
    {
      ...verbatim('relative', 'Location as a relative path', ''),
      direct: { status: 302, headers: { location: /^[^/]/ } },
    },
    {
      id: 'redirect.absolute',
      asks: 'Location with the host the request named',
      request: get(`${BASE}/absolute`),
      direct: { status: 302, headers: { location: `http://${HOST}${LANDING}` } },
      directVerdict: 'the client’s host',
      verdict: ({ answer }) => hostVerdict(answer.header('location'), 'the client’s host'),
    },
    {
      id: 'redirect.backend-host',
      asks: 'Location with the backend’s own address',
      request: get(`${BASE}/backend-host`),
      direct: {
        status: 302,
        headers: { location: /^http:\/\/127\.0\.0\.1:\d+\/proxy-test\/redirect\/landing$/ },
      },
      directVerdict: 'the backend’s address',
      verdict: ({ answer }) => hostVerdict(answer.header('location'), 'the backend’s address'),
    },
    {
      id: 'redirect.cross-scheme',
      asks: 'Location with https',
      request: get(`${BASE}/cross-scheme`),
      direct: { status: 302, headers: { location: `https://${HOST}${LANDING}` } },
      directVerdict: 'the client’s host',
      verdict: ({ answer }) =>
        /^https:/.test(answer.header('location') ?? '')
          ? hostVerdict(answer.header('location'), 'the client’s host')
          : changed('http again'),
    },
    {
      id: 'redirect.multiple-location',
      asks: 'two Location lines',
      request: get(`${BASE}/multiple-location`),
      direct: { status: 302, headers: { location: `${LANDING}, ${BASE}/self` } },
      verdict: ({ answer, direct }) => {
        const [sent, seen] = [linesOf(direct, 'Location'), linesOf(answer, 'Location')];
        if (seen.join('\n') === sent.join('\n')) return unchanged();
        return changed(`${seen.length} of ${sent.length}`);
      },
    },
    {
      id: 'redirect.unicode',
      asks: 'Location beyond ASCII',
      request: get(`${BASE}/unicode`),
      direct: { status: 302, headers: { location: /./ } },
      verdict: sameFields('Location'),
    },
    {
      id: 'redirect.empty-location',
      asks: 'an empty Location',
      request: get(`${BASE}/empty-location`),
      direct: { status: 302, headers: { location: '' } },
      verdict: sameFields('Location'),
    },
    {
      id: 'redirect.refresh',
      asks: 'Refresh',
      request: get(`${BASE}/refresh`),
      direct: { status: 200, headers: { refresh: /./ } },
      verdict: sameFields('Refresh'),
    },
    {
      id: 'redirect.status',
      asks: '308',
      request: get(`${BASE}/root-relative?status=308`),
      direct: { status: 308, headers: { location: LANDING } },
      verdict: sameAnswer('Location'),
    },
  ],
};
