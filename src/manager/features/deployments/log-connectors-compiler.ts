import type { LogConnectorsContent } from '../../../platform/deployment/log-connectors-content.ts';
import type { LogConnectorService } from '../log-connectors/log-connector-service.ts';
import type { CompiledObject, ObjectCompiler } from './object-compiler.ts';

/** All log connectors of an environment are one object, which has the id of the environment. */
export class LogConnectorsCompiler implements ObjectCompiler {
  readonly type = 'Log connectors';
  readonly #logConnectors: Pick<LogConnectorService, 'in' | 'connectionsIn'>;

  constructor(logConnectors: Pick<LogConnectorService, 'in' | 'connectionsIn'>) {
    this.#logConnectors = logConnectors;
  }

  async compile(_objectId: string, environmentId: string): Promise<CompiledObject | undefined> {
    const connectors = await this.#logConnectors.in(environmentId);
    if (connectors.length === 0) return undefined;
    // Rejects when one of them has gone.
    await this.#logConnectors.connectionsIn(environmentId);
    const content: LogConnectorsContent = {
      connectors: connectors.map(({ id, value }) => ({
        id,
        kind: value.kind,
        enabled: value.isEnabled,
        connectionId: value.connectionId,
        failoverConnectionId: value.failoverConnectionId ?? null,
        keepUnsent: value.keepUnsent,
      })),
    };
    return { enabled: true, content };
  }
}
