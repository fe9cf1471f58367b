import type { Change, Condition, Filter } from '../contract.ts';

export type SqlValue = string | number | null;

/** A piece of SQL and the values of its placeholders. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The expression that stands for a member; indexes are made on exactly this text, or they are not used. */
export function memberSql(member: string): string {
  if (!/^\w+$/.test(member)) throw new Error(`'${member}' is no member that can be searched`);
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
  if (typeof condition !== 'object') return { text: `${member} = ?`, values: [scalar(condition)] };
  if ('in' in condition) {
    const marks = condition.in.map(() => '?').join(', ');
    return { text: `${member} IN (${marks})`, values: condition.in.map(scalar) };
  }
  if ('not' in condition) return { text: `${member} IS NOT ?`, values: [scalar(condition.not)] };
  if ('contains' in condition) {
    return { text: `contains_text(${member}, ?)`, values: [condition.contains] };
  }
  if ('exists' in condition)
    return { text: `${member} IS ${condition.exists ? 'NOT ' : ''}NULL`, values: [] };
  const bounds = [
    ['>', condition.above],
    ['>=', condition.atLeast],
    ['<', condition.below],
    ['<=', condition.atMost],
  ].filter((bound): bound is [string, string | number] => bound[1] !== undefined);
  return {
    text: bounds.map(([sign]) => `${member} ${sign} ?`).join(' AND ') || '1',
    values: bounds.map(([, value]) => value),
  };
}

/** The expression that gives the changed document. */
export function changeSql<Value>({ set = {}, unset = [], increment = {} }: Change<Value>): Sql {
  let text = 'doc';
  const values: SqlValue[] = [];
  for (const [member, value] of Object.entries(set)) {
    if (value === undefined) continue;
    text = `json_set(${text}, ${pathSql(member)}, json(?))`;
    values.push(JSON.stringify(value));
  }
  for (const [member, amount] of Object.entries(increment)) {
    if (amount === undefined) continue;
    text = `json_set(${text}, ${pathSql(member)}, coalesce(${memberSql(member)}, 0) + ?)`;
    values.push(amount as number);
  }
  for (const member of unset) text = `json_remove(${text}, ${pathSql(member)})`;
  return { text, values };
}

function pathSql(member: string): string {
  if (!/^\w+$/.test(member)) throw new Error(`'${member}' is no member that can be changed`);
  return `'$.${member}'`;
}

/** SQLite has no booleans; JSON's come out as 0 and 1. */
function scalar(value: string | number | boolean | null): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value;
}
