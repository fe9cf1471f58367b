/** A user of the in-memory store (spec 1 §2); every member may be absent but the id. */
export interface User {
  readonly id: number;
  readonly name?: string;
  readonly username?: string;
  readonly password?: string;
  readonly age?: number;
  readonly salary?: number;
}

/** A JSON Merge Patch (RFC 7396): null takes a member away. */
export type UserPatch = { readonly [Member in keyof User]?: User[Member] | null };

const MAX_USERS = 10_000;

/** The user store. It starts empty and ends with the process. */
export class Users {
  readonly #byId = new Map<number, User>();
  #nextId = 1;

  list(): User[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id);
  }

  get(id: number): User | undefined {
    return this.#byId.get(id);
  }

  /** Without an id the next free one is given. */
  create(user: Omit<User, 'id'> & { readonly id?: number }): User | 'exists' | 'full' {
    if (user.id !== undefined && this.#byId.has(user.id)) return 'exists';
    return this.replace({ ...user, id: user.id ?? this.#freeId() });
  }

  /** Creates or replaces. */
  replace(user: User): User | 'full' {
    if (!this.#byId.has(user.id) && this.#byId.size >= MAX_USERS) return 'full';
    this.#byId.set(user.id, user);
    return user;
  }

  merge(id: number, patch: UserPatch): User | undefined {
    const user = this.#byId.get(id);
    if (!user) return undefined;
    const merged = Object.fromEntries(
      Object.entries({ ...user, ...patch, id }).filter(([, value]) => value !== null),
    ) as unknown as User;
    this.#byId.set(id, merged);
    return merged;
  }

  remove(id: number): User | undefined {
    const user = this.#byId.get(id);
    this.#byId.delete(id);
    return user;
  }

  /** Empties the store and says how many users it held. Ids start again at 1. */
  clear(): number {
    const count = this.#byId.size;
    this.#byId.clear();
    this.#nextId = 1;
    return count;
  }

  #freeId(): number {
    while (this.#byId.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }
}
