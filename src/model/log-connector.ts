import { type Static, Type } from 'typebox';
import { input } from './input.ts';

/** What log records are about. */
export const logKinds = ['traffic', 'token', 'audit'] as const;
export type LogKind = (typeof logKinds)[number];

export const logKindSchema = Type.Unsafe<LogKind>({ type: 'string', enum: logKinds });

/** A connection by its name; without a project, one that is there for all of them. */
const connectionReference = Type.Object(
  {
    name: Type.String({ maxLength: 1000 }),
    projectName: Type.Optional(Type.String({ maxLength: 1000, description: 'absent: a global connection' })),
  },
  { $id: 'ConnectionReference', additionalProperties: false },
);
export type ConnectionReference = Static<typeof connectionReference>;

const enabled = Type.Boolean({ default: true, description: 'otherwise records of this kind are not sent' });
const keepUnsent = Type.Boolean({
  default: false,
  description: 'records that no connection could deliver are kept as unsent instead of dropped',
});

/** What sends the records of one kind: a connection, and another one for what it can not deliver. */
export const logConnectorInput = input(
  {
    connection: connectionReference,
    failoverConnection: Type.Optional(connectionReference),
    keepUnsent,
    enabled,
  },
  { $id: 'LogConnectorInput' },
);
export type LogConnectorInput = Static<typeof logConnectorInput>;

export const logConnectorView = Type.Object(
  {
    kind: logKindSchema,
    enabled: Type.Boolean(),
    connection: Type.Union([connectionReference, Type.Null()], {
      description: 'null when the connection was deleted',
    }),
    failoverConnection: Type.Optional(Type.Union([connectionReference, Type.Null()])),
    keepUnsent: Type.Boolean(),
  },
  { $id: 'LogConnector' },
);
export type LogConnectorView = Static<typeof logConnectorView>;

/** Connections are kept by their ids, which stay when they are renamed or moved. */
export interface StoredLogConnector {
  readonly environmentId: string;
  readonly kind: LogKind;
  readonly connectionId: string;
  readonly failoverConnectionId?: string;
  readonly keepUnsent: boolean;
  readonly isEnabled: boolean;
}

export const logConnectorCollection = {
  name: 'log_connectors',
  unique: [['environmentId', 'kind']],
  indexed: [],
} as const;
