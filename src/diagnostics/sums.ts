type Members = Readonly<Record<string, unknown>>;

/**
 * One value of several alike: numbers are added up, objects member by member, lists of things with a name by that name;
 * of anything else the first stands for all.
 */
export function summed<Value>(values: readonly Value[]): Value {
  const [first] = values as readonly unknown[];
  if (typeof first === 'number') return values.reduce((sum, value) => sum + (value as number), 0) as Value;
  if (Array.isArray(first)) return (areNamed(first) ? summedByName(values.flat()) : first) as Value;
  if (typeof first === 'object' && first !== null)
    return summedMembers(values as readonly Members[]) as Value;
  return first as Value;
}

function summedMembers(objects: readonly Members[]): Members {
  const names = new Set(objects.flatMap(Object.keys));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      summed(objects.map((one) => one[name]).filter((value) => value !== undefined)),
    ]),
  );
}

function areNamed(list: readonly unknown[]): boolean {
  return list.every((item) => typeof item === 'object' && item !== null && 'name' in item);
}

function summedByName(items: readonly unknown[]): unknown[] {
  const byName = Map.groupBy(items as Array<{ readonly name: string }>, ({ name }) => name);
  return [...byName.values()].map((alike) => summed(alike));
}
