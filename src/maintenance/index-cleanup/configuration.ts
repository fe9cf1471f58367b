import { UsageError } from '../../kernel/options.ts';
import type { FieldMode } from '../../log-index/cleanup-script.ts';
import { readNamedFile } from '../operator/named-file.ts';
import type { IndexCleanupSettings } from './settings.ts';

/** What is done to each document in scope: exactly one thing (spec 2 §4.6 rule 1). */
export type Operation =
  | { readonly kind: 'clean'; readonly mode: FieldMode; readonly fields: readonly string[] }
  | { readonly kind: 'delete' };

/** Which documents are meant; without either member, all (rule 3). */
export interface Scope {
  readonly proxy?: { readonly field: string; readonly value: string };
  readonly period?: { readonly start: string; readonly end: string };
}

/** Settings that were checked. */
export interface Configuration {
  readonly url: string;
  readonly user: string;
  /** Undefined: it is to be asked for. */
  readonly password: string | undefined;
  readonly isInsecure: boolean;
  readonly caFile: string | undefined;
  readonly index: string;
  readonly operation: Operation;
  readonly scope: Scope;
  readonly forcesMerge: boolean;
  readonly isDryRun: boolean;
  readonly isConfirmed: boolean;
  readonly isAsync: boolean;
  readonly slices: number | 'auto' | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly batchSize: number | undefined;
  readonly maxPasses: number;
}

/** Throws a UsageError for the first setting that is wrong or missing (spec 2 §4.6 rules 1 and 2). */
export function readConfiguration(
  settings: IndexCleanupSettings,
  environment: NodeJS.ProcessEnv,
): Configuration {
  const { host, proto, user, index, caFile } = settings;
  if (host === '') throw new UsageError('ES_HOST (--host) is required');
  if (proto === '') throw new UsageError('ES_PROTO (--proto) is required: http or https');
  if (index === '') throw new UsageError('INDEX (--index) is required');
  checkHost(host);
  checkIndexName(index);
  if (caFile !== '' && proto === 'http') throw new UsageError('--ca-file is for ES_PROTO=https');
  if (caFile !== '') readNamedFile(caFile, '--ca-file');
  return {
    url: `${proto}://${host}`,
    user,
    password: passwordOf(settings, environment),
    isInsecure: proto === 'https' && caFile === '',
    caFile: caFile || undefined,
    index,
    operation: operationOf(settings),
    scope: scopeOf(settings),
    forcesMerge: settings.forceMerge === 'true',
    isDryRun: settings.dryRun,
    isConfirmed: settings.skipConfirm,
    isAsync: settings.async,
    slices: settings.slices,
    requestsPerSecond: settings.requestsPerSecond,
    batchSize: settings.batchSize,
    maxPasses: settings.maxPasses,
  };
}

function checkHost(host: string): void {
  const port = /^(?:\[[\da-fA-F:.]+\]|[^\s/@?#:[\]]+):(\d{1,5})$/.exec(host)?.[1];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535 || !URL.canParse(`http://${host}`))
    throw new UsageError(`ES_HOST must be host:port such as 127.0.0.1:9200, not '${host}'`);
}

/** One index by its own name: patterns, lists and date arithmetic could mean more than one, or another tomorrow. */
function checkIndexName(index: string): void {
  const isOneName = /^[^\s*?,<>|"\\/#:]+$/.test(index) && !/^[-_+]/.test(index) && !/^\.\.?$/.test(index);
  if (isOneName && index === index.toLowerCase()) return;
  throw new UsageError(`INDEX must be the name of one index, without wildcards and lists, not '${index}'`);
}

function operationOf({ fields, fieldMode, deleteDocs }: IndexCleanupSettings): Operation {
  if (fields !== '' && deleteDocs)
    throw new UsageError('FIELDS and DELETE_DOCS=true exclude each other: choose one operation');
  if (deleteDocs) return { kind: 'delete' };
  if (fields === '')
    throw new UsageError('there is no operation: set FIELDS to clean fields or DELETE_DOCS=true to delete');
  const names = fields.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`FIELDS must be a comma-separated list of names, not '${fields}'`);
  return { kind: 'clean', mode: fieldMode, fields: [...new Set(names)] };
}

function scopeOf(settings: IndexCleanupSettings): Scope {
  const { proxyField, proxyValue, proxyKeyword, startTs, endTs } = settings;
  if ((startTs === '') !== (endTs === ''))
    throw new UsageError('START_TS and END_TS belong together: set both or neither');
  if (startTs !== '') {
    checkTime('START_TS', startTs);
    checkTime('END_TS', endTs);
    if (startTs > endTs) throw new UsageError('START_TS must not lie after END_TS');
  }
  const field = proxyKeyword ? `${proxyField}.keyword` : proxyField;
  return {
    ...(proxyValue !== '' && { proxy: { field, value: proxyValue } }),
    ...(startTs !== '' && { period: { start: startTs, end: endTs } }),
  };
}

/** Dates that the calendar has; a day such as 30 February would silently mean another one. */
function checkTime(name: string, text: string): void {
  const isWritten = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
  const ms = isWritten ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms) && new Date(ms).toISOString() === text) return;
  throw new UsageError(
    `${name} must be a time of the form yyyy-MM-dd'T'HH:mm:ss.SSS'Z' such as 2026-01-31T23:59:59.999Z, not '${text}'`,
  );
}

/** A variable or a file, never a flag: arguments can be read by everybody on the machine. */
function passwordOf({ user, passFile }: IndexCleanupSettings, environment: NodeJS.ProcessEnv) {
  if (user === '') return '';
  if (passFile === '') return environment.ES_PASS || undefined;
  const password = readNamedFile(passFile, '--pass-file').replace(/\r?\n$/, '');
  if (password === '') throw new UsageError(`--pass-file ${passFile} is empty`);
  return password;
}
