import { createHmac } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, fault } from '../../../kernel/faults.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import type { Environment } from '../../../model/environment.ts';
import { canonicalJson } from '../../../platform/deployment/canonical-json.ts';
import type { DeploymentResult } from '../../../platform/deployment/deployment-result.ts';
import type {
  DeployableObject,
  DeployedBy,
  DeploymentStatus,
  ObjectDeployer,
  ObjectKind,
} from '../../../platform/deployment/object-deployer.ts';
import { type DeployedObject, placeOf, type Snapshots } from '../../../platform/deployment/snapshots.ts';
import type { Stored } from '../../../store/contract.ts';
import type { Pod, PodRegistry } from '../../../store/pods.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import { objectIn, without } from './deployed-objects.ts';
import { summaryOf } from './deployment-summary.ts';
import type { CompiledObject, ObjectCompiler } from './object-compiler.ts';
import type { DeploymentTarget, Publication, RevisionPublisher } from './revision-publisher.ts';

export interface DeploymentServiceOptions {
  readonly clock: Clock;
  readonly secretBox: Pick<SecretBox, 'seal' | 'derivedKey'>;
  readonly environments: Pick<EnvironmentService, 'all' | 'require'>;
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly snapshots: Snapshots;
  readonly publisher: RevisionPublisher;
  readonly compilers: Readonly<Partial<Record<ObjectKind, ObjectCompiler>>>;
}

/** Why an object can not be compiled as it is now. */
const UNDEPLOYABLE: ReadonlySet<string> = new Set([
  'deployment.reference-missing',
  'connection.secrets-unreadable',
]);

/** The Manager's side of deployment: what goes to which environment, and how things stand there. */
export class DeploymentService implements ObjectDeployer {
  readonly #options: DeploymentServiceOptions;
  readonly #digestKey: Buffer;

  constructor(options: DeploymentServiceOptions) {
    this.#options = options;
    this.#digestKey = options.secretBox.derivedKey('deployment digest v1');
  }

