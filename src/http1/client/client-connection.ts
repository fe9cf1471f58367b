import type { Socket } from 'node:net';
import { Deadline } from '../deadline.ts';
import { InputBuffer } from '../input-buffer.ts';
import type { Http1Limits } from '../limits.ts';
import { Refusal } from '../refusals.ts';
import type { AnswerHead } from './answer-head.ts';
import { keepAliveHint } from './answer-meaning.ts';
import { AnswerReader } from './answer-reader.ts';
import { BodyStream, type StreamSource } from './body-stream.ts';
import type { CallHolder, ClientCall } from './client-call.ts';
import type { ClientFailureReason } from './client-failure.ts';
import { InvalidAnswer } from './invalid-answer.ts';
import { StreamWriter, type StreamWriting, writeWhole } from './request-writer.ts';
import { NO_PLACE, type RosterMember } from './roster.ts';
import { codeOf, lateTlsFailure } from './socket-failures.ts';
import { WholeBody } from './whole-body.ts';

/** What a connection tells its pool. */
export interface ConnectionOwner {
  /** The answer is over and another request may follow. */
  onFree(connection: ClientConnection): void;
  /** It is closed, or about to be, and takes no further request. Told once. */
  onGone(connection: ClientConnection): void;
}

type Wait = 'write' | 'response' | 'idle' | 'rest';

const timeoutReasons: Readonly<Record<Exclude<Wait, 'rest'>, ClientFailureReason>> = {
  write: 'write-timeout',
  response: 'response-timeout',
  idle: 'idle-timeout',
};

const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * A connection to a target, for one request at a time. The request is written while the answer is read, because a
 * target may answer before it has read everything.
 */
export class ClientConnection implements CallHolder, RosterMember, StreamSource, StreamWriting {
  readonly hostKey: string;
  rosterPlace = NO_PLACE;
  readonly #socket: Socket;
  readonly #limits: Http1Limits;
  readonly #owner: ConnectionOwner;
  readonly #input = new InputBuffer();
  readonly #reader: AnswerReader;
  readonly #deadline: Deadline<Wait>;

  #isGone = false;
  #servedCount = 0;
  #error: Error | undefined = undefined;

  // Of the running call
  #call: ClientCall | undefined = undefined;
  #writer: StreamWriter | undefined = undefined;
  #isFlushed = false;
  #sink: WholeBody | BodyStream | undefined = undefined;
  #isPaused = false;
  #missedWait: Wait | undefined = undefined;
  /** How long the target keeps the connection, as it said with its last answer. */
  keepAliveSeconds: number | undefined = undefined;

