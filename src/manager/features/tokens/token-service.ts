import { hash as digest } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Random } from '../../../kernel/random.ts';
import {
  looksLikeToken,
  MAX_NAMED_TOKENS,
  TOKEN_BYTES,
  TOKEN_PREFIX,
  type Token,
} from '../../../model/token.ts';
import { isLocked, type User } from '../../../model/user.ts';
import {
  type Collection,
  DuplicateKey,
  type ListQuery,
  type Store,
  type Stored,
} from '../../../store/contract.ts';
import { KeptUntilChanged } from '../../../store/kept-until-changed.ts';
import type { DocumentPage } from '../../resources/named-documents.ts';
import { checkedName } from '../../resources/names.ts';
import { CHALLENGE } from '../../security/challenge.ts';
import type { UserService } from '../users/user-service.ts';

export interface TokenServiceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly users: UserService;
}

/** A token with its value, which is known only at this moment. */
export interface IssuedToken {
  readonly value: string;
  readonly stored: Stored<Token>;
}

interface OwnedToken {
  readonly token: Stored<Token>;
  readonly user: Stored<User>;
}

export interface VerifiedToken {
  readonly tokenId: string;
  readonly user: Stored<User>;
}

/** The time of the last use is written down at most this often. */
const TOUCH_EVERY_MS = 60_000;
/** An expired token is told from an unknown one for so long; then it is forgotten. */
const KEEP_EXPIRED_MS = 30 * 24 * 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60 * 60 * 1000;

/** Tokens in use at the same time; more only means more reading. */
const MAX_KEPT = 1000;

/**
 * Personal access tokens. Every use asks the database whether anything changed, and if so looks at the token and at its
 * owner again: whatever is revoked, locked or disabled anywhere is refused everywhere at once.
 */
export class TokenService {
  readonly #collection: Collection<Token>;
  readonly #options: TokenServiceOptions;
  readonly #kept = new KeptUntilChanged<OwnedToken>(MAX_KEPT);
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#collection = options.store.collection<Token>({
      name: 'tokens',
      unique: [['hash'], ['userId', 'name']],
      indexed: [['userId', 'createdAt'], ['expiresAt']],
    });
  }

  /** One of the token endpoint: it has no name. */
  async issueAtSignIn(userId: string, lifetimeMs: number | undefined): Promise<IssuedToken> {
    await this.#pruneSometimes();
    const createdAt = this.#options.clock.now();
    const expiry = lifetimeMs !== undefined && { expiresAt: createdAt + lifetimeMs };
    const value = this.#newValue();
    const token: Token = { hash: hashOf(value), userId, source: 'SIGN_IN', createdAt, ...expiry };
    return { value, stored: await this.#collection.insert(token) };
  }

  async issueNamed(userId: string, name: string, expiresAt: number | undefined): Promise<IssuedToken> {
    const held = await this.#collection.count({ userId, source: 'PROFILE' });
    if (held >= MAX_NAMED_TOKENS) throw fault('token.too-many', { max: MAX_NAMED_TOKENS });
    const value = this.#newValue();
    const token: Token = {
      hash: hashOf(value),
      userId,
      source: 'PROFILE',
      name: checkedName(name),
      createdAt: this.#options.clock.now(),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    try {
      return { value, stored: await this.#collection.insert(token) };
    } catch (error) {
      throw error instanceof DuplicateKey ? fault('token.exists', { name }) : error;
    }
  }

  /** The token's owner. Whoever is locked, disabled or gone is refused in the words for an unknown token (spec 2 §3). */
  async verify(value: string): Promise<VerifiedToken> {
    const found = looksLikeToken(value) ? await this.#find(hashOf(value)) : undefined;
    const now = this.#options.clock.now();
    if (!found?.user.value.isEnabled || isLocked(found.user.value, now))
      throw fault('token.invalid', {}, CHALLENGE);
    const { token, user } = found;
    if (isExpired(token.value, now)) throw fault('token.expired', {}, CHALLENGE);
    this.#touch(token, now);
    return { tokenId: token.id, user };
  }

  async #find(hash: string): Promise<OwnedToken | undefined> {
    const version = this.#options.store.version();
    const kept = version === undefined ? undefined : this.#kept.find(hash, version);
    if (kept) return kept;
    const token = await this.#collection.findOne({ hash });
    const user = token && (await this.#options.users.get(token.value.userId));
    if (!token || !user) return undefined;
    if (version !== undefined) this.#kept.keep(hash, version, { token, user });
    return { token, user };
  }

  async page(userId: string, query: Omit<ListQuery<Token>, 'where'>): Promise<DocumentPage<Token>> {
    const where = { userId };
    const [documents, total] = await Promise.all([
      this.#collection.list({ ...query, where }),
      this.#collection.count(where),
    ]);
    return { documents, total };
  }

  /**
   * Puts a new value in place of the old one, for as long as the old one was given. Of several at the same time one
   * succeeds: nobody is handed a value that is already dead.
   */
  async regenerate(userId: string, id: string): Promise<IssuedToken> {
    const before = await this.#requireOwn(userId, id);
    const createdAt = this.#options.clock.now();
    const lifetimeMs =
      before.value.expiresAt === undefined ? undefined : before.value.expiresAt - before.value.createdAt;
    const value = this.#newValue();
    const stored = await this.#collection.change(
      { id, userId, hash: before.value.hash },
      {
        set: {
          hash: hashOf(value),
          createdAt,
          ...(lifetimeMs !== undefined && { expiresAt: createdAt + lifetimeMs }),
        },
        unset: ['lastUsedAt'],
      },
    );
    if (stored) return { value, stored };
    await this.#requireOwn(userId, id);
    throw fault('token.changed');
  }

  /** Whoever knows a value may end it: it is in the wrong hands, or in theirs. */
  async revoke(value: string): Promise<Stored<Token>> {
    const hash = hashOf(value);
    const found = await this.#collection.findOne({ hash });
    if (!found || (await this.#collection.removeWhere({ hash })) === 0) throw fault('token.not-found');
    return found;
  }

  async remove(userId: string, id: string): Promise<Stored<Token>> {
    const found = await this.#requireOwn(userId, id);
    if (!(await this.#collection.remove(id))) throw fault('token.not-found');
    return found;
  }

  async removeAllOf(userId: string): Promise<void> {
    await this.#collection.removeWhere({ userId });
  }

  async #requireOwn(userId: string, id: string): Promise<Stored<Token>> {
    const found = await this.#collection.findOne({ id, userId });
    if (!found) throw fault('token.not-found');
    return found;
  }

  #newValue(): string {
    return TOKEN_PREFIX + this.#options.random.bytes(TOKEN_BYTES).toString('base64url');
  }

  /** Nobody waits for it, and a use whose time could not be written down is still a use. */
  #touch({ id, value }: Stored<Token>, now: number): void {
    if (value.lastUsedAt !== undefined && now - value.lastUsedAt < TOUCH_EVERY_MS) return;
    this.#collection
      .change({ id, hash: value.hash }, { set: { lastUsedAt: now } })
      .catch((err) => this.#options.log.warn({ event: 'token.use-not-recorded', tokenId: id, err }));
  }

  async #pruneSometimes(): Promise<void> {
    const now = this.#options.clock.now();
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    await this.#collection.removeWhere({ expiresAt: { below: now - KEEP_EXPIRED_MS } });
  }
}

export function isExpired({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

function hashOf(value: string): string {
  return digest('sha256', value);
}
