import { canonicalPath, type PathPattern, parsePathPattern } from './path-pattern.ts';

/** What the router needs to know of an entry; anything richer passes through it untouched. */
export interface Routable {
  readonly id: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly aliases?: readonly string[];
}

export type RouteMatch<Entry> =
  | {
      readonly kind: 'found';
      readonly entry: Entry;
      readonly names: readonly string[];
      readonly values: readonly string[];
    }
  /** The path exists, but nobody there names the method; OPTIONS the catalogue answers by itself. The entry is the best match. */
  | { readonly kind: 'options' | 'method-not-allowed'; readonly entry: Entry; readonly allow: string }
  | { readonly kind: 'not-found' };

export interface Router<Entry> {
  /** Finds by the path exactly as it was sent, one character per byte. */
  find(method: string, rawPath: string): RouteMatch<Entry>;
  /** Every method some entry answers, for `OPTIONS *`. */
  readonly allMethods: string;
}

/** One place in the tree of segments. */
interface Node<Entry> {
  readonly statics: Map<string, Node<Entry>>;
  one: Node<Entry> | undefined;
  rest: Node<Entry> | undefined;
  /** Method → route; undefined where no path ends. */
  routes: Map<string, Route<Entry>> | undefined;
}

interface Route<Entry> {
  readonly entry: Entry;
  readonly names: readonly string[];
}

const NOT_FOUND = { kind: 'not-found' } as const;
const NO_VALUES: readonly string[] = [];
const ANY = 'ANY';
/** What Allow names for an entry that takes any method token. */
const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

/**
 * Builds the route table. Static segments beat `{x}`, which beats the rest of a path; where the best match does not
 * answer the method, the next best that does is taken, so that `PUT /status/304` reaches `/status/{codes}`.
 * HEAD falls back on GET. OPTIONS is answered by the catalogue unless an entry names it. `ANY` takes every other token.
 */
export function createRouter<Entry extends Routable>(entries: readonly Entry[]): Router<Entry> {
  const root = newNode<Entry>();
  const wholePaths = new Map<string, Node<Entry>>();

  for (const entry of entries) {
    for (const path of spellingsOf(entry)) {
      const pattern = patternOf(entry, path);
      const node = nodeAt(root, pattern);
      addRoutes(node, entry, path, pattern.names);
      if (pattern.names.length === 0) wholePaths.set(staticTextOf(pattern), node);
    }
  }

  return {
    find(method, rawPath) {
      // Most paths are found as they were sent, which means that they are spelled canonically.
      const known = wholePaths.get(rawPath);
      const path = known ? rawPath : canonicalPath(rawPath);
      const whole = known ?? wholePaths.get(path);
      const route = whole && routeFor(whole, method);
      if (route) return { kind: 'found', entry: route.entry, names: route.names, values: NO_VALUES };
      return findInTree(root, method, path);
    },
    allMethods: allowOf(entries.map(({ methods }) => methods)),
  };
}

/** The path, its aliases, and for each that ends with a slash the spelling without it. */
function spellingsOf({ path, aliases = [] }: Routable): string[] {
  return [path, ...aliases].flatMap((one) =>
    one.length > 1 && one.endsWith('/') ? [one, one.slice(0, -1)] : [one],
  );
}

function patternOf(entry: Routable, path: string): PathPattern {
  try {
    return parsePathPattern(path);
  } catch (error) {
    throw new Error(`endpoint ${entry.id}: ${(error as Error).message}`, { cause: error });
  }
}

function nodeAt<Entry>(root: Node<Entry>, pattern: PathPattern): Node<Entry> {
  let node = root;
  for (const segment of pattern.segments) {
    if (segment.kind === 'one') node = node.one ??= newNode();
    else if (segment.kind === 'rest') node = node.rest ??= newNode();
    else {
      const next = node.statics.get(segment.text) ?? newNode<Entry>();
      node.statics.set(segment.text, next);
      node = next;
    }
  }
  return node;
}

function addRoutes<Entry extends Routable>(
  node: Node<Entry>,
  entry: Entry,
  path: string,
  names: readonly string[],
): void {
  if (entry.methods.length === 0)
    throw new Error(`endpoint ${entry.id} can never be reached: it names no method`);
  node.routes ??= new Map();
  for (const method of entry.methods) {
    const other = node.routes.get(method)?.entry;
    // An entry may be at one place twice: `/x` with the alias `/x/`, which is `/x` as well.
    if (other && other !== entry)
      throw new Error(`endpoints ${other.id} and ${entry.id} both answer ${method} ${path}`);
    node.routes.set(method, { entry, names });
  }
}

function newNode<Entry>(): Node<Entry> {
  return { statics: new Map(), one: undefined, rest: undefined, routes: undefined };
}

function staticTextOf({ segments }: PathPattern): string {
  return segments.map((segment) => `/${segment.kind === 'static' ? segment.text : ''}`).join('');
}

function routeFor<Entry>({ routes }: Node<Entry>, method: string): Route<Entry> | undefined {
  if (!routes) return undefined;
  const named = routes.get(method);
  if (named || method === 'OPTIONS') return named;
  return (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get(ANY);
}

function findInTree<Entry extends Routable>(
  root: Node<Entry>,
  method: string,
  path: string,
): RouteMatch<Entry> {
  if (!path.startsWith('/')) return NOT_FOUND;
  const others: Array<Map<string, Route<Entry>>> = [];
  const found = search(root, 1, []);
  if (found) return found;
  const [best] = others;
  if (!best) return NOT_FOUND;
  const [{ entry }] = [...best.values()] as [Route<Entry>];
  const allow = allowOf(others.map((routes) => [...routes.keys()]));
  return { kind: method === 'OPTIONS' ? 'options' : 'method-not-allowed', entry, allow };

  /** Walks the segments from best to worst match; `at` is where the next segment begins. */
  function search(node: Node<Entry>, at: number, values: readonly string[]): RouteMatch<Entry> | undefined {
    if (at > path.length) return routeAt(node, values);
    const slashAt = path.indexOf('/', at);
    const end = slashAt < 0 ? path.length : slashAt;
    const segment = path.slice(at, end);
    const next = node.statics.get(segment);
    const byStatic = next && search(next, end + 1, values);
    if (byStatic) return byStatic;
    const byOne = node.one && segment !== '' ? search(node.one, end + 1, [...values, segment]) : undefined;
    if (byOne) return byOne;
    return node.rest && routeAt(node.rest, [...values, path.slice(at)]);
  }

  function routeAt(node: Node<Entry>, values: readonly string[]): RouteMatch<Entry> | undefined {
    const route = routeFor(node, method);
    if (route) return { kind: 'found', entry: route.entry, names: route.names, values };
    if (node.routes) others.push(node.routes);
    return undefined;
  }
}

/** The Allow field of entries with these methods. */
function allowOf(methodLists: ReadonlyArray<readonly string[]>): string {
  const allowed = new Set<string>();
  for (const method of methodLists.flat()) {
    if (method === ANY) for (const usual of USUAL_METHODS) allowed.add(usual);
    else allowed.add(method);
    if (method === 'GET') allowed.add('HEAD');
  }
  allowed.add('OPTIONS');
  return [...allowed].join(', ');
}
