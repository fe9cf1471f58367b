import type { Clock } from '../../../kernel/clock.ts';
import { fault } from '../../../kernel/faults.ts';
import type { JournalRow } from '../../../model/journal.ts';
import { FOREVER, isLocked, type User } from '../../../model/user.ts';
import { type Collection, DuplicateKey, type Store, type Stored } from '../../../store/contract.ts';
import { CHALLENGE } from '../../security/challenge.ts';
import type { Guards } from '../../security/guards.ts';
import type { Passwords } from '../../security/passwords.ts';
import type { Journals } from '../journals/journals.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import type { UserService } from '../users/user-service.ts';

export interface Credentials {
  readonly userName: string;
  readonly password: string;
  readonly sourceAddress: string;
}

export interface SignInOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: SettingsService;
  readonly journals: Journals;
  readonly guards: Guards;
  readonly passwords: Passwords;
  readonly users: UserService;
}

type Reason = JournalRow<'login'>['reason'];

interface Decoy {
  readonly name: 'decoy';
  readonly count: number;
}

/** Where accounts stay locked until somebody unlocks them, an administrator must still be able to be that somebody. */
const LONGEST_ADMINISTRATOR_LOCK_MS = 15 * 60 * 1000;
/** Of an attempted name, in the journal. */
const MAX_JOURNAL_NAME = 200;

/**
 * Checks who wants in. An unknown name, a wrong password, a locked and a disabled account are one and the same to
 * whoever asks: each costs one hash, two reads and two writes, and ends in the same refusal. Only the login journal
 * knows the reason (spec 2 §5).
 */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #decoys: Collection<Decoy>;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#decoys = options.store.collection<Decoy>({ name: 'decoys', unique: [['name']], indexed: [] });
  }

  async check({ userName, password, sourceAddress }: Credentials): Promise<Stored<User>> {
    const { guards, users, passwords, journals } = this.#options;
    await guards.passSignIn(sourceAddress, userName);
    const asked = await users.find(userName);
    const isRight = await passwords.isRight(password, asked?.value.passwordHash);
    // What counts is how things stand now: others may have failed under this name while this one waited for its turn.
    const user = await users.find(userName);
    const isCurrent = user?.value.passwordHash === asked?.value.passwordHash;
    const reason = this.#judge(user, isRight && isCurrent);
    await this.#record(user, reason, password);
    await journals.login({
      userName: userName.slice(0, MAX_JOURNAL_NAME),
      sourceAddress,
      result: reason === 'ok' ? 'SUCCESS' : 'FAILURE',
      reason,
    });
    if (!user || reason !== 'ok') throw fault('sign-in.refused', {}, CHALLENGE);
    return user;
  }

  #judge(user: Stored<User> | undefined, isRight: boolean): Reason {
    if (!user) return 'unknown user';
    if (!user.value.isEnabled) return 'disabled';
    if (isLocked(user.value, this.#options.clock.now())) return 'locked';
    return isRight ? 'ok' : 'wrong password';
  }

  async #record(user: Stored<User> | undefined, reason: Reason, password: string): Promise<void> {
    const { users, settings } = this.#options;
    if (user && reason === 'ok') return users.recordSuccess(user, password);
    if (!user || reason !== 'wrong password') return this.#recordNothing();
    const { lockAfterFailedSignIns, lockSeconds } = await settings.get('security');
    const isLasting = lockSeconds === 0;
    const lastingMs = user.value.isAdministrator ? LONGEST_ADMINISTRATOR_LOCK_MS : FOREVER;
    await users.recordFailure(user, lockAfterFailedSignIns, isLasting ? lastingMs : lockSeconds * 1000);
  }

  /** Costs what counting a failure costs, so that time does not tell whether there was something to count. */
  async #recordNothing(): Promise<void> {
    if (await this.#decoys.change({ name: 'decoy' }, { increment: { count: 1 } })) return;
    try {
      await this.#decoys.insert({ name: 'decoy', count: 1 });
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
    }
  }
}