  async deploy(
    object: DeployableObject,
    environmentNames: readonly string[],
    by: DeployedBy,
  ): Promise<DeploymentResult> {
    if (environmentNames.length === 0) throw fault('deployment.no-environment');
    const targets = await Promise.all(
      [...new Set(environmentNames)].map(async (name) => {
        const environment = await this.#options.environments.require(name);
        const compiled = await this.#requireCompiled(object, environment);
        return { environment, compiled, pods: await this.requireLivePods(environment) };
      }),
    );
    return this.#published(targets, ({ environment, compiled }) => ({
      object,
      by,
      isWithdrawable: true,
      change: (objects, revision) => [
        ...without(objects, object),
        this.#deployed(object, environment.id, compiled, revision),
      ],
    }));
  }

  undeploy(
    object: DeployableObject,
    by: DeployedBy,
    environmentNames?: readonly string[],
  ): Promise<DeploymentResult | undefined> {
    const change: Publication['change'] = (objects) =>
      objectIn(objects, object) ? without(objects, object) : undefined;
    return this.#changed({ object, by, isWithdrawable: false, change }, environmentNames);
  }

  setEnabled(
    object: DeployableObject,
    enabled: boolean,
    by: DeployedBy,
  ): Promise<DeploymentResult | undefined> {
    const change: Publication['change'] = (objects, revision) => {
      const deployed = objectIn(objects, object);
      if (!deployed || deployed.enabled === enabled) return undefined;
      return [...without(objects, object), { ...deployed, enabled, revision }];
    };
    return this.#changed({ object, by, isWithdrawable: false, change });
  }

  setProject(object: DeployableObject, by: DeployedBy): Promise<DeploymentResult | undefined> {
    const change: Publication['change'] = (objects) => {
      const deployed = objectIn(objects, object);
      if (!deployed || deployed.projectName === object.projectName) return undefined;
      const { projectName: _, ...rest } = deployed;
      const { projectName } = object;
      return [...without(objects, object), { ...rest, ...(projectName !== undefined && { projectName }) }];
    };
    return this.#changed({ object, by, isWithdrawable: false, change });
  }

  async statuses(object: DeployableObject): Promise<readonly DeploymentStatus[]> {
    const environments = await this.#options.environments.all();
    return Promise.all(environments.map((environment) => this.#statusIn(environment, object)));
  }

  /** Whether the pods of an environment run what is configured for it. */
  async environmentStatus(environmentId: string): Promise<Environment['status']> {
    const snapshot = await this.#options.snapshots.latest(environmentId);
    if (!snapshot || snapshot.objects.length === 0) return 'UNPUBLISHED';
    for (const object of snapshot.objects)
      if (await this.#isOutdated(environmentId, object)) return 'REPUBLISH_REQUIRED';
    return 'PUBLISHED';
  }

  /** Old revisions hold sealed secrets: they go with their environment. */
  forgetEnvironment(environmentId: string): Promise<void> {
    return this.#options.snapshots.forget(environmentId);
  }

  /** The worker pods of an environment, by name; a fault when there are none. */
  async requireLivePods({ id, value }: Stored<Environment>): Promise<Pod[]> {
    const pods = await this.#options.pods.live('worker', id);
    if (pods.length === 0) throw fault('deployment.no-live-pod', { environmentName: value.name });
    return pods;
  }

  /** Makes the change in every environment that it is one for, whether or not pods are there to hear of it. */
  async #changed(
    publication: Publication,
    environmentNames?: readonly string[],
  ): Promise<DeploymentResult | undefined> {
    const { environments, snapshots, pods } = this.#options;
    const candidates = environmentNames
      ? await Promise.all(environmentNames.map((name) => environments.require(name)))
      : await environments.all();
    const targets: DeploymentTarget[] = [];
    for (const environment of candidates) {
      const { objects = [], revision = 0 } = (await snapshots.latest(environment.id)) ?? {};
      if (!publication.change(objects, revision)) continue;
      targets.push({ environment, pods: await pods.live('worker', environment.id) });
    }
    return targets.length === 0 ? undefined : this.#published(targets, () => publication);
  }

  async #published<Target extends DeploymentTarget>(
    targets: readonly Target[],
    publicationFor: (target: Target) => Publication,
  ): Promise<DeploymentResult> {
    const { clock, publisher } = this.#options;
    const startedAtMs = clock.now();
    const replies = await Promise.all(
      targets.map((target) => publisher.publish(target, publicationFor(target))),
    );
    const names = targets.map(({ environment }) => environment.value.name);
    return summaryOf(names, replies.flat(), clock.now() - startedAtMs);
  }

  #deployed(
    { kind, id, name, projectName }: DeployableObject,
    environmentId: string,
    { enabled, content }: CompiledObject,
    revision: number,
  ): DeployedObject {
    const { clock, secretBox } = this.#options;
    return {
      kind,
      id,
      name,
      ...(projectName !== undefined && { projectName }),
      enabled,
      digest: this.#digestOf(content),
      revision,
      deployedAtMs: clock.now(),
      sealedContent: secretBox.seal(JSON.stringify(content), placeOf(environmentId, { kind, id })),
    };
  }

  async #statusIn(
    { id: environmentId, value }: Stored<Environment>,
    object: DeployableObject,
  ): Promise<DeploymentStatus> {
    const snapshot = await this.#options.snapshots.latest(environmentId);
    const deployed = objectIn(snapshot?.objects ?? [], object);
    const place = { environmentId, environmentName: value.name };
    if (!deployed) return { ...place, deployed: false, redeployRequired: false };
    return {
      ...place,
      deployed: true,
      redeployRequired: await this.#isOutdated(environmentId, deployed),
      lastDeployTime: new Date(deployed.deployedAtMs).toISOString(),
      revision: deployed.revision,
    };
  }

  /** Whether deploying it now would change anything. */
  async #isOutdated(environmentId: string, { kind, id, enabled, digest }: DeployedObject): Promise<boolean> {
    try {
      const compiled = await this.#compilerOf(kind).compile(id, environmentId);
      return compiled?.enabled !== enabled || this.#digestOf(compiled.content) !== digest;
    } catch (error) {
      // Something that it refers to has gone, or its secrets can not be read any more: it is not what was deployed.
      if (error instanceof Fault && UNDEPLOYABLE.has(error.key)) return true;
      throw error;
    }
  }

  async #requireCompiled(
    { kind, id, name }: DeployableObject,
    environment: Stored<Environment>,
  ): Promise<CompiledObject> {
    const compiler = this.#compilerOf(kind);
    const compiled = await compiler.compile(id, environment.id);
    if (compiled) return compiled;
    const { name: environmentName } = environment.value;
    throw fault('deployment.no-parameters', { type: compiler.type, name, environmentName });
  }

  #compilerOf(kind: ObjectKind): ObjectCompiler {
    const compiler = this.#options.compilers[kind];
    if (!compiler) throw new Error(`nothing compiles objects of the kind ${kind}`);
    return compiler;
  }

  /** With a key: it lies open in the database, and what is digested holds secrets that may be short. */
  #digestOf(content: object): string {
    return createHmac('sha256', this.#digestKey).update(canonicalJson(content)).digest('hex');
  }
}
