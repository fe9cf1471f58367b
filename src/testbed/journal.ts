import type { Exchange } from '../http1/exchange.ts';
import type { RequestView } from '../kernel/catalogue/request-view.ts';
import { fault } from '../kernel/faults.ts';
import { queryValue } from './echo/meta.ts';
import { rawHeadText } from './echo/raw-head.ts';
import type { TestbedServices } from './services.ts';

interface Arriving {
  readonly request: RequestView;
  readonly exchange: Exchange;
  readonly services: TestbedServices;
}

export const JOURNAL_ID_PATTERN = '^[A-Za-z0-9._~-]{1,128}$';
const journalId = new RegExp(JOURNAL_ID_PATTERN);

/**
 * Records a request that names a journal by `X-Test-Journal` or `?__journal=`; runs before its endpoint does, so that
 * the entry is there whatever becomes of the answer. Nothing is returned, and nearly nothing done, for all others.
 */
export function recordInJournal({ request, exchange, services }: Arriving): Promise<void> | undefined {
  const named = request.headers.first('x-test-journal');
  const id = named ?? queryValue(request, '__journal');
  // Reading a journal leaves no trace in it.
  if (id === undefined || /^\/journal(?:\/|$)/.test(request.rawPath)) return undefined;
  if (!journalId.test(id)) {
    const where =
      named === undefined ? { in: 'query', name: '__journal' } : { in: 'header', name: 'X-Test-Journal' };
    throw fault('parameter.invalid', { ...where, rule: `must match ${JOURNAL_ID_PATTERN}` });
  }
  const { head, body, connection, requestNo } = exchange;
  return services.state.journal.record(id, {
    method: head.method,
    target: head.target,
    httpVersion: head.version,
    connectionId: connection.id,
    requestNo,
    peer: `${connection.remoteAddress}:${connection.remotePort}`,
    rawHead: rawHeadText(head),
    bodyFraming: body.framing,
    bodyLength: body.declaredLength ?? (body.isPresent ? null : 0),
  });
}
