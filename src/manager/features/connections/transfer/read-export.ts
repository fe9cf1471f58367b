import type { TSchema } from 'typebox';
import { type Check, compileCheck } from '../../../../kernel/catalogue/schema-check.ts';
import { fault } from '../../../../kernel/faults.ts';
import { completeParameters } from '../../../../model/connection.ts';
import { brokenParameterRule } from '../../../../model/connection-rules.ts';
import { refuseArchive } from '../../../resources/archives/archive-format.ts';
import { parsedJson, readArchive } from '../../../resources/archives/read-archive.ts';
import { checkedConnectionName } from '../connection-parameters.ts';
import {
  CONNECTION_FILE,
  connectionArchive,
  dependencyFile,
  type ExportedConnection,
  type ExportedTrustStore,
  exportedConnection,
  exportedKeyStore,
  exportedTrustStore,
  METADATA_FILE,
} from './connection-archive.ts';
import { referencesOf } from './export-connection.ts';

/** What an archive from outside holds, checked as far as it can be without looking at what is here. */
export interface ReadExport {
  readonly connection: ExportedConnection;
  /** By name: those that can be made from the archive. */
  readonly trustStores: ReadonlyMap<string, ExportedTrustStore>;
}

export async function readExport(content: Buffer): Promise<ReadExport> {
  const files = await readArchive(content, connectionArchive);
  const connection = await connectionIn(files);
  await checked(files, METADATA_FILE, undefined);
  const expected = new Set([CONNECTION_FILE, METADATA_FILE]);
  const trustStores = new Map<string, ExportedTrustStore>();
  for (const { type, name } of referencesOf(connection)) {
    const path = dependencyFile(type, name);
    expected.add(path);
    if (!files.has(path)) continue;
    const schema = type === 'TrustStore' ? exportedTrustStore : exportedKeyStore;
    const store = (await checked(files, path, schema)) as ExportedTrustStore;
    if (store.name !== name) throw refuseArchive('content', `${path} is about another store`);
    if (type === 'TrustStore') trustStores.set(name, store);
  }
  const unexpected = [...files.keys()].find((path) => !expected.has(path));
  if (unexpected !== undefined)
    throw refuseArchive('unknown-file', `the connection does not refer to ${unexpected}`);
  return { connection, trustStores };
}

async function connectionIn(files: ReadonlyMap<string, Buffer>): Promise<ExportedConnection> {
  const given = (await checked(files, CONNECTION_FILE, exportedConnection)) as ExportedConnection;
  checkedConnectionName(given.name);
  const environmentParameterList = given.environmentParameterList.map(({ environmentName, ...set }) => ({
    environmentName,
    ...completeParameters(set),
  }));
  const names = environmentParameterList.map(({ environmentName }) => environmentName);
  if (new Set(names).size < names.length)
    throw refuseArchive('content', `${CONNECTION_FILE} has two sets of parameters for one environment`);
  for (const [index, set] of environmentParameterList.entries()) {
    const broken = brokenParameterRule(set);
    if (!broken) continue;
    const pointer = `/environmentParameterList/${index}${broken.pointer}`;
    throw fault('connection.invalid', { pointer, rule: broken.rule });
  }
  return { ...given, environmentParameterList };
}

const checks = new Map<TSchema, Promise<Check>>();

async function checked(
  files: ReadonlyMap<string, Buffer>,
  path: string,
  schema: TSchema | undefined,
): Promise<unknown> {
  const content = files.get(path);
  if (!content) throw refuseArchive('missing-file', `${path} is not in it`);
  const value = parsedJson(content, path);
  if (!schema) return value;
  const compiled = checks.get(schema) ?? compileCheck(schema);
  checks.set(schema, compiled);
  const broken = (await compiled)(value);
  if (broken) throw refuseArchive('content', `${path} ${broken.rule}`);
  return value;
}
