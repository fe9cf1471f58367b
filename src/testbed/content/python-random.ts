const stateSize = 624;
const middle = 397;

/**
 * CPython's `random` (MT19937), number for number. httpbin's seeded bodies come from it, and clients' tests
 * compare them byte by byte.
 */
export class PythonRandom {
  readonly #state = new Uint32Array(stateSize);
  #next = stateSize;

  /** `random.seed(n)` of an integer of any size: its magnitude counts, its sign does not. */
  constructor(seed: number | bigint) {
    this.#seedByArray(wordsOf(BigInt(seed)));
  }

  /** `random.getrandbits(count)`, for 1 to 32 bits. */
  bits(count: number): number {
    return this.#uint32() >>> (32 - count);
  }

  /** `random.randint(low, high)`, both ends included, for spans below 2^31. */
  integer(low: number, high: number): number {
    const span = high - low + 1;
    const bitCount = 32 - Math.clz32(span);
    let value = this.bits(bitCount);
    while (value >= span) value = this.bits(bitCount);
    return low + value;
  }

  /** `random.random()`: 53 random bits in [0, 1). */
  float(): number {
    const high = this.#uint32() >>> 5;
    const low = this.#uint32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** The next bytes, each drawn by `randint(0, 255)`. */
  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let index = 0; index < length; index++) bytes[index] = this.integer(0, 255);
    return bytes;
  }

  #uint32(): number {
    if (this.#next >= stateSize) this.#regenerate();
    let word = this.#state[this.#next++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #regenerate(): void {
    const state = this.#state;
    for (let index = 0; index < stateSize; index++) {
      const joined =
        (state[index]! & 0x80000000) | (state[index + 1 < stateSize ? index + 1 : 0]! & 0x7fffffff);
      const partner = state[index + middle < stateSize ? index + middle : index + middle - stateSize]!;
      state[index] = partner ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }

  /** The reference `init_by_array` of MT19937. */
  #seedByArray(key: readonly number[]): void {
    const state = this.#state;
    state[0] = 19650218;
    for (let index = 1; index < stateSize; index++) {
      state[index] = Math.imul(1812433253, folded(state[index - 1]!)) + index;
    }
    let at = 1;
    const step = () => {
      at++;
      if (at < stateSize) return;
      state[0] = state[stateSize - 1]!;
      at = 1;
    };
    let keyAt = 0;
    for (let round = Math.max(stateSize, key.length); round > 0; round--) {
      state[at] = (state[at]! ^ Math.imul(folded(state[at - 1]!), 1664525)) + key[keyAt]! + keyAt;
      step();
      keyAt = (keyAt + 1) % key.length;
    }
    for (let round = stateSize - 1; round > 0; round--) {
      state[at] = (state[at]! ^ Math.imul(folded(state[at - 1]!), 1566083941)) - at;
      step();
    }
    state[0] = 0x80000000;
  }
}

const folded = (word: number) => word ^ (word >>> 30);

/** The magnitude of an integer in words of 32 bits, lowest first; zero is one word. */
function wordsOf(seed: bigint): number[] {
  const words: number[] = [];
  let rest = seed < 0n ? -seed : seed;
  do {
    words.push(Number(rest & 0xffffffffn));
    rest >>= 32n;
  } while (rest > 0n);
  return words;
}

/** The first bytes after `random.seed(seed)`, as httpbin draws them. */
export function seededBytes(seed: number | bigint, length: number): Buffer {
  return new PythonRandom(seed).bytes(length);
}

const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz');

/** The letters a to z over and over, beginning at any position of that endless text. */
export function patternBytes(length: number, from = 0): Buffer {
  if (length === 0) return Buffer.alloc(0);
  const rotated = from % alphabet.length;
  const period = Buffer.concat([alphabet.subarray(rotated), alphabet.subarray(0, rotated)]);
  return Buffer.alloc(length, period);
}
