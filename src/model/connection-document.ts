import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { type HeaderRow, type ParameterSet, parameterMembers } from './connection.ts';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';

export const connectionTypes = ['webhook'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** Of a request that carries a connection: hundreds of long header rows fit. */
export const CONNECTION_BODY_BYTES = 4 * 1024 * 1024;

const type = Type.Unsafe<ConnectionType>({ type: 'string', enum: connectionTypes, default: 'webhook' });
const description = Type.String({ default: '', maxLength: 1000 });
const enabled = Type.Boolean({
  default: true,
  description: 'a connection that is not enabled keeps its values and can not be used',
});
const environmentName = Type.String({ maxLength: 100, description: 'whose parameters these are' });
const environmentId = Type.String({ maxLength: 100, description: 'the same by its id' });
const name = Type.String({ maxLength: 1000, description: NAME_RULE });

const whichEnvironment = {
  environmentName: Type.Optional(environmentName),
  environmentId: Type.Optional(environmentId),
};
const deployment = {
  deploy: Type.Boolean({ default: false, description: 'whether it is deployed when it is saved' }),
  deployTargetEnvironmentNameList: Type.Array(Type.String({ maxLength: 100 }), {
    default: [],
    maxItems: 100,
    uniqueItems: true,
    description: 'where to; empty: to the environment of these parameters',
  }),
};

/** A new connection, with its parameters for one environment. */
export const connectionInput = input(
  {
    type,
    name: Type.Optional(name),
    description,
    enabled,
    ...whichEnvironment,
    ...parameterMembers,
    ...deployment,
  },
  { $id: 'ConnectionInput' },
);
export type ConnectionInput = Static<typeof connectionInput>;

/** The same members, all of which may be left out. */
function changes<Properties extends TProperties>(properties: Properties) {
  return Object.fromEntries(
    Object.entries(properties).map(
      ([member, { default: _, ...schema }]: [string, TSchema & { default?: unknown }]) => [
        member,
        Type.Optional(schema as TSchema),
      ],
    ),
  ) as unknown as { [Name in keyof Properties]: ReturnType<typeof Type.Optional<Properties[Name]>> };
}

/** A change of a connection, and of its parameters for one environment: what is left out stays as it is. */
export const connectionChange = input(
  {
    ...changes({ type, name, description, enabled }),
    ...whichEnvironment,
    ...changes(parameterMembers),
    ...deployment,
  },
  { $id: 'ConnectionChange' },
);
export type ConnectionChange = Static<typeof connectionChange>;

/** Parameters to be tried: alone they must be whole, with a saved connection they stand over its own. */
export const parametersUnderTest = input(
  { ...whichEnvironment, ...parameterMembers },
  { $id: 'ConnectionParameters' },
);
export const changedParametersUnderTest = input(
  { ...whichEnvironment, ...changes(parameterMembers) },
  { $id: 'ChangedConnectionParameters' },
);

const deploymentView = Type.Object({
  environmentName: Type.String(),
  deployed: Type.Boolean(),
  redeployRequired: Type.Boolean({ description: 'whether the pods run other values than these' }),
  lastDeployTime: Type.Optional(Type.String({ format: 'date-time' })),
  revision: Type.Optional(Type.Integer({ description: 'of the environment, when it was deployed' })),
});

/** As it is shown: secrets are masked. */
export const connectionView = Type.Object(
  {
    id: Type.String({ description: '24 hex digits' }),
    type: Type.String({ enum: connectionTypes }),
    name: Type.String(),
    description: Type.String(),
    enabled: Type.Boolean(),
    global: Type.Boolean({ description: 'whether all projects may use it' }),
    environmentParameterList: Type.Array(
      Type.Object({
        environmentName: Type.String(),
        environmentId: Type.Optional(Type.String({ description: 'only for who may manage global settings' })),
        ...parameterMembers,
      }),
    ),
    deploymentList: Type.Optional(
      Type.Array(deploymentView, { description: 'how it stands in each environment; not in lists' }),
    ),
  },
  { $id: 'Connection' },
);

/** A row with a plain value, one whose value is sealed, or one whose value is missing since an import. */
export type StoredHeaderRow =
  | HeaderRow
  | { readonly name: string; readonly sealedValue: string }
  | { readonly name: string; readonly isMissing: true };

/**
 * The parameters as stored. Those that a later release added are not there. An address with secrets in its query is
 * sealed as a whole; `fullUrl` then shows it with masks.
 */
export type StoredParameters = Partial<Omit<ParameterSet, 'headerList'>> &
  Pick<ParameterSet, 'httpMethod' | 'fullUrl'> & {
    readonly headerList: readonly StoredHeaderRow[];
    readonly sealedUrl?: string;
  };

/** As stored. The scope is a project's id, or `global`; environments stand by their ids. */
export interface StoredConnection {
  readonly scope: string;
  readonly name: string;
  readonly type: ConnectionType;
  readonly description: string;
  readonly isEnabled: boolean;
  readonly parameterSets: ReadonlyArray<{
    readonly environmentId: string;
    readonly parameters: StoredParameters;
  }>;
}

/** The collection, for everybody who has to find a connection. */
export const connectionCollection = {
  name: 'connections',
  unique: [['scope', 'name']],
  indexed: [],
} as const;
