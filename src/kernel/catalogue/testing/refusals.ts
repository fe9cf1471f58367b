import type { Example } from '../endpoint.ts';
import { type Documented, inputsOf, type OperationInput } from '../operations.ts';
import { pathAsSent } from '../path-pattern.ts';
import { splitTarget } from '../request-view.ts';
import { createRouter } from '../router.ts';
import { methodOf, targetOf } from './example-bytes.ts';

const UNDECLARED_METHOD = 'UNDECLARED';

/**
 * What every entry answers by its declaration alone, as examples: OPTIONS, a method nobody declared, a required query
 * parameter that is missing, an integer that is none.
 */
export function refusalsFor(catalogue: readonly Documented[]): (entry: Documented) => Example[] {
  const router = createRouter(catalogue);
  return (entry) => {
    const good = goodRequest(entry);
    const { rawPath } = splitTarget(good.path);
    // Another entry may take every method of this path, or OPTIONS.
    const refusesMethods = router.find(UNDECLARED_METHOD, rawPath).kind === 'method-not-allowed';
    const answersOptions = router.find('OPTIONS', rawPath).kind === 'options';
    return [
      ...(refusesMethods ? [undeclaredMethod(entry, rawPath)] : []),
      ...(answersOptions ? [automaticOptions(entry, rawPath)] : []),
      ...inputsOf(entry).flatMap((input) => badInputs(entry, input, good)),
    ];
  };
}

function undeclaredMethod({ methods }: Documented, path: string): Example {
  return {
    name: 'refuses a method that is not declared',
    method: UNDECLARED_METHOD,
    path,
    expect: { status: 405, headers: { allow: allowing(methods) } },
  };
}

function automaticOptions({ methods }: Documented, path: string): Example {
  return {
    name: 'answers OPTIONS by itself',
    method: 'OPTIONS',
    path,
    expect: { status: 200, length: 0, headers: { allow: allowing(methods) } },
  };
}

type GoodRequest = Pick<Example, 'method' | 'headers' | 'body'> & { readonly path: string };

function badInputs(
  entry: Documented,
  { place, name, schema, isRequired }: OperationInput,
  good: GoodRequest,
): Example[] {
  const expect = { status: 400, text: new RegExp(escaped(name)) };
  const bad: Example[] = [];
  if (place === 'query' && isRequired && mustBeInQuery(schema)) {
    const path = withQuery(good.path, name, []);
    bad.push({ ...good, name: `refuses a request without the query parameter ${name}`, path, expect });
  }
  if (place !== 'header' && schema.type === 'integer') {
    const path =
      place === 'query' ? withQuery(good.path, name, [`${name}=abc`]) : withSegment(entry, good.path, name);
    bad.push({ ...good, name: `refuses a ${place} parameter ${name} that is no integer`, path, expect });
  }
  return bad;
}

/** Maps and files may also come in the body. */
function mustBeInQuery({ type, format, items }: OperationInput['schema']): boolean {
  return type !== 'object' && format !== 'binary' && items?.format !== 'binary';
}

/** The request of an example that is answered well, if there is one; else one made up from the path. */
function goodRequest(entry: Documented): GoodRequest {
  const own = createRouter([{ id: entry.id, methods: ['ANY'], path: entry.path }]);
  const good = entry.examples.find(({ path, expect }) => {
    const isAnsweredWell = (expect.status ?? 200) < 400;
    // An example may also ask for an alias, which has another shape.
    return (
      isAnsweredWell && (path === undefined || own.find('GET', splitTarget(path).rawPath).kind === 'found')
    );
  });
  if (!good) return { path: madeUpPath(entry) };
  const { headers, body } = good;
  return { method: methodOf(entry, good), headers, body, path: targetOf(entry, good) };
}

function madeUpPath(entry: Documented): string {
  const integers = new Set(
    inputsOf(entry).flatMap(({ name, schema }) => (schema.type === 'integer' ? [name] : [])),
  );
  return pathAsSent(entry.path).replace(/\{([^}*]+)(?:\*\*)?\}|\*\*/g, (_, name) =>
    integers.has(name) ? '1' : 'x',
  );
}

/** The target with these pieces in place of the query parameter. */
function withQuery(target: string, name: string, pieces: readonly string[]): string {
  const { rawPath, rawQuery = '' } = splitTarget(target);
  const others = rawQuery.split('&').filter((piece) => piece !== '' && piece.split('=', 1)[0] !== name);
  const query = [...others, ...pieces].join('&');
  return query === '' ? rawPath : `${rawPath}?${query}`;
}

function withSegment({ path }: Documented, target: string, name: string): string {
  const { rawPath, rawQuery } = splitTarget(target);
  const segments = rawPath.split('/');
  segments[path.split('/').indexOf(`{${name}}`)] = 'abc';
  return rawQuery === undefined ? segments.join('/') : `${segments.join('/')}?${rawQuery}`;
}

function allowing(methods: readonly string[]): RegExp {
  const named = methods.filter((method) => method !== 'ANY');
  return new RegExp(named.map((method) => `(?=.*\\b${escaped(method)}\\b)`).join(''));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
