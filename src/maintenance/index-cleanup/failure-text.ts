import { LogIndexFailure } from '../../log-index/log-index-failure.ts';

/** What went wrong with the index, in one line that names the setting to look at. */
export function failureText(error: unknown, index: string): string {
  if (!(error instanceof LogIndexFailure)) return (error as Error).message;
  const { kind, message, status } = error;
  switch (kind) {
    case 'unreachable':
      return `the index engine cannot be reached: ${message} (ES_HOST, ES_PROTO)`;
    case 'untrusted':
      return `there is no secure connection to the index engine: ${message} (ES_PROTO, --ca-file)`;
    case 'lost':
      return `the connection to the index engine was lost: ${message}`;
    case 'timeout':
      return `the index engine did not answer in time: ${message}`;
    case 'unauthorised':
      return status === 401
        ? `the index engine refuses the user or the password (ES_USER, ES_PASS): ${message}`
        : `the user may not do this (ES_USER): ${message}`;
    case 'index-missing':
      return `there is no index '${index}' (INDEX)`;
    case 'blocked':
      return `a block of the index stands in the way: ${message}`;
    case 'malformed':
      return `what answers is no index engine: ${message} (ES_HOST, ES_PROTO)`;
    default:
      return `the index engine refuses the call${status === undefined ? '' : ` (status ${status})`}: ${message}`;
  }
}

/** Whether the call may have taken effect although no answer came: a proxy that tired of waiting answers in its own words. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof LogIndexFailure) || !error.isRequestSent) return false;
  const isOfProxy = error.type === undefined && proxyStatuses.has(error.status ?? 0);
  return isOfProxy || unknownKinds.has(error.kind);
}

const unknownKinds = new Set(['lost', 'timeout', 'cancelled', 'malformed']);
const proxyStatuses = new Set([408, 502, 503, 504]);

/** Whether the same call may succeed a little later. */
export function isPassing(error: unknown): boolean {
  return error instanceof LogIndexFailure && passingKinds.has(error.kind);
}

const passingKinds = new Set(['unreachable', 'lost', 'timeout', 'busy']);
