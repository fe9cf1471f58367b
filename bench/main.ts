/** `npm run bench -- NAME`: measures one claim beside its peers in the same run and writes its chapter of bench/RESULTS.md. */
import { benchDelivery } from './delivery.ts';
import { benchDiagnostics } from './diagnostics.ts';
import { benchGrid } from './grid.ts';
import { benchHeapDump } from './heap-dump.ts';
import { benchManager } from './manager.ts';
import { benchReplay } from './replay.ts';
import { benchSignIn } from './sign-in.ts';
import { benchTestbed } from './testbed.ts';
import { benchTls } from './tls.ts';
import { benchWebSocket } from './websocket.ts';

const benches: Readonly<Record<string, (argv: string[]) => Promise<void>>> = {
  delivery: benchDelivery,
  diagnostics: benchDiagnostics,
  grid: benchGrid,
  'heap-dump': benchHeapDump,
  manager: benchManager,
  replay: benchReplay,
  'sign-in': benchSignIn,
  testbed: benchTestbed,
  tls: benchTls,
  websocket: benchWebSocket,
};

const [name, ...argv] = process.argv.slice(2);
const bench = benches[name ?? ''];
if (!bench) {
  console.error(`usage: npm run bench -- <${Object.keys(benches).join('|')}> [--rounds n] [--seconds n]`);
  process.exitCode = 2;
} else await bench(argv);
