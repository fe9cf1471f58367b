import { connections } from './connections.ts';
import { dataGrid } from './data-grid.ts';
import type { DiagnosedModule, Diagnostic } from './diagnostic.ts';
import { environment } from './environment.ts';
import { health } from './health.ts';
import { jvm } from './jvm.ts';
import { threadDump } from './thread-dump.ts';
import { threads } from './threads.ts';

/** Everything a pod tells about itself but the heap dump, which is a file (spec 2 §4.3). */
const diagnostics: readonly Diagnostic[] = [
  jvm,
  threads,
  threadDump,
  connections,
  environment,
  health,
  dataGrid,
];

export function diagnosticsOf(module: DiagnosedModule): Diagnostic[] {
  return diagnostics.filter(({ modules }) => modules.includes(module));
}
