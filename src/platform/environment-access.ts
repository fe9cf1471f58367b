import { createHash, timingSafeEqual } from 'node:crypto';
import type { AnswerContext } from '../kernel/catalogue/dispatcher.ts';
import { fault } from '../kernel/faults.ts';

/**
 * The `identify` of a module whose pods belong to one environment: entries with the access `environment` are for those who
 * show its id (spec 2 §5). The id itself is the credential and stands alone in the field, so no challenge could name a
 * scheme that works, and none is sent.
 */
export function environmentAccess(environmentId: string): (context: AnswerContext<unknown>) => undefined {
  const expected = digestOf(environmentId);
  return ({ request, endpoint }) => {
    if (endpoint?.access !== 'environment') return undefined;
    const shown = request.headers.get('authorization') ?? '';
    // Digests are of one length, so that the comparison takes the same time whatever was sent.
    if (!timingSafeEqual(digestOf(shown), expected)) throw fault('environment.unauthorized');
    return undefined;
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}