  constructor(socket: Socket, hostKey: string, limits: Http1Limits, owner: ConnectionOwner) {
    this.hostKey = hostKey;
    this.#socket = socket;
    this.#limits = limits;
    this.#owner = owner;
    this.#reader = new AnswerReader(limits);
    this.#deadline = new Deadline((wait) => this.#onMissed(wait));
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('end', () => this.#onEnd());
    socket.on('drain', () => this.#writer?.drained());
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('close', () => this.#onClose());
  }

  get isAlive(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  /** Sends a request; there must be none running. */
  run(call: ClientCall): void {
    this.#call = call;
    call.holder = this;
    call.isReusedConnection = this.#servedCount > 0;
    call.enter('write');
    call.isRequestSent = true;
    this.#isFlushed = false;
    this.#reader.reset();
    if (call.request.stream !== undefined) {
      this.#writer = new StreamWriter(this.#socket, call.request, this);
      return;
    }
    this.#wait('write', call.timeouts.writeMs);
    writeWhole(this.#socket, call.request, this.onFlushed);
  }

  /** Waits for another request, though not for ever. */
  rest(forMs: number): void {
    this.#wait('rest', forMs);
  }

  /** The running call, if there is one, comes to no end. */
  breakOff(reason: ClientFailureReason): void {
    if (this.#call === undefined) this.destroy();
    else this.#call.fail(reason);
  }

  destroy(): void {
    this.#leave();
    this.#socket.destroy();
  }

  // The call

  release(): void {
    this.#call = undefined;
    this.#writer?.stop();
    this.destroy();
  }

  // Writing

  onWaiting(isForTarget: boolean): void {
    // An answer that has begun has a timeout of its own.
    if (this.#call === undefined || this.#reader.meaning !== undefined) return;
    if (isForTarget) this.#wait('write', this.#call.timeouts.writeMs);
    else this.#waitForNothing();
  }

  readonly onFlushed = (error?: Error | null): void => {
    // What failed is told by the socket itself.
    if (error || this.#call === undefined) return;
    this.#isFlushed = true;
    if (this.#reader.meaning !== undefined) return;
    this.#call.enter('response');
    this.#wait('response', this.#call.timeouts.responseMs);
  };

  onSourceFailed(error: unknown): void {
    this.#call?.fail('request-body-failed', { cause: error });
  }

  // Reading

  #onData(chunk: Buffer): void {
    const call = this.#call;
    if (call === undefined) {
      // Nothing was asked: whatever it is, the next answer could not be told from it.
      this.destroy();
      return;
    }
    this.#input.append(chunk);
    try {
      this.#advance(call);
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof InvalidAnswer)) throw error;
      call.fail('answer-invalid', { detail: error.key, cause: error });
    }
  }

  #advance(call: ClientCall): void {
    if (this.#reader.meaning === undefined) {
      const head = this.#reader.readHead(this.#input, call.request.isHeadRequest);
      if (head === undefined) return;
      this.#begin(call, head);
    }
    const isComplete = this.#reader.readBody(this.#input);
    if (isComplete || this.#isCutShort()) this.#complete(call);
    else this.#awaitMore(call);
  }

  #begin(call: ClientCall, head: AnswerHead): void {
    this.keepAliveSeconds = keepAliveHint(head.fields);
    // A target that has decided before it read the request does not want the rest of it (RFC 9112 §9.5).
    if (!this.#isFlushed && head.status >= 300) this.#writer?.stop();
    const { taker } = call;
    const stream = taker.kind === 'stream' ? new BodyStream(this) : undefined;
    const sink = stream ?? new WholeBody(taker.kind === 'whole' ? taker.maxBodyBytes : 0);
    this.#sink = sink;
    this.#reader.sendContentTo(sink);
    call.answerBegan(head, stream);
  }

  #awaitMore(call: ClientCall): void {
    const stream = this.#sink;
    if (stream instanceof BodyStream && stream.waitingBytes >= this.#limits.maxUnreadBodyBytes) {
      this.#isPaused = true;
      this.#socket.pause();
      // It is the reader who is slow now.
      this.#waitForNothing();
      return;
    }
    this.#wait('idle', call.timeouts.idleMs);
  }

  onRoom(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
    if (this.#call !== undefined) this.#wait('idle', this.#call.timeouts.idleMs);
  }

  onCancel(): void {
    this.#call?.fail('aborted');
  }

  /** The caller has as much as it wanted, and reading the rest would cost more than a new connection. */
  #isCutShort(): boolean {
    const sink = this.#sink;
    if (!(sink instanceof WholeBody) || sink.droppedBytes === 0) return false;
    return sink.droppedBytes + this.#reader.missingBytes > this.#limits.maxDrainBytes;
  }

  #complete(call: ClientCall): void {
    const sink = this.#sink;
    const isWhole = sink instanceof WholeBody;
    const mayBeReused =
      this.#reader.meaning!.mayBeReused &&
      this.#isFlushed &&
      !call.request.closes &&
      this.#input.length === 0 &&
      !this.#isCutShort();
    this.#call = undefined;
    this.#sink = undefined;
    call.holder = undefined;
    this.#servedCount++;
    this.#waitForNothing();
    this.#writer?.stop();
    this.#writer = undefined;
    call.complete(isWhole ? sink.take() : NO_BYTES, isWhole && sink.droppedBytes > 0, this.#reader.trailers);
    if (!mayBeReused) {
      this.destroy();
      return;
    }
    if (this.#isPaused) this.onRoom();
    this.#owner.onFree(this);
  }

  // Ends

  #onEnd(): void {
    const call = this.#call;
    if (call !== undefined) {
      if (this.#reader.isEndedByClose) this.#complete(call);
      else this.#lose(call, 'connection-closed');
    }
    this.destroy();
  }

  #onClose(): void {
    this.#leave();
    if (this.#call !== undefined) this.#lose(this.#call, 'connection-reset');
  }

  #lose(call: ClientCall, reason: ClientFailureReason): void {
    const cause = this.#error;
    const hasAnswered = this.#reader.hasBegun || this.#input.length > 0;
    const isFirst = this.#servedCount === 0;
    const refusal = cause && isFirst && !hasAnswered ? lateTlsFailure(cause) : undefined;
    if (refusal !== undefined) {
      // TLS 1.3 lets the client begin before the target has looked at its certificate; the request was not read.
      call.fail(refusal.reason, { phase: 'tls', isRequestSent: false, detail: refusal.detail, cause });
      return;
    }
    // A connection that rested may be closed by the target just when it is used again.
    const isStale = !isFirst && !hasAnswered;
    call.fail(isStale ? 'stale-connection' : reason, { detail: cause && codeOf(cause), cause });
  }

  #wait(wait: Wait, forMs: number): void {
    this.#missedWait = undefined;
    this.#deadline.set(wait, Math.max(0, forMs));
  }

  #waitForNothing(): void {
    this.#missedWait = undefined;
    this.#deadline.clear();
  }

  /** When the process itself was busy for so long, what came meanwhile is looked at first. */
  #onMissed(wait: Wait): void {
    this.#missedWait = wait;
    setImmediate(() => {
      if (this.#missedWait === undefined || this.#isGone) return;
      if (wait === 'rest') this.destroy();
      else this.#call?.fail(timeoutReasons[wait]);
    });
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#deadline.dispose();
    this.#owner.onGone(this);
  }
}
