import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';

const members = {
  description: Type.String({ default: '', maxLength: 1000 }),
  relativePath: Type.String({
    default: '',
    maxLength: 200,
    pattern: '^(/[A-Za-z0-9._~-]+)*$',
    description: 'what client routes of the project begin with',
  }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    default: [],
    maxItems: 50,
    uniqueItems: true,
  }),
};

/** What a client sends. The name may be left out where the path has it. */
export const projectInput = input(
  { name: Type.Optional(Type.String({ maxLength: 1000, description: NAME_RULE })), ...members },
  { $id: 'ProjectInput' },
);

export const projectView = Type.Object(
  { id: Type.String({ description: '24 hex digits' }), name: Type.String(), ...members },
  { $id: 'Project' },
);

export type ProjectInput = Static<typeof projectInput>;

export interface Project {
  readonly name: string;
  readonly description: string;
  readonly relativePath: string;
  readonly tags: readonly string[];
}
