import type { ProcessPlace } from '../kernel/process-group.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { PodReport } from './pod-report.ts';
import { refuseBeyond } from './process-relay.ts';
import type { ReportCall } from './report-call.ts';

export interface ProcessReportsOptions {
  readonly place: ProcessPlace;
  /** Those of this pod that serve, this one too. */
  readonly processes: () => Promise<readonly PodProcess[]>;
  /** The report of this process. */
  readonly own: (chosen: readonly Diagnostic[]) => Promise<PodReport>;
  readonly ask: ReportCall;
  readonly deadlineMs?: number;
}

/** Less than another pod waits for the whole of it. */
const PROCESS_DEADLINE_MS = 4500;

export interface ProcessReports {
  /** Of the pod: the processes in one, and each of them under `processes`. */
  ofPod(name: string, chosen: readonly Diagnostic[], signal: AbortSignal): Promise<PodReport>;
  ofProcess(
    index: number,
    name: string,
    chosen: readonly Diagnostic[],
    signal: AbortSignal,
  ): Promise<PodReport>;
}

/** The reports of a pod that may have several processes: whichever a request reaches asks the others. */
export function createProcessReports(options: ProcessReportsOptions): ProcessReports {
  const { place, processes, own, ask, deadlineMs = PROCESS_DEADLINE_MS } = options;
  return {
    ofPod: async (name, chosen, signal) => {
      const ownReport = own(chosen);
      if (place.count === 1) return ownReport;
      const [known, { podName }] = await Promise.all([knownProcesses(), ownReport]);
      const reports = await Promise.all(
        Array.from({ length: place.count }, async (_, index): Promise<ProcessReport> => {
          if (index === place.index) return { index, processId: process.pid, report: await ownReport };
          const other = known.find((one) => one.index === index);
          return {
            index,
            processId: other?.processId ?? 0,
            report: await askProcess(other, podName, name, chosen, signal),
          };
        }),
      );
      return inOne(await ownReport, reports, chosen);
    },
    ofProcess: async (index, name, chosen, signal) => {
      if (index === place.index) return own(chosen);
      refuseBeyond(index, place);
      const [known, { podName }] = await Promise.all([knownProcesses(), own([])]);
      return askProcess(
        known.find((one) => one.index === index),
        podName,
        name,
        chosen,
        signal,
      );
    },
  };

  /** None when whoever knows them does not answer. */
  function knownProcesses(): Promise<readonly PodProcess[]> {
    return processes().catch(() => []);
  }

  /** Whoever is asked for one process by its number is that process and asks nobody further. */
  async function askProcess(
    other: PodProcess | undefined,
    podName: string,
    name: string,
    chosen: readonly Diagnostic[],
    signal: AbortSignal,
  ): Promise<PodReport> {
    if (!other) return { podName, podIp: '', responseTime: 0, error: 'it does not serve yet' };
    return ask({
      podName,
      address: `http://127.0.0.1:${other.port}`,
      path: `${name}?process=${other.index}`,
      keys: chosen.map(({ key }) => key),
      deadlineMs,
      signal,
    });
  }
}

interface ProcessReport {
  readonly index: number;
  readonly processId: number;
  readonly report: PodReport;
}

function inOne(own: PodReport, reports: readonly ProcessReport[], chosen: readonly Diagnostic[]): PodReport {
  const { podName, podIp, envName, version, notice } = own;
  const errors = reports.flatMap(({ index, report: { error } }) =>
    error ? [`process ${index}: ${error}`] : [],
  );
  return {
    podName,
    podIp,
    envName,
    version,
    responseTime: Math.max(...reports.map(({ report }) => report.responseTime)),
    ...(errors.length > 0 && { error: errors.join('; ') }),
    ...(notice && { notice }),
    ...contentsOf(reports, chosen),
    processes: reports.map(({ index, processId, report }) => ({
      process: index,
      processId,
      ...(report.error && { error: report.error }),
      ...Object.fromEntries(chosen.map(({ key }) => [key, report[key]])),
    })),
  };
}

function contentsOf(
  reports: readonly ProcessReport[],
  chosen: readonly Diagnostic[],
): Record<string, unknown> {
  const contents = chosen.flatMap(({ key, combine }) => {
    const parts = reports.map(({ report }) => report[key]).filter((part) => part !== undefined);
    if (parts.length === 0) return [];
    return [[key, combine ? combine(parts as never[]) : parts[0]] as const];
  });
  return Object.fromEntries(contents);
}
