/** What becomes of a named source key: it goes, or its value becomes the empty string (spec 2 §4.6 rule 4). */
export type FieldMode = 'remove' | 'empty';

/**
 * The script of an update by query, as the engine takes it. The names travel as parameters, so that the source is constant:
 * it is compiled once, and no name can become code.
 */
export interface CleanupScript {
  readonly lang: 'painless';
  readonly source: string;
  readonly params: { readonly fields: readonly string[] };
}

const removeSource = [
  'boolean changed = false;',
  'for (String field : params.fields) {',
  '  if (ctx._source.containsKey(field)) { ctx._source.remove(field); changed = true; }',
  '}',
  "if (!changed) { ctx.op = 'noop'; }",
].join('\n');

// A key whose value is null is there and is not empty: it becomes '' like any other.
const emptySource = [
  'boolean changed = false;',
  'for (String field : params.fields) {',
  "  if (ctx._source.containsKey(field) && ctx._source[field] != '') { ctx._source[field] = ''; changed = true; }",
  '}',
  "if (!changed) { ctx.op = 'noop'; }",
].join('\n');

const sources: Readonly<Record<FieldMode, string>> = { remove: removeSource, empty: emptySource };

/** Documents in which it changes nothing are marked noop and stay untouched. */
export function cleanupScript(mode: FieldMode, fields: readonly string[]): CleanupScript {
  return { lang: 'painless', source: sources[mode], params: { fields } };
}

/** Which of our scripts this source is; undefined for any other. */
export function modeOfSource(source: string): FieldMode | undefined {
  if (source === removeSource) return 'remove';
  return source === emptySource ? 'empty' : undefined;
}
