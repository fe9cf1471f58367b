import { Type } from 'typebox';
import type { Diagnostic } from './diagnostic.ts';

const Count = Type.Integer();

export const dataGrid: Diagnostic = {
  name: 'datagrid',
  key: 'datagrid',
  modules: ['cache'],
  summary: 'The data grid: its members, its maps and their figures.',
  content: Type.Object({
    engine: Type.String(),
    cluster: Type.Object({
      state: Type.String(),
      size: Count,
      members: Type.Array(
        Type.Object({ address: Type.String(), role: Type.String(), local: Type.Boolean() }),
      ),
    }),
    maps: Type.Array(
      Type.Object({
        name: Type.String(),
        entries: Count,
        hits: Count,
        misses: Count,
        gets: Count,
        puts: Count,
        removes: Count,
        evictions: Count,
        memoryBytes: Count,
      }),
    ),
  }),
  collect: (sources) => sources.dataGrid(),
};
