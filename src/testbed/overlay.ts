import { isFieldValue, isToken } from '../http1/characters.ts';
import type { Exchange } from '../http1/exchange.ts';
import { type Answer, isStreamed, isWire, type PlainAnswer } from '../kernel/catalogue/answer.ts';
import type { RequestView } from '../kernel/catalogue/request-view.ts';
import { fault } from '../kernel/faults.ts';
import { type Coding, codings, encodeWhole, flushingWriter } from './content/codings.ts';
import { refuseRiskyField } from './public-mode.ts';
import type { TestbedServices } from './services.ts';
import type { TestbedSettings } from './settings.ts';
import { isWireFaultName, type WireFaultName, wireFault, wireFaultNames } from './wire/faults.ts';

/**
 * The control overlay: on every endpoint a request may ask for a delay, another status, a broken answer, a content
 * coding or further header fields. Each control is a header field or its twin in the query.
 */
export interface OverlayContext {
  readonly request: RequestView;
  readonly exchange: Exchange;
  readonly services: TestbedServices;
}

/** Each control: its header field and its query parameter. */
export const overlayControls = {
  delay: { header: 'X-Test-Delay', query: '__delay' },
  status: { header: 'X-Test-Status', query: '__status' },
  fault: { header: 'X-Test-Fault', query: '__fault' },
  encoding: { header: 'X-Test-Encoding', query: '__encoding' },
  header: { header: 'X-Test-Header', query: '__header' },
} as const;

type ControlName = keyof typeof overlayControls;

interface Controls {
  readonly delayMs: number;
  readonly status: number | undefined;
  readonly fault: WireFaultName | undefined;
  readonly coding: Coding;
  /** Name, value, name, value, …. */
  readonly headers: readonly string[];
}

const MAX_ADDED_HEADERS = 100;
/** Fields that frame the message: whoever wants them wrong asks for a fault. */
const FRAMING_FIELDS = new Set(['content-length', 'transfer-encoding', 'connection', 'upgrade', 'trailer']);

/** True when the request may carry a control. Asked for every request, so it looks no closer than it must. */
export function hasOverlay(request: RequestView): boolean {
  if (request.rawQuery?.includes('__')) return true;
  const { raw } = request.headers;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    // The controls are the only usual fields of 12 to 15 characters with dashes at these two places.
    if (name.length < 12 || name.length > 15 || name.charCodeAt(1) !== 0x2d || name.charCodeAt(6) !== 0x2d)
      continue;
    if (name.slice(0, 7).toLowerCase() === 'x-test-') return true;
  }
  return false;
}

/** The answer as the request's controls want it; the same answer when there are none. */
export function applyOverlay(context: OverlayContext, answer: Answer): Answer | Promise<Answer> {
  if (!context.services.settings.hasOverlay || !hasOverlay(context.request)) return answer;
  const controls = readControls(context);
  return controls ? changed(context, answer, controls) : answer;
}

async function changed(context: OverlayContext, answer: Answer, controls: Controls): Promise<Answer> {
  const { services, exchange } = context;
  // A fault that is not allowed is refused at once, not after the delay.
  const broken = controls.fault && wireFault(controls.fault, services.settings);
  if (!broken && isWire(answer)) refuseOnBareSocket(controls);
  if (controls.delayMs > 0) await services.clock.sleep(controls.delayMs, exchange.signal);
  if (broken) return broken;
  return isWire(answer) ? answer : adorned(await encoded(answer, controls.coding), controls);
}

function adorned(answer: PlainAnswer, { status, headers, delayMs }: Controls): PlainAnswer {
  const timing = delayMs > 0 ? ['Server-Timing', `overlay;dur=${delayMs}`] : [];
  return {
    ...answer,
    status: status ?? answer.status,
    // The reason phrase belonged to the other status.
    reason: status === undefined ? answer.reason : undefined,
    headers: [...answer.headers, ...timing, ...headers],
  };
}

async function encoded(answer: PlainAnswer, coding: Coding): Promise<PlainAnswer> {
  const { body } = answer;
  if (coding === 'identity' || body === null) return answer;
  const headers = codedHeaders(answer.headers, coding);
  if (!isStreamed(body)) {
    if (body.length === 0) return answer;
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
    return { ...answer, headers, body: await encodeWhole(coding, bytes) };
  }
  const { pump } = body;
  return {
    ...answer,
    headers,
    body: {
      pump: async (out) => {
        const coded = flushingWriter(coding, out);
        try {
          await pump(coded);
          await coded.end();
        } catch (error) {
          // Frees the coder, which would otherwise wait for the rest.
          coded.abort();
          throw error;
        }
      },
    },
  };
}

