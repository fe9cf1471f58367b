import { Type } from 'typebox';
import type { ConnectionsContent } from './connection-registry.ts';
import type { Diagnostic } from './diagnostic.ts';
import { summed } from './sums.ts';

const Count = Type.Integer();

export const connections: Diagnostic = {
  name: 'connections',
  key: 'connections',
  modules: ['worker'],
  summary: 'HTTP connections of clients, and pools of connections to backends.',
  content: Type.Object({
    active: Type.Integer({ description: 'In use, at listeners and in pools.' }),
    idle: Type.Integer({ description: 'Open without a request on them.' }),
    listeners: Type.Array(Type.Object({ name: Type.String(), active: Count, idle: Count })),
    pools: Type.Array(
      Type.Object({
        name: Type.String(),
        leased: Count,
        available: Count,
        pending: Type.Integer({ description: 'Callers that wait for a connection.' }),
        maxTotal: Count,
      }),
    ),
  }),
  collect: ({ connections: registry }) => registry.content(),
  combine: (contents: readonly ConnectionsContent[]) => summed(contents),
};
