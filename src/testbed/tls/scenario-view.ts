import { xmlEscape } from '../content/xml.ts';
import { portOf, TLS_BASE_PORT, type TlsScenario } from './scenarios.ts';

/** A scenario as the service shows it. The ports of the scenarios are not served by this version. */
export function viewScenario(scenario: TlsScenario, host: string) {
  const port = portOf(scenario);
  return { ...scenario, port, url: `https://${host}:${port}/`, running: false };
}

export function scenarioList(scenarios: readonly TlsScenario[], host: string) {
  return {
    count: scenarios.length,
    basePort: TLS_BASE_PORT,
    host,
    scenarios: scenarios.map((scenario) => viewScenario(scenario, host)),
  };
}

/** The overview as a page. */
export function scenarioPage(scenarios: readonly TlsScenario[], host: string): string {
  const rows = scenarios.map((scenario) => {
    const { number, id, port, category, description, tls, expected, running } = viewScenario(scenario, host);
    const cells = [
      number,
      '',
      port,
      category,
      description,
      `${tls.min}–${tls.max}`,
      expected,
      running ? 'yes' : 'no',
    ];
    const link = `<a href="/badssl/${id}">${xmlEscape(id)}</a>`;
    return `<tr>${cells.map((cell) => `<td>${cell === '' ? link : xmlEscape(String(cell))}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>TLS scenarios</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/assets/latest/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/latest/page.css">
</head>
<body class="single">
<main>
<h1>${scenarios.length} TLS scenarios</h1>
<div class="scroll"><table class="scenarios">
<thead><tr><th>#</th><th>Scenario</th><th>Port</th><th>Category</th><th>What it is</th><th>TLS</th><th>Expected</th><th>Running</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</main>
</body>
</html>
`;
}
