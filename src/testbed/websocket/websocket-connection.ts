import { isUtf8 } from 'node:buffer';
import { type ContentBudget, ContentShare } from '../../http1/content-budget.ts';
import { Deadline } from '../../http1/deadline.ts';
import { ClientGone, type UpgradedStream } from '../../http1/exchange.ts';
import { closeCodes, isSendable, WebSocketViolation } from './close-codes.ts';
import { closePayload, composeFrame, composeFrameHead, opcodes, RSV1 } from './frame.ts';
import { type Frame, FrameReader } from './frame-reader.ts';
import type { WebSocketLimits } from './limits.ts';
import { type Message, MessageAssembly, type MessageKind } from './message-assembly.ts';
import { type DeflateParameters, MessageDeflater, MessageInflater } from './message-coder.ts';

export interface WebSocketOptions {
  readonly limits: WebSocketLimits;
  /** Messages that have not come whole take of it what they keep in memory. */
  readonly contentBudget?: ContentBudget | undefined;
  /** Given when permessage-deflate was agreed on. */
  readonly deflate: DeflateParameters | undefined;
  /** While it returns an unsettled promise nothing more is read. Messages are ignored unless given. */
  readonly onMessage?: (message: Message, socket: WebSocketConnection) => Promise<void> | undefined;
  readonly onPong?: (payload: Buffer) => void;
}

/** Up to here a frame is copied into one buffer; beyond it the system joins head and payload. */
const MAX_JOINED_BYTES = 2 * 1024;
/** As much may wait for the client before its slowness is felt; stopping and starting for every large message costs more. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Unfinished messages up to here are free, so that large ones never crowd out the usual ones. */
const FREE_BYTES = 128 * 1024;

/** The server's side of a WebSocket on any duplex stream (RFC 6455): a socket after a 101, or an HTTP/2 stream. */
export class WebSocketConnection {
  /** Settles when the connection is over; rejects only when our own code failed. */
  readonly closed: Promise<void>;
  readonly #stream: UpgradedStream;
  readonly #options: WebSocketOptions;
  readonly #reader: FrameReader;
  readonly #assembly: MessageAssembly;
  readonly #deflater: MessageDeflater | undefined;
  readonly #inflater: MessageInflater | undefined;
  readonly #deadline: Deadline<'idle' | 'closing'>;
  readonly #content: ContentShare;
  readonly #gone = new AbortController();
  #receivedBytes = 0;
  /** Something that is awaited, or the loop itself, is at the frames. */
  #isBusy = false;
  /** Our Close was sent, or the client is gone: nothing more leaves. */
  #isClosing = false;
  /** Nothing that still comes is looked at. */
  #isDeaf = false;
  #hasInputEnded = false;
  #failure: unknown = undefined;
  #drained: PromiseWithResolvers<void> | undefined = undefined;
  /** Compressed messages leave one after the other. */
  #outbox: Promise<void> | undefined = undefined;
  #controlFrames = 0;
  #controlSinceMs = 0;

