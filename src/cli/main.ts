import { enableCompileCache } from 'node:module';

// The second start takes half the time of the first. It must be on before the code is imported.
enableCompileCache();
const { gatehouse } = await import('./gatehouse.ts');
process.exitCode = await gatehouse(process.argv.slice(2));
