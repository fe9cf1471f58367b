import { timeSpanOf } from './date-value.ts';
import { EngineError, illegalArgument, parsingError } from './engine-error.ts';
import { booleanOf, type Field, isNumeric, numberOf } from './field.ts';
import { isFindable, type Mapping, quickFields, type SourceDocument } from './mapping.ts';
import { valuesAt } from './source-values.ts';

/** A query made for one index: a condition that SQLite decides, and perhaps one that the document itself must meet. */
export interface CompiledQuery {
  readonly sql: string;
  readonly parameters: ReadonlyArray<string | number>;
  readonly check?: (document: SourceDocument) => boolean;
}

type Members = Readonly<Record<string, unknown>>;

const everything: CompiledQuery = { sql: '1', parameters: [] };
const nothing: CompiledQuery = { sql: '0', parameters: [] };

/** match_all, term, range, ids, and bool with a filter of these. Anything else is refused. */
export function compileQuery(query: unknown, mapping: Mapping): CompiledQuery {
  const [kind, body] = onlyMember(query, 'query');
  switch (kind) {
    case 'match_all':
      onlyKeys(body, [], kind);
      return everything;
    case 'ids':
      return compileIds(body);
    case 'term':
      return compileTerm(body, mapping);
    case 'range':
      return compileRange(body, mapping);
    case 'bool':
      return compileBool(body, mapping);
    default:
      throw parsingError(`the embedded log index does not know the query [${kind}]`);
  }
}

function compileBool(body: unknown, mapping: Mapping): CompiledQuery {
  const { filter = [] } = onlyKeys(body, ['filter'], 'bool');
  const parts = [filter].flat().map((query) => compileQuery(query, mapping));
  if (parts.length === 0) return everything;
  const checks = parts.flatMap(({ check }) => check ?? []);
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(' AND '),
    parameters: parts.flatMap(({ parameters }) => parameters),
    ...(checks.length > 0 && { check: (document) => checks.every((check) => check(document)) }),
  };
}

const MOST_IDS = 65_536;

