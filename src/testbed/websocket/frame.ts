/** Kinds of frames (RFC 6455 §5.2). */
export const opcodes = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

/** The bit of the first byte that says "compressed" on the first frame of a message (RFC 7692 §6). */
export const RSV1 = 0x40;
export const RESERVED_BITS = 0x70;
export const FINAL = 0x80;
export const MASKED = 0x80;
/** A control frame carries no more (RFC 6455 §5.5). */
export const MAX_CONTROL_BYTES = 125;

export interface FrameOptions {
  /** False when more frames of the message follow. */
  readonly isFinal?: boolean;
  /** Reserved bits, as they stand in the first byte. */
  readonly reservedBits?: number;
  /** Four bytes. Clients must mask, servers must not. */
  readonly maskKey?: Uint8Array;
  /** What the length says when it is not the truth. */
  readonly announcedBytes?: number;
}

/** One frame, whole. */
export function composeFrame(
  opcode: number,
  payload: string | Uint8Array,
  options: FrameOptions = {},
): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const { maskKey, announcedBytes = bytes.length } = options;
  const headBytes = headSize(announcedBytes) + (maskKey ? 4 : 0);
  const frame = Buffer.allocUnsafe(headBytes + bytes.length);
  writeHead(frame, opcode, announcedBytes, options);
  frame.set(bytes, headBytes);
  if (maskKey) {
    frame.set(maskKey, headBytes - 4);
    applyMask(frame.subarray(headBytes), frame.readInt32LE(headBytes - 4));
  }
  return frame;
}

/** Only the bytes before the payload of an unmasked frame. */
export function composeFrameHead(opcode: number, payloadBytes: number, options: FrameOptions = {}): Buffer {
  const head = Buffer.allocUnsafe(headSize(payloadBytes));
  writeHead(head, opcode, payloadBytes, options);
  return head;
}

/** A Close frame's payload. */
export function closePayload(code: number, reason = ''): Buffer {
  const payload = Buffer.allocUnsafe(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return payload;
}

function headSize(payloadBytes: number): number {
  if (payloadBytes <= MAX_CONTROL_BYTES) return 2;
  return payloadBytes <= 0xffff ? 4 : 10;
}

function writeHead(
  into: Buffer,
  opcode: number,
  payloadBytes: number,
  { isFinal = true, reservedBits = 0, maskKey }: FrameOptions,
): void {
  const maskBit = maskKey ? MASKED : 0;
  into[0] = (isFinal ? FINAL : 0) | reservedBits | opcode;
  if (payloadBytes <= MAX_CONTROL_BYTES) into[1] = maskBit | payloadBytes;
  else if (payloadBytes <= 0xffff) {
    into[1] = maskBit | 126;
    into.writeUInt16BE(payloadBytes, 2);
  } else {
    into[1] = maskBit | 127;
    into.writeUInt32BE(Math.floor(payloadBytes / 2 ** 32), 2);
    into.writeUInt32BE(payloadBytes % 2 ** 32, 6);
  }
}

// Making a view on words costs more than it saves on fewer bytes.
const MIN_BYTES_BY_WORD = 48;
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Masks or unmasks in place; both are the same (RFC 6455 §5.3). The key is the number whose lowest byte is its first,
 * so that no object has to be made for it.
 */
export function applyMask(bytes: Uint8Array, key: number): void {
  if (bytes.length < MIN_BYTES_BY_WORD || !isLittleEndian) {
    applyBytewise(bytes, key, 0, bytes.length);
    return;
  }
  // Whole words from the first aligned byte on, with the key turned to begin there.
  const lead = -bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, (bytes.length - lead) >> 2);
  const turned = (key >>> (lead * 8)) | (key << (32 - lead * 8));
  const wordKey = lead === 0 ? key : turned;
  applyBytewise(bytes, key, 0, lead);
  for (let index = 0; index < words.length; index++) words[index]! ^= wordKey;
  applyBytewise(bytes, key, lead + words.length * 4, bytes.length);
}

function applyBytewise(bytes: Uint8Array, key: number, from: number, to: number): void {
  for (let index = from; index < to; index++) bytes[index]! ^= key >> ((index & 3) * 8);
}
