import { HeaderList, type HeaderPairs } from '../header-list.ts';
import type { AnswerHead } from './answer-head.ts';
import type { BodyStream } from './body-stream.ts';
import type { ClientAnswer, OpenAnswer } from './client-answer.ts';
import {
  ClientFailure,
  type ClientFailureReason,
  type ClientPhase,
  type FailureDetails,
  type PhaseTimes,
} from './client-failure.ts';
import type { ClientTimeouts } from './client-options.ts';
import type { ClientOrigin } from './client-request.ts';
import type { Connector } from './connector.ts';
import type { ComposedRequest } from './request-head.ts';
import { NO_PLACE, type RosterMember } from './roster.ts';

/** Whoever works on a call at the moment: the pool's queue, a connector, a connection. */
export interface CallHolder {
  /** The call is over before its time: let go of it and of what was begun for it. */
  release(call: ClientCall): void;
}

/** How the caller wants the answer, and whom to tell. */
export type CallTaker =
  | {
      readonly kind: 'whole';
      readonly maxBodyBytes: number;
      readonly resolve: (answer: ClientAnswer) => void;
      readonly reject: (failure: ClientFailure) => void;
    }
  | {
      readonly kind: 'stream';
      readonly resolve: (answer: OpenAnswer) => void;
      readonly reject: (failure: ClientFailure) => void;
    };

/** One request on its way through the phases, from the pool's queue to the last byte of its answer. */
export class ClientCall implements RosterMember {
  readonly origin: ClientOrigin;
  readonly hostKey: string;
  readonly request: ComposedRequest;
  readonly timeouts: ClientTimeouts;
  readonly taker: CallTaker;
  phase: ClientPhase = 'acquire';
  isOver = false;
  holder: CallHolder | undefined = undefined;
  /** While its connection is being opened. */
  connector: Connector | undefined = undefined;
  rosterPlace = NO_PLACE;
  /** Some of the request was handed to the system. */
  isRequestSent = false;
  isReusedConnection = false;

  readonly #times: { -readonly [phase in ClientPhase]?: number } = {};
  #phaseBeganAtMs = performance.now();
  #head: AnswerHead | undefined = undefined;
  #stream: BodyStream | undefined = undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined = undefined;

  constructor(
    origin: ClientOrigin,
    hostKey: string,
    request: ComposedRequest,
    timeouts: ClientTimeouts,
    taker: CallTaker,
    signal: AbortSignal | undefined,
  ) {
    this.origin = origin;
    this.hostKey = hostKey;
    this.request = request;
    this.timeouts = timeouts;
    this.taker = taker;
    this.#signal = signal;
    if (signal !== undefined) {
      this.#onAbort = () => this.fail('aborted', { cause: signal.reason });
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  enter(phase: ClientPhase): void {
    if (phase === this.phase) return;
    const nowMs = performance.now();
    this.#times[this.phase] = nowMs - this.#phaseBeganAtMs;
    this.phase = phase;
    this.#phaseBeganAtMs = nowMs;
  }

  /** The head is here; a caller who wants a stream has its answer. */
  answerBegan(head: AnswerHead, stream: BodyStream | undefined): void {
    this.enter('body');
    this.#head = head;
    this.#stream = stream;
    if (this.taker.kind === 'stream') {
      this.taker.resolve({ ...this.#start(head), body: stream!, phases: { ...this.#times } });
    }
  }

  /** The whole answer is here. */
  complete(body: Buffer, isBodyCut: boolean, trailers: HeaderPairs): void {
    if (this.isOver) return;
    const phases = this.#end();
    if (this.taker.kind === 'stream') this.#stream!.complete(trailers);
    else this.taker.resolve({ ...this.#start(this.#head!), body, isBodyCut, trailers, phases });
  }

  /** Ends the call wherever it stands. Whoever holds it lets go of it. */
  fail(
    reason: ClientFailureReason,
    details: Partial<Pick<FailureDetails, 'detail' | 'cause' | 'phase' | 'isRequestSent'>> = {},
  ): void {
    if (this.isOver) return;
    const phases = this.#end();
    const failure = new ClientFailure(reason, {
      phase: this.phase,
      isRequestSent: this.isRequestSent,
      status: this.#head?.status,
      phases,
      ...details,
    });
    const { holder } = this;
    this.holder = undefined;
    holder?.release(this);
    if (this.#stream === undefined) this.taker.reject(failure);
    else this.#stream.fail(failure);
  }

  #end(): PhaseTimes {
    this.isOver = true;
    if (this.#onAbort) this.#signal!.removeEventListener('abort', this.#onAbort);
    this.#times[this.phase] = performance.now() - this.#phaseBeganAtMs;
    return this.#times;
  }

  #start({ status, reason, version, fields }: AnswerHead) {
    const headers = new HeaderList(fields.pairs);
    return { status, reason, version, headers, isReusedConnection: this.isReusedConnection };
  }
}
