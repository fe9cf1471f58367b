import { EngineError, illegalArgument } from './engine-error.ts';

const FORBIDDEN = /[\\/*?"<>| ,#:]/;

/** Throws for a name that no index may have. */
export function checkIndexName(name: string): void {
  const rule = brokenRule(name);
  if (rule)
    throw new EngineError(400, 'invalid_index_name_exception', `Invalid index name [${name}], ${rule}`, {
      members: { index: name, index_uuid: '_na_' },
    });
}

function brokenRule(name: string): string | undefined {
  if (name !== name.toLowerCase()) return 'must be lowercase';
  if (FORBIDDEN.test(name))
    return 'must not contain the following characters [\\, /, *, ?, ", <, >, |, space, comma, #, :]';
  if (/^[_+-]/.test(name)) return "must not start with '_', '-', or '+'";
  if (name === '.' || name === '..' || name === '') return "must not be '.' or '..'";
  if (Buffer.byteLength(name) > 255) return 'index name is too long';
  return undefined;
}

/** One part of an index expression: a name, or a pattern with `*`. */
export interface NamePart {
  readonly text: string;
  readonly pattern: RegExp | undefined;
}

/** `a,b*` in parts. Exclusions and date arithmetic are refused. */
export function parseNames(expression: string): NamePart[] {
  return expression.split(',').map((text) => {
    if (text.startsWith('-') || text.startsWith('<') || text.startsWith('+'))
      throw illegalArgument(`the embedded log index does not know the index expression [${text}]`);
    if (text === '_all') return { text, pattern: patternOf('*') };
    if (text.includes('*')) return { text, pattern: patternOf(text) };
    checkIndexName(text);
    return { text, pattern: undefined };
  });
}

export function patternOf(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
