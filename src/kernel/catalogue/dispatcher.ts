import { randomUUID } from 'node:crypto';
import { ClientGone, type Exchange } from '../../http1/exchange.ts';
import { fault } from '../faults.ts';
import { asUriReference, type Failure, problemAnswer } from '../problem.ts';
import { type Answer, isWire, type PlainAnswer, reply } from './answer.ts';
import { compileJsonBody, type ReadJsonBody } from './body-validation.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOf } from './failure.ts';
import type { Documented } from './operations.ts';
import { compilePath, compileQuery, type ReadPath, type ReadQuery } from './parameters.ts';
import { decodePercent } from './query.ts';
import { RequestView } from './request-view.ts';
import { createRouter, type RouteMatch } from './router.ts';
import { type DispatchLog, sendAnswer } from './send-answer.ts';

/** What is known of a request besides its answer; the endpoint is the best match of the path, undefined where there is none. */
export interface AnswerContext<Services> {
  readonly request: RequestView;
  readonly exchange: Exchange;
  readonly endpoint: Documented | undefined;
  readonly services: Services;
  /** When it arrived, by `performance.now()`; 0 unless somebody observes. */
  readonly arrivedAtMs: number;
}

export interface DispatcherOptions<Services, Caller = undefined> {
  readonly endpoints: readonly Endpoint<Services, Caller>[];
  readonly services: Services;
  /** Runs before anything else is done for a request. Returns nothing unless there is something to wait for. */
  readonly begin?: (context: AnswerContext<Services>) => Promise<void> | undefined;
  /**
   * Finds out who is calling, after routing and before any input is looked at, or refuses the request by throwing.
   * `params` are the path's placeholders, decoded but not checked.
   */
  readonly identify?: (
    context: AnswerContext<Services>,
    params: Readonly<Record<string, string>>,
  ) => Caller | Promise<Caller>;
  /** May put another answer in place of any answer, errors included, or refuse the request by throwing. */
  readonly alter?: (context: AnswerContext<Services>, answer: Answer) => Answer | Promise<Answer>;
  /** The last hand on every answer that is sent, whatever came before. */
  readonly finish?: (context: AnswerContext<Services>, answer: Answer) => Answer;
  /** The error contract; RFC 9457 problem details unless given. */
  readonly renderFailure?: (failure: Failure, context: AnswerContext<Services>) => PlainAnswer;
  /** Turns errors of the parts that handlers stand on into faults; what it does not know it returns as it is. */
  readonly translate?: (error: unknown) => unknown;
  /** Is told the status of every answer, as soon as it was sent or, for a streamed one, begun. */
  readonly observe?: (context: AnswerContext<Services>, status: number) => void;
  /** Bound of the JSON bodies that the kernel reads. */
  readonly maxBodyBytes: number;
  readonly log: DispatchLog;
}

/** An entry with the readers of its inputs, made when it is first called. */
interface Prepared<Services, Caller> {
  readonly id: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly aliases: readonly string[] | undefined;
  readonly endpoint: Endpoint<Services, Caller>;
  readers: Readers | undefined;
}

