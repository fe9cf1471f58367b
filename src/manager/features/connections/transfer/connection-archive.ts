import { type Static, Type } from 'typebox';
import { type ParameterSet, parameterMembers } from '../../../../model/connection.ts';
import { connectionTypes } from '../../../../model/connection-document.ts';
import { input } from '../../../../model/input.ts';
import { isName } from '../../../../model/name.ts';
import type { StoreKind } from '../../../../pki/open-key-store.ts';
import type { ArchiveFormat } from '../../../resources/archives/archive-format.ts';

export const CONNECTION_FILE = 'connection.json';
export const METADATA_FILE = 'metadata.json';

const FOLDERS: Readonly<Record<StoreKind, string>> = {
  KeyStore: 'dependencies/keystores',
  TrustStore: 'dependencies/truststores',
};

/** Where a store that the connection refers to stands in the archive. */
export function dependencyFile(type: StoreKind, name: string): string {
  return `${FOLDERS[type]}/${name}.json`;
}

/** An exported connection: itself, what is known about it, and what it refers to. */
export const connectionArchive: ArchiveFormat = {
  name: 'gatehouse-connection-export',
  version: 1,
  isKnownPath: (path) => {
    if (path === CONNECTION_FILE || path === METADATA_FILE) return true;
    const [, name = ''] = /^dependencies\/(?:keystores|truststores)\/([^/]+)\.json$/.exec(path) ?? [];
    return isName(name);
  },
};

/** The connection in the archive: secrets are masked, environments stand by their names. */
export const exportedConnection = input({
  name: Type.String({ maxLength: 1000 }),
  type: Type.Unsafe<(typeof connectionTypes)[number]>({ type: 'string', enum: connectionTypes }),
  description: Type.String({ default: '', maxLength: 1000 }),
  enabled: Type.Boolean({ default: true }),
  environmentParameterList: Type.Array(
    input({ environmentName: Type.String({ minLength: 1, maxLength: 100 }), ...parameterMembers }),
    { minItems: 1, maxItems: 1000 },
  ),
});
export type ExportedConnection = Omit<Static<typeof exportedConnection>, 'environmentParameterList'> & {
  readonly environmentParameterList: ReadonlyArray<{ readonly environmentName: string } & ParameterSet>;
};

const certificateList = Type.Array(Type.String({ maxLength: 100_000 }), { minItems: 1, maxItems: 10_000 });

/** A trust store in the archive: its certificates, in order. It can be made again from them. */
export const exportedTrustStore = input({
  name: Type.String({ maxLength: 100 }),
  description: Type.String({ default: '', maxLength: 1000 }),
  certificateList,
});
export type ExportedTrustStore = Static<typeof exportedTrustStore>;

/** A key store in the archive: the certificates of each key. The keys themselves never leave. */
export const exportedKeyStore = input({
  name: Type.String({ maxLength: 100 }),
  description: Type.String({ default: '', maxLength: 1000 }),
  keyList: Type.Array(input({ alias: Type.String({ maxLength: 1000 }), certificateList }), {
    maxItems: 10_000,
  }),
});
export type ExportedKeyStore = Static<typeof exportedKeyStore>;

/** Both forms are in use (spec 2 §4.5). The name of a file proves nothing, so any other is taken, too. */
export const EXPORT_FILE_NAME = /^\d{4}-\d\d-\d\d-(?:webhook-integration|connection)-.+-export\.zip$/u;

export function exportFileName(connectionName: string, now: number): string {
  return `${new Date(now).toISOString().slice(0, 10)}-webhook-integration-${connectionName}-export.zip`;
}
