import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

/** What the origin answers to one request of a test, in the words of the public HTTP cache test suite. */
export interface ScriptedResponse {
  readonly id?: string;
  readonly response_status?: readonly [status: number, reason?: string];
  /** Name, value (a number of seconds from now in date fields), and whether the client checks it later. */
  readonly response_headers?: ReadonlyArray<
    readonly [name: string, value: string | number, isChecked?: boolean]
  >;
  readonly response_body?: string | null;
  /** Seconds. */
  readonly response_pause?: number;
  readonly interim_responses?: ReadonlyArray<
    readonly [status: number, headers?: ReadonlyArray<readonly [string, string]>]
  >;
  readonly expected_type?: string;
  readonly disconnect?: boolean;
  readonly magic_locations?: boolean;
  readonly rfc850date?: readonly string[];
}

/** A request as the suite's client reads it back. */
export interface SeenRequest {
  /** The number the client gave it; null when it gave none, as a cache's own request has. */
  readonly request_num: number | null;
  readonly request_method: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly response_headers: ReadonlyArray<readonly [string, string | string[]]>;
}

export type ScriptTurn =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'exhausted'; readonly serverRequestNo: number; readonly scriptLength: number }
  | {
      readonly kind: 'found';
      readonly serverRequestNo: number;
      readonly response: ScriptedResponse;
      /** The response before, with its dates as they were sent. */
      readonly previous: ScriptedResponse | undefined;
      /** The numbers the client gave to all requests so far. */
      readonly requestNumbers: ReadonlyArray<number | null>;
    };

/** A header field as it was sent. */
export type SentField = readonly [name: string, value: string, isChecked?: boolean];

interface Script {
  readonly responses: ScriptedResponse[];
  readonly seen: SeenRequest[];
  bytes: number;
}

const BOUNDS = { maxEntries: 1000, lifetimeMs: 60 * 60_000 };
/** Of one script together with the requests it has seen. */
const MAX_SCRIPT_BYTES = 256 * 1024;
const MAX_SEEN_REQUESTS = 200;

/** Scripts of a cacheable origin by test id, with every request that reached it. */
export class CacheScripts {
  readonly #scripts: ExpiringMap<Script>;

  constructor(clock: Clock) {
    this.#scripts = new ExpiringMap(clock, BOUNDS);
  }

  /** False when the id is taken: a script never changes under a running test. */
  configure(id: string, responses: readonly ScriptedResponse[]): boolean {
    if (this.#scripts.peek(id)) return false;
    this.#scripts.set(id, { responses: [...responses], seen: [], bytes: JSON.stringify(responses).length });
    return true;
  }

  /** What would be answered now: by the number the client gave its request, else by how many have come. */
  turn(id: string, clientRequestNo: number | null): ScriptTurn {
    const script = this.#scripts.peek(id);
    if (!script) return { kind: 'unknown' };
    const { responses, seen, bytes } = script;
    const serverRequestNo = seen.length + 1;
    const requestNo = clientRequestNo ?? serverRequestNo;
    const response = responses[requestNo - 1];
    if (!response || seen.length >= MAX_SEEN_REQUESTS || bytes > MAX_SCRIPT_BYTES) {
      return { kind: 'exhausted', serverRequestNo, scriptLength: responses.length };
    }
    const requestNumbers = seen.map(({ request_num }) => request_num);
    return { kind: 'found', serverRequestNo, response, previous: responses[requestNo - 2], requestNumbers };
  }

  /** Notes a request and says what to answer to it. */
  take(id: string, request: Omit<SeenRequest, 'response_headers'>): ScriptTurn {
    const turn = this.turn(id, request.request_num);
    const script = this.#scripts.peek(id);
    if (turn.kind !== 'found' || !script) return turn;
    script.seen.push({ ...request, response_headers: [] });
    script.bytes += JSON.stringify(request).length;
    this.#scripts.set(id, script);
    return { ...turn, requestNumbers: [...turn.requestNumbers, request.request_num] };
  }

  /** Keeps the fields an answer was given: the client checks them, and a later request may be validated by them. */
  complete(id: string, serverRequestNo: number, fields: readonly SentField[]): void {
    const script = this.#scripts.peek(id);
    const request = script?.seen[serverRequestNo - 1];
    if (!script || !request) return;
    script.seen[serverRequestNo - 1] = { ...request, response_headers: checkedFields(fields) };
    const index = (request.request_num ?? serverRequestNo) - 1;
    script.responses[index] = { ...script.responses[index], response_headers: fields };
  }

  /** Undefined until the first request came. */
  seen(id: string): readonly SeenRequest[] | undefined {
    const seen = this.#scripts.peek(id)?.seen;
    return seen && seen.length > 0 ? seen : undefined;
  }
}

/** One entry for each name; a name sent several times has a list. */
function checkedFields(fields: readonly SentField[]): SeenRequest['response_headers'] {
  const values = new Map<string, string | string[]>();
  for (const [name, , isChecked] of fields) {
    if (isChecked === false) continue;
    const all = fields
      .filter((field) => field[0].toLowerCase() === name.toLowerCase())
      .map((field) => field[1]);
    values.set(name, all.length === 1 ? all[0]! : all);
  }
  return [...values];
}
