import { ClientFailure } from '../http1/client/client-failure.ts';
import type { OutboundAnswer, OutboundCall } from '../kernel/outbound/http-caller.ts';
import type { PodReport } from './pod-report.ts';

export interface ReportCallOptions {
  readonly environmentId: string;
  readonly call: (call: OutboundCall) => Promise<OutboundAnswer>;
}

export interface ReportQuestion {
  readonly podName: string;
  readonly address: string;
  /** Name of the diagnostic with its query. */
  readonly path: string;
  /** The members that hold what was asked for. */
  readonly keys: readonly string[];
  readonly deadlineMs: number;
  /** Aborts when there is no time left for anybody, or nobody waits any more. */
  readonly signal: AbortSignal;
}

export type ReportCall = (question: ReportQuestion) => Promise<PodReport>;

/** A dump of many threads has some hundred kilobytes. */
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

/** Asks another process for a report. It always resolves: whoever does not answer well has an error in its report. */
export function createReportCall({ environmentId, call }: ReportCallOptions): ReportCall {
  return async ({ podName, address, path, keys, deadlineMs, signal }) => {
    const begunAtMs = performance.now();
    const responseTime = () => Math.round(performance.now() - begunAtMs);
    try {
      const { status, body } = await call({
        url: `${address}/gateway/diagnostics/${path}`,
        // Asked too seldom for a connection to be worth keeping.
        headers: ['Authorization', environmentId, 'Accept', 'application/json', 'Connection', 'close'],
        deadlineMs,
        maxBodyBytes: MAX_REPORT_BYTES,
        signal,
      });
      const report = reportIn(status, body, podName);
      return { ...withoutNonsense(report, keys), responseTime: responseTime() };
    } catch (error) {
      return { podName, podIp: ipOf(address), responseTime: responseTime(), error: reasonOf(error, signal) };
    }
  };
}

class BadReport extends Error {}

function reportIn(status: number, body: Buffer, podName: string): PodReport {
  if (status !== 200) throw new BadReport(`answered with status ${status}`);
  const report = parsed(body);
  if (typeof report !== 'object' || report === null || Array.isArray(report))
    throw new BadReport('answered with something else than a report');
  if ((report as PodReport).podName !== podName) throw new BadReport('another pod answers at its address');
  return report as PodReport;
}

/** A pod of another release may lack something; what it has is worth reading. */
function withoutNonsense(report: PodReport, keys: readonly string[]): PodReport {
  const lacking = keys.filter((key) => typeof report[key] !== 'object' || report[key] === null);
  if (lacking.length === 0) return report;
  const nothing = Object.fromEntries(lacking.map((key) => [key, undefined]));
  return { ...report, ...nothing, error: report.error ?? `answered without ${lacking.join(', ')}` };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadReport('answered with something else than JSON');
  }
}

/** In words for whoever reads the answer; failures of calls hold no secret. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof BadReport) return error.message;
  if (signal.aborted) return 'no answer within the time for all pods';
  return `no answer: ${error instanceof ClientFailure ? error.message : 'unexpected failure'}`;
}

/** `http://10.0.0.7:8091` → `10.0.0.7`. */
export function ipOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : '';
}
