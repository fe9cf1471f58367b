import { isFieldValue, isToken } from '../http1/characters.ts';
import type { HeaderRow, HttpMethod, ParameterSet } from './connection.ts';
import { brokenUrlRule } from './connection-url.ts';

/** What would be taken for another address of the API. */
export const reservedNames: ReadonlySet<string> = new Set(['import', 'test-connection', 'name-exist']);

/** A rule that a value breaks, and where. */
export interface BrokenRule {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly rule: string;
}

const WITH_BODY: ReadonlySet<HttpMethod> = new Set(['POST', 'PUT', 'PATCH']);

/** Records travel in a body: a method that has none can not carry them. */
export function canDeliverLogs({ httpMethod }: Pick<ParameterSet, 'httpMethod'>): boolean {
  return WITH_BODY.has(httpMethod);
}

/** They belong to the connection itself, or to whoever frames the message. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
]);

/** The first rule that the parameters break beyond their schema; undefined when they may be saved. */
export function brokenParameterRule(
  set: Pick<ParameterSet, 'fullUrl' | 'headerList' | 'gzipEnabled'>,
): BrokenRule | undefined {
  const urlRule = brokenUrlRule(set.fullUrl);
  if (urlRule) return { pointer: '/fullUrl', rule: urlRule };
  const seen = new Set<string>();
  for (const [index, row] of set.headerList.entries()) {
    const rule = brokenHeaderRule(row, set.gzipEnabled, seen);
    if (rule) return { pointer: `/headerList/${index}`, rule };
    seen.add(row.name.toLowerCase());
  }
  return undefined;
}

function brokenHeaderRule(
  { name, value }: HeaderRow,
  isCompressed: boolean,
  seen: ReadonlySet<string>,
): string | undefined {
  // spec 2 §2.3: a row that is half filled blocks saving.
  if (name.trim() === '' || value.trim() === '') return 'name and value must both be filled';
  if (!isToken(name)) return `the name ${JSON.stringify(name)} is not one of a header field`;
  if (!isFieldValue(value)) return `the value of ${name} holds characters that a header field can not carry`;
  const lowerCase = name.toLowerCase();
  if (RESERVED_HEADERS.has(lowerCase) || lowerCase.startsWith('proxy-'))
    return `${name} is set by the platform itself`;
  if (lowerCase === 'content-encoding' && isCompressed)
    return `${name} is set by the platform itself while compression is on`;
  return seen.has(lowerCase) ? `${name} stands in more than one row` : undefined;
}