interface Readers {
  readonly readPath: ReadPath;
  readonly readQuery: ReadQuery | undefined;
  readonly readBody: ReadJsonBody | undefined;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * From an exchange to its answer: begin → route on the raw path → identify → check the inputs → handler → alter →
 * finish → send.
 * As long as nobody returns a promise the answer leaves within the same turn.
 */
export function createDispatcher<Services, Caller = undefined>(
  options: DispatcherOptions<Services, Caller>,
): (exchange: Exchange) => void {
  type Context = AnswerContext<Services>;
  type Match = RouteMatch<Prepared<Services, Caller>>;
  const { endpoints, services, begin, identify, alter, finish, translate, observe, maxBodyBytes, log } =
    options;
  const { renderFailure = (failure, { request }) => problemAnswer(failure, request.rawPath) } = options;
  const router = createRouter<Prepared<Services, Caller>>(endpoints.map(prepare));

  return (exchange) => {
    const request = new RequestView(exchange);
    const match = router.find(request.method, request.rawPath);
    const endpoint = match.kind === 'not-found' ? undefined : match.entry.endpoint;
    const arrivedAtMs = observe ? performance.now() : 0;
    const context: Context = { request, exchange, endpoint, services, arrivedAtMs };
    let answer: Answer | Promise<Answer>;
    try {
      const begun = begin?.(context);
      answer = begun ? begun.then(() => answerTo(context, match)) : answerTo(context, match);
    } catch (error) {
      fail(context, error);
      return;
    }
    if (answer instanceof Promise) {
      answer.then(
        (settled) => alterAndSend(context, settled),
        (error) => fail(context, error),
      );
    } else alterAndSend(context, answer);
  };

  function answerTo(context: Context, match: Match): Answer | Promise<Answer> {
    if (match.kind === 'found') return callEntry(context, match.entry, match.names, match.values);
    const { method, rawPath, target } = context.request;
    if (match.kind === 'options') return reply.empty(200, ['Allow', match.allow]);
    if (method === 'OPTIONS' && target === '*') return reply.empty(200, ['Allow', router.allMethods]);
    const path = asUriReference(rawPath);
    if (match.kind === 'not-found') throw fault('route.not-found', { path });
    const { allow } = match;
    throw fault('route.method-not-allowed', { path, method, allow }, ['Allow', allow]);
  }

  function callEntry(
    context: Context,
    entry: Prepared<Services, Caller>,
    names: readonly string[],
    values: readonly string[],
  ): Answer | Promise<Answer> {
    if (!identify) return callAs(undefined as Caller, context, entry, names, values);
    const params = Object.fromEntries(names.map((name, index) => [name, decodePercent(values[index]!)]));
    const caller = identify(context, params);
    if (!(caller instanceof Promise)) return callAs(caller, context, entry, names, values);
    return caller.then((known) => callAs(known, context, entry, names, values));
  }

  function callAs(
    caller: Caller,
    { request, exchange }: Context,
    entry: Prepared<Services, Caller>,
    names: readonly string[],
    values: readonly string[],
  ): Answer | Promise<Answer> {
    const { endpoint } = entry;
    entry.readers ??= readersOf(endpoint, maxBodyBytes);
    const { readPath, readQuery, readBody } = entry.readers;
    const params = names.length === 0 ? NOTHING : readPath(names, values);
    const query = readQuery ? readQuery(request.queryPairs) : NOTHING;
    if (!readBody)
      return endpoint.handle({ request, params, query, body: undefined, services, caller, exchange });
    return readBody(exchange).then((body) =>
      endpoint.handle({ request, params, query, body, services, caller, exchange }),
    );
  }

  function alterAndSend(context: Context, answer: Answer): void {
    // A handler may have taken the exchange over, for instance by an upgrade.
    if (context.exchange.isAnswered) return;
    let altered: Answer | Promise<Answer>;
    try {
      altered = alter ? alter(context, answer) : answer;
    } catch (error) {
      failUnaltered(context, error);
      return;
    }
    if (altered instanceof Promise) {
      altered.then(
        (settled) => finishAndSend(context, settled),
        (error) => failUnaltered(context, error),
      );
    } else finishAndSend(context, altered);
  }

  function finishAndSend(context: Context, answer: Answer): void {
    try {
      finishAndTrySend(context, answer);
    } catch (error) {
      // The answer could not be sent: its header fields are invalid, or HTTP/2 has no bare socket for it.
      sendLastResort(context, error);
    }
  }

  function finishAndTrySend(context: Context, answer: Answer): void {
    const finished = finish ? finish(context, answer) : answer;
    sendAnswer(context.exchange, finished, log);
    if (!isWire(finished)) observe?.(context, finished.status);
  }

  /** Whatever is wrong with the answer to this error, the client hears that something is. */
  function sendLastResort(context: Context, error: unknown): void {
    const { exchange } = context;
    try {
      const rendered = rendering(context, error);
      if (rendered) finishAndTrySend(context, rendered);
    } catch (err) {
      unexpected(context, err);
      if (exchange.isAnswered) return;
      exchange.send(500, []);
      observe?.(context, 500);
    }
  }

  function fail(context: Context, error: unknown): void {
    respondTo(context, error, alterAndSend);
  }

  /** For what went wrong while altering, which would go wrong again. */
  function failUnaltered(context: Context, error: unknown): void {
    respondTo(context, error, finishAndSend);
  }

  function respondTo(context: Context, error: unknown, send: typeof finishAndSend): void {
    let rendered: PlainAnswer | undefined;
    try {
      rendered = rendering(context, error);
    } catch (err) {
      sendLastResort(context, err);
      return;
    }
    if (rendered) send(context, rendered);
  }

  /** The answer to an error; undefined when nobody is there to be told. */
  function rendering(context: Context, error: unknown): PlainAnswer | undefined {
    const { exchange } = context;
    if (error instanceof ClientGone) return undefined;
    const known = failureOf(translate ? translate(error) : error);
    // What fails only because the client left, such as an aborted wait, is no error.
    if (!known && exchange.signal.aborted) return undefined;
    const failure = known ?? unexpected(context, error);
    return exchange.isAnswered ? undefined : renderFailure(failure, context);
  }

  function unexpected({ request, endpoint }: Context, err: unknown): Failure {
    const correlationId = randomUUID();
    const { method, rawPath: path } = request;
    log.error({ event: 'request.failed', correlationId, endpoint: endpoint?.id, method, path, err });
    return failureOf(fault('internal.unexpected', { correlationId }))!;
  }
}

function prepare<Services, Caller>(endpoint: Endpoint<Services, Caller>): Prepared<Services, Caller> {
  const { id, methods, path, aliases } = endpoint;
  return { id, methods, path, aliases, endpoint, readers: undefined };
}

function readersOf({ params, query, body }: Documented, maxBodyBytes: number): Readers {
  return {
    readPath: compilePath(params),
    readQuery: query && compileQuery(query),
    readBody: body?.json
      ? compileJsonBody({ ...body, json: body.json }, body.maxBytes ?? maxBodyBytes)
      : undefined,
  };
}