/** Length and digest were those of the content before it was coded. */
function codedHeaders(headers: readonly string[], coding: Coding): string[] {
  const kept: string[] = [];
  const applied: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase();
    if (name === 'content-encoding') applied.push(headers[index + 1]!);
    else if (name !== 'content-length' && name !== 'content-digest')
      kept.push(headers[index]!, headers[index + 1]!);
  }
  return [...kept, 'Content-Encoding', [...applied, coding].join(', '), 'Vary', 'Accept-Encoding'];
}

function refuseOnBareSocket(controls: Controls): void {
  const refused: Array<[ControlName, boolean]> = [
    ['status', controls.status !== undefined],
    ['encoding', controls.coding !== 'identity'],
    ['header', controls.headers.length > 0],
  ];
  for (const [name, isAsked] of refused) {
    if (isAsked)
      throw invalid('header', overlayControls[name].header, 'cannot change an answer written byte by byte');
  }
}

/** Undefined when the request asks for nothing after all. */
function readControls({ request, services }: OverlayContext): Controls | undefined {
  const asked = (name: ControlName) => askedFor(request, name);
  const [delay, status, faultName, coding] = [
    asked('delay'),
    asked('status'),
    asked('fault'),
    asked('encoding'),
  ];
  const headers = asked('header');
  if (![delay, status, faultName, coding, headers].some((values) => values.length > 0)) return undefined;
  if (headers.length > MAX_ADDED_HEADERS)
    throw invalid(headers[0]!.place, headers[0]!.name, `may be given ${MAX_ADDED_HEADERS} times`);
  return {
    delayMs: delay[0] ? integerOf(delay[0], 0, services.settings.limits.maxDelayMs) : 0,
    status: status[0] && integerOf(status[0], 200, 599),
    fault: faultName[0] && faultOf(faultName[0]),
    coding: coding[0] ? codingOf(coding[0]) : 'identity',
    headers: headers.flatMap((one) => fieldOf(one, services.settings)),
  };
}

interface Asked {
  readonly place: 'header' | 'query';
  readonly name: string;
  readonly value: string;
}

/** Header fields come before the query, so that a tester can override an address that is written down. */
function askedFor(request: RequestView, control: ControlName): Asked[] {
  const { header, query } = overlayControls[control];
  const fromHeader = request.headers
    .all(header.toLowerCase())
    .map((value) => ({ place: 'header', name: header, value }) as const);
  if (!request.rawQuery?.includes('__')) return fromHeader;
  const fromQuery = request.queryPairs
    .filter(([name]) => name === query)
    .map(([name, value]) => ({ place: 'query', name, value }) as const);
  return [...fromHeader, ...fromQuery];
}

function integerOf({ place, name, value }: Asked, minimum: number, maximum: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw invalid(place, name, `must be an integer from ${minimum} to ${maximum}`);
}

function faultOf({ place, name, value }: Asked): WireFaultName {
  if (isWireFaultName(value)) return value;
  throw invalid(place, name, `must be one of ${wireFaultNames.join(', ')}`);
}

function codingOf({ place, name, value }: Asked): Coding {
  const coding = codings.find((one) => one === value.toLowerCase());
  if (coding) return coding;
  throw invalid(place, name, `must be one of ${codings.join(', ')}`);
}

function fieldOf({ place, name: control, value: line }: Asked, settings: TestbedSettings): string[] {
  const colonAt = line.indexOf(':');
  const name = line.slice(0, Math.max(colonAt, 0)).trim();
  // The query is decoded to text; on the wire a field value is bytes.
  const value = Buffer.from(line.slice(colonAt + 1).trim(), place === 'query' ? 'utf8' : 'latin1').toString(
    'latin1',
  );
  if (!isToken(name) || !isFieldValue(value))
    throw invalid(place, control, 'must be a field as in Name: value');
  if (FRAMING_FIELDS.has(name.toLowerCase())) {
    throw invalid(place, control, `cannot set ${name}, which frames the message; ask for a fault instead`);
  }
  refuseRiskyField(settings, name, value);
  return [name, value];
}

function invalid(place: Asked['place'], name: string, rule: string): Error {
  return fault('parameter.invalid', { in: place, name, rule });
}
