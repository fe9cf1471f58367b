import type { Change } from '../contract.ts';
import { assertPlainName } from '../member-names.ts';
import { memberSql, type Sql, type SqlValue } from './filter-sql.ts';

/** The expression that gives the changed document. */
export function changeSql<Value>({ set = {}, unset = [], increment = {} }: Change<Value>): Sql {
  let text = 'doc';
  const values: SqlValue[] = [];
  for (const [member, value] of Object.entries(set)) {
    if (value === undefined) continue;
    text = `json_set(${text}, ${pathSql(member)}, json(?))`;
    values.push(JSON.stringify(value));
  }
  for (const [member, amount] of Object.entries<number | undefined>(increment)) {
    if (amount === undefined) continue;
    text = `json_set(${text}, ${pathSql(member)}, coalesce(${memberSql(member)}, 0) + ?)`;
    // A number would be bound as floating point and the sum written as 3.0.
    values.push(Number.isSafeInteger(amount) ? BigInt(amount) : amount);
  }
  for (const member of unset) text = `json_remove(${text}, ${pathSql(member)})`;
  return { text, values };
}

function pathSql(member: string): string {
  assertPlainName(member);
  return `'$.${member}'`;
}