  constructor(stream: UpgradedStream, options: WebSocketOptions) {
    const { limits, deflate } = options;
    this.#stream = stream;
    this.#options = options;
    this.#deflater = deflate && new MessageDeflater(deflate);
    this.#inflater = deflate && new MessageInflater(deflate);
    const { maxFrameBytes } = limits;
    this.#reader = new FrameReader({ maxFrameBytes, allowsCompression: deflate !== undefined });
    this.#assembly = new MessageAssembly(limits, this.#inflater);
    this.#content = new ContentShare(options.contentBudget, FREE_BYTES);
    this.#deadline = new Deadline((phase) => {
      if (phase === 'idle') this.close(closeCodes.goingAway, 'nothing came for too long');
      else stream.destroy();
    });
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    stream.on('end', () => this.#onEnd());
    stream.on('drain', () => this.#onDrain());
    // The close event that follows tells everything there is to do.
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#onClose();
      if (this.#failure === undefined) closed.resolve();
      else closed.reject(this.#failure);
    });
    this.#deadline.set('idle', limits.idleMs);
  }

  /** Aborts when the connection is over. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Returns a promise only while the client is slower than we are; it rejects with ClientGone. */
  send(kind: MessageKind, data: string | Uint8Array): Promise<void> | undefined {
    if (!this.#mayWrite) return Promise.reject(new ClientGone());
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    // An empty message would be longer once compressed; each message says by itself whether it is.
    if (!this.#deflater || bytes.length === 0)
      return this.#afterOutbox(() => this.sendFrame(opcodes[kind], bytes));
    const deflater = this.#deflater;
    return this.#queue(async () => {
      const coded = await deflater.deflate(bytes);
      await this.sendFrame(opcodes[kind], coded, RSV1);
    });
  }

  /** One frame as it is, for messages in fragments and for pings. */
  sendFrame(
    opcode: number,
    payload: Uint8Array,
    reservedBits = 0,
    isFinal = true,
  ): Promise<void> | undefined {
    if (payload.length <= MAX_JOINED_BYTES)
      return this.sendBytes(composeFrame(opcode, payload, { reservedBits, isFinal }));
    this.#stream.cork();
    this.sendBytes(composeFrameHead(opcode, payload.length, { reservedBits, isFinal }));
    const written = this.sendBytes(payload);
    this.#stream.uncork();
    return written;
  }

  /** Exactly these bytes, whatever they mean to the client. */
  sendBytes(bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#mayWrite) return Promise.reject(new ClientGone());
    if (this.#stream.write(bytes) || !this.#isFull) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    // Whoever does not wait for room need not hear either that there will never be any.
    this.#drained.promise.catch(() => {});
    return this.#drained.promise;
  }

  /** Begins the closing handshake, behind everything sent before. The connection ends when the client answers, or after a while. */
  close(code: number = closeCodes.normal, reason = ''): void {
    void this.#afterOutbox(() => this.#sendClose(closePayload(code, reason)))?.catch(() => {});
  }

  /** Ends the connection without a closing handshake: by FIN. */
  end(): void {
    this.#isClosing = true;
    this.#finish();
  }

  /** Ends the connection by RST, on HTTP/2 by RST_STREAM. */
  reset(): void {
    this.#stream.reset();
  }

  /** RFC 6455 §7.1.7: say why, then close without waiting for an answer that cannot be trusted. */
  fail(error: unknown): void {
    if (error instanceof WebSocketViolation) this.#sendClose(closePayload(error.code, error.message));
    else if (!(error instanceof ClientGone)) {
      this.#failure = error;
      this.#sendClose(closePayload(closeCodes.internalError, 'something went wrong'));
    }
    this.#finish();
  }

  get #isFull(): boolean {
    return this.#stream.writableNeedDrain && this.#stream.writableLength > MAX_UNSENT_BYTES;
  }

  get #mayWrite(): boolean {
    return !this.#isClosing && !this.#stream.destroyed;
  }

  #onData(chunk: Buffer): void {
    if (this.#isDeaf) return;
    if (!this.#isClosing) this.#deadline.set('idle', this.#options.limits.idleMs);
    this.#reader.append(chunk);
    if (!this.#isBusy) this.#advance();
    this.#checkTotals(chunk.length);
  }

  /** Each message has its bounds; these are of all of one client together, and of all clients. */
  #checkTotals(byteCount: number): void {
    const { maxReceivedBytes } = this.#options.limits;
    this.#receivedBytes += byteCount;
    if (this.#isDeaf) return;
    if (this.#receivedBytes > maxReceivedBytes) {
      const reason = `a client may send ${maxReceivedBytes} bytes in all`;
      this.fail(new WebSocketViolation(closeCodes.policyViolation, reason));
      return;
    }
    const keptBytes = this.#reader.bufferedBytes + this.#assembly.unfinishedBytes;
    if (keptBytes === 0) this.#content.release();
    else if (!this.#content.covers(keptBytes))
      this.fail(new WebSocketViolation(closeCodes.tryAgainLater, 'too many large messages at this moment'));
  }

  #onEnd(): void {
    this.#hasInputEnded = true;
    if (!this.#isBusy) this.#onLeft();
  }

  /** A client that leaves without a Close gets none. */
  #onLeft(): void {
    this.#isClosing = true;
    this.#finish();
  }

  #onDrain(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #onClose(): void {
    this.#isDeaf = true;
    this.#deadline.dispose();
    this.#content.release();
    this.#deflater?.close();
    this.#inflater?.close();
    this.#drained?.reject(new ClientGone());
    this.#gone.abort(new ClientGone());
  }

  /** Frame by frame, until there is no whole one or something has to be waited for. What it sends leaves together. */
  #advance(): void {
    this.#isBusy = true;
    this.#stream.cork();
    try {
      while (!this.#isDeaf) {
        const frame = this.#reader.next();
        if (!frame) break;
        const pending = this.#take(frame) ?? this.#roomToAnswer();
        if (pending) {
          this.#waitFor(pending);
          return;
        }
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#stream.uncork();
    }
    this.#isBusy = false;
    if (this.#hasInputEnded) this.#onLeft();
  }

  #waitFor(pending: Promise<void>): void {
    this.#stream.pause();
    pending.then(
      () => {
        this.#stream.resume();
        this.#advance();
      },
      (error) => this.fail(error),
    );
  }

  /** A client that asks but does not take the answers is not read any further. */
  #roomToAnswer(): Promise<void> | undefined {
    if (!this.#isFull) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  #take(frame: Frame): Promise<void> | undefined {
    if (frame.opcode < opcodes.close) return this.#takeData(frame);
    if (frame.opcode === opcodes.close) {
      this.#takeClose(frame.payload);
      return undefined;
    }
    this.#countControlFrame();
    if (frame.opcode === opcodes.pong) this.#options.onPong?.(frame.payload);
    else if (this.#mayWrite) void this.sendFrame(opcodes.pong, frame.payload);
    return undefined;
  }

  #takeData(frame: Frame): Promise<void> | undefined {
    const message = this.#assembly.accept(frame);
    if (message === undefined) return undefined;
    if (message instanceof Promise) return message.then((whole) => this.#deliver(whole));
    return this.#deliver(message);
  }

  /** What still comes after our Close is checked, but nobody hears of it. */
  #deliver(message: Message): Promise<void> | undefined {
    return this.#isClosing ? undefined : this.#options.onMessage?.(message, this);
  }

  #takeClose(payload: Buffer): void {
    checkClose(payload);
    this.#sendClose(payload.subarray(0, 2));
    this.#finish();
  }

  #countControlFrame(): void {
    const nowMs = performance.now();
    if (nowMs - this.#controlSinceMs >= 1000) {
      this.#controlSinceMs = nowMs;
      this.#controlFrames = 0;
    }
    const { maxControlFramesPerSecond: max } = this.#options.limits;
    if (++this.#controlFrames > max)
      throw new WebSocketViolation(closeCodes.policyViolation, `at most ${max} pings and pongs a second`);
  }

  #sendClose(payload: Uint8Array): undefined {
    if (!this.#mayWrite) return;
    this.#stream.write(composeFrame(opcodes.close, payload));
    this.#isClosing = true;
    this.#deadline.set('closing', this.#options.limits.closeMs);
  }

  /** The server closes first (RFC 6455 §7.1.1); what still comes is read only to see the client's end. */
  #finish(): void {
    this.#isDeaf = true;
    this.#stream.end();
    this.#stream.resume();
    this.#deadline.set('closing', this.#options.limits.closeMs);
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = (this.#outbox ?? Promise.resolve()).then(work);
    const outbox = done
      .catch(() => {})
      .then(() => {
        if (this.#outbox === outbox) this.#outbox = undefined;
      });
    this.#outbox = outbox;
    return done;
  }

  #afterOutbox(work: () => Promise<void> | undefined): Promise<void> | undefined {
    return this.#outbox ? this.#queue(async () => work()) : work();
  }
}

function checkClose(payload: Buffer): void {
  if (payload.length === 0) return;
  const code = payload.length === 1 ? 0 : payload.readUInt16BE();
  if (!isSendable(code))
    throw new WebSocketViolation(closeCodes.protocolError, 'the close code is not valid');
  if (!isUtf8(payload.subarray(2)))
    throw new WebSocketViolation(closeCodes.invalidPayload, 'the close reason is not valid UTF-8');
}
