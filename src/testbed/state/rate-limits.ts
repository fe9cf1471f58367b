import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 10_000, lifetimeMs: 60 * 60_000 };

export const rateLimitAlgorithms = ['fixed', 'sliding', 'bucket'] as const;
export type RateLimitAlgorithm = (typeof rateLimitAlgorithms)[number];

export interface RateLimitRule {
  readonly algorithm: RateLimitAlgorithm;
  /** Requests allowed per window. */
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateLimitVerdict {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** When the whole quota is there again. */
  readonly resetInMs: number;
  /** When the next request will be allowed; 0 when it already is. */
  readonly retryInMs: number;
  /** Allowed requests that still weigh on the quota. */
  readonly count: number;
}

/** Exact quotas per key. Each combination of key and rule is a quota of its own. */
export class RateLimits {
  readonly #quotas: ExpiringMap<Quota>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#quotas = new ExpiringMap(clock, BOUNDS);
  }

  /** Spends one request when the quota allows it. */
  take(key: string, rule: RateLimitRule): RateLimitVerdict {
    const nowMs = this.#clock.now();
    const quota = this.#quotas.touch(quotaName(key, rule), () => newQuota(rule, nowMs));
    return quota.take(nowMs);
  }

  /** What a request would be told now, without spending anything. */
  look(key: string, rule: RateLimitRule): RateLimitVerdict {
    const nowMs = this.#clock.now();
    return (this.#quotas.peek(quotaName(key, rule)) ?? newQuota(rule, nowMs)).look(nowMs);
  }

  reset(key: string, rule: RateLimitRule): boolean {
    return this.#quotas.delete(quotaName(key, rule));
  }
}

interface Quota {
  take(nowMs: number): RateLimitVerdict;
  look(nowMs: number): RateLimitVerdict;
}

function quotaName(key: string, { algorithm, limit, windowMs }: RateLimitRule): string {
  return `${algorithm} ${limit} ${windowMs} ${key}`;
}

function newQuota(rule: RateLimitRule, nowMs: number): Quota {
  if (rule.algorithm === 'sliding') return new SlidingWindow(rule);
  if (rule.algorithm === 'bucket') return new TokenBucket(rule, nowMs);
  return new FixedWindow(rule);
}

/** The window begins with the first request after the last one ended. */
class FixedWindow implements Quota {
  readonly #rule: RateLimitRule;
  #endsAtMs = 0;
  #count = 0;

  constructor(rule: RateLimitRule) {
    this.#rule = rule;
  }

  take(nowMs: number): RateLimitVerdict {
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + this.#rule.windowMs;
      this.#count = 0;
    }
    const isAllowed = this.#count < this.#rule.limit;
    if (isAllowed) this.#count++;
    return { ...this.look(nowMs), isAllowed };
  }

  look(nowMs: number): RateLimitVerdict {
    const isRunning = nowMs < this.#endsAtMs;
    const count = isRunning ? this.#count : 0;
    const remaining = this.#rule.limit - count;
    const resetInMs = isRunning ? this.#endsAtMs - nowMs : 0;
    return {
      isAllowed: remaining > 0,
      remaining,
      resetInMs,
      retryInMs: remaining > 0 ? 0 : resetInMs,
      count,
    };
  }
}

/** Remembers when each allowed request came; at any moment the last window holds no more than the limit. */
class SlidingWindow implements Quota {
  readonly #rule: RateLimitRule;
  #takenAtMs: number[] = [];

  constructor(rule: RateLimitRule) {
    this.#rule = rule;
  }

  take(nowMs: number): RateLimitVerdict {
    this.#takenAtMs = this.#recent(nowMs);
    const isAllowed = this.#takenAtMs.length < this.#rule.limit;
    if (isAllowed) this.#takenAtMs.push(nowMs);
    return { ...this.look(nowMs), isAllowed };
  }

  look(nowMs: number): RateLimitVerdict {
    const { limit, windowMs } = this.#rule;
    const recent = this.#recent(nowMs);
    const remaining = limit - recent.length;
    const [oldest, newest] = [recent[0], recent.at(-1)];
    return {
      isAllowed: remaining > 0,
      remaining,
      resetInMs: newest === undefined ? 0 : newest + windowMs - nowMs,
      retryInMs: remaining > 0 || oldest === undefined ? 0 : oldest + windowMs - nowMs,
      count: recent.length,
    };
  }

  #recent(nowMs: number): number[] {
    const since = nowMs - this.#rule.windowMs;
    return this.#takenAtMs.filter((takenAtMs) => takenAtMs > since);
  }
}

/** Holds up to `limit` tokens and is filled evenly, `limit` per window. */
class TokenBucket implements Quota {
  readonly #rule: RateLimitRule;
  #tokens: number;
  #filledAtMs: number;

  constructor(rule: RateLimitRule, nowMs: number) {
    this.#rule = rule;
    this.#tokens = rule.limit;
    this.#filledAtMs = nowMs;
  }

  take(nowMs: number): RateLimitVerdict {
    this.#tokens = this.#tokensAt(nowMs);
    this.#filledAtMs = nowMs;
    const isAllowed = this.#tokens >= 1;
    if (isAllowed) this.#tokens--;
    return { ...this.look(nowMs), isAllowed };
  }

  look(nowMs: number): RateLimitVerdict {
    const { limit, windowMs } = this.#rule;
    const tokens = this.#tokensAt(nowMs);
    const msPerToken = windowMs / limit;
    return {
      isAllowed: tokens >= 1,
      remaining: Math.floor(tokens),
      resetInMs: Math.ceil((limit - tokens) * msPerToken),
      retryInMs: tokens >= 1 ? 0 : Math.ceil((1 - tokens) * msPerToken),
      count: limit - Math.floor(tokens),
    };
  }

  #tokensAt(nowMs: number): number {
    const { limit, windowMs } = this.#rule;
    return Math.min(limit, this.#tokens + ((nowMs - this.#filledAtMs) * limit) / windowMs);
  }
}