function compileIds(body: unknown): CompiledQuery {
  const { values } = onlyKeys(body, ['values'], 'ids');
  const ids = [values ?? []].flat();
  if (ids.length > MOST_IDS) throw illegalArgument(`[ids] takes at most ${MOST_IDS} values`);
  return { sql: 'id IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(ids.map(String))] };
}

function compileTerm(body: unknown, mapping: Mapping): CompiledQuery {
  const [path, given] = onlyMember(body, 'term');
  const value = isObject(given) ? onlyKeys(given, ['value'], 'term').value : given;
  if (value === undefined || value === null || typeof value === 'object')
    throw illegalArgument('value cannot be null');
  if (path === '_id') return compileIds({ values: [String(value)] });
  const field = mapping.fieldAt(path);
  if (!field) return nothing;
  refuseUnsearchable(path, field);
  const { name, keyword } = keywordField(path, field, mapping);
  if (!keyword) return { ...everything, check: valueCheck(path, equalTo(field, value)) };
  const text = String(value);
  if (!isFindable(text, keyword)) return nothing;
  const fieldNo = quickFields.indexOf(name);
  if (fieldNo < 0) return { ...everything, check: valueCheck(name, (one) => String(one) === text) };
  return {
    sql: 'number IN (SELECT number FROM postings WHERE field = ? AND value = ?)',
    parameters: [fieldNo, text],
  };
}

/** The keyword that is meant, and where its values stand in the source: `apn.keyword` is the text at `apn`. */
function keywordField(path: string, field: Field, mapping: Mapping): { name: string; keyword?: Field } {
  if (field.type !== 'keyword') return { name: path };
  const parentPath = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  const isFurther = mapping.fieldAt(parentPath)?.fields !== undefined;
  return { name: isFurther ? parentPath : path, keyword: field };
}

function equalTo(field: Field, value: unknown): (one: unknown) => boolean {
  const { type } = field;
  if (isNumeric(type)) {
    const number = numberOf(value, type);
    if (number === undefined) throw unreadableValue(`For input string: "${String(value)}"`);
    return (one) => numberOf(one, type) === number;
  }
  if (type === 'boolean') {
    const wanted = booleanOf(value);
    if (wanted === undefined) throw unreadableValue(`Can't parse boolean value [${String(value)}]`);
    return (one) => booleanOf(one) === wanted;
  }
  const { firstMs, lastMs } = dateOf(value);
  return (one) => isWithin(timeSpanOf(one)?.firstMs, firstMs, lastMs);
}

function compileRange(body: unknown, mapping: Mapping): CompiledQuery {
  const [path, given] = onlyMember(body, 'range');
  const bounds = onlyKeys(given, ['gte', 'gt', 'lte', 'lt'], 'range');
  const field = mapping.fieldAt(path);
  if (!field) return nothing;
  refuseUnsearchable(path, field);
  if (field.type !== 'date' && !isNumeric(field.type))
    throw illegalArgument(`the embedded log index has no range over a field of type [${field.type}]`);
  const [from, to] = field.type === 'date' ? dateBounds(bounds) : numberBounds(bounds, field);
  if (path === '@timestamp' && field.type === 'date')
    return { sql: 'timestamp_ms BETWEEN ? AND ?', parameters: [from, to] };
  const numberIn = (one: unknown) =>
    field.type === 'date' ? timeSpanOf(one)?.firstMs : numberOf(one, field.type);
  return { ...everything, check: valueCheck(path, (one) => isWithin(numberIn(one), from, to)) };
}

/** SQLite's integers end before JavaScript's numbers do; no time lies beyond these. */
const EARLIEST_MS = -(2 ** 53);
const LATEST_MS = 2 ** 53;

/** A bound that names a whole day, say, takes it in or leaves it out as a whole. */
function dateBounds({ gte, gt, lte, lt }: Members): [number, number] {
  const from = [
    ...(gte === undefined || gte === null ? [] : [dateOf(gte).firstMs]),
    ...(gt === undefined || gt === null ? [] : [dateOf(gt).lastMs + 1]),
  ];
  const to = [
    ...(lte === undefined || lte === null ? [] : [dateOf(lte).lastMs]),
    ...(lt === undefined || lt === null ? [] : [dateOf(lt).firstMs - 1]),
  ];
  return [Math.max(EARLIEST_MS, ...from), Math.min(LATEST_MS, ...to)];
}

function numberBounds({ gte, gt, lte, lt }: Members, { type }: Field): [number, number] {
  const isWhole = type !== 'double' && type !== 'float';
  if (!isWhole && (gt !== undefined || lt !== undefined))
    throw illegalArgument('the embedded log index knows gte and lte over numbers with a point');
  const read = (value: unknown, fallback: number, step: number) => {
    if (value === undefined || value === null) return fallback;
    const number = numberOf(value, type);
    if (number === undefined) throw unreadableValue(`For input string: "${String(value)}"`);
    return number + step;
  };
  return [
    Math.max(read(gte, Number.NEGATIVE_INFINITY, 0), read(gt, Number.NEGATIVE_INFINITY, 1)),
    Math.min(read(lte, Number.POSITIVE_INFINITY, 0), read(lt, Number.POSITIVE_INFINITY, -1)),
  ];
}

function dateOf(value: unknown) {
  const span = timeSpanOf(value);
  if (span) return span;
  throw new EngineError(
    400,
    'parse_exception',
    `failed to parse date field [${String(value)}] with format [strict_date_optional_time||epoch_millis]`,
  );
}

function isWithin(number: number | undefined, from: number, to: number): boolean {
  return number !== undefined && number >= from && number <= to;
}

function valueCheck(path: string, isMet: (value: unknown) => boolean): (document: SourceDocument) => boolean {
  return (document) => valuesAt(document, path).some(isMet);
}

function refuseUnsearchable(path: string, { type, index, enabled }: Field): void {
  if (index === false || enabled === false)
    throw unreadableValue(`Cannot search on field [${path}] since it is not indexed.`);
  // A term must equal one of the words that an analyser makes of the text, and there is no analyser here.
  if (type === 'text')
    throw illegalArgument(
      `the embedded log index does not search field [${path}] of type [text]; a keyword beside it can be searched`,
    );
  if (type === 'object') throw illegalArgument(`field [${path}] is an object`);
}

function unreadableValue(reason: string): EngineError {
  return new EngineError(400, 'query_shard_exception', `failed to create query: ${reason}`);
}

/** An object with exactly one member. */
function onlyMember(value: unknown, name: string): [string, unknown] {
  const entries = isObject(value) ? Object.entries(value) : [];
  const [first, second] = entries;
  if (!first) throw illegalArgument(`[${name}] must be an object with one member`);
  if (second)
    throw parsingError(
      `[${name}] query doesn't support multiple fields, found [${first[0]}] and [${second[0]}]`,
    );
  return first;
}

/** An object with no other members than these. */
function onlyKeys(value: unknown, keys: readonly string[], name: string): Members {
  if (!isObject(value)) throw parsingError(`[${name}] query malformed, no start_object after query name`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw parsingError(`[${name}] query does not support [${unknown}]`);
  return value;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
