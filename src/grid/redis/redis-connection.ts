import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisArgument } from '@redis/client';
import type { Log } from '../../kernel/log.ts';
import { CallDeadlines } from '../call-deadlines.ts';
import { GridRefusal, GridUnavailable } from '../contract.ts';
import type { RedisAddress } from './redis-address.ts';
import { openRedisLink, type RedisLink, type RedisNode } from './redis-link.ts';
import type { Script } from './scripts.ts';

export interface RedisConnectionOptions {
  readonly address: RedisAddress;
  readonly deadlineMs: number;
  readonly log: Log;
}

/** A server that answers nothing for so many deadlines is asked over a new connection. */
const SILENT_DEADLINES = 5;
const PAUSE_BETWEEN_TRIES_MS = 250;

/**
 * Commands to Redis, each answered or refused within the deadline. The connection is made again for as long as it takes;
 * until then every call is refused at once.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #deadlines: CallDeadlines;
  readonly #closing = new AbortController();
  #link: RedisLink | undefined;
  #isReady: boolean | undefined;

  private constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#deadlines = new CallDeadlines({
      deadlineMs: options.deadlineMs,
      silence: { afterMs: options.deadlineMs * SILENT_DEADLINES, tell: () => this.#reopen() },
    });
  }

  /** Resolves when the server answered, or when it did not within the deadline: it may come later. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    const patience = new AbortController();
    await Promise.race([
      connection.#open(),
      sleep(options.deadlineMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    return connection;
  }

  send(key: string, isReadOnly: boolean, args: RedisArgument[], answersBytes = false): Promise<unknown> {
    if (!this.#link) return Promise.reject(new GridUnavailable());
    return this.#deadlines.within(this.#link.send(key, isReadOnly, args, answersBytes), rejectAsGridError);
  }

  /** Runs a script by its digest, and sends its text only to a server that does not know it yet. */
  run(
    { source, sha1 }: Script,
    keys: readonly string[],
    args: readonly RedisArgument[],
    answersBytes = false,
  ): Promise<unknown> {
    if (!this.#link) return Promise.reject(new GridUnavailable());
    const key = keys[0]!;
    const rest = [String(keys.length), ...keys, ...args];
    return this.#deadlines.within(
      this.#link.send(key, false, ['EVALSHA', sha1, ...rest], answersBytes),
      (error) =>
        isUnknownScript(error)
          ? this.send(key, false, ['EVAL', source, ...rest], answersBytes)
          : rejectAsGridError(error),
    );
  }

  /** Every primary; their commands have the deadline too. */
  async primaries(): Promise<RedisNode[]> {
    if (!this.#link) throw new GridUnavailable();
    const nodes = await this.#deadlines.within(this.#link.primaries(), rejectAsGridError);
    return nodes.map(({ address, send }) => ({
      address,
      send: (args) => this.#deadlines.within(send(args), rejectAsGridError),
    }));
  }

  close(): void {
    this.#closing.abort();
    this.#link?.destroy();
    this.#link = undefined;
    this.#deadlines.close();
  }

  #reopen(): void {
    this.#options.log.warn({ event: 'grid.connection.silent' });
    this.#link?.destroy();
    this.#link = undefined;
    this.#open();
  }

  async #open(): Promise<void> {
    const { address, deadlineMs } = this.#options;
    const { signal } = this.#closing;
    const events = { onError: this.#onError, onReady: this.#onReady };
    while (!signal.aborted) {
      try {
        const link = await openRedisLink(address, deadlineMs, events);
        if (signal.aborted) link.destroy();
        else this.#link = link;
        return;
      } catch (error) {
        this.#onError(error);
        await sleep(PAUSE_BETWEEN_TRIES_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** One line when it turns, not one for every try. The address is not told: it may hold a password. */
  readonly #onError = (error: unknown): void => {
    if (this.#isReady === false || this.#closing.signal.aborted) return;
    this.#isReady = false;
    const { message: reason, code } = error as NodeJS.ErrnoException;
    this.#options.log.warn({ event: 'grid.connection.lost', reason, code });
  };

  readonly #onReady = (): void => {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.log.info({ event: 'grid.connection.ready' });
  };
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/** What the caller did wrong is told apart; anything else means that the grid cannot do its work now. */
function rejectAsGridError(error: unknown): Promise<never> {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('would overflow')) return Promise.reject(new GridRefusal('counter-range'));
  if (message.includes('not an integer')) return Promise.reject(new GridRefusal('not-a-counter'));
  return Promise.reject(new GridUnavailable({ cause: error }));
}
