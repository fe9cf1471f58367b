import type { Socket } from 'node:net';
import { BodyPace } from './body-pace.ts';
import type { Http1Connection, Http1Options } from './connection.ts';
import { ContentShare } from './content-budget.ts';
import { Deadline } from './deadline.ts';
import {
  ClientGone,
  type ConnectionInfo,
  type RawSocket,
  type RequestBody,
  type UpgradedStream,
} from './exchange.ts';
import { type BodyFraming, meaningOf } from './framing.ts';
import { HeadReader, type ReadHead } from './head-reader.ts';
import { InputBuffer } from './input-buffer.ts';
import { Output } from './output.ts';
import { composeRefusal } from './refusal-answer.ts';
import { Refusal } from './refusals.ts';
import { type BodySource, IncomingBody, noBody } from './request-body.ts';
import { type ExchangeHost, ServerExchange } from './server-exchange.ts';
import { closeSocket, noticeAbandonment, resetSocket } from './socket-endings.ts';
import { TakenSocket } from './taken-socket.ts';
import { upgradedStream } from './upgrade-stream.ts';

type Phase = 'idle' | 'head' | 'body' | 'half-closed';

/**
 * The life of a connection: read a head, run its exchange while its body is received, then the next. Whatever
 * happened, `#advance` goes on from where things stand, and `#settle` then sets the deadline and the flow.
 */
export class ServerConnection implements Http1Connection, ExchangeHost, BodySource {
  readonly info: ConnectionInfo;
  readonly output: Output;
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #options: Http1Options;
  readonly #input = new InputBuffer();
  readonly #headReader: HeadReader;
  readonly #deadline: Deadline<Phase>;
  readonly #content: ContentShare;

  #stage: 'serving' | 'closing' | 'handed-over' | 'closed' = 'serving';
  #exchange: ServerExchange | undefined = undefined;
  /** The body of the running request while it is incomplete. */
  #body: IncomingBody | undefined = undefined;
  #bodyPace: BodyPace | undefined = undefined;
  #requestCount = 0;
  #wantsKeepAlive = true;
  #awaitsContinue = false;
  /** The answer is done and the rest of the body is read only to be forgotten, up to this length. */
  #drainsUpTo: number | undefined = undefined;
  #isBodyBroken = false;
  #hasInputEnded = false;
  #isStopping = false;
  #isPaused = false;
  #isAdvancing = false;

