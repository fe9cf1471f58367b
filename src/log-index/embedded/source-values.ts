import type { SourceDocument } from './mapping.ts';

/** Every value at a path of a document: through objects, lists of objects, and names that hold the dots themselves. */
export function valuesAt(document: SourceDocument, path: string): unknown[] {
  const values: unknown[] = [];
  collect(document, path, values);
  return values;
}

function collect(value: unknown, path: string, into: unknown[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, path, into);
    return;
  }
  if (path === '') {
    if (value !== null) into.push(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (Object.hasOwn(value, name)) collect((value as SourceDocument)[name], path.slice(end + 1), into);
  }
}
