import type { LogLevel } from '../kernel/log.ts';
import { option } from '../kernel/options.ts';

/** Flags and variables of every module that stands on the platform database. */
export const platformOptions = {
  databaseUrl: option.optionalText('database-url', {
    description: 'platform database, mongodb://…; without it a file in the data folder',
  }),
  podName: option.optionalText('pod-name', {
    description: 'name of this pod; without it made of module, machine and port',
  }),
  podExpiry: option.duration('pod-expiry', 15_000, {
    description: 'a pod without a heartbeat for so long counts as gone',
  }),
};

/** And of those that belong to an environment. */
export const environmentOptions = {
  environment: option.text('environment', 'Development', {
    description: 'name or id of the environment it belongs to',
  }),
  environmentWait: option.duration('environment-wait', 60_000, {
    description: 'time for the first start of a Manager to make it; 0 is no waiting',
  }),
};

/** And of those that deliver through connections. */
export const deliveryOptions = {
  refusePrivateTargets: option.switch('refuse-private-targets', {
    description: 'connections may lead to public addresses only',
  }),
};

/** And of those that use the data grid. */
export const gridOptions = {
  gridUrl: option.optionalText('grid-url', {
    description:
      'data grid, redis://…, rediss://… or redis-cluster://…; without it the Cache holds it in memory',
  }),
};

/** And of those that write or read the traffic log. */
export const logIndexOptions = {
  logIndexUrl: option.optionalText('log-index-url', {
    description:
      'Elasticsearch or OpenSearch, http(s)://[user:password@]host:port; without it the embedded log index',
  }),
};

/** What such a module is started with. */
export interface PlatformModuleOptions {
  readonly host: string;
  readonly port: number;
  /** The data folder. */
  readonly data: string;
  readonly logLevel: LogLevel;
  readonly shutdownTimeout: number;
  readonly databaseUrl: string | undefined;
  readonly podName: string | undefined;
  readonly podExpiry?: number;
}

export interface EnvironmentModuleOptions extends PlatformModuleOptions {
  readonly environment: string;
  /** How long an environment may stay away while the platform is being installed. */
  readonly environmentWait?: number;
}
