import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** Speed before size: records are repetitive enough for the first level. */
export const GZIP_LEVEL = 1;

/** The four threads that compress also look names up and read files: one stays free for that. */
const MAX_AT_ONCE = 3;

/** Compresses bodies, a few at the same time. */
export class Gzip {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async compress(body: Buffer): Promise<Buffer> {
    if (this.#running === MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await compress(body, { level: GZIP_LEVEL, chunkSize: chunkBytes(body.length) });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Every piece of output is one way to a thread and back; logs shrink to about a tenth. */
function chunkBytes(bodyBytes: number): number {
  return Math.min(Math.max(16 * 1024, bodyBytes >> 4), 64 * 1024);
}
