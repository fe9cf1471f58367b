import { smugglingProbes } from '../../../src/testbed/smuggling/probes.ts';
import {
  type CheckGroup,
  changed,
  failed,
  type ProxyCheck,
  refused,
  type Sight,
  unchanged,
  type Verdict,
} from '../proxy-check.ts';
import { get, HOST } from '../request-bytes.ts';
import { lackOf } from '../run-check.ts';
import { jsonOf } from '../verdicts.ts';

// The test service is strict: it refuses what is ambiguous and takes the rest as the rules say.
const TAKEN: Readonly<Record<string, string>> = {
  'cl-zero': 'contained',
  'cl-get': 'contained',
  'expect-continue': 'contained',
  'h2c-upgrade': 'upgrade passed on',
};

const probeChecks = smugglingProbes.map(
  ({ name, idea, bytes }): ProxyCheck => ({
    id: `smuggling.${name}`,
    asks: `${idea[0]!.toLowerCase()}${idea.slice(1).replace(/\.$/, '')}`,
    request: (token) => bytes({ id: token, host: HOST }),
    waitMs: 700,
    afterwards: (token) => get(`/proxy-test/security/smuggling/result/${token}`),
    direct: { status: name in TAKEN ? 200 : 400 },
    directVerdict: TAKEN[name] ?? 'refused: 400',
    judgesEverything: true,
    verdict: name === 'h2c-upgrade' ? upgradeOf : arrivalOf,
  }),
);

/** What the backend saw of the probe, and if it saw nothing, what the client was told. */
function arrivalOf({ answer, afterwards }: Sight): Verdict {
  switch (jsonOf(afterwards).verdict) {
    case 'smuggled':
      // Two answers: the proxy knows of both requests, so nothing went past it.
      return changed(answer.rest.includes('HTTP/1.1 ') ? 'two requests' : 'SMUGGLED');
    case 'contained':
      return unchanged('contained');
    case 'altered':
      return changed('hidden part dropped');
    default:
      return answer.status === 0 ? failed(lackOf(answer)) : refused(answer.status);
  }
}

function upgradeOf({ afterwards }: Sight): Verdict {
  return jsonOf(afterwards).isUpgradeForwarded ? unchanged('upgrade passed on') : changed('upgrade removed');
}

export const security: CheckGroup = {
  name: 'Proxy Security Test: request smuggling',
  about:
    'Each probe conceals a second request. `contained`: it arrived inside the content, where it belongs. `hidden part ' +
    'dropped`: the rest arrived without it. `two requests`: the proxy itself read two requests and answered both, so ' +
    'nothing went past it, but a stricter proxy before it would have seen one. `SMUGGLED`: the backend got a request ' +
    'that the proxy did not see.',
  checks: probeChecks,
};
