import { effectiveParameters } from '../../model/connection.ts';
import type { ConnectionContent } from './connection-content.ts';

/** What parameters on their way to a pod, to be tried once, are sealed for. */
export function testPlaceOf(environmentId: string): string {
  return `test-connection/${environmentId}`;
}

/** Where sending the body is unguarded. */
const UNGUARDED_WRITE_SECONDS = 30;
const LONGEST_CONTACT_MS = 120_000;

/** How long a single contact may take at most: each of its phases as long as it may. */
export function contactDeadlineMs({ parameters, breakerDefaults }: ConnectionContent): number {
  const effective = effectiveParameters(parameters, breakerDefaults);
  const seconds =
    effective.connectionRequestTimeoutSeconds +
    effective.connectTimeoutSeconds +
    (effective.writeStallTimeoutSeconds || UNGUARDED_WRITE_SECONDS) +
    effective.responseTimeoutSeconds +
    effective.socketTimeoutSeconds;
  return Math.min(seconds * 1000, LONGEST_CONTACT_MS);
}
