import { constants, createDeflateRaw, createInflateRaw, type DeflateRaw, type InflateRaw } from 'node:zlib';
import { closeCodes, WebSocketViolation } from './close-codes.ts';

/** What both sides agreed on (RFC 7692 §7.1). */
export interface DeflateParameters {
  readonly serverNoContextTakeover: boolean;
  readonly clientNoContextTakeover: boolean;
  readonly serverMaxWindowBits: number;
  readonly clientMaxWindowBits: number;
}

/** A flushed block ends with these bytes, which are not sent (RFC 7692 §7.2.1). */
const FLUSH_TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);

/** Compresses messages one after the other. A call must wait for the one before. */
export class MessageDeflater {
  readonly #deflate: DeflateRaw;
  readonly #forgets: boolean;
  readonly #produced: Buffer[] = [];

  constructor({ serverNoContextTakeover, serverMaxWindowBits }: DeflateParameters) {
    this.#forgets = serverNoContextTakeover;
    // zlib has no window of 8 bits for writing; its window of 9 bits looks back 250 bytes, which fits into 8 bits.
    this.#deflate = createDeflateRaw({ windowBits: Math.max(9, serverMaxWindowBits) });
    this.#deflate.on('data', (piece: Buffer) => this.#produced.push(piece));
  }

  async deflate(message: Uint8Array): Promise<Buffer> {
    this.#deflate.write(message);
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    const coded = Buffer.concat(this.#produced.splice(0));
    if (this.#forgets) this.#deflate.reset();
    return coded.subarray(0, coded.length - FLUSH_TAIL.length);
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** Decompresses messages one after the other. A call must wait for the one before. */
export class MessageInflater {
  readonly #windowBits: number;
  readonly #forgets: boolean;
  #inflate: InflateRaw | undefined = undefined;

  constructor({ clientNoContextTakeover, clientMaxWindowBits }: DeflateParameters) {
    this.#forgets = clientNoContextTakeover;
    this.#windowBits = clientMaxWindowBits;
  }

  /** Rejects with a WebSocketViolation when the message is corrupt, or larger than that once decompressed. */
  async inflate(coded: Buffer, maxBytes: number): Promise<Buffer> {
    this.#inflate ??= createInflateRaw({ windowBits: this.#windowBits });
    const inflate = this.#inflate;
    const pieces: Buffer[] = [];
    let bytes = 0;
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const onData = (piece: Buffer) => {
      bytes += piece.length;
      pieces.push(piece);
      if (bytes > maxBytes) reject(tooBigInflated(maxBytes));
    };
    const onError = () => reject(corrupt());
    // A final block ends the codec's stream: nothing is flushed after it.
    inflate.on('data', onData).on('error', onError).on('end', resolve);
    inflate.write(coded);
    inflate.write(FLUSH_TAIL);
    inflate.flush(() => resolve());
    try {
      await done;
    } catch (violation) {
      // Stops the work on what may be a bomb.
      this.close();
      throw violation;
    } finally {
      inflate.off('data', onData).off('error', onError).off('end', resolve);
    }
    if (this.#forgets || inflate.readableEnded) this.close();
    return Buffer.concat(pieces, bytes);
  }

  close(): void {
    this.#inflate?.on('error', () => {}).destroy();
    this.#inflate = undefined;
  }
}

function tooBigInflated(maxBytes: number): WebSocketViolation {
  return new WebSocketViolation(
    closeCodes.messageTooBig,
    `a message may have ${maxBytes} bytes once decompressed`,
  );
}

function corrupt(): WebSocketViolation {
  return new WebSocketViolation(closeCodes.invalidPayload, 'the message is not valid deflate data');
}
