import { checkGroups } from './checks.ts';
import { proxies } from './proxies.ts';
import type { CheckGroup, ProxyCheck, Verdict } from './proxy-check.ts';
import type { Column, Results } from './results.ts';

const kinds: ReadonlyArray<readonly [kind: Verdict['kind'], meaning: string]> = [
  ['unchanged', 'The client or the backend saw what they see without a proxy.'],
  ['changed', 'It came through, but otherwise; the words say how.'],
  ['refused', 'The proxy gave an error of its own, with this status.'],
  ['failed', 'The client got no answer.'],
];

/** The table of all verdicts. It holds nothing that differs between two runs of the same versions. */
export function proxyDocument(columns: readonly Column[], results: Results): string {
  const notes = checkGroups.flatMap(({ checks }) => checks).filter(({ note }) => note !== undefined);
  const lines = [
    '# What reverse proxies do to HTTP',
    '',
    'Written by `npm run test:proxies`; do not edit. Every check sends the same bytes to the test service directly and',
    'through each proxy, and compares. The proxies run in their plainest configuration (below), everything else left at',
    'its default, so a verdict tells what a user gets who changes nothing, not what the proxy could do.',
    '',
    ...table(['proxy', 'version', ...kinds.map(([kind]) => kind)], summaryRows(columns, results)),
    '',
    ...kinds.map(([kind, meaning]) => `- **${kind}**: ${meaning}`),
    '',
    ...checkGroups.flatMap((group) => groupSection(group, columns, results)),
    ...notes.map(({ id, note }) => `[^${id}]: ${note}`),
    '',
    '## Configurations',
    '',
    ...proxies.flatMap(({ name, configurationFile, configuration }) => [
      `### ${name}: \`${configurationFile}\``,
      '',
      '```',
      configuration({ port: '<port>', testbedPort: '<testbed>', folder: '<folder>' }).trimEnd(),
      '```',
      '',
    ]),
    '## Run it again',
    '',
    'Install nginx, haproxy, caddy and apache2 (Debian has all four) and run `npm run test:proxies`. No root is needed. A',
    'proxy that is not there is skipped, and this page is then left as it is; with `GATEHOUSE_TEST_FORBID_SKIP=1` it is a',
    'failure. The checks are in `test/proxies/checks/`.',
  ];
  return `${lines.join('\n')}\n`;
}

function summaryRows(columns: readonly Column[], results: Results): string[][] {
  return columns
    .filter(({ version }) => version !== undefined)
    .map(({ name, version }) => [
      name,
      version!,
      ...kinds.map(([kind]) => String(results.count(name, kind))),
    ]);
}

function groupSection(
  { name, about, checks }: CheckGroup,
  columns: readonly Column[],
  results: Results,
): string[] {
  const rows = checks.map((check) => [
    `\`${check.id}\``,
    `${check.asks}${check.note === undefined ? '' : `[^${check.id}]`}`,
    ...columns.map((column) => cell(check, column, results)),
  ]);
  return [
    `## ${name}`,
    '',
    ...(about === undefined ? [] : [about, '']),
    ...table(['check', 'looked at', ...columns.map((column) => column.name)], rows),
    '',
  ];
}

function cell({ id }: ProxyCheck, { name, version }: Column, results: Results): string {
  const { kind, how } = results.of(name, id)!;
  return kind === 'unchanged' || version === undefined ? how : `**${how}**`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)];
}
