import { argon2, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Random } from '../../kernel/random.ts';
import { WorkGate } from './work-gate.ts';

/** What a hash costs. Older hashes are made anew at the next sign-in when these change. */
export interface Argon2Costs {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** 19 MiB and two passes: the least that is held to be safe against offline guessing. */
export const currentCosts: Argon2Costs = { memoryKib: 19_456, passes: 2, parallelism: 1 };

const ALGORITHM = 'argon2id';
/** 1.3, the only one there is in use. */
const VERSION = 19;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Each holds its memory and one thread of the pool, which other work needs too. */
const MAX_RUNNING = Math.max(1, Math.min(3, availableParallelism()));
const MAX_WAITING = 256;

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

interface ParsedHash {
  readonly costs: Argon2Costs;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Hashes of passwords: argon2id in PHC string format. */
export class Passwords {
  readonly #random: Random;
  readonly #costs: Argon2Costs;
  readonly #gate = new WorkGate({ maxRunning: MAX_RUNNING, maxWaiting: MAX_WAITING });
  /** Of no password at all; it costs what every other one costs. */
  readonly #dummy: ParsedHash;

  constructor(random: Random, costs: Argon2Costs = currentCosts) {
    this.#random = random;
    this.#costs = costs;
    this.#dummy = { costs, salt: random.bytes(SALT_BYTES), tag: random.bytes(TAG_BYTES) };
  }

  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(SALT_BYTES);
    const tag = await this.#gate.pass(() => derived(password, { costs: this.#costs, salt }));
    return phcOf({ costs: this.#costs, salt, tag });
  }

  /** Without a hash to compare with it takes just as long, and is never true. */
  async isRight(password: string, hash: string | undefined): Promise<boolean> {
    const known = hash === undefined ? undefined : parsed(hash);
    const expected = known ?? this.#dummy;
    const tag = await this.#gate.pass(() => derived(password, expected));
    return timingSafeEqual(tag, expected.tag) && known !== undefined;
  }

  /** Whether the hash was made with other costs than today's. */
  isOutdated(hash: string): boolean {
    const { costs } = parsed(hash) ?? {};
    const { memoryKib, passes, parallelism } = this.#costs;
    return costs?.memoryKib !== memoryKib || costs.passes !== passes || costs.parallelism !== parallelism;
  }
}

async function derived(
  password: string,
  { costs, salt }: Pick<ParsedHash, 'costs' | 'salt'>,
): Promise<Buffer> {
  const { memoryKib, passes, parallelism } = costs;
  // The same letter can be typed as one code point or as two: NFC makes both the same password.
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return derive(ALGORITHM, {
    message,
    nonce: salt,
    memory: memoryKib,
    passes,
    parallelism,
    tagLength: TAG_BYTES,
  });
}

function phcOf({ costs, salt, tag }: ParsedHash): string {
  const { memoryKib, passes, parallelism } = costs;
  const parameters = `m=${memoryKib},t=${passes},p=${parallelism}`;
  return `$${ALGORITHM}$v=${VERSION}$${parameters}$${base64(salt)}$${base64(tag)}`;
}

function parsed(hash: string): ParsedHash | undefined {
  const [, memory, passes, parallelism, salt = '', tagText = ''] = PHC.exec(hash) ?? [];
  const tag = Buffer.from(tagText, 'base64');
  if (memory === undefined || tag.length !== TAG_BYTES) return undefined;
  const costs = { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { costs, salt: Buffer.from(salt, 'base64'), tag };
}

/** PHC writes base64 without its padding. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
