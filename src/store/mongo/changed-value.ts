import type { Change } from '../contract.ts';

export function touches<Value>(
  { set = {}, unset = [], increment = {} }: Change<Value>,
  members: readonly string[],
): boolean {
  const named = new Set<string>([...Object.keys(set), ...unset, ...Object.keys(increment)]);
  return members.some((member) => named.has(member));
}

/** What the server would make of the document. */
export function changedValue<Value extends object>(
  value: Value,
  { set = {}, unset = [], increment = {} }: Change<Value>,
): Value {
  const changed = Object.assign({}, value) as Record<string, unknown>;
  for (const [member, part] of Object.entries(set)) if (part !== undefined) changed[member] = part;
  for (const [member, amount] of Object.entries<number | undefined>(increment))
    if (amount !== undefined) changed[member] = Number(changed[member] ?? 0) + amount;
  for (const member of unset) delete changed[member];
  return changed as Value;
}
