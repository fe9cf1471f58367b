import type { TObject } from 'typebox';
import type { Endpoint, Example } from '../endpoint.ts';
import { canonicalPath, parsePathPattern, pathAsSent } from '../path-pattern.ts';
import { createRouter } from '../router.ts';
import { methodOf, targetOf } from './example-bytes.ts';

type Entry = Omit<Endpoint<never>, 'handle'>;
type Facts = Readonly<
  Record<string, { readonly type?: string; readonly format?: string; readonly default?: unknown }>
>;

const UNDECLARED_METHOD = 'UNDECLARED';

/**
 * What every entry must refuse by its own declaration, as examples: a method nobody declared, a required query parameter
 * that is missing, an integer that is none.
 */
export function refusalsFor(catalogue: readonly Entry[]): (entry: Entry) => Example[] {
  const router = createRouter(catalogue);
  return (entry) => [
    ...undeclaredMethod(entry, (path) => router.find(UNDECLARED_METHOD, path).kind === 'method-not-allowed'),
    ...missingParameters(entry),
    ...malformedQuery(entry),
    ...malformedPath(entry),
  ];
}

function undeclaredMethod(entry: Entry, isRefused: (path: string) => boolean): Example[] {
  const { path } = goodRequest(entry);
  const [rawPath = ''] = path.split('?');
  // Another entry may take every method of this path.
  if (!isRefused(rawPath)) return [];
  const allow = new RegExp(entry.methods.map((method) => `(?=.*\\b${method}\\b)`).join(''));
  return [
    {
      name: 'refuses a method that is not declared',
      method: UNDECLARED_METHOD,
      path: rawPath,
      expect: { status: 405, headers: { allow } },
    },
  ];
}

function missingParameters(entry: Entry): Example[] {
  const good = goodRequest(entry);
  const required = (entry.query?.required ?? []) as readonly string[];
  return required
    .filter((name) => isCheckedByKernel(factsOf(entry.query)[name]))
    .map((name) => ({
      ...good,
      name: `refuses a request without the query parameter ${name}`,
      path: withQuery(good.path, (pairs) => pairs.filter(([key]) => key !== name)),
      expect: { status: 400, text: naming(name) },
    }));
}

function malformedQuery(entry: Entry): Example[] {
  const good = goodRequest(entry);
  return integersOf(entry.query).map((name) => ({
    ...good,
    name: `refuses a query parameter ${name} that is no integer`,
    path: withQuery(good.path, (pairs) => [...pairs.filter(([key]) => key !== name), [name, 'abc']]),
    expect: { status: 400, text: naming(name) },
  }));
}

function malformedPath(entry: Entry): Example[] {
  const good = goodRequest(entry);
  return integersOf(entry.params).map((name) => {
    const [rawPath = '', ...query] = good.path.split('?');
    const segments = rawPath.split('/');
    segments[segmentIndex(entry, name)] = 'abc';
    return {
      ...good,
      name: `refuses a path parameter ${name} that is no integer`,
      path: [segments.join('/'), ...query].join('?'),
      expect: { status: 400, text: naming(name) },
    };
  });
}

/** The request of an example that is answered well, if there is one; else one made up from the path. */
function goodRequest(entry: Entry): Pick<Example, 'method' | 'headers' | 'body'> & { path: string } {
  const good = entry.examples.find((one) => (one.expect.status ?? 200) < 400 && isForPath(entry, one));
  if (!good) return { path: madeUpPath(entry) };
  return {
    method: methodOf(entry, good),
    headers: good.headers,
    body: good.body,
    path: targetOf(entry, good),
  };
}

/** Aliases may have another shape, and an example may ask for something else altogether. */
function isForPath(entry: Entry, example: Example): boolean {
  if (example.path === undefined) return true;
  const [rawPath = ''] = example.path.split('?');
  const match = createRouter([{ id: entry.id, methods: ['GET'], path: entry.path }]).find(
    'GET',
    canonicalPath(rawPath),
  );
  return match.kind === 'found';
}

function madeUpPath({ path, params }: Entry): string {
  const facts = factsOf(params);
  return pathAsSent(path).replace(/\{([^}*]+)(?:\*\*)?\}|\*\*/g, (_, name: string) =>
    facts[name]?.type === 'integer' ? '1' : 'x',
  );
}

function segmentIndex({ path }: Entry, name: string): number {
  // The piece before the leading slash is empty and counts as the first.
  return (
    1 +
    parsePathPattern(path).segments.findIndex((_, index) =>
      path.split('/')[index + 1]?.startsWith(`{${name}`),
    )
  );
}

function factsOf(schema: TObject | undefined): Facts {
  return (schema?.properties ?? {}) as Facts;
}

function integersOf(schema: TObject | undefined): string[] {
  return Object.entries(factsOf(schema)).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
}

/** Maps and files may also come in the body, and a default stands in for what is missing. */
function isCheckedByKernel(facts: Facts[string] | undefined): boolean {
  return (
    facts !== undefined &&
    facts.default === undefined &&
    facts.type !== 'object' &&
    facts.type !== 'array' &&
    facts.format !== 'binary'
  );
}

function withQuery(
  path: string,
  change: (pairs: Array<[string, string]>) => Array<[string, string]>,
): string {
  const [rawPath = '', query = ''] = path.split('?');
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((piece): [string, string] => {
      const [name = '', ...value] = piece.split('=');
      return [name, value.join('=')];
    });
  const changed = change(pairs).map(([name, value]) => `${name}=${value}`);
  return changed.length === 0 ? rawPath : `${rawPath}?${changed.join('&')}`;
}

function naming(name: string): RegExp {
  return new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
