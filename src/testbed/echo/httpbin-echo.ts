import { consistsOf, tableOf } from '../../http1/characters.ts';
import { type AnswerOptions, type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import type { TestbedCall } from '../endpoint.ts';
import { readBodyParts } from './body-parts.ts';
import { getText } from './get-text.ts';
import { goClientAddress, readGoBodyParts } from './go-body-parts.ts';
import { isVerbose, metaOf, queryValue } from './meta.ts';
import {
  asList,
  type FieldValue,
  noFields,
  type SortedFields,
  semiFlattened,
  sortedFields,
  toLists,
  toObject,
} from './sorted-fields.ts';
import { sortedJsonText } from './sorted-json.ts';
import { titleCase } from './title-case.ts';

/** Whose answers clients expect: httpbin's (scalars, sorted) or go-httpbin's (lists, `method`, quoted ETags). */
export type Dialect = 'httpbin' | 'go';

/** An httpbin answer as an object. Member order does not matter: `sortedJson` sorts. */
export type Echo = Record<string, unknown>;

export interface EchoOptions {
  /** `/anything` names the method also in httpbin's own dialect. */
  readonly hasMethod?: boolean;
}

// What proxies and platforms add. httpbin hides it so that echoes look as the client sent them; `?show_env` shows it.
const environmentHeaders: ReadonlySet<string> = new Set([
  'Connect-Time',
  'Total-Route-Time',
  'Via',
  'X-Forwarded-For',
  'X-Forwarded-Port',
  'X-Forwarded-Proto',
  'X-Forwarded-Protocol',
  'X-Forwarded-Ssl',
  'X-Heroku-Dynos-In-Use',
  'X-Heroku-Queue-Depth',
  'X-Heroku-Queue-Wait-Time',
  'X-Real-Ip',
  'X-Request-Id',
  'X-Request-Start',
  'X-Varnish',
]);

/** The dialect of this request: asked for by header or query, else as the service was started. */
export function dialectOf({ request, services }: Pick<TestbedCall, 'request' | 'services'>): Dialect {
  const asked = request.headers.first('x-test-dialect') ?? queryValue(request, 'dialect');
  return asked === 'go' || asked === 'httpbin' ? asked : services.settings.dialect;
}

/** JSON as httpbin sends it: keys sorted, two spaces, a newline at the end. */
export function sortedJson(value: unknown, options?: AnswerOptions): PlainAnswer {
  return reply.bytes(sortedJsonText(value), 'application/json', options);
}

/** The answer of `/get`. Its members are made in their order and need no sorting. */
export function answerGet(call: TestbedCall): PlainAnswer {
  const { request } = call;
  const isPlain = request.rawQuery === undefined && dialectOf(call) === 'httpbin' && !isVerbose(request);
  if (!isPlain) return reply.json(echoGet(call));
  const text = getText(headerFieldsOf(call, 'httpbin'), originFor(call, 'httpbin'), urlOf(call));
  return text === undefined ? reply.json(echoGet(call)) : reply.bytes(text, 'application/json');
}

/** The answer of `/post` and its siblings and, with `hasMethod`, of `/anything`. */
export async function answerBody(call: TestbedCall, options: EchoOptions = {}): Promise<PlainAnswer> {
  return sortedJson(await echoBody(call, options));
}

/** `{args, headers, origin, url}`; go-httpbin adds the method. */
export function echoGet(call: TestbedCall, options: EchoOptions = {}): Echo {
  const dialect = dialectOf(call);
  const echo: Echo = isVerbose(call.request) ? { _meta: metaOf(call.exchange) } : {};
  echo.args = asObject(argsOf(call), dialect);
  echo.headers = asObject(headerFieldsOf(call, dialect), dialect);
  if (options.hasMethod || dialect === 'go') echo.method = call.request.method;
  echo.origin = originFor(call, dialect);
  echo.url = urlOf(call);
  return echo;
}

/** The same with members of the endpoint's own. */
export function echoWith(call: TestbedCall, extra: Echo): Echo {
  return { ...echoGet(call), ...extra };
}

/** `echoGet` with `data`, `files`, `form` and `json`. */
export async function echoBody(call: TestbedCall, options: EchoOptions = {}): Promise<Echo> {
  const dialect = dialectOf(call);
  const { bytes, data, files, form, json } = await (dialect === 'go' ? readGoBodyParts : readBodyParts)(call);
  const { args, headers, ...rest } = echoGet(call, options);
  if (rest._meta !== undefined) rest._meta = metaOf(call.exchange, bytes);
  return {
    args,
    data,
    files: asObject(files, dialect),
    form: asObject(form, dialect),
    headers,
    json,
    ...rest,
  };
}

/** The request's header fields as the dialect shows them. */
export function echoHeaders(call: TestbedCall): Record<string, FieldValue> {
  const dialect = dialectOf(call);
  return asObject(headerFieldsOf(call, dialect), dialect);
}

/** Who asks: X-Forwarded-For as it stands, else the peer. go-httpbin looks at more fields. */
export function originOf(call: TestbedCall): string {
  return originFor(call, dialectOf(call));
}

/** The address the client used, as far as the fields of a proxy in front tell. */
export function urlOf({ request }: TestbedCall): string {
  const { rawPath, rawQuery } = request;
  const target = rawQuery === undefined || rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return `${schemeOf(request)}://${hostOf(request)}${escapedBytes(target)}`;
}

/** The host the client named, without the port that goes without saying. */
export function hostOf({ scheme, authority }: RequestView): string {
  const defaultPort = scheme === 'https' ? ':443' : ':80';
  return authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
}

/** The scheme the client used: TLS may have ended at a proxy in front, which then says so. */
export function schemeOf({ headers, scheme }: RequestView): string {
  return (
    headers.first('x-forwarded-proto') ??
    headers.first('x-forwarded-protocol') ??
    (headers.first('x-forwarded-ssl') === 'on' ? 'https' : scheme)
  );
}

function originFor({ request }: TestbedCall, dialect: Dialect): string {
  const told = dialect === 'go' ? goClientAddress(request.headers) : request.headers.first('x-forwarded-for');
  if (told !== undefined) return told;
  // IPv4 peers of a dual-stack socket are shown in their own form.
  const { peerAddress } = request;
  return peerAddress.startsWith('::ffff:') ? peerAddress.slice(7) : peerAddress;
}

function argsOf({ request }: TestbedCall): SortedFields {
  return request.rawQuery === undefined ? noFields : semiFlattened(request.queryPairs);
}

function headerFieldsOf({ request }: TestbedCall, dialect: Dialect): SortedFields {
  const isGo = dialect === 'go';
  const hidesEnvironment = !isGo && queryValue(request, 'show_env') === undefined;
  const { raw } = request.headers;
  const names: string[] = [];
  const values: FieldValue[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = titleCase(raw[index]!);
    if (hidesEnvironment && environmentHeaders.has(name)) continue;
    names.push(name);
    // Header bytes are Latin-1 in httpbin (WSGI) and UTF-8 in Go.
    values.push(isGo ? Buffer.from(raw[index + 1]!, 'latin1').toString('utf8') : raw[index + 1]!);
  }
  return sortedFields(names, values, isGo ? asList : joined);
}

function joined(name: string, first: FieldValue, next: string): string {
  return `${first}${name === 'Cookie' ? '; ' : ','}${next}`;
}

function asObject(fields: SortedFields, dialect: Dialect): Record<string, FieldValue> {
  return dialect === 'go' ? toLists(fields) : toObject(fields);
}

const isAsciiCode = tableOf((code) => code < 0x80);

/** Bytes beyond ASCII that came raw in the target, written as a URL must have them. */
function escapedBytes(target: string): string {
  return consistsOf(isAsciiCode, target)
    ? target
    : target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}
