import { type Static, Type } from 'typebox';
import { fault } from '../../../../kernel/faults.ts';
import type { ParameterSet } from '../../../../model/connection.ts';
import type { StoredConnection } from '../../../../model/connection-document.ts';
import { sealParameters } from '../../../../model/connection-secrets.ts';
import { input } from '../../../../model/input.ts';
import { newId } from '../../../../store/new-id.ts';
import { MAX_ARCHIVE_BYTES } from '../../../resources/archives/read-archive.ts';
import type { ManagerServices } from '../../../services.ts';
import { checkedConnectionName } from '../connection-parameters.ts';
import type { Connection } from '../connection-service.ts';
import { EXPORT_FILE_NAME, type ExportedConnection } from './connection-archive.ts';
import { maskedSecretsOf, referencesOf } from './export-connection.ts';
import type { ReadExport } from './read-export.ts';

/** Base64 takes a third more. */
export const IMPORT_BODY_BYTES = Math.ceil((MAX_ARCHIVE_BYTES * 4) / 3) + 1024 * 1024;

const dependencyTypes = ['Environment', 'KeyStore', 'TrustStore'] as const;
type DependencyType = (typeof dependencyTypes)[number];
const dependencyType = Type.Unsafe<DependencyType>({ type: 'string', enum: dependencyTypes });

const upload = {
  content: Type.String({
    minLength: 1,
    pattern: '^[A-Za-z0-9+/\\r\\n]+={0,2}[\\r\\n]*$',
    description: 'the ZIP file in Base64',
  }),
  fileName: Type.Optional(
    Type.String({ maxLength: 300, description: 'as it was exported; it decides nothing' }),
  ),
};

export const importCheckInput = input(upload, { $id: 'ConnectionImportCheck' });
export const importInput = input(
  {
    ...upload,
    overwrite: Type.Boolean({ default: false, description: 'puts it in the place of its namesake' }),
    newName: Type.Optional(Type.String({ maxLength: 1000, description: 'imports it under this name' })),
    dependencyList: Type.Array(
      input({
        type: dependencyType,
        name: Type.String({ maxLength: 100 }),
        action: Type.Unsafe<'create' | 'exclude'>({ type: 'string', enum: ['create', 'exclude'] }),
      }),
      { default: [], maxItems: 3000, description: 'what becomes of dependencies that are missing here' },
    ),
    secretList: Type.Array(
      input({
        environmentName: Type.String({ maxLength: 100 }),
        member: Type.String({ maxLength: 1000, description: '`fullUrl`, or the name of a header' }),
        value: Type.String({ minLength: 1, maxLength: 32_768 }),
      }),
      { default: [], maxItems: 100_000, description: 'secrets that the ZIP file masks' },
    ),
  },
  { $id: 'ConnectionImport' },
);
export type ImportInput = Static<typeof importInput>;

const maskedSecret = Type.Object({ environmentName: Type.String(), member: Type.String() });
export const importReport = Type.Object(
  {
    connectionName: Type.String(),
    environmentNameList: Type.Array(Type.String()),
    fileNameKnown: Type.Boolean({ description: 'whether it has one of the forms that exports have' }),
    nameExist: Type.Boolean({ description: 'whether it has to overwrite its namesake, or needs a new name' }),
    dependencyList: Type.Array(
      Type.Object({
        type: Type.String({ enum: dependencyTypes }),
        name: Type.String(),
        found: Type.Boolean({ description: 'whether it is here' }),
        canCreate: Type.Boolean({ description: 'whether it can be made from the ZIP file' }),
      }),
    ),
    missingSecretList: Type.Array(maskedSecret, { description: 'what has to be given anew' }),
    ready: Type.Boolean({ description: 'whether it can be imported without any decision' }),
  },
  { $id: 'ConnectionImportReport' },
);
export type ImportReport = Static<typeof importReport>;

/** What would have to be decided before the connection can be imported here. */
export async function checkImport(
  { connection, trustStores }: ReadExport,
  scope: string,
  fileName: string | undefined,
  { connections, environments }: ManagerServices,
): Promise<ImportReport> {
  const here = new Set((await environments.all()).map(({ value }) => value.name));
  const environmentNameList = connection.environmentParameterList.map((set) => set.environmentName);
  const dependencyList: ImportReport['dependencyList'] = environmentNameList.map((name) => ({
    type: 'Environment',
    name,
    found: here.has(name),
    canCreate: false,
  }));
  for (const { type, name } of referencesOf(connection)) {
    const found = (await connections.references.findStore(type, scope, name)) !== undefined;
    dependencyList.push({ type, name, found, canCreate: type === 'TrustStore' && trustStores.has(name) });
  }
  const nameExist = (await connections.find(scope, connection.name)) !== undefined;
  return {
    connectionName: connection.name,
    environmentNameList,
    fileNameKnown: fileName !== undefined && EXPORT_FILE_NAME.test(fileName),
    nameExist,
    dependencyList,
    missingSecretList: maskedSecretsOf(connection),
    ready: !nameExist && dependencyList.every(({ found }) => found),
  };
}

/** What an import is going to do, when nothing stands against it. */
export interface ImportPlan {
  readonly name: string;
  readonly isOverwriting: boolean;
  readonly connection: ExportedConnection;
  readonly trustStoreNames: readonly string[];
  readonly excluded: ReadonlyArray<{ readonly type: string; readonly name: string }>;
}

