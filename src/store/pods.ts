import type { Clock } from '../kernel/clock.ts';
import { type Collection, DuplicateKey, type Store } from './contract.ts';
import { newId } from './new-id.ts';

/** A running part of the platform, as the others find it. */
export interface Pod {
  readonly podName: string;
  /** `worker`, `cache`, … One pod name may stand for one process of each module. */
  readonly module: string;
  /** Only modules that belong to one environment have it. */
  readonly environmentId?: string;
  /** Where the others reach it: `http://10.0.0.7:8091`. */
  readonly address: string;
  readonly processId: number;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
}

export type PodDescription = Omit<Pod, 'startedAtMs' | 'heartbeatAtMs'>;

interface PodDocument extends Pod {
  /** Which start of a process wrote it: a pod that came back under its old name is another one. */
  readonly startId: string;
}

export interface PodRegistryOptions {
  readonly heartbeatMs?: number;
  /** Without a heartbeat for so long a pod counts as gone. */
  readonly expiryMs?: number;
}

export interface RegisterOptions {
  /** A heartbeat failed; it is tried again at the next one. */
  readonly onFailure?: (error: unknown) => void;
  /** Another process registered under the same name; the heartbeat has ended. */
  readonly onReplaced?: () => void;
}

/** Who is alive, told by heartbeats in the platform database. The time is that of the pods, never of the database. */
export class PodRegistry {
  readonly #pods: Collection<PodDocument>;
  readonly #clock: Clock;
  readonly #heartbeatMs: number;
  readonly #expiryMs: number;

  constructor(
    store: Store,
    clock: Clock,
    { heartbeatMs = 5_000, expiryMs = 15_000 }: PodRegistryOptions = {},
  ) {
    this.#pods = store.collection<PodDocument>({
      name: 'pods',
      unique: [['module', 'podName']],
      indexed: [['heartbeatAtMs']],
    });
    this.#clock = clock;
    this.#heartbeatMs = heartbeatMs;
    this.#expiryMs = expiryMs;
  }

  /** From now on the pod is alive, until it is stopped or its process ends. It takes over a name that is taken. */
  async register(description: PodDescription, options: RegisterOptions = {}): Promise<PodRegistration> {
    await this.removeExpired();
    const now = this.#clock.now();
    const pod = { ...description, startId: newId(), startedAtMs: now, heartbeatAtMs: now };
    await this.#takeName(pod);
    return new PodRegistration(this.#pods, pod, this.#clock, this.#heartbeatMs, options);
  }

  /** By name; of all environments unless one is given. */
  async live(module: string, environmentId?: string): Promise<Pod[]> {
    const found = await this.#pods.list({
      where: { module, environmentId, heartbeatAtMs: { above: this.#clock.now() - this.#expiryMs } },
      orderBy: { member: 'podName' },
    });
    return found.map(({ value: { startId: _startId, ...pod } }) => pod);
  }

  /** Forgets pods that ended without a word. Resolves with how many. */
  removeExpired(): Promise<number> {
    return this.#pods.removeWhere({ heartbeatAtMs: { atMost: this.#clock.now() - this.#expiryMs } });
  }

  async #takeName(pod: PodDocument): Promise<void> {
    const { module, podName } = pod;
    for (;;) {
      const unset = pod.environmentId === undefined ? (['environmentId'] as const) : [];
      if (await this.#pods.change({ module, podName }, { set: pod, unset })) return;
      try {
        await this.#pods.insert(pod);
        return;
      } catch (error) {
        // Somebody took the name since we looked: take it from them.
        if (!(error instanceof DuplicateKey)) throw error;
      }
    }
  }
}

/** One pod's place in the registry. */
export class PodRegistration {
  readonly #pods: Collection<PodDocument>;
  readonly #pod: PodDocument;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #beating: Promise<void>;

  constructor(
    pods: Collection<PodDocument>,
    pod: PodDocument,
    clock: Clock,
    heartbeatMs: number,
    options: RegisterOptions,
  ) {
    this.#pods = pods;
    this.#pod = pod;
    this.#clock = clock;
    this.#beating = this.#beat(heartbeatMs, options);
  }

  /** The others see at once that it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
    const { module, podName, startId } = this.#pod;
    await this.#pods.removeWhere({ module, podName, startId });
  }

  async #beat(heartbeatMs: number, { onFailure, onReplaced }: RegisterOptions): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#clock.sleep(heartbeatMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (await this.#tellAlive()) continue;
        onReplaced?.();
        return;
      } catch (error) {
        onFailure?.(error);
      }
    }
  }

  /** Whether the name is still this pod's. */
  async #tellAlive(): Promise<boolean> {
    const { module, podName, startId } = this.#pod;
    const heartbeatAtMs = this.#clock.now();
    if (await this.#pods.change({ module, podName, startId }, { set: { heartbeatAtMs } })) return true;
    try {
      // It was taken for dead, as after a long sleep of the machine.
      await this.#pods.insert({ ...this.#pod, heartbeatAtMs });
      return true;
    } catch (error) {
      if (error instanceof DuplicateKey) return false;
      throw error;
    }
  }
}
