import { countText } from '../operator/figures.ts';
import type { Configuration } from './configuration.ts';
import type { CheckedIndex } from './index-check.ts';
import type { Plan } from './plan.ts';
import type { RunningTask } from './running-task.ts';
import { type IndexSize, sizeText } from './summary.ts';

export interface Findings {
  readonly checked: CheckedIndex;
  readonly count: number;
  readonly size: IndexSize | undefined;
  readonly snapshot: string;
  /** A run of this very work that is going on already. */
  readonly going: RunningTask | undefined;
}

/** What will be done and to what, before anything is. */
export function planText(configuration: Configuration, plan: Plan, findings: Findings): string {
  const { index, url } = configuration;
  const { checked, count, size, snapshot, going } = findings;
  const { stream } = checked;
  const rows: Array<[name: string, text: string]> = [
    ['Index', `${index}, ${checked.engine} at ${url}`],
    ...(stream
      ? [
          [
            'Data stream',
            `${stream.name}, ${stream.size} backing ${stream.size === 1 ? 'index' : 'indices'}`,
          ] as [string, string],
        ]
      : []),
    ['Operation', operationText(configuration)],
    ['Scope', scopeText(configuration)],
    ['Documents', `${countText(count)} in scope`],
    ...(size ? [['Size', sizeText(size)] as [string, string]] : []),
    ['Write block', checked.hasWriteBlock ? 'set: lifted before, restored afterwards' : 'none'],
    ['Force merge', configuration.forcesMerge ? 'yes; disk space may not be freed immediately' : 'no'],
    ['Snapshot', `latest: ${snapshot}`],
    ...(going
      ? [['Going on', `task ${going.id} of an earlier start: it is followed`] as [string, string]]
      : []),
  ];
  const lines = [
    'Traffic-log index cleanup',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(12)} ${text}`),
    '',
    'Calls that change something:',
    ...callsOf(plan, index, checked.hasWriteBlock).map((call) => `  ${call}`),
    '',
    'This cannot be undone. Take a snapshot first.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** Rule 7: the query and, where fields are cleaned, the script. */
export function queryText({ query, script }: Plan): string {
  const parts = [`Query:\n${JSON.stringify(query, null, 2)}`];
  if (script) {
    parts.push(`Script (${script.lang}):\n${script.source}`);
    parts.push(`Parameters of the script:\n${JSON.stringify(script.params)}`);
  }
  return `${parts.join('\n\n')}\n\n`;
}

function callsOf({ calls }: Plan, index: string, hasWriteBlock: boolean): readonly string[] {
  if (!hasWriteBlock) return calls;
  return [`PUT /${index}/_settings {"index.blocks.write":false}`, ...calls, `PUT /${index}/_block/write`];
}

function operationText({ operation }: Configuration): string {
  if (operation.kind === 'delete') return 'delete the documents';
  const names = operation.fields.join(', ');
  return operation.mode === 'remove'
    ? `remove the fields ${names} from the source`
    : `set the fields ${names} to an empty text where they are not empty`;
}

function scopeText({ scope: { proxy, period } }: Configuration): string {
  const parts = [
    ...(proxy ? [`${proxy.field} is '${proxy.value}'`] : []),
    ...(period ? [`@timestamp from ${period.start} to ${period.end}`] : []),
  ];
  return parts.length === 0 ? 'all documents' : parts.join(' and ');
}