/** Holds the decisions against the report; refuses what was left open. Nothing is changed yet. */
export async function planImport(
  { connection }: ReadExport,
  report: ImportReport,
  decisions: ImportInput,
  scope: string,
  { connections }: ManagerServices,
): Promise<ImportPlan> {
  const name = checkedConnectionName(decisions.newName ?? connection.name);
  const isTaken = (await connections.find(scope, name)) !== undefined;
  if (isTaken && !decisions.overwrite) throw fault('connection-import.name-conflict', { name });
  const actionOf = (type: string, wanted: string) =>
    decisions.dependencyList.find((one) => one.type === type && one.name === wanted)?.action;
  const excluded: Array<{ type: string; name: string }> = [];
  const missing: string[] = [];
  const trustStoreNames: string[] = [];
  for (const { type, name: wanted, found, canCreate } of report.dependencyList) {
    const action = actionOf(type, wanted);
    if (action === 'exclude') excluded.push({ type, name: wanted });
    else if (found) continue;
    else if (action === undefined) missing.push(`${type} (name: ${wanted})`);
    else if (!canCreate) throw fault('connection-import.not-creatable', { type, name: wanted });
    else trustStoreNames.push(wanted);
  }
  if (missing.length > 0)
    throw fault('connection-import.dependency-missing', { missing: missing.join(', ') });
  return {
    name,
    isOverwriting: isTaken,
    connection: withSecrets(withoutExcluded(connection, excluded), decisions.secretList),
    trustStoreNames,
    excluded,
  };
}

/** Makes the trust stores, then the connection. */
export async function carryOut(
  plan: ImportPlan,
  { trustStores }: ReadExport,
  scope: string,
  services: ManagerServices,
): Promise<{ readonly before?: Connection; readonly after: Connection }> {
  for (const set of plan.connection.environmentParameterList) {
    // References are there, or are made now; masks stand for secrets that are given later.
    const masked = maskedSecretsOf({ environmentParameterList: [set] }).map(({ member }) => member);
    const withoutReferences = { ...set, trustStoreName: null, keyStoreName: null };
    await services.connections.checkParameters(scope, withoutReferences, masked);
  }
  for (const name of plan.trustStoreNames) {
    const { description, certificateList } = trustStores.get(name)!;
    const content = Buffer.from(certificateList.join('\n')).toString('base64');
    await services.trustStores.create(scope, { name, description, type: 'PEM', content, password: '' });
  }
  const environmentIds = new Map(
    (await services.environments.all()).map(({ id, value }) => [value.name, id]),
  );
  const valueFor = (connectionId: string): StoredConnection => {
    const { type, description, enabled, environmentParameterList } = plan.connection;
    const parameterSets = environmentParameterList.map(({ environmentName, ...set }) => {
      const environmentId = environmentIds.get(environmentName);
      if (environmentId === undefined) throw fault('environment.not-found', { name: environmentName });
      const parameters = sealParameters(set, { connectionId, environmentId }, services.secretBox);
      return { environmentId, parameters };
    });
    return { scope, name: plan.name, type, description, isEnabled: enabled, parameterSets };
  };
  if (plan.isOverwriting)
    return services.connections.replace(scope, plan.name, (before) => valueFor(before.id));
  const id = newId();
  return { after: await services.connections.insert(valueFor(id), id) };
}

type Sets = ExportedConnection['environmentParameterList'];

function withoutExcluded(
  connection: ExportedConnection,
  excluded: ImportPlan['excluded'],
): ExportedConnection {
  const isExcluded = (type: DependencyType, name: string | null) =>
    excluded.some((one) => one.type === type && one.name === name);
  const environmentParameterList: Sets = connection.environmentParameterList
    .filter(({ environmentName }) => !isExcluded('Environment', environmentName))
    .map((set) => ({
      ...set,
      trustStoreName: isExcluded('TrustStore', set.trustStoreName) ? null : set.trustStoreName,
      keyStoreName: isExcluded('KeyStore', set.keyStoreName) ? null : set.keyStoreName,
    }));
  if (environmentParameterList.length === 0) throw fault('connection-import.nothing-left');
  return { ...connection, environmentParameterList };
}

/** The address is given whole; a header by its value. Only what is masked is filled. */
function withSecrets(connection: ExportedConnection, secrets: ImportInput['secretList']): ExportedConnection {
  const environmentParameterList: Sets = connection.environmentParameterList.map((set) => {
    const masked = new Set(
      maskedSecretsOf({ environmentParameterList: [set] }).map(({ member }) => member.toLowerCase()),
    );
    const given = secrets.filter(
      ({ environmentName, member }) =>
        environmentName === set.environmentName && masked.has(member.toLowerCase()),
    );
    return given.reduce(withSecret, set);
  });
  return { ...connection, environmentParameterList };
}

function withSecret<Set extends ParameterSet>(
  set: Set,
  { member, value }: ImportInput['secretList'][number],
): Set {
  if (member === 'fullUrl') return { ...set, fullUrl: value };
  const headerList = set.headerList.map((row) =>
    row.name.toLowerCase() === member.toLowerCase() ? { ...row, value } : row,
  );
  return { ...set, headerList };
}
