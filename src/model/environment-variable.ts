import { type Static, Type } from 'typebox';
import { input } from './input.ts';

/** Variables are named in `${…}` placeholders. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
export const VARIABLE_NAME_RULE =
  'must begin with a letter or underscore, followed by at most 99 letters, digits, underscores, dots or hyphens';

const value = Type.String({ maxLength: 10_000 });

export const environmentVariableInput = input(
  {
    name: Type.Optional(Type.String({ maxLength: 1000, description: VARIABLE_NAME_RULE })),
    description: Type.String({ default: '', maxLength: 1000 }),
    secret: Type.Boolean({ default: false, description: 'sealed in the database and never shown again' }),
    valueList: Type.Array(
      input({
        environmentName: Type.String({ maxLength: 1000 }),
        value: Type.Optional(
          Type.String({ maxLength: 10_000, description: 'left out: the stored value stays' }),
        ),
      }),
      { default: [], maxItems: 1000, description: 'one value for each environment' },
    ),
  },
  { $id: 'EnvironmentVariableInput' },
);
export type EnvironmentVariableInput = Static<typeof environmentVariableInput>;

export const environmentVariableView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    secret: Type.Boolean(),
    valueList: Type.Array(Type.Object({ environmentName: Type.String(), value })),
  },
  { $id: 'EnvironmentVariable' },
);

/** As stored. Projects and environments stand by their ids, so that a later namesake inherits nothing. */
export interface StoredVariable {
  readonly scope: string;
  readonly name: string;
  readonly description: string;
  readonly isSecret: boolean;
  readonly values: ReadonlyArray<{ readonly environmentId: string; readonly value: string }>;
}
