import { type Answer, type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, rawBody } from '../../kernel/catalogue/declarations.ts';
import { type Call, type Endpoint, endpointsFor } from '../../kernel/catalogue/endpoint.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { EngineError, errorBody, illegalArgument, parsingError } from './engine-error.ts';
import type { EmbeddedServices } from './services.ts';

/** What a handler is given. */
export interface IndexCall {
  /** The placeholders of the path. */
  readonly path: Readonly<Record<string, string>>;
  /** The query parameters, all of them known. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly services: EmbeddedServices;
  /** What the caller named its request by. */
  readonly opaqueId: string | undefined;
  /** The body as JSON; undefined when there is none. */
  json(): Promise<unknown>;
  /** The body as it is; its size counts against what is written at once. */
  withBytes<Result>(use: (bytes: Buffer) => Promise<Result>): Promise<Result>;
}

interface IndexEndpointDefinition {
  readonly id: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Known query parameters; any other is refused. */
  readonly parameters?: readonly string[];
  readonly takesBody?: boolean;
  /** Its value is answered as JSON with 200, unless it is an answer already. */
  readonly handle: (call: IndexCall) => Promise<object> | object;
}

const endpoint = endpointsFor<EmbeddedServices>();
const MAX_JSON_BYTES = 16 * 2 ** 20;
/** Whitespace is all that `pretty` changes elsewhere. */
const everywhere = ['pretty', 'human'];

/** An entry of the embedded index: refuses in the words of Elasticsearch, and whatever it does not know. */
export function indexEndpoint(definition: IndexEndpointDefinition): Endpoint<EmbeddedServices> {
  const { parameters = [], takesBody = false, handle, ...entry } = definition;
  const known = new Set([...everywhere, ...parameters]);
  return endpoint({
    ...entry,
    group: 'Log index',
    ...(takesBody && { body: rawBody('application/json', 'application/x-ndjson') }),
    responses: { 200: json('As Elasticsearch answers.') },
    examples: [],
    handle: async (call) => {
      try {
        const query = readParameters(call.request, known);
        const answer = await handle(indexCall(call, query));
        return 'headers' in answer ? (answer as Answer) : jsonAnswer(200, answer);
      } catch (error) {
        if (error instanceof EngineError) return jsonAnswer(error.status, errorBody(error));
        throw error;
      }
    },
  });
}

export function jsonAnswer(status: number, value: object): PlainAnswer {
  return reply.bytes(JSON.stringify(value), 'application/json; charset=UTF-8', { status });
}

function indexCall(call: Call<EmbeddedServices>, query: IndexCall['query']): IndexCall {
  const { request, params, services, exchange } = call;
  return {
    path: params as IndexCall['path'],
    query,
    services,
    opaqueId: request.headers.first('x-opaque-id'),
    json: async () => {
      const bytes = await exchange.body.bytes(MAX_JSON_BYTES);
      if (bytes.length === 0) return undefined;
      refuseOtherTypes(request);
      return parseJson(bytes);
    },
    withBytes: (use) => {
      const size = exchange.body.declaredLength ?? services.maxBodyBytes;
      return services.gate.pass(size, async () => {
        const bytes = await exchange.body.bytes(services.maxBodyBytes);
        if (bytes.length === 0) throw new EngineError(400, 'parse_exception', 'request body is required');
        refuseOtherTypes(request);
        return use(bytes);
      });
    },
  };
}

function readParameters(
  { queryPairs, rawPath }: RequestView,
  known: ReadonlySet<string>,
): IndexCall['query'] {
  const unknown = queryPairs.filter(([name]) => !known.has(name)).map(([name]) => `[${name}]`);
  if (unknown.length > 0)
    throw illegalArgument(
      `request [${rawPath}] contains unrecognized parameter${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`,
    );
  return Object.fromEntries(queryPairs);
}

const JSON_TYPE = /^application\/(json|x-ndjson|vnd\.elasticsearch\+(json|x-ndjson))\s*(;|$)/i;

function refuseOtherTypes({ headers }: RequestView): void {
  const type = headers.first('content-type') ?? '';
  if (JSON_TYPE.test(type)) return;
  throw new EngineError(406, 'media_type_header_exception', `Content-Type header [${type}] is not supported`);
}

function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw parsingError(`Failed to parse: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw parsingError('Failed to parse: a JSON object is expected');
}

/** A switch among the query parameters; its bare name means true. */
export function isOn(text: string | undefined, fallback = false): boolean {
  if (text === undefined) return fallback;
  if (text === '' || text === 'true') return true;
  if (text === 'false') return false;
  throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
}

/** What was written is found at once, so that all of these are true already. */
export function checkRefresh(text: string | undefined): void {
  if (text === undefined || ['', 'true', 'false', 'wait_for'].includes(text)) return;
  throw illegalArgument(`Unknown value for refresh: [${text}].`);
}
