import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { SharedState } from '../../kernel/shared-state.ts';
import type { Place } from './certificate-recipes.ts';
import { Material } from './material.ts';
import { completeMaterial, readMaterial } from './material-store.ts';

export interface MaterialKeeperOptions {
  readonly folder: string;
  readonly place: Place;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the making. */
  readonly signal?: AbortSignal;
}

/** Shorter than the time after which a call of another process is given up. */
const LONGEST_WAIT_MS = 5_000;

/** Makes the keys and certificates once for all processes of a testbed; they read the result from the folder. */
export class MaterialKeeper {
  readonly #options: MaterialKeeperOptions;
  #making: Promise<void> | undefined = undefined;

  constructor(options: MaterialKeeperOptions) {
    this.#options = options;
  }

  /** Completes what is kept. False when it is still at it after a while; whoever waits asks again. */
  async complete(): Promise<boolean> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    const { promise, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), LONGEST_WAIT_MS);
    try {
      return await Promise.race([this.#making.then(() => true), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #make(): Promise<void> {
    const { folder, place, clock, log, signal } = this.#options;
    await completeMaterial(folder, {
      place,
      nowMs: clock.now(),
      ...(signal && { signal }),
      onKey: ({ name, done, total }) => log.info({ event: 'tls.key.made', key: name, done, total }),
    });
  }
}

export type SharedMaterialKeeper = SharedState<{ keeper: MaterialKeeper }>['keeper'];

/** The material, once it is there, in whichever process. */
export async function obtainMaterial(
  keeper: SharedMaterialKeeper,
  { folder, place }: Pick<MaterialKeeperOptions, 'folder' | 'place'>,
): Promise<Material> {
  while (!(await keeper.complete()));
  const data = await readMaterial(folder);
  if (!data) throw new Error(`the keys and certificates in ${folder} cannot be read`);
  return new Material(data, place);
}
