import { enableCompileCache } from 'node:module';
import { makeObjectsYoung } from '../kernel/young-objects.ts';

// The second start takes half the time of the first. It must be on before the code is imported.
enableCompileCache();
makeObjectsYoung();
const { gatehouse } = await import('./gatehouse.ts');
process.exitCode = await gatehouse(process.argv.slice(2));
