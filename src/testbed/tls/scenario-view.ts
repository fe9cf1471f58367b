import { keyKinds } from '../../pki/keys.ts';
import { xmlEscape } from '../content/xml.ts';
import { type CertificateRecipe, certificateRecipes, keyKindByName } from './certificate-recipes.ts';
import type { Material } from './material.ts';
import { placeOf } from './place.ts';
import type { TlsScenario } from './scenario.ts';
import type { TlsScenarioPorts } from './tls-ports.ts';

/** What a scenario is shown with: where it is served, and the certificates as far as they are made. */
export interface ScenarioContext {
  readonly host: string;
  readonly tls: TlsScenarioPorts;
  /** Undefined until it is made. */
  readonly material: Material | undefined;
}

const usualRecipes = certificateRecipes(placeOf({ port: 0, tlsNames: [] }));

/** A scenario as the service shows it. */
export function viewScenario(scenario: TlsScenario, context: ScenarioContext) {
  const { host, tls } = context;
  const { number, id, name, category, description, ciphers, alpn, clientAuth } = scenario;
  const port = tls.portOf(scenario);
  return {
    number,
    id,
    name,
    port,
    url: `https://${host}:${port}/`,
    category,
    description,
    certificate: certificateView(scenario, context),
    tls: scenario.tls,
    ciphers,
    alpn,
    clientAuth,
    expected: scenario.expected,
    expectedError: scenario.expectedError,
    running: tls.isRunning(scenario),
  };
}

export function scenarioList(scenarios: readonly TlsScenario[], context: ScenarioContext) {
  return {
    count: scenarios.length,
    basePort: context.tls.basePort,
    host: context.host,
    scenarios: scenarios.map((scenario) => viewScenario(scenario, context)),
  };
}

/** The server's own certificate: what its recipe says, and what only the made one has. */
function certificateView({ chain: [leaf] }: TlsScenario, { material }: ScenarioContext) {
  if (!leaf) return null;
  const recipes = material?.recipes ?? usualRecipes;
  const recipe = recipes[leaf];
  const made = material?.x509(leaf);
  return {
    subject: nameText(recipe.subject),
    issuer: nameText(recipe.issuer === 'self' ? recipe.subject : recipes[recipe.issuer].subject),
    notBefore: made?.validFromDate.toISOString() ?? null,
    notAfter: made?.validToDate.toISOString() ?? null,
    validity: validityOf(recipe),
    ...keyView(recipe),
    signature: recipe.scheme ?? 'rsa-sha256',
    sanCount: sanCountOf(recipe),
    sha256: made?.fingerprint256.replaceAll(':', '').toLowerCase() ?? null,
  };
}

function validityOf({ days }: CertificateRecipe): 'current' | 'expired' | 'not yet valid' {
  if (days.to < 0) return 'expired';
  return days.from > 0 ? 'not yet valid' : 'current';
}

/** Sizes of the public keys that are no number of RSA. */
const keyBits: Readonly<Record<string, number>> = {
  'p-256': 256,
  'p-384': 384,
  ed25519: 256,
  'ml-dsa-65': 15_616,
};

function keyView({ key }: CertificateRecipe) {
  const kind = keyKindByName[key];
  const { type, options } = keyKinds[kind];
  return { keyType: type, keyBits: 'modulusLength' in options ? options.modulusLength : keyBits[kind]! };
}

function sanCountOf({ extensions: { alternativeNames } }: CertificateRecipe): number {
  return (alternativeNames?.dns?.length ?? 0) + (alternativeNames?.ip?.length ?? 0);
}

/** `CN=localhost`, the most specific part first. */
function nameText(name: CertificateRecipe['subject']): string {
  return name
    .map(([type, value]) => `${type}=${value}`)
    .reverse()
    .join(',');
}

/** The overview as a page. */
export function scenarioPage(scenarios: readonly TlsScenario[], context: ScenarioContext): string {
  const rows = scenarios.map((scenario) => {
    const { number, id, port, category, description, tls, expected, running } = viewScenario(
      scenario,
      context,
    );
    const versions = tls.min === tls.max ? tls.min : `${tls.min}–${tls.max}`;
    const link = `<a href="/badssl/${id}">${xmlEscape(id)}</a>`;
    const texts = [category, description, versions, expected, running ? 'yes' : 'no'].map(xmlEscape);
    return `<tr>${[number, link, port, ...texts].map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TLS scenarios</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
body { color: light-dark(#1c2126, #e3e7ea); background: light-dark(#ffffff, #14171a); }
a { color: light-dark(#0f766e, #4fc3b4); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.35rem 0.7rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
th { font-weight: 500; }
th, td:nth-child(4) { color: light-dark(#59636e, #9aa5af); }
td:nth-child(1), td:nth-child(3) { font-variant-numeric: tabular-nums; }
td:nth-child(2), td:nth-child(6) { white-space: nowrap; }
@media (max-width: 48rem) {
  thead, td:nth-child(1), td:nth-child(4), td:nth-child(6), td:nth-child(8) { display: none; }
  tr { display: grid; grid-template-columns: 1fr 4rem 4rem; padding: 0.5rem 0; border-bottom: 1px solid #8884; }
  td { padding: 0; border: 0; }
  td:nth-child(5) { grid-area: 2 / 1 / auto / -1; color: light-dark(#59636e, #9aa5af); }
}
</style>
</head>
<body>
<h1>${scenarios.length} TLS scenarios</h1>
<p>Each port serves the whole test service. A client that trusts <a href="/certs/ca.pem">the test root</a> is expected to end as the table says; <code>/badssl/{id}/check</code> tries it.</p>
<table>
<thead><tr><th>#</th><th>Scenario</th><th>Port</th><th>Category</th><th>What it is</th><th>TLS</th><th>Expected</th><th>Running</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
}
