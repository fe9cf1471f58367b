import { maskedMembers } from '../../../../model/connection-secrets.ts';
import type { StoredKeyStore } from '../../../../model/key-store.ts';
import { openKeyStore, type StoreKind } from '../../../../pki/open-key-store.ts';
import { certificatePem } from '../../../../pki/pem.ts';
import type { Stored } from '../../../../store/contract.ts';
import { jsonFile } from '../../../resources/archives/archive-format.ts';
import { writeArchive } from '../../../resources/archives/write-archive.ts';
import type { ManagerServices } from '../../../services.ts';
import type { Connection } from '../connection-service.ts';
import { environmentNames, parameterSetsOf } from '../connection-view.ts';
import {
  CONNECTION_FILE,
  connectionArchive,
  dependencyFile,
  type ExportedConnection,
  type ExportedKeyStore,
  type ExportedTrustStore,
  METADATA_FILE,
} from './connection-archive.ts';

/** The connection as a ZIP file. It holds no time and no id, so that what was imported is exported the same. */
export async function exportConnection(connection: Connection, services: ManagerServices): Promise<Buffer> {
  const exported = exportedForm(connection, await environmentNames(services));
  const files = new Map([[CONNECTION_FILE, jsonFile(exported)]]);
  const dependencies: Array<{ type: StoreKind; name: string; included: boolean }> = [];
  for (const { type, name } of referencesOf(exported)) {
    const store = await services.connections.references.findStore(type, connection.value.scope, name);
    dependencies.push({ type, name, included: store !== undefined });
    if (store) files.set(dependencyFile(type, name), jsonFile(await exportedStore(type, store, services)));
  }
  files.set(METADATA_FILE, jsonFile(metadataOf(exported, dependencies)));
  return writeArchive(connectionArchive, files);
}

function exportedForm({ value }: Connection, names: ReadonlyMap<string, string>): ExportedConnection {
  const { name, type, description, isEnabled } = value;
  return {
    name,
    type,
    description,
    enabled: isEnabled,
    environmentParameterList: parameterSetsOf(value, names).map(({ environmentName, parameters }) => ({
      environmentName,
      ...parameters,
    })),
  };
}

/** The stores that any of the sets names, each once, in order. */
export function referencesOf({
  environmentParameterList,
}: Pick<ExportedConnection, 'environmentParameterList'>): Array<{ type: StoreKind; name: string }> {
  const namesOf = (member: 'keyStoreName' | 'trustStoreName') =>
    [...new Set(environmentParameterList.map((set) => set[member]))].filter((name) => name !== null).sort();
  return [
    ...namesOf('keyStoreName').map((name) => ({ type: 'KeyStore' as const, name })),
    ...namesOf('trustStoreName').map((name) => ({ type: 'TrustStore' as const, name })),
  ];
}

/** Which secrets of the connection are not in the archive, or have not been given yet. */
export function maskedSecretsOf({
  environmentParameterList,
}: Pick<ExportedConnection, 'environmentParameterList'>): Array<{ environmentName: string; member: string }> {
  return environmentParameterList.flatMap(({ environmentName, ...set }) =>
    maskedMembers(set).map((member) => ({ environmentName, member })),
  );
}

function metadataOf(
  exported: ExportedConnection,
  dependencyList: ReadonlyArray<{ type: StoreKind; name: string; included: boolean }>,
) {
  return {
    connectionName: exported.name,
    connectionType: exported.type,
    environmentNameList: exported.environmentParameterList.map(({ environmentName }) => environmentName),
    dependencyList,
    maskedSecretList: maskedSecretsOf(exported),
  };
}

async function exportedStore(
  type: StoreKind,
  store: Stored<StoredKeyStore>,
  { keyStores, trustStores }: ManagerServices,
): Promise<ExportedKeyStore | ExportedTrustStore> {
  const { name, description, type: fileType } = store.value;
  const { content, password } = (type === 'KeyStore' ? keyStores : trustStores).unsealed(store);
  const { keys, trusted } = await openKeyStore(type, fileType, content, password);
  if (type === 'TrustStore')
    return {
      name,
      description,
      certificateList: trusted.map(({ certificate }) => certificatePem(certificate)),
    };
  const keyList = keys.map(({ alias, chain }) => ({ alias, certificateList: chain.map(certificatePem) }));
  return { name, description, keyList };
}
