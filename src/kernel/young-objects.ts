import { setFlagsFromString } from 'node:v8';

/**
 * V8 makes literals that it has once seen live long in the memory of old objects ever after. While a target is slow or
 * down, what belongs to a call does live long; from then on each call, its socket and its body would wait for a full
 * collection, although nearly all of them die at once. Called before anything is made.
 */
export function makeObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
