import { isToken } from '../../http1/characters.ts';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import type { QueryPairs } from '../../kernel/catalogue/query.ts';
import { fault } from '../../kernel/faults.ts';
import { dialectOf } from '../echo/httpbin-echo.ts';
import { asList, type FieldValue, sortedFields, toLists, toObject } from '../echo/sorted-fields.ts';
import { sortedJsonText } from '../echo/sorted-json.ts';
import type { TestbedCall } from '../endpoint.ts';
import { refuseRiskyField } from '../public-mode.ts';

// These say where the answer ends; a wrong one would make the next answer unreadable.
const framingFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
// Parameters that steer the answer instead of standing in it.
const STEERING = /^(?:dialect$|__)/;

/** Every query pair as a header field, and a body that lists all of them: its own Content-Length too. */
export function responseHeadersAnswer(call: TestbedCall): PlainAnswer {
  const pairs = call.request.queryPairs.filter(([name]) => !STEERING.test(name));
  for (const pair of pairs) checkField(call, pair);

  const wanted = pairs.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const shown: QueryPairs = wanted === undefined ? [['Content-Type', 'application/json'], ...pairs] : pairs;
  const body =
    dialectOf(call) === 'go'
      ? inertIf(wanted !== undefined, listing(shown, true))
      : selfConsistentBody(shown, wanted !== undefined);
  return reply.bytes(body, undefined, { headers: shown.flatMap(([name, value]) => [name, asBytes(value)]) });
}

/** The body names its own length, and its length depends on how long that number is: repeat until both agree. */
function selfConsistentBody(pairs: QueryPairs, mustBeInert: boolean): string {
  let body = '';
  for (let length = -1; length !== Buffer.byteLength(body); ) {
    length = Buffer.byteLength(body);
    body = inertIf(mustBeInert, listing([...pairs, ['Content-Length', String(length)]], false));
  }
  return body;
}

/** In a type other than JSON a browser must find no markup; these escapes are the same JSON. */
function inertIf(mustBeInert: boolean, body: string): string {
  if (!mustBeInert) return body;
  return body.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Equal names are one entry, whatever their casing; the first one's spelling stays. */
function listing(pairs: QueryPairs, hasLists: boolean): string {
  const spellings = new Map<string, string>();
  const names: string[] = [];
  const values: FieldValue[] = [];
  for (const [name, value] of pairs) {
    const lowerName = name.toLowerCase();
    if (!spellings.has(lowerName)) spellings.set(lowerName, name);
    names.push(spellings.get(lowerName)!);
    values.push(value);
  }
  const fields = sortedFields(names, values, asList);
  return sortedJsonText(hasLists ? toLists(fields) : toObject(fields));
}

function checkField({ services }: TestbedCall, [name, value]: readonly [string, string]): void {
  const refuse = (rule: string) => fault('parameter.invalid', { in: 'query', name, rule });
  if (!isToken(name)) throw refuse('must be a token to be a header name');
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw refuse('must not hold control characters to be a header value');
  const lowerName = name.toLowerCase();
  if (framingFields.has(lowerName)) throw refuse('frames the answer and is not for the client to choose');
  // The body is escaped for any other type than JSON, so that the type may be chosen.
  if (lowerName !== 'content-type') refuseRiskyField(services.settings, name, value);
}

function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
