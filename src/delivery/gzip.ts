import { constants, createGzip, type Gzip as GzipStream, type ZlibReset } from 'node:zlib';
import type { ExecutorPool } from '../diagnostics/executor-pools.ts';

/** Speed before size: records are repetitive enough for the first level. */
export const GZIP_LEVEL = 1;

/**
 * A little more than Node has threads for it, so that none of them waits for the next body; not more, because names are
 * looked up and files are read by the same threads.
 */
const MAX_AT_ONCE = 6;
/** Every piece of output is one way to a thread and back. */
const PIECE_BYTES = 64 * 1024;

/** Compresses bodies, a few at the same time. */
export class Gzip {
  /** Kept only while others run: making one costs as much as compressing thirty records, and each holds 300 KB. */
  #idle: Compressor[] = [];
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Bodies that wait are charged to the buffer of their connection, so that none is refused here. */
  get usage(): ExecutorPool {
    return {
      poolSize: MAX_AT_ONCE,
      activeCount: this.#running,
      queueSize: this.#waiting.length,
      rejectedTaskCount: 0,
    };
  }

  async compress(body: Buffer): Promise<Buffer> {
    if (this.#running === MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    const compressor = this.#idle.pop() ?? new Compressor();
    try {
      const compressed = await compressor.compress(body);
      this.#idle.push(compressor);
      return compressed;
    } finally {
      this.#makeWay();
    }
  }

  #makeWay(): void {
    const next = this.#waiting.shift();
    if (next) {
      next();
      return;
    }
    this.#running--;
    if (this.#running > 0) return;
    for (const compressor of this.#idle) compressor.close();
    this.#idle = [];
  }
}

/** Makes one gzip file after the other with the same tables. */
class Compressor {
  /** The types know of `reset` only for the formats without a header. */
  readonly #stream = createGzip({ level: GZIP_LEVEL, chunkSize: PIECE_BYTES }) as GzipStream & ZlibReset;
  #pieces: Buffer[] = [];
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#stream.on('data', (piece: Buffer) => this.#pieces.push(piece));
    this.#stream.on('error', (error) => this.#fail(error));
  }

  compress(body: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#stream.write(body);
      this.#stream.flush(constants.Z_FINISH, () => resolve(this.#takeFile()));
    });
  }

  close(): void {
    this.#stream.close();
  }

  #takeFile(): Buffer {
    const file = joined(this.#pieces);
    this.#pieces = [];
    this.#stream.reset();
    return file;
  }
}

/** In memory of its own: a piece, or a part of Node's pool, would hold on to all that it was cut from. */
function joined(pieces: readonly Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}