  constructor(socket: Socket, firstBytes: Buffer | undefined, info: ConnectionInfo, options: Http1Options) {
    this.#socket = socket;
    this.#options = options;
    this.info = info;
    this.#headReader = new HeadReader(options.limits, options.isLenient);
    this.#content = new ContentShare(options.contentBudget, options.limits.maxUnreadBodyBytes);
    this.#deadline = new Deadline((phase) => this.#onDeadlineMissed(phase));
    this.output = new Output(socket, options.timeouts.answerStallMs, () => this.#advance());
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;

    // A client may close its sending half after the last request and still wants its answer.
    socket.allowHalfOpen = true;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('drain', this.#onDrain);
    socket.on('timeout', this.#onStall);
    // The close event that follows tells everything there is to do.
    socket.on('error', () => {});
    const onClose = () => {
      this.#onClose();
      closed.resolve();
    };
    socket.once('close', onClose);
    if (socket.closed) onClose();
    this.#hasInputEnded = socket.readableEnded;
    socket.resume();

    if (firstBytes !== undefined && firstBytes.length > 0) {
      this.#input.append(firstBytes);
      queueMicrotask(() => this.#advance());
    } else {
      this.#settle();
    }
  }

  get isIdle(): boolean {
    return this.#stage === 'serving' && this.#isBetweenRequests && this.#input.length === 0;
  }

  get #isBetweenRequests(): boolean {
    return this.#exchange === undefined && this.#body === undefined;
  }

  closeGracefully(): void {
    this.#isStopping = true;
    if (this.isIdle) this.#close();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  // What an exchange asks of its connection

  now(): number {
    return this.#options.now();
  }

  get hasMoreRequests(): boolean {
    return this.#input.length > 0 && this.#body === undefined;
  }

  get mayStayOpen(): boolean {
    if (!this.#wantsKeepAlive || this.#isStopping || this.#isBodyBroken) return false;
    if (this.#hasInputEnded && this.#input.length === 0) return false;
    if (this.#body === undefined) return true;
    // Without its 100 the client may send the body or not: only a new connection makes that certain (RFC 9110 §10.1.1).
    return !this.#awaitsContinue && this.#body.missingBytes <= this.#options.limits.maxDrainBytes;
  }

  onAnswerEnd(closes: boolean): void {
    if (this.#stage !== 'serving') return;
    this.#exchange = undefined;
    this.#body?.forget();
    if (closes || this.#isBodyBroken) {
      this.#close();
      return;
    }
    if (this.#body !== undefined) {
      this.#body.fail(new Error('the answer was complete before the request body was read'));
      this.#drainsUpTo = this.#body.receivedLength + this.#options.limits.maxDrainBytes;
    }
    this.#advance();
  }

  onAnswerAbort(): void {
    if (this.#stage !== 'serving') return;
    this.output.flush();
    // Only a reset tells an answer that lasts until the close from one that was broken off.
    if (this.#exchange?.head.version === '1.0') resetSocket(this.#socket);
    else this.#close();
  }

  switchProtocols(head: string): UpgradedStream {
    if (this.#body !== undefined) throw new Error('protocols are switched after the request body was read');
    this.output.write(head);
    this.#handOver();
    return upgradedStream(this.#socket, this.#input.takeAll(), this.#hasInputEnded);
  }

  takeSocket(): RawSocket {
    this.output.flush();
    this.#handOver();
    return new TakenSocket(this.#socket, this.#options.timeouts.lingerMs);
  }

  // What a request body asks of its connection

  onFirstRead(): void {
    if (!this.#awaitsContinue || this.#body === undefined) return;
    this.#awaitsContinue = false;
    const isWaitedFor = this.#body.receivedLength === 0 && this.#exchange?.isAnswered === false;
    if (isWaitedFor) this.#exchange?.sendInterim(100);
    this.#settle();
  }

  onRoom(): void {
    if (this.#isPaused) this.#settle();
  }

  mayKeep(byteCount: number): boolean {
    return this.#content.covers(byteCount);
  }

  // What happens on the socket

  readonly #onData = (chunk: Buffer): void => {
    // After a refusal or a broken body nothing that follows can be trusted to be a request.
    if (this.#stage !== 'serving' || this.#isBodyBroken) return;
    this.#input.append(chunk);
    this.#advance();
  };

  readonly #onEnd = (): void => {
    this.#hasInputEnded = true;
    if (this.#stage !== 'serving') return;
    noticeAbandonment(this.#socket);
    this.#advance();
  };

  readonly #onDrain = (): void => this.output.drained();

  readonly #onStall = (): void => {
    this.#socket.destroy();
  };

  #onClose(): void {
    this.#stage = 'closed';
    this.#deadline.dispose();
    this.#content.release();
    this.#lose();
  }

  #lose(): void {
    this.output.gone();
    this.#exchange?.clientGone();
    this.#body?.fail(new ClientGone());
  }

  #onDeadlineMissed(phase: Phase): void {
    switch (phase) {
      case 'idle':
        // An answer the client is still taking is the stall watch's matter.
        if (this.#socket.writableLength > 0) this.#settle();
        else this.#close();
        break;
      case 'head':
        this.#refuse(new Refusal('head-timeout'));
        break;
      case 'body':
        this.#breakBody(new Refusal('body-timeout'));
        break;
      case 'half-closed':
        // Once the answer has begun, its own bytes find out whether anybody is there.
        if (this.#exchange?.isAnswered === false) this.#close();
        break;
    }
  }

  // From request to request

  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#stage === 'serving' && this.#step());
    this.#isAdvancing = false;
    this.#settle();
  }

  /** One step; false when nothing can be done before something happens. */
  #step(): boolean {
    if (this.#body !== undefined) return this.#receiveBody(this.#body);
    if (this.#exchange !== undefined || this.output.isFull || this.#input.length === 0) return false;
    this.#content.release();
    const exchange = this.#openExchange();
    if (exchange === undefined) return false;
    this.#options.onExchange(exchange);
    return true;
  }

  /** The exchange of the next request, or undefined when its head is unfinished or refused. */
  #openExchange(): ServerExchange | undefined {
    let head: ReadHead | undefined;
    try {
      head = this.#headReader.read(this.#input);
      if (head === undefined) return undefined;
      const { framing, expectsContinue, wantsKeepAlive } = meaningOf(head.parsed, this.#options.isLenient);
      this.#deadline.clear();
      this.#wantsKeepAlive = wantsKeepAlive;
      const body = this.#openBody(framing, expectsContinue);
      this.#exchange = new ServerExchange(this, head, body, ++this.#requestCount);
      return this.#exchange;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, head);
      return undefined;
    }
  }

  /** Content that came together with the head is there when the handler first looks. */
  #openBody(framing: BodyFraming, awaitsContinue: boolean): RequestBody {
    if (framing.kind === 'none') return noBody;
    const { limits, isLenient } = this.#options;
    const body = new IncomingBody(framing, limits, isLenient, this);
    if (body.isComplete) return body;
    this.#body = body;
    this.#bodyPace = new BodyPace(this.#options.timeouts);
    this.#awaitsContinue = awaitsContinue;
    if (this.#input.length > 0) this.#receiveBody(body);
    return body;
  }

  #receiveBody(body: IncomingBody): boolean {
    if (this.#input.length === 0) return false;
    try {
      body.receive(this.#input);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#breakBody(error);
      return false;
    }
    if (body.isComplete) {
      this.#body = undefined;
      this.#drainsUpTo = undefined;
      return true;
    }
    if (this.#drainsUpTo !== undefined && body.receivedLength > this.#drainsUpTo) this.#close();
    return false;
  }

  /** The handler learns it by reading the body; where nobody is left to be told the connection closes. */
  #breakBody(refusal: Refusal): void {
    const isDraining = this.#drainsUpTo !== undefined;
    this.#options.onRefused?.(refusal, this.info);
    this.#isBodyBroken = true;
    this.#input.clear();
    this.#body?.fail(refusal);
    this.#body = undefined;
    if (isDraining) this.#close();
  }

  #refuse(refusal: Refusal, head?: ReadHead): void {
    const { limits, onRefused } = this.#options;
    const partialHead =
      head?.bytes.subarray(head.start, head.end) ?? this.#input.takeAll().subarray(0, limits.maxHeadBytes);
    onRefused?.(refusal, this.info);
    const answer = composeRefusal(refusal, partialHead, this.#options);
    this.output.writeBytes(answer.head, answer.content, '');
    this.#close();
  }

  // Between the steps

  #settle(): void {
    if (this.#stage !== 'serving') return;
    const { limits, timeouts } = this.#options;
    const isFull =
      this.#body === undefined
        ? this.#input.length >= limits.maxPipelinedBytes &&
          (this.#exchange !== undefined || this.output.isFull)
        : !this.#body.hasRoom(limits.maxUnreadBodyBytes);
    this.#setPaused(isFull);
    if (this.#exchange === undefined) this.#releaseContent();

    if (this.#body !== undefined) {
      // Half a request: nobody is there who could use an answer.
      if (this.#hasInputEnded) this.#close();
      else if (isFull || this.#awaitsContinue) this.#waitForReader();
      else this.#deadline.set('body', this.#bodyPace!.remainingMs(this.#body.receivedLength));
    } else if (this.#hasInputEnded && this.#exchange?.isAnswered === false) {
      if (this.#deadline.phase !== 'half-closed') this.#deadline.set('half-closed', timeouts.halfCloseMs);
    } else if (this.#exchange !== undefined || (this.#input.length > 0 && this.output.isFull)) {
      this.#deadline.clear();
    } else if (this.#hasInputEnded) {
      if (this.#input.length > 0) this.#refuse(new Refusal('request-incomplete'));
      else this.#close();
    } else if (this.#input.length > 0) {
      if (this.#deadline.phase !== 'head') this.#deadline.set('head', timeouts.headMs);
    } else if (this.#isStopping) {
      this.#close();
    } else {
      this.#deadline.set('idle', timeouts.idleMs);
    }
  }

  #waitForReader(): void {
    this.#deadline.clear();
    this.#bodyPace?.hold();
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  /** An answer may be as large as the content it tells of, so that counts until the client has taken the answer. */
  #releaseContent(): void {
    if (!this.output.isFull) this.#content.release();
  }

  /** Nothing more is read or answered; an exchange that is still running has lost its client. */
  #close(): void {
    this.#stage = 'closing';
    this.#deadline.dispose();
    this.#input.clear();
    this.output.flush();
    this.#lose();
    this.#releaseContent();
    if (this.#socket.writableLength > 0) this.output.watchForStall(true);
    closeSocket(this.#socket, this.#options.timeouts.lingerMs);
  }

  #handOver(): void {
    const socket = this.#socket;
    this.#stage = 'handed-over';
    this.#deadline.dispose();
    this.output.watchForStall(false);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('drain', this.#onDrain);
    socket.off('timeout', this.#onStall);
  }
}
