import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';

export const environmentTypes = ['DEVELOPMENT', 'TEST', 'PRODUCTION'] as const;
export type EnvironmentType = (typeof environmentTypes)[number];

const members = {
  description: Type.String({ default: '', maxLength: 1000 }),
  type: Type.Unsafe<EnvironmentType>({ type: 'string', enum: environmentTypes, default: 'DEVELOPMENT' }),
  accessUrl: Type.String({
    default: '',
    maxLength: 2000,
    pattern: '^(https?://[^\\s/?#]+[^\\s]*)?$',
    description: 'where clients reach the workers of the environment',
  }),
};

export const environmentInput = input(
  { name: Type.Optional(Type.String({ maxLength: 1000, description: NAME_RULE })), ...members },
  { $id: 'EnvironmentInput' },
);
export type EnvironmentInput = Static<typeof environmentInput>;

/** Whether the workers of an environment run what is configured for it. */
export const environmentStatuses = ['UNPUBLISHED', 'PUBLISHED', 'REPUBLISH_REQUIRED'] as const;

export const environmentView = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        description: '24 hex digits. It opens the diagnostics: only who may manage global settings sees it.',
      }),
    ),
    name: Type.String(),
    ...members,
    status: Type.String({ enum: environmentStatuses }),
  },
  { $id: 'Environment' },
);

/** As stored. The document's id is the environment's: 96 random bits, the credential of its diagnostics (spec 2 §5). */
export interface Environment {
  readonly name: string;
  readonly description: string;
  readonly type: EnvironmentType;
  readonly accessUrl: string;
  readonly status: (typeof environmentStatuses)[number];
}

/** The collection, for every module that has to know its environment. */
export const environmentCollection = {
  name: 'environments',
  unique: [['name']],
  indexed: [],
} as const;

/** What a fresh installation has. */
export const firstEnvironments: readonly EnvironmentInput[] = [
  { name: 'Development', description: '', type: 'DEVELOPMENT', accessUrl: '' },
  { name: 'Test', description: '', type: 'TEST', accessUrl: '' },
  { name: 'Production', description: '', type: 'PRODUCTION', accessUrl: '' },
];
