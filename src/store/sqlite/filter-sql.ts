import type { Condition, Filter } from '../contract.ts';
import { assertPlainName } from '../member-names.ts';

export type SqlValue = string | number | bigint | null;

/** A piece of SQL and the values of its placeholders. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The expression that stands for a member; indexes are made on exactly this text, or they are not used. */
export function memberSql(member: string): string {
  assertPlainName(member);
  return member === 'id' ? 'id' : `json_extract(doc, '$.${member}')`;
}

export function filterSql<Value>(where: Filter<Value>): Sql {
  const parts = Object.entries(where)
    .filter((entry): entry is [string, Condition] => entry[1] !== undefined)
    .map(([member, condition]) => conditionSql(memberSql(member), condition));
  return {
    text: parts.length === 0 ? '1' : parts.map(({ text }) => `(${text})`).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}

function conditionSql(member: string, condition: Condition): Sql {
  if (condition === null) return { text: `${member} IS NULL`, values: [] };
  if (typeof condition !== 'object') return { text: `${member} = ?`, values: [scalarSql(condition)] };
  if ('in' in condition) {
    // One placeholder however long the list is: the statement can be kept, and no limit on placeholders is met.
    const isOneOf = `${member} IN (SELECT value FROM json_each(?))`;
    const orNone = condition.in.includes(null) ? ` OR ${member} IS NULL` : '';
    return { text: isOneOf + orNone, values: [JSON.stringify(condition.in)] };
  }
  if ('not' in condition) return { text: `${member} IS NOT ?`, values: [scalarSql(condition.not)] };
  if ('contains' in condition)
    return { text: `contains_text(${member}, ?)`, values: [condition.contains.toLowerCase()] };
  if ('exists' in condition)
    return { text: `${member} IS ${condition.exists ? 'NOT ' : ''}NULL`, values: [] };
  return rangeSql(member, condition);
}

function rangeSql(member: string, { above, atLeast, below, atMost }: RangeCondition): Sql {
  const bounds = [
    { sign: '>', value: above },
    { sign: '>=', value: atLeast },
    { sign: '<', value: below },
    { sign: '<=', value: atMost },
  ].filter((bound): bound is { sign: string; value: string | number } => bound.value !== undefined);
  // For SQLite every number is below every text; a range must not leave the kind of its bounds.
  const kinds = bounds.map(({ value }) => (typeof value === 'number' ? `${member} < ''` : `${member} >= ''`));
  return {
    text: [...bounds.map(({ sign }) => `${member} ${sign} ?`), ...new Set(kinds)].join(' AND ') || '1',
    values: bounds.map(({ value }) => value),
  };
}

type RangeCondition = Extract<Condition, { readonly above?: unknown }>;

/** SQLite has no booleans; JSON's come out as 0 and 1. */
function scalarSql(value: string | number | boolean | null): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value;
}
