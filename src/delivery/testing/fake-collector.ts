import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { FaultyTarget, type FaultyTargetOptions, type ReceivedRequest } from './faulty-target.ts';

/** An answer of the collector: HTTP status, its own code and more members. */
export interface CollectorSays {
  readonly status: number;
  readonly code: number;
  readonly text?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly string[];
}

/** An event that was taken. */
export interface TakenEvent {
  readonly time: number;
  readonly host?: string;
  readonly source?: string;
  readonly sourcetype?: string;
  readonly index?: string;
  readonly event: unknown;
}

export interface FakeCollectorOptions extends Pick<FaultyTargetOptions, 'tls' | 'port'> {
  readonly token?: string;
  readonly usesAck?: boolean;
  readonly channelHeader?: string;
  /** Refused with code 7 when an event names another. */
  readonly indexes?: readonly string[];
  /** Whether and when an id is acknowledged, by the number of times it was asked for; at once unless given. */
  readonly acknowledges?: (ackId: number, timesAsked: number) => boolean;
  /** Says something else instead, for a request with valid authorization and channel. */
  readonly interferes?: (request: ReceivedRequest, isPoll: boolean) => CollectorSays | 'hangs' | undefined;
  /** For long runs: events and requests are checked, not kept. */
  readonly keepsNothing?: boolean;
  /** A cookie that the load balancer in front sets; ids are then counted for each of its values. */
  readonly cookies?: () => string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ENVELOPE_MEMBERS = new Set(['time', 'host', 'source', 'sourcetype', 'index', 'event', 'fields']);
const SUCCESS: CollectorSays = { status: 200, code: 0, text: 'Success' };

/**
 * An event collector that takes nothing on trust: authorization, channel, framing and envelope are checked as the
 * real ones check them, and every refusal has their status and code. An acknowledgement is given once.
 */
export class FakeCollector implements AsyncDisposable {
  readonly events: TakenEvent[] = [];
  /** Of the events, in the order they came; one for each request that was taken. */
  readonly batches: TakenEvent[][] = [];
  readonly channels = new Set<string>();
  /** What the polls asked for, and with which cookie. */
  readonly polls: { readonly ackIds: number[]; readonly cookie: string | undefined }[] = [];
  readonly refusals: CollectorSays[] = [];
  readonly #options: FakeCollectorOptions;
  readonly #target: FaultyTarget;
  readonly #acks = new Map<string, { nextId: number; readonly asked: Map<number, number> }>();

  private constructor(target: FaultyTarget, options: FakeCollectorOptions) {
    this.#target = target;
    this.#options = options;
    target.reactions = [(request, socket) => this.#serve(request, socket)];
  }

  static async start(options: FakeCollectorOptions = {}): Promise<FakeCollector> {
    return new FakeCollector(await FaultyTarget.start(() => {}, options), options);
  }

  get url(): string {
    return this.#target.url;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#target.requests;
  }

  get socketCount(): number {
    return this.#target.socketCount;
  }

  /** As after a restart: ids begin at zero, and what was not acknowledged is forgotten. */
  forgetAcks(): void {
    this.#acks.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#target[Symbol.asyncDispose]();
  }

  #serve(request: ReceivedRequest, socket: Socket): void {
    const said = this.#answer(request);
    if (this.#options.keepsNothing) this.#forget();
    if (said === 'hangs') return;
    if (said.status !== 200) this.refusals.push(said);
    const body = JSON.stringify(
      said.code < 0 ? said.members : { text: said.text ?? 'refused', code: said.code, ...said.members },
    );
    const lines = [
      `HTTP/1.1 ${said.status} Collector`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(said.headers ?? []),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  #forget(): void {
    this.#target.requests.length = 0;
    this.polls.length = 0;
    this.refusals.length = 0;
  }

  #answer(request: ReceivedRequest): CollectorSays | 'hangs' {
    const [path = ''] = request.target.split('?');
    const isPoll = path === '/services/collector/ack';
    if (!isPoll && path !== '/services/collector/event') return { status: 404, code: 404, text: 'not found' };
    if (request.method !== 'POST') return { status: 405, code: 405, text: 'method not allowed' };
    return (
      this.#refuseAuthorization(request) ??
      this.#refuseChannel(request, isPoll) ??
      this.#options.interferes?.(request, isPoll) ??
      (isPoll ? this.#poll(request) : this.#take(request))
    );
  }

  #refuseAuthorization({ headers }: ReceivedRequest): CollectorSays | undefined {
    const { token } = this.#options;
    if (token === undefined) return undefined;
    const given = headers.authorization;
    if (given === undefined) return { status: 401, code: 2, text: 'Token is required' };
    if (!given.startsWith('Splunk ')) return { status: 401, code: 3, text: 'Invalid authorization' };
    return given === `Splunk ${token}` ? undefined : { status: 403, code: 4, text: 'Invalid token' };
  }

  #refuseChannel({ headers }: ReceivedRequest, isPoll: boolean): CollectorSays | undefined {
    const { usesAck, channelHeader = 'X-Splunk-Request-Channel' } = this.#options;
    const channel = headers[channelHeader.toLowerCase()];
    if (isPoll && !usesAck) return { status: 400, code: 14, text: 'ACK is disabled' };
    if (channel === undefined)
      return usesAck ? { status: 400, code: 10, text: 'Data channel is missing' } : undefined;
    if (!UUID.test(channel)) return { status: 400, code: 11, text: 'Invalid data channel' };
    this.channels.add(channel);
    return undefined;
  }

