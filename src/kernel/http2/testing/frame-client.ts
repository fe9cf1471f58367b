import { once } from 'node:events';
import net from 'node:net';

export const frameTypes = {
  DATA: 0x0,
  HEADERS: 0x1,
  PRIORITY: 0x2,
  RST_STREAM: 0x3,
  SETTINGS: 0x4,
  PUSH_PROMISE: 0x5,
  PING: 0x6,
  GOAWAY: 0x7,
  WINDOW_UPDATE: 0x8,
  CONTINUATION: 0x9,
} as const;

export const errorCodes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;
export type ErrorCode = keyof typeof errorCodes;

export const END_STREAM = 0x1;
export const ACK = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** A client that writes any frame, right or wrong, and shows every frame that comes back. */
export class FrameClient implements Disposable {
  readonly frames: ReceivedFrame[] = [];
  isClosed = false;
  readonly #socket: net.Socket;
  #input = Buffer.alloc(0);
  #onFrame: () => void = () => {};

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.#onFrame();
    });
  }

  /** Connects and, unless told otherwise, sends the preface with empty SETTINGS. */
  static async connect(port: number, { isSilent = false } = {}): Promise<FrameClient> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const client = new FrameClient(socket);
    if (!isSilent) {
      client.write(PREFACE);
      client.send('SETTINGS', 0, 0);
    }
    return client;
  }

  write(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  send(
    type: keyof typeof frameTypes | number,
    flags: number,
    streamId: number,
    payload: Uint8Array = new Uint8Array(),
  ): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = typeof type === 'number' ? type : frameTypes[type];
    head[4] = flags;
    head.writeUInt32BE(streamId, 5);
    this.write(Buffer.concat([head, payload]));
  }

  /** A request whose head is one HEADERS frame. */
  request(streamId: number, fields = requestFields(), flags = END_STREAM | END_HEADERS): void {
    this.send('HEADERS', flags, streamId, headerBlock(fields));
  }

  /** The first frame that fits; undefined when the connection closes, or nothing comes for a while, before it. */
  async find(
    fits: (frame: ReceivedFrame) => boolean,
    { waitMs = 10_000 } = {},
  ): Promise<ReceivedFrame | undefined> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      const leftMs = deadline - performance.now();
      if (this.isClosed || leftMs <= 0) return undefined;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#onFrame = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk]);
    while (this.#input.length >= 9) {
      const length = this.#input.readUIntBE(0, 3);
      if (this.#input.length < 9 + length) break;
      this.frames.push({
        type: this.#input[3]!,
        flags: this.#input[4]!,
        streamId: this.#input.readUInt32BE(5) & 0x7fffffff,
        payload: this.#input.subarray(9, 9 + length),
      });
      this.#input = this.#input.subarray(9 + length);
    }
    this.#onFrame();
  }
}

export type Fields = ReadonlyArray<readonly [name: string, value: string]>;

export function requestFields(further: Fields = [], method = 'GET'): Fields {
  return [[':method', method], [':scheme', 'http'], [':authority', 'test'], [':path', '/'], ...further];
}

/** HPACK in its plainest form: every field a literal that is not indexed (RFC 7541 §6.2.2). */
export function headerBlock(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([prefixedInteger(bytes.length), bytes]);
}

/** RFC 7541 §5.1 with a prefix of 7 bits. */
function prefixedInteger(value: number): Buffer {
  if (value < 127) return Buffer.of(value);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}
