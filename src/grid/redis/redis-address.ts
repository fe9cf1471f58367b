import { UsageError } from '../../kernel/options.ts';

/** Where a Redis or Valkey is. A cluster is told by a few of its nodes; it names the others itself. */
export interface RedisAddress {
  readonly isCluster: boolean;
  readonly nodes: ReadonlyArray<{ readonly host: string; readonly port: number }>;
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

const FORM = /^(rediss?)(-cluster)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{0,5}))?$/;
const DEFAULT_PORT = 6379;

/**
 * `redis://[[user]:password@]host[:port][/database]`, `redis-cluster://[[user]:password@]host[:port],host[:port],…`, and both
 * as `rediss…` with TLS. What is wrong with an address is told without repeating it: it may hold a password.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme, cluster, credentials = '', hosts = '', database = ''] = FORM.exec(url) ?? [];
  if (scheme === undefined)
    throw wrong('must look like redis://host:port or redis-cluster://host:port,host:port');
  const isCluster = cluster !== undefined;
  const nodes = hosts.split(',').map(nodeOf);
  if (!isCluster && nodes.length > 1) throw wrong('names several hosts: only redis-cluster:// may');
  if (isCluster && database !== '') throw wrong('names a database, which a cluster has not');
  const [, username, password] = /^([^:]*)(?::(.*))?$/.exec(credentials)!;
  return {
    isCluster,
    nodes,
    isTls: scheme === 'rediss',
    username: decoded(username),
    password: decoded(password),
    database: Number(database),
  };
}

function nodeOf(text: string): RedisAddress['nodes'][number] {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (host === undefined || number < 1 || number > 65_535) throw wrong('has a host or a port that is none');
  return { host, port: number };
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('has credentials that are not percent-encoded');
  }
}

function wrong(what: string): UsageError {
  return new UsageError(`the data grid URL ${what}`);
}
