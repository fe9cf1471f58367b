import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as a dependency. The one of production cannot be foretold. */
export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
