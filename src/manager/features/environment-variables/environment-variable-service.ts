import { fault } from '../../../kernel/faults.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import {
  type EnvironmentVariableInput,
  type StoredVariable,
  VARIABLE_NAME,
  VARIABLE_NAME_RULE,
} from '../../../model/environment-variable.ts';
import type { Collection, ListQuery, Store, Stored } from '../../../store/contract.ts';
import { newId } from '../../../store/new-id.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { refuseRename } from '../../resources/names.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';

interface Dependencies {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly environments: EnvironmentService;
}

/** Variables of a project: each has a value for each environment that needs one. */
export class EnvironmentVariableService {
  /** What a project that has some is said to have. */
  readonly kind = 'environment variables';
  readonly #secretBox: SecretBox;
  readonly #environments: EnvironmentService;
  readonly #collection: Collection<StoredVariable>;
  readonly #documents: NamedDocuments<StoredVariable>;

  constructor({ store, secretBox, environments }: Dependencies) {
    this.#secretBox = secretBox;
    this.#environments = environments;
    this.#collection = store.collection<StoredVariable>({
      name: 'environment_variables',
      unique: [['scope', 'name']],
      indexed: [],
    });
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('environment-variable.not-found', { name }),
      exists: (name) => fault('environment-variable.exists', { name }),
    });
  }

  readonly count = (scope: string): Promise<number> => this.#collection.count({ scope });

  page(scope: string, query: ListQuery<StoredVariable>): Promise<DocumentPage<StoredVariable>> {
    return this.#documents.page({ ...query, where: { scope } });
  }

  find(scope: string, name: string): Promise<Stored<StoredVariable> | undefined> {
    return this.#documents.find(name, { scope });
  }

  require(scope: string, name: string): Promise<Stored<StoredVariable>> {
    return this.#documents.require(name, { scope });
  }

  async create(
    scope: string,
    { name = '', ...given }: EnvironmentVariableInput,
  ): Promise<Stored<StoredVariable>> {
    if (!VARIABLE_NAME.test(name))
      throw fault('resource.name-invalid', { pointer: '/name', rule: VARIABLE_NAME_RULE });
    const id = newId();
    return this.#documents.create(await this.#valueOf(id, scope, name, given, undefined), id);
  }

  update(
    scope: string,
    name: string,
    { name: newName, ...given }: EnvironmentVariableInput,
    expectedRevision: number | undefined,
  ): Promise<Changed<StoredVariable>> {
    refuseRename(name, newName);
    return this.#documents.update(
      name,
      expectedRevision,
      ({ id, value }) => this.#valueOf(id, scope, name, given, value),
      { scope },
    );
  }

  remove(scope: string, name: string, expectedRevision: number | undefined): Promise<Stored<StoredVariable>> {
    return this.#documents.remove(name, expectedRevision, { scope });
  }

  /** The value in an environment, for whoever fills placeholders. */
  valueIn({ id, value }: Stored<StoredVariable>, environmentId: string): string | undefined {
    const found = value.values.find((one) => one.environmentId === environmentId)?.value;
    if (found === undefined || !value.isSecret) return found;
    return this.#secretBox.open(found, placeOf(id, environmentId)).toString();
  }

  async #valueOf(
    id: string,
    scope: string,
    name: string,
    { description, secret: isSecret, valueList }: Omit<EnvironmentVariableInput, 'name'>,
    before: StoredVariable | undefined,
  ): Promise<StoredVariable> {
    const idOf = new Map((await this.#environments.all()).map((one) => [one.value.name, one.id]));
    const seen = new Set<string>();
    const values = valueList.map(({ environmentName, value }) => {
      const environmentId = idOf.get(environmentName);
      if (environmentId === undefined) throw fault('environment.not-found', { name: environmentName });
      if (seen.has(environmentName)) throw fault('environment-variable.repeated', { environmentName });
      seen.add(environmentName);
      const given = value ?? (before && this.#openIn(id, before, environmentId, isSecret));
      if (given === undefined) throw fault('environment-variable.value-missing', { environmentName });
      const sealed = isSecret ? this.#secretBox.seal(given, placeOf(id, environmentId)) : given;
      return { environmentId, value: sealed };
    });
    return { scope, name, description, isSecret, values };
  }

  /** The stored value, to be kept. A secret does not become readable by declaring that it is none. */
  #openIn(
    id: string,
    before: StoredVariable,
    environmentId: string,
    staysSecret: boolean,
  ): string | undefined {
    if (before.isSecret && !staysSecret) return undefined;
    return this.valueIn({ id, revision: 0, value: before }, environmentId);
  }
}

function placeOf(id: string, environmentId: string): string {
  return `environment-variables/${id}/${environmentId}`;
}
