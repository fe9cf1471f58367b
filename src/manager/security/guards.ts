import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { SettingsService } from '../features/settings/settings-service.ts';
import { RateLimit } from './rate-limit.ts';

/** Keys are kept in memory: so many at most, the longest idle ones go first. */
const MAX_KEYS = 50_000;

export interface GuardsOptions {
  readonly settings: SettingsService;
  readonly clock: Clock;
}

/**
 * Guards against floods and guessing, for each process. What they decide depends on the address and the attempted name
 * alone, never on whether there is such an account or how it fares.
 */
export class Guards {
  readonly #settings: SettingsService;
  readonly #clock: Clock;
  readonly #signInsByAddress = new RateLimit(MAX_KEYS);
  readonly #signInsByName = new RateLimit(MAX_KEYS);
  readonly #refusedByAddress = new RateLimit(MAX_KEYS);

  constructor({ settings, clock }: GuardsOptions) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Counts an attempt to sign in, or refuses it. */
  async passSignIn(address: string, userName: string): Promise<void> {
    const { signInsPerMinuteAndAddress, signInsPerMinuteAndName } = await this.#settings.get('security');
    const now = this.#clock.now();
    refuse(this.#signInsByAddress.hit(networkOf(address), signInsPerMinuteAndAddress, now));
    refuse(this.#signInsByName.hit(nameKey(userName), signInsPerMinuteAndName, now));
  }

  /** Counts a request that came without a valid token; too many of them are told to wait. */
  async passRefused(address: string): Promise<void> {
    const { requestsPerMinuteAndAddress } = await this.#settings.get('security');
    refuse(this.#refusedByAddress.hit(networkOf(address), requestsPerMinuteAndAddress, this.#clock.now()));
  }
}

function refuse(waitMs: number): void {
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw fault('requests.too-many', { retryAfterSeconds: seconds }, ['Retry-After', String(seconds)]);
}

/** Names can be long; what is kept of each is not. */
function nameKey(userName: string): string {
  return userName.length <= 64 ? userName : createHash('sha256').update(userName).digest('base64');
}

/** Whoever has one IPv6 address has all of its /64. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':');
    while (groups.length + tailGroups.length < 8) groups.push('0');
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