  #take(request: ReceivedRequest): CollectorSays {
    const events = this.#read(request);
    if (!Array.isArray(events)) return events;
    if (!this.#options.keepsNothing) {
      this.events.push(...events);
      this.batches.push(events);
    }
    if (!this.#options.usesAck) return SUCCESS;
    const cookie = this.#options.cookies?.();
    const acks = this.#acksOf(cookie);
    const ackId = acks.nextId++;
    acks.asked.set(ackId, 0);
    return {
      ...SUCCESS,
      members: { ackId },
      headers: cookie === undefined ? [] : [`Set-Cookie: ${cookie}; Path=/; HttpOnly`],
    };
  }

  /** The events of a request, or why it is refused. */
  #read({ headers, body }: ReceivedRequest): TakenEvent[] | CollectorSays {
    if (headers['content-type'] !== 'application/json')
      return { status: 400, code: 6, text: 'Invalid data format: content type' };
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const lines = bytes.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    if (lines.length === 0) return { status: 400, code: 5, text: 'No data' };
    const events: TakenEvent[] = [];
    for (const [index, line] of lines.entries()) {
      const event = parse(line);
      const refusal = this.#refuseEvent(event);
      if (refusal) return { ...refusal, members: { 'invalid-event-number': index } };
      events.push(event as TakenEvent);
    }
    return events;
  }

  #refuseEvent(envelope: unknown): CollectorSays | undefined {
    const invalid: CollectorSays = { status: 400, code: 6, text: 'Invalid data format' };
    if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) return invalid;
    const members = Object.entries(envelope);
    if (members.some(([name, value]) => !ENVELOPE_MEMBERS.has(name) || value === null)) return invalid;
    const { time, event, index, fields, ...metadata } = envelope as Record<string, unknown>;
    if (event === undefined) return { status: 400, code: 12, text: 'Event field is required' };
    if (event === '') return { status: 400, code: 13, text: 'Event field cannot be blank' };
    // Seconds since 2001, written as such: milliseconds would be far ahead.
    if (typeof time !== 'number' || time < 1e9 || time > 1e10) return invalid;
    if (Object.values(metadata).some((value) => typeof value !== 'string' || value === '')) return invalid;
    if (fields !== undefined && !isFlat(fields))
      return { status: 400, code: 15, text: 'Error in handling indexed fields' };
    const { indexes } = this.#options;
    if (index !== undefined && indexes && !indexes.includes(index as string))
      return { status: 400, code: 7, text: 'Incorrect index' };
    return undefined;
  }

  #poll({ body, headers }: ReceivedRequest): CollectorSays {
    const acks = (parse(body.toString()) as { acks?: unknown } | undefined)?.acks;
    if (!Array.isArray(acks) || acks.length === 0 || !acks.every(Number.isSafeInteger))
      return { status: 400, code: 6, text: 'Invalid data format' };
    const ackIds = acks as number[];
    this.polls.push({ ackIds, cookie: headers.cookie });
    const { asked } = this.#acksOf(headers.cookie);
    const answer = Object.fromEntries(ackIds.map((id) => [id, this.#isAcknowledged(asked, id)]));
    // The answer to a poll has no code.
    return { status: 200, code: -1, members: { acks: answer } };
  }

  /** Said once: afterwards the id is forgotten, and unknown ids are never acknowledged. */
  #isAcknowledged(asked: Map<number, number>, id: number): boolean {
    const times = asked.get(id);
    if (times === undefined) return false;
    asked.set(id, times + 1);
    const isAcknowledged = this.#options.acknowledges?.(id, times + 1) ?? true;
    if (isAcknowledged) asked.delete(id);
    return isAcknowledged;
  }

  #acksOf(cookie: string | undefined) {
    const key = cookie ?? '';
    const acks = this.#acks.get(key) ?? { nextId: 0, asked: new Map<number, number>() };
    this.#acks.set(key, acks);
    return acks;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFlat(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return false;
  return Object.values(fields).every(
    (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  );
}
