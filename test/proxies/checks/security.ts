import { smugglingProbes } from '../../../src/testbed/smuggling/probes.ts';
import { type CheckGroup, changed, failed, type ProxyCheck, refused, type Sight, unchanged, type Verdict } from '../proxy-check.ts';
import { get, HOST } from '../request-bytes.ts';
import { lackOf } from '../run-check.ts';
import { jsonOf } from '../verdicts.ts';

// The test service is strict: it refuses what is ambiguous and takes the rest as the rules say.
const TAKEN: Readonly<Record<string, string>> = {
  'cl-zero': 'contained',
  'cl-get': 'contained',
  'expect-continue': 'contained',
  'h2c-upgrade': 'not upgraded',
};

const probeChecks = smugglingProbes.map(
  ({ name, idea, bytes }): ProxyCheck => ({
    id: `smuggling.${name}`,
    asks: `${name}: ${idea[0]!.toLowerCase()}${idea.slice(1).replace(/\.$/, '')}`,
    request: (token) => bytes({ id: token, host: HOST }),
    waitMs: 1_000,
    afterwards: (token) => get(`/proxy-test/security/smuggling/result/${token}`),
    direct: name in TAKEN ? { status: 200 } : { status: name === 'te-te-unknown' ? 501 : 400 },
    directVerdict: TAKEN[name] ?? 'refused: 400',
    judgesEverything: true,
    verdict: arrivalOf,
  }),
);

/** What the backend saw of the probe, and if it saw nothing, what the client was told. */
function arrivalOf({ answer, afterwards }: Sight): Verdict {
  const { verdict, isUpgradeForwarded } = jsonOf(afterwards) as { verdict: string; isUpgradeForwarded: boolean };
  if (verdict === 'smuggled') return changed('SMUGGLED');
  if (verdict === 'contained') return unchanged('contained');
  if (verdict === 'altered') return isUpgradeForwarded ? changed('upgrade passed on') : unchanged('not upgraded');
  return answer.status === 0 ? failed(lackOf(answer)) : refused(answer.status);
}

export const security: CheckGroup = {
  name: 'Proxy Security Test: request smuggling',
  checks: probeChecks,
};
