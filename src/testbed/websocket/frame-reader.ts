import { closeCodes, WebSocketViolation } from './close-codes.ts';
import { applyMask, FINAL, MASKED, MAX_CONTROL_BYTES, opcodes, RESERVED_BITS, RSV1 } from './frame.ts';

/** A frame of a client, its payload unmasked. */
export interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  readonly payload: Buffer;
}

export interface FrameRules {
  readonly maxFrameBytes: number;
  /** Whether permessage-deflate was agreed on; otherwise RSV1 is as forbidden as the others. */
  readonly allowsCompression: boolean;
}

interface Head {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  readonly payloadBytes: number;
  /** Its lowest byte is the first. */
  readonly maskKey: number;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** Cuts what a client sends into frames. The bytes handed in are unmasked where they lie. */
export class FrameReader {
  readonly #rules: FrameRules;
  /** What has not been cut yet: first its beginning, then whole chunks behind it. */
  #first: Buffer = EMPTY;
  #later: Buffer[] = [];
  #bufferedBytes = 0;
  #head: Head | undefined = undefined;

  constructor(rules: FrameRules) {
    this.#rules = rules;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  append(chunk: Buffer): void {
    if (this.#bufferedBytes === 0) this.#first = chunk;
    else this.#later.push(chunk);
    this.#bufferedBytes += chunk.length;
  }

  /** The next whole frame; undefined while it is incomplete. Throws a WebSocketViolation at the first wrong byte. */
  next(): Frame | undefined {
    this.#head ??= this.#readHead();
    const head = this.#head;
    if (head === undefined || this.#bufferedBytes < head.payloadBytes) return undefined;
    this.#head = undefined;
    const payload = this.#take(head.payloadBytes);
    applyMask(payload, head.maskKey);
    const { opcode, isFinal, isCompressed } = head;
    return { opcode, isFinal, isCompressed, payload };
  }

  #readHead(): Head | undefined {
    if (this.#bufferedBytes < 2) return undefined;
    if (this.#first.length < MAX_HEAD_BYTES && this.#later.length > 0) this.#join();
    const bytes = this.#first;
    const flags = bytes[0]!;
    const opcode = flags & 0x0f;
    const isFinal = (flags & FINAL) !== 0;
    const shortLength = bytes[1]! & 0x7f;
    // What can be told from two bytes is not waited for.
    this.#checkFlags(flags, opcode, isFinal, shortLength);
    if ((bytes[1]! & MASKED) === 0) throw broken('frames of a client must be masked');

    const lengthBytes = shortLength === 127 ? 8 : shortLength === 126 ? 2 : 0;
    const headBytes = 2 + lengthBytes + 4;
    if (bytes.length < 2 + lengthBytes) return undefined;
    const payloadBytes = lengthBytes === 0 ? shortLength : readLength(bytes, lengthBytes);
    if (payloadBytes > this.#rules.maxFrameBytes) {
      throw new WebSocketViolation(
        closeCodes.messageTooBig,
        `a frame may have ${this.#rules.maxFrameBytes} bytes`,
      );
    }
    if (bytes.length < headBytes) return undefined;
    const maskKey = bytes.readInt32LE(headBytes - 4);
    this.#take(headBytes);
    return { opcode, isFinal, isCompressed: (flags & RSV1) !== 0, payloadBytes, maskKey };
  }

  #checkFlags(flags: number, opcode: number, isFinal: boolean, shortLength: number): void {
    const reserved = flags & RESERVED_BITS;
    const isData = opcode === opcodes.text || opcode === opcodes.binary;
    const isControl = opcode >= opcodes.close;
    if (reserved !== 0 && !(reserved === RSV1 && isData && this.#rules.allowsCompression))
      throw broken('a reserved bit is set');
    if (!isData && opcode !== opcodes.continuation && !(isControl && opcode <= opcodes.pong))
      throw broken(`opcode ${opcode} is reserved`);
    if (isControl && !isFinal) throw broken('control frames must not be fragmented');
    if (isControl && shortLength > MAX_CONTROL_BYTES)
      throw broken(`control frames have at most ${MAX_CONTROL_BYTES} bytes`);
  }

  /** That many bytes, which must be there. They are copied only when they came in several chunks. */
  #take(count: number): Buffer {
    if (this.#first.length < count) this.#join();
    const taken = this.#first.subarray(0, count);
    this.#first = this.#first.subarray(count);
    this.#bufferedBytes -= count;
    if (this.#first.length === 0 && this.#later.length > 0) this.#first = this.#later.shift()!;
    return taken;
  }

  #join(): void {
    this.#first = Buffer.concat([this.#first, ...this.#later]);
    this.#later = [];
  }
}

const MAX_HEAD_BYTES = 14;

function readLength(bytes: Buffer, lengthBytes: 2 | 8): number {
  if (lengthBytes === 2) {
    const length = bytes.readUInt16BE(2);
    if (length <= MAX_CONTROL_BYTES) throw broken('the length is not written in the shortest form');
    return length;
  }
  const high = bytes.readUInt32BE(2);
  if (high >= 2 ** 31) throw broken('the highest bit of a length must be zero');
  const length = high * 2 ** 32 + bytes.readUInt32BE(6);
  if (length <= 0xffff) throw broken('the length is not written in the shortest form');
  return length;
}

function broken(rule: string): WebSocketViolation {
  return new WebSocketViolation(closeCodes.protocolError, rule);
}
