import {
  arch,
  availableParallelism,
  cpus,
  freemem,
  hostname,
  loadavg,
  platform,
  release,
  totalmem,
} from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Type } from 'typebox';
import type { HealthReport } from '../kernel/module/health.ts';
import { type Diagnostic, type DiagnosticSources, everyModule } from './diagnostic.ts';

const UpOrDown = Type.Union([Type.Literal('UP'), Type.Literal('DOWN')]);
const Bytes = Type.Integer({ description: 'Bytes.' });

export const health: Diagnostic = {
  name: 'health',
  key: 'health',
  modules: everyModule,
  summary: 'Health, uptime and the system the pod runs on.',
  description:
    'Beside what the module needs (as in its open health) it checks memory, threads and connections. The answer is 200 also when something is DOWN.',
  content: Type.Object({
    status: UpOrDown,
    uptime: Type.Integer({ description: 'Seconds since the module started.' }),
    checks: Type.Record(
      Type.String(),
      Type.Object({ status: UpOrDown, detail: Type.Optional(Type.String()) }),
    ),
    system: Type.Object({
      hostName: Type.String(),
      platform: Type.String(),
      release: Type.String(),
      architecture: Type.String(),
      processor: Type.String(),
      cpus: Type.Integer({ description: 'Processors this process may use.' }),
      loadAverage: Type.Array(Type.Number(), { description: 'Of the last 1, 5 and 15 minutes.' }),
      memory: Type.Object({ total: Bytes, free: Bytes, available: Bytes }),
      processId: Type.Integer(),
    }),
  }),
  collect: healthContent,
  combine: combined,
};

type Check = HealthReport['checks'][string];

async function healthContent(sources: DiagnosticSources) {
  const { uptime, checks: needed } = await sources.health();
  const checks: Record<string, Check> = {
    ...needed,
    memory: memoryCheck(),
    threads: threadsCheck(sources),
    connections: connectionsCheck(sources),
  };
  const isUp = Object.values(checks).every(({ status }) => status === 'UP');
  return { status: isUp ? 'UP' : 'DOWN', uptime, checks, system: systemContent() };
}

type HealthContent = Awaited<ReturnType<typeof healthContent>>;

/** What is DOWN in one process is DOWN. */
function combined(contents: readonly HealthContent[]): HealthContent {
  const checks: Record<string, Check> = {};
  for (const [name, one] of contents.flatMap((content) => Object.entries(content.checks))) {
    if (checks[name] === undefined || one.status === 'DOWN') checks[name] = one;
  }
  const isUp = contents.every(({ status }) => status === 'UP');
  return { ...contents[0]!, status: isUp ? 'UP' : 'DOWN', checks };
}

/** V8 ends the process when it cannot get below the limit. */
const MOST_HEAP_USED = 0.95;

function memoryCheck(): Check {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return check(
    used < limit * MOST_HEAP_USED,
    `${Math.round((used / limit) * 100)} % of the heap's limit in use`,
  );
}

/** Half of all turns so late: nobody is served in time any more. */
const LATEST_MEDIAN_MS = 1000;

function threadsCheck({ probe }: DiagnosticSources): Check {
  const { p50, p99 } = probe.eventLoopDelay();
  return check(p50 < LATEST_MEDIAN_MS, `event loop late by ${p50} ms (median), ${p99} ms (99 %)`);
}

function connectionsCheck({ connections }: DiagnosticSources): Check {
  const { active, pools } = connections.content();
  const exhausted = pools.filter(({ leased, pending, maxTotal }) => pending > 0 && leased >= maxTotal);
  if (exhausted.length === 0) return check(true, `${active} active`);
  return check(false, `exhausted: ${exhausted.map(({ name }) => name).join(', ')}`);
}

function check(isUp: boolean, detail: string): Check {
  return { status: isUp ? 'UP' : 'DOWN', detail };
}

function systemContent() {
  return {
    hostName: hostname(),
    platform: platform(),
    release: release(),
    architecture: arch(),
    processor: cpus()[0]?.model ?? 'unknown',
    cpus: availableParallelism(),
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
    memory: { total: totalmem(), free: freemem(), available: process.availableMemory() },
    processId: process.pid,
  };
}
