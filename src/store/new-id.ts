import { randomBytes } from 'node:crypto';

/** 96 random bits: nobody guesses one, and two never meet. */
export function newId(): string {
  return randomBytes(12).toString('hex');
}
