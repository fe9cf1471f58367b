import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Exchange } from '../../http1/exchange.ts';
import type { Answer } from './answer.ts';
import type { RequestView } from './request-view.ts';

/**
 * One entry of the catalogue: the only place where an endpoint exists. Router, validation, OpenAPI document,
 * documentation page and example tests are all made from it.
 */
export interface Endpoint<Services, Caller = undefined> {
  readonly id: string;
  /** The tag it stands under. */
  readonly group: string;
  /** Where the specification asks for it, such as `1 §4.2`; absent for what we add. */
  readonly spec?: string;
  /**
   * The declared methods. GET answers HEAD too, and `ANY` takes every other method token. OPTIONS is answered by the
   * catalogue with Allow unless it is named here.
   */
  readonly methods: readonly string[];
  /**
   * `{name}` is one segment that is not empty, `{name**}` or a bare `**` at the end is the rest of the path, which may
   * be empty: `/x/**` takes `/x/`, but not `/x`. Matched as sent; letters beyond ASCII also percent-encoded.
   * A path written with a trailing slash is served with and without it.
   */
  readonly path: string;
  /** Further paths served by the same entry; not listed in the OpenAPI document. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Who may call it. Modules without callers of their own leave it out. */
  readonly access?: AccessRule;
  /** How its failures are rendered; the module's usual contract unless given. */
  readonly errors?: ErrorContract;
  readonly params?: TObject;
  /** Query parameters that are declared. Others pass; they are no error. */
  readonly query?: TObject;
  /** Header fields the handler reads, lower-case names; for the documentation. */
  readonly headers?: TObject;
  readonly body?: BodyDeclaration;
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  readonly examples: readonly Example[];
  readonly handle: (call: Call<Services, unknown, unknown, unknown, Caller>) => Answer | Promise<Answer>;
}

/**
 * `open` to everybody, to every valid `token`, to who shows the id of the pod's `environment`, or to who has a permission,
 * over everything or in the project of the path.
 */
export type AccessRule =
  | 'open'
  | 'token'
  | 'environment'
  | { readonly category: string; readonly action: string; readonly scope: 'global' | 'project' };

/** The shapes in which the platform tells its errors (spec 2 §7). */
export type ErrorContract = 'problem' | 'envelope' | 'newer' | 'oauth';

export interface BodyDeclaration {
  readonly description?: string;
  readonly required?: boolean;
  /** Media type → schema, as the OpenAPI document shows it. */
  readonly content: Readonly<Record<string, TSchema>>;
  /** Present when the kernel reads, parses and checks the body as JSON before the handler runs. */
  readonly json?: TSchema;
  /** Its bound where that differs from the module's. */
  readonly maxBytes?: number;
}

export interface ResponseDeclaration {
  readonly description: string;
  readonly content?: Readonly<Record<string, TSchema>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler is given. */
export interface Call<Services, Params = unknown, Query = unknown, Body = unknown, Caller = undefined> {
  readonly request: RequestView;
  readonly params: Params;
  readonly query: Query;
  /** The parsed JSON of entries that declare `jsonBody`; otherwise undefined. */
  readonly body: Body;
  readonly services: Services;
  /** Whoever the module's `identify` found behind the request. */
  readonly caller: Caller;
  readonly exchange: Exchange;
}

export interface ExampleRequest {
  /** The entry's first method unless given. */
  readonly method?: string;
  /** The entry's path unless given. Sent as it stands: raw bytes, one character per byte. */
  readonly path?: string;
  /** Name, value, name, value, …. Host, Content-Length and `Connection: close` are added unless given. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Bytes of the protocol that the request asks to switch to, sent right behind it. */
  readonly upgraded?: Uint8Array;
}

/** A request and what must come back: shown in the documentation and run as a test against a service of its own. */
export interface Example extends ExampleRequest {
  readonly name: string;
  /** Requests sent first, each on a connection of its own; their answers are not looked at. */
  readonly setUp?: readonly ExampleRequest[];
  readonly expect: Expectation;
  /** False for an example that is only a test (kept out of the documentation). */
  readonly shown?: boolean;
}

/** Everything given must hold. */
export interface Expectation {
  readonly status?: number;
  /** Lower-case name → exact value, pattern, or null when the field must be absent. Repeated fields are joined by `, `. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** JSON that must be contained in the answer: objects by their named members, everything else whole. A RegExp matches a string. */
  readonly json?: unknown;
  /** The body as UTF-8 text, whole or by pattern. */
  readonly text?: string | RegExp;
  /** The exact content bytes, in hex. */
  readonly hex?: string;
  readonly sha256?: string;
  readonly length?: number;
  /** The content after undoing its Content-Encoding, as UTF-8 text. */
  readonly decodedText?: string | RegExp;
  /** The answer exactly as it came over the wire (Latin-1), interim answers and head included. */
  readonly wire?: RegExp;
  /** How the connection ended: by FIN, by RST, or not at all. */
  readonly ends?: 'close' | 'reset' | 'open';
  /** Nothing of the answer may arrive earlier than this. */
  readonly notBeforeMs?: number;
}

/** The entry as a group file writes it: schemas first, so that the handler's call is typed by them. */
export type EndpointDefinition<
  Services,
  Caller,
  Params extends TProperties,
  Query extends TProperties,
  Body extends TSchema,
> = Omit<Endpoint<Services, Caller>, 'params' | 'query' | 'body' | 'handle'> & {
  readonly params?: TObject<Params>;
  readonly query?: TObject<Query>;
  readonly body?: BodyDeclaration & { readonly json?: Body };
  readonly handle: (
    call: Call<Services, Static<TObject<Params>>, Static<TObject<Query>>, Static<Body>, Caller>,
  ) => Answer | Promise<Answer>;
};

/** The `endpoint` function of one module, whose handlers are given that module's services. */
export function endpointsFor<Services, Caller = undefined>() {
  return function endpoint<
    Params extends TProperties = Record<string, never>,
    Query extends TProperties = Record<string, never>,
    Body extends TSchema = TSchema,
  >(definition: EndpointDefinition<Services, Caller, Params, Query, Body>): Endpoint<Services, Caller> {
    return definition as unknown as Endpoint<Services, Caller>;
  };
}
