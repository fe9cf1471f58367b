import type { LogKind } from '../../model/log-connector.ts';

/** A log connector as its pods get it. The connections that it names are deployed beside it. */
export interface LogConnectorContent {
  /** Of its document: unsent records name it. */
  readonly id: string;
  readonly kind: LogKind;
  readonly enabled: boolean;
  readonly connectionId: string;
  readonly failoverConnectionId: string | null;
  readonly keepUnsent: boolean;
}

/** All log connectors of an environment: they are deployed as one object. */
export interface LogConnectorsContent {
  readonly connectors: readonly LogConnectorContent[];
}
