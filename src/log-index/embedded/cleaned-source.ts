import type { FieldMode } from '../cleanup-script.ts';
import { topLevelMembers } from './json-members.ts';

/**
 * What the cleanup script makes of a document; undefined when it changes nothing. Every byte that it does not speak of stays
 * as it was: numbers keep their digits, members their order.
 */
export function cleanedSource(
  source: string,
  mode: FieldMode,
  fields: ReadonlySet<string>,
): string | undefined {
  return mode === 'remove' ? withoutMembers(source, fields) : withEmptyMembers(source, fields);
}

function withoutMembers(source: string, fields: ReadonlySet<string>): string | undefined {
  const members = topLevelMembers(source);
  const kept = members.filter(({ name }) => !fields.has(name));
  if (kept.length === members.length) return undefined;
  return `{${kept.map(({ nameStart, valueEnd }) => source.slice(nameStart, valueEnd)).join(',')}}`;
}

function withEmptyMembers(source: string, fields: ReadonlySet<string>): string | undefined {
  const changed = topLevelMembers(source).filter(
    ({ name, valueStart, valueEnd }) => fields.has(name) && source.slice(valueStart, valueEnd) !== '""',
  );
  if (changed.length === 0) return undefined;
  let result = '';
  let copiedTo = 0;
  for (const { valueStart, valueEnd } of changed) {
    result += `${source.slice(copiedTo, valueStart)}""`;
    copiedTo = valueEnd;
  }
  return result + source.slice(copiedTo);
}
