import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { HealthCheck } from '../../kernel/module/health.ts';
import { type SecretBox, SecretUnreadable } from '../../kernel/secret-box.ts';
import type { ObjectKind } from './object-deployer.ts';
import { type DeployedObject, placeOf, type Snapshot, type Snapshots } from './snapshots.ts';

/** A deployed object with its content, which is of the shape that its kind has. */
export interface OpenedObject extends Omit<DeployedObject, 'sealedContent'> {
  readonly content: unknown;
}

/** Makes what runs of the objects of one kind. */
export interface RuntimeBuilder {
  readonly kind: ObjectKind;
  /** Builds it whole, beside what is running. Rejects with BuildFailed, and leaves nothing behind then. */
  build(objects: readonly OpenedObject[]): Promise<PreparedRuntime>;
}

/** What was built and does not run yet: one of the two is called. */
export interface PreparedRuntime {
  /** Puts it in the place of what ran; within one turn, and without failing. */
  activate(): void;
  discard(): void;
}

/** An object cannot be built. The message is fit for operators: it holds no content and no secret. */
export class BuildFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BuildFailed';
  }
}

/** What became of a call to take a revision. */
export interface Taken {
  readonly success: boolean;
  /** Which one runs now. */
  readonly revision: number;
  readonly detail: string;
}

export interface DeploymentsOptions {
  readonly environmentId: string;
  readonly snapshots: Pick<Snapshots, 'newerThan'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly builders: readonly RuntimeBuilder[];
  readonly clock: Clock;
  readonly log: Log;
  /** How often it looks for a revision that nobody told it of. */
  readonly pollMs?: number;
}

/**
 * The pod's side of deployment: it fetches the current revision of its environment, builds everything of it, and swaps it
 * in. One that cannot be built changes nothing.
 */
export class Deployments {
  readonly #options: DeploymentsOptions;
  readonly #stopping = new AbortController();
  #revision = 0;
  #isStarted = false;
  #refused: { readonly revision: number; readonly detail: string } | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #polling: Promise<void> = Promise.resolve();
  #isStoreAway = false;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
  }

  /** The one that runs; 0 as long as nothing was deployed. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes the current revision, and from then on every later one. */
  async start(): Promise<void> {
    await this.#poll();
    this.#polling = this.#pollOn();
  }

  /** Ends the looking for revisions; what was deployed goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    await this.#line;
  }

  /** Takes a revision that somebody says is there, or a later one; tries again what was refused. */
  take(revision: number): Promise<Taken> {
    return this.#inTurn(async () => {
      if (this.#revision >= revision) return this.#success();
      const { snapshots, environmentId } = this.#options;
      const snapshot = await snapshots.newerThan(environmentId, this.#revision);
      if (snapshot && snapshot.revision >= revision) return this.#replaceBy(snapshot);
      const detail = `Revision ${revision} is not in the database of the pod.`;
      return { success: false, revision: this.#revision, detail };
    });
  }

  /**
   * A pod is ready once it took the revision that was current at its start. One that could not take a later one goes on
   * with what it has: else one bad deployment would take a whole environment out of service.
   */
  readonly check: HealthCheck = {
    name: 'revision',
    run: async () => {
      if (!this.#isStarted) throw new Error(this.#refused?.detail ?? 'the revision could not be fetched yet');
      const runs = `revision ${this.#revision}`;
      return this.#refused ? `${runs}; revision ${this.#refused.revision} was refused` : runs;
    },
  };

  async #pollOn(): Promise<void> {
    const { clock, pollMs = 2000 } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await clock.sleep(pollMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    const { snapshots, environmentId, log } = this.#options;
    try {
      await this.#inTurn(async () => {
        const known = Math.max(this.#revision, this.#refused?.revision ?? 0);
        const snapshot = await snapshots.newerThan(environmentId, known);
        if (snapshot) await this.#replaceBy(snapshot);
        else if (!this.#refused) this.#isStarted = true;
      });
      this.#isStoreAway = false;
    } catch (err) {
      // It is tried again soon; one line tells of it until it works again.
      if (!this.#isStoreAway) log.warn({ event: 'deployment.poll.failed', err });
      this.#isStoreAway = true;
    }
  }

  /** One after the other: each builds upon what the one before has left running. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#line.then(work);
    this.#line = turn.catch(() => {});
    return turn;
  }

  async #replaceBy(snapshot: Snapshot): Promise<Taken> {
    const { log } = this.#options;
    const { revision } = snapshot;
    const prepared: PreparedRuntime[] = [];
    try {
      const objects = this.#opened(snapshot);
      for (const builder of this.#options.builders)
        prepared.push(await builder.build(objects.filter(({ kind }) => kind === builder.kind)));
    } catch (err) {
      for (const one of prepared) one.discard();
      log.error({ event: 'deployment.revision.refused', revision, running: this.#revision, err });
      return this.#refuse(revision, reasonOf(err));
    }
    for (const one of prepared) one.activate();
    this.#revision = revision;
    this.#isStarted = true;
    this.#refused = undefined;
    log.info({ event: 'deployment.revision.taken', revision, objects: snapshot.objects.length });
    return this.#success();
  }

  #opened({ environmentId, objects }: Snapshot): OpenedObject[] {
    const known = new Set(this.#options.builders.map(({ kind }) => kind));
    return objects.map(({ sealedContent, ...object }) => {
      if (!known.has(object.kind))
        throw new BuildFailed(`This pod does not know objects of the kind ${object.kind}.`);
      const bytes = this.#options.secretBox.open(sealedContent, placeOf(environmentId, object));
      return { ...object, content: JSON.parse(bytes.toString()) };
    });
  }

  #success(): Taken {
    return { success: true, revision: this.#revision, detail: `Revision ${this.#revision} runs.` };
  }

  #refuse(revision: number, reason: string): Taken {
    const detail = `Revision ${revision} was refused: ${reason}`;
    this.#refused = { revision, detail };
    return { success: false, revision: this.#revision, detail };
  }
}

/** What may be told of an error to whoever deploys; of others only the log of the pod speaks. */
function reasonOf(error: unknown): string {
  const isKnown = error instanceof BuildFailed || error instanceof SecretUnreadable || error instanceof Fault;
  return isKnown ? error.message : 'it failed unexpectedly; the log of the pod tells more.';
}
