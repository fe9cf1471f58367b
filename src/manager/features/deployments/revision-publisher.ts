import type { Clock } from '../../../kernel/clock.ts';
import type { Environment } from '../../../model/environment.ts';
import type { PodChannel } from '../../../platform/channel/pod-channel.ts';
import type { PodDeployment } from '../../../platform/deployment/deployment-result.ts';
import type { DeployableObject, DeployedBy } from '../../../platform/deployment/object-deployer.ts';
import type { DeployedObject, Snapshot, Snapshots } from '../../../platform/deployment/snapshots.ts';
import type { Stored } from '../../../store/contract.ts';
import type { Pod } from '../../../store/pods.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { Journals } from '../journals/journals.ts';
import { announceRevision, type PodReply } from './announcement.ts';
import { objectIn, without } from './deployed-objects.ts';

export interface RevisionPublisherOptions {
  readonly clock: Clock;
  readonly environments: Pick<EnvironmentService, 'setPublished'>;
  readonly journals: Pick<Journals, 'deployment'>;
  readonly channel: Pick<PodChannel, 'send'>;
  readonly snapshots: Snapshots;
  /** Has this Manager itself take a revision that is there now. It never rejects. */
  readonly published: (environmentId: string, revision: number) => Promise<void>;
  readonly podDeadlineMs?: number;
}

/** Where a revision is published, and whom it is told. */
export interface DeploymentTarget {
  readonly environment: Stored<Environment>;
  readonly pods: readonly Pod[];
}

/** What a revision is about. */
export interface Publication {
  readonly object: DeployableObject;
  readonly by: DeployedBy;
  /** Whether it is taken back when no pod can run it. */
  readonly isWithdrawable: boolean;
  /** The objects of the next revision; undefined when there is nothing to change. */
  readonly change: (
    objects: readonly DeployedObject[],
    revision: number,
  ) => readonly DeployedObject[] | undefined;
}

const POD_DEADLINE_MS = 10_000;

/** Writes the next revision of an environment, has the pods take it, and writes down what each of them said. */
export class RevisionPublisher {
  readonly #options: RevisionPublisherOptions;

  constructor(options: RevisionPublisherOptions) {
    this.#options = options;
  }

  async publish(target: DeploymentTarget, publication: Publication): Promise<readonly PodDeployment[]> {
    const { object, by, change } = publication;
    let before: DeployedObject | undefined;
    const snapshot = await this.#next(target, by, (objects, revision) => {
      before = objectIn(objects, object);
      return change(objects, revision);
    });
    if (!snapshot) return [];
    const replies = await this.#announce(target, snapshot);
    const isRefused = replies.length > 0 && replies.every((reply) => reply.isRefused);
    const isWithdrawn = publication.isWithdrawable && isRefused;
    if (isWithdrawn) await this.#withdraw(target, publication, before, snapshot.revision);
    const details = replies.map(({ isRefused: _, ...reply }) => ({
      ...reply,
      detail: isWithdrawn ? `${reply.detail} The environment stays as it was.` : reply.detail,
    }));
    await this.#writeDown(target, publication, details);
    return details;
  }

  /** A revision that no pod can run would keep every later pod from starting: the object goes back to what it was. */
  async #withdraw(
    target: DeploymentTarget,
    { object, by }: Publication,
    before: DeployedObject | undefined,
    refusedRevision: number,
  ): Promise<void> {
    const snapshot = await this.#next(target, by, (objects) => {
      const current = objectIn(objects, object);
      // Somebody deployed it once more meanwhile.
      if (current && current.revision !== refusedRevision) return undefined;
      return before ? [...without(objects, object), before] : without(objects, object);
    });
    if (snapshot) await this.#announce(target, snapshot);
  }

  async #next(
    { environment }: DeploymentTarget,
    { userName }: DeployedBy,
    change: Publication['change'],
  ): Promise<Snapshot | undefined> {
    const { snapshots, environments, clock } = this.#options;
    const snapshot = await snapshots.next(environment.id, {
      createdAtMs: clock.now(),
      createdBy: userName,
      environmentName: environment.value.name,
      change,
    });
    if (snapshot) await environments.setPublished(environment.id, snapshot.objects.length > 0);
    return snapshot;
  }

  async #announce({ environment, pods }: DeploymentTarget, { revision }: Snapshot): Promise<PodReply[]> {
    const { channel, clock, published, podDeadlineMs: deadlineMs = POD_DEADLINE_MS } = this.#options;
    const announced = { envName: environment.value.name, revision };
    const [replies] = await Promise.all([
      announceRevision(pods, announced, { channel, clock, deadlineMs }),
      published(environment.id, revision),
    ]);
    return replies;
  }

  async #writeDown(
    { environment }: DeploymentTarget,
    { object, by }: Publication,
    details: readonly PodDeployment[],
  ): Promise<void> {
    const row = {
      userName: by.userName,
      ...(object.projectName !== undefined && { projectName: object.projectName }),
      environmentName: environment.value.name,
      objectType: object.kind,
      objectName: object.name,
    };
    for (const { podName, success, detail } of details) {
      const result = success ? 'SUCCESS' : 'FAILURE';
      await this.#options.journals.deployment({ ...row, podName, result, detail });
    }
  }
}
