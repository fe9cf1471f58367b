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
};

/** And of those that belong to an environment. */
export const environmentOptions = {
  environment: option.text('environment', 'Development', {
    description: 'name or id of the environment it belongs to',
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
}

export interface EnvironmentModuleOptions extends PlatformModuleOptions {
  readonly environment: string;
}
