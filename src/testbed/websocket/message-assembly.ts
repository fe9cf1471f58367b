import { isUtf8 } from 'node:buffer';
import { closeCodes, WebSocketViolation } from './close-codes.ts';
import { opcodes } from './frame.ts';
import type { Frame } from './frame-reader.ts';
import type { WebSocketLimits } from './limits.ts';
import type { MessageInflater } from './message-coder.ts';
import { Utf8Check } from './utf8-check.ts';

export type MessageKind = 'text' | 'binary';

export interface Message {
  readonly kind: MessageKind;
  /** Text is valid UTF-8. */
  readonly data: Buffer;
}

interface Unfinished {
  readonly kind: MessageKind;
  readonly isCompressed: boolean;
  readonly pieces: Buffer[];
  /** For text that can be checked as it comes, that is, uncompressed. */
  readonly utf8: Utf8Check | undefined;
  bytes: number;
}

/** Puts messages together from their data frames. */
export class MessageAssembly {
  readonly #limits: WebSocketLimits;
  readonly #inflater: MessageInflater | undefined;
  #unfinished: Unfinished | undefined = undefined;

  constructor(limits: WebSocketLimits, inflater: MessageInflater | undefined) {
    this.#limits = limits;
    this.#inflater = inflater;
  }

  /** Of the message whose last frame has not come yet. */
  get unfinishedBytes(): number {
    return this.#unfinished?.bytes ?? 0;
  }

  /** The message that this frame completes. Throws or rejects with a WebSocketViolation. */
  accept(frame: Frame): Message | Promise<Message> | undefined {
    const { opcode, isFinal, isCompressed, payload } = frame;
    if ((opcode === opcodes.continuation) !== (this.#unfinished !== undefined)) {
      const reason = this.#unfinished
        ? 'a new message begins before the last one ended'
        : 'there is no message to continue';
      throw new WebSocketViolation(closeCodes.protocolError, reason);
    }
    const kind = opcode === opcodes.text ? 'text' : 'binary';
    if (this.#unfinished === undefined && isFinal) return this.#whole(kind, isCompressed, payload);
    this.#unfinished ??= {
      kind,
      isCompressed,
      pieces: [],
      utf8: kind === 'text' && !isCompressed ? new Utf8Check() : undefined,
      bytes: 0,
    };
    const message = this.#unfinished;
    this.#add(message, payload, isFinal);
    if (!isFinal) return undefined;
    this.#unfinished = undefined;
    const data = Buffer.concat(message.pieces, message.bytes);
    if (message.utf8) return { kind: 'text', data };
    return this.#whole(message.kind, message.isCompressed, data);
  }

  #add(message: Unfinished, payload: Buffer, isLast: boolean): void {
    const { maxFragments, maxMessageBytes } = this.#limits;
    message.bytes += payload.length;
    message.pieces.push(payload);
    if (message.bytes > maxMessageBytes) throw tooBig(maxMessageBytes);
    if (message.pieces.length > maxFragments) {
      throw new WebSocketViolation(
        closeCodes.policyViolation,
        `a message may have ${maxFragments} fragments`,
      );
    }
    if (message.utf8 && !message.utf8.accepts(payload, isLast)) throw notUtf8();
  }

  #whole(kind: MessageKind, isCompressed: boolean, payload: Buffer): Message | Promise<Message> {
    const { maxMessageBytes } = this.#limits;
    if (payload.length > maxMessageBytes) throw tooBig(maxMessageBytes);
    if (!isCompressed || !this.#inflater) return checked(kind, payload);
    return this.#inflater.inflate(payload, maxMessageBytes).then((data) => checked(kind, data));
  }
}

function checked(kind: MessageKind, data: Buffer): Message {
  if (kind === 'text' && !isUtf8(data)) throw notUtf8();
  return { kind, data };
}

function tooBig(maxBytes: number): WebSocketViolation {
  return new WebSocketViolation(closeCodes.messageTooBig, `a message may have ${maxBytes} bytes`);
}

function notUtf8(): WebSocketViolation {
  return new WebSocketViolation(closeCodes.invalidPayload, 'the text is not valid UTF-8');
}
