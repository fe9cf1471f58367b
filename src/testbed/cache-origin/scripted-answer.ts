import type { HeaderList } from '../../http1/header-list.ts';
import { type Answer, reply } from '../../kernel/catalogue/answer.ts';
import type { TestbedCall } from '../endpoint.ts';
import { refuseRiskyField } from '../public-mode.ts';
import type { ScriptedResponse, ScriptTurn, SentField } from '../state/cache-scripts.ts';

type FoundTurn = Extract<ScriptTurn, { kind: 'found' }>;

const dateFields: ReadonlySet<string> = new Set([
  'date',
  'expires',
  'last-modified',
  'if-modified-since',
  'if-unmodified-since',
]);
const locationFields: ReadonlySet<string> = new Set(['location', 'content-location']);
// The engine frames the answer; a field of the script that says otherwise would break the connection.
const framingFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** The answer one entry of a script asks for, and the fields it was given. */
export function scriptedAnswer(
  { request, services }: TestbedCall,
  id: string,
  turn: FoundTurn,
  clientRequestNo: number | null,
): { answer: Answer; fields: SentField[] } {
  const { response, previous, serverRequestNo, requestNumbers } = turn;
  const nowMs = services.clock.now();
  const capability = request.headers.first('surrogate-capability') ?? '';
  const circumstances: Circumstances = { nowMs, baseUrl: request.target, capability };
  const fields = (response.response_headers ?? [])
    .filter(([name]) => !framingFields.has(name.toLowerCase()))
    .map((field) => resolved(field, response, circumstances));
  for (const [name, value] of fields) refuseRiskyField(services.settings, name, value);
  if (response.disconnect) return { answer: reply.wire(async (socket) => socket.close()), fields };

  const headers = ['Server-Base-Url', request.target, 'Server-Request-Count', String(serverRequestNo)];
  if (clientRequestNo !== null) headers.push('Client-Request-Count', String(clientRequestNo));
  headers.push('Server-Now', String(nowMs), 'Capability-Seen', capability);
  for (const [name, value] of fields) headers.push(name, value);
  if (!fields.some(([name]) => name.toLowerCase() === 'content-type'))
    headers.push('Content-Type', 'text/plain');
  // The suite's client takes "NaN" for a request that had no number.
  headers.push('Request-Numbers', requestNumbers.map((no) => no ?? 'NaN').join(' '));

  const [status, reason] = scriptedStatus(response, previous, request.headers);
  const hasBody = status !== 204 && status !== 304;
  return { answer: { status, reason, headers, body: hasBody ? response.response_body || id : null }, fields };
}

/** Header fields of a request as the suite's client looks them up: lower-case names, lines joined. */
export function seenHeaders(headers: HeaderList): Record<string, string> {
  const names = new Set([...headers.pairs()].map(([name]) => name.toLowerCase()));
  return Object.fromEntries([...names].map((name) => [name, headers.get(name)!]));
}

/** Where a validation is expected, 304 when it came and matches, else 999, which no cache makes up. */
function scriptedStatus(
  response: ScriptedResponse,
  previous: ScriptedResponse | undefined,
  headers: HeaderList,
): readonly [status: number, reason?: string] {
  if (!response.expected_type?.endsWith('validated')) return response.response_status ?? [200];
  const lastModified = fieldOf(previous, 'last-modified');
  const etag = fieldOf(previous, 'etag');
  const isValidated =
    (lastModified !== undefined && headers.get('if-modified-since') === lastModified) ||
    (etag !== undefined && headers.get('if-none-match') === etag);
  return isValidated ? [304] : [999, '304 Not Generated'];
}

function fieldOf(response: ScriptedResponse | undefined, lowerName: string): string | undefined {
  const field = response?.response_headers?.findLast(([name]) => name.toLowerCase() === lowerName);
  return field === undefined ? undefined : String(field[1]);
}

interface Circumstances {
  readonly nowMs: number;
  readonly baseUrl: string;
  readonly capability: string;
}

type ScriptedField = NonNullable<ScriptedResponse['response_headers']>[number];

/** A field of the script as it is sent: relative dates, locations and the capability's target are filled in. */
function resolved(
  [name, value, isChecked]: ScriptedField,
  { rfc850date, magic_locations }: ScriptedResponse,
  { nowMs, baseUrl, capability }: Circumstances,
): SentField {
  const lowerName = name.toLowerCase();
  let text = String(value);
  if (typeof value === 'number' && dateFields.has(lowerName)) {
    const date = new Date(nowMs + value * 1000);
    text = rfc850date?.includes(lowerName) ? rfc850Date(date) : date.toUTCString();
  }
  if (magic_locations && locationFields.has(lowerName)) text = text === '' ? baseUrl : `${baseUrl}/${text}`;
  if (lowerName === 'surrogate-control' && capability !== '') {
    text = text.replace('CAPABILITY_TARGET', capability.split('=', 1)[0]!);
  }
  return isChecked === undefined ? [name, text] : [name, text, isChecked];
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The obsolete form of RFC 9110 §5.6.7, `Sunday, 06-Nov-94 08:49:37 GMT`. */
function rfc850Date(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${WEEKDAYS[date.getUTCDay()]}, ${day}-${month}-${year!.slice(-2)} ${time} GMT`;
}
