import type { AddressSource } from '../http1/client/client-options.ts';
import type { Clock } from '../kernel/clock.ts';
import { contactDeadlineMs } from '../platform/deployment/connection-contact.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import type { ConnectionTestResult } from '../platform/deployment/connection-tester.ts';
import { settingsOfContent } from './connection-content-settings.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { type ContactResult, contactOnce } from './one-shot.ts';

export interface ConnectionTestOptions {
  readonly environmentName: string;
  readonly podName: string;
  readonly addresses: AddressSource;
  readonly clock: Clock;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** What a pod finds out; which pod it is, the Manager knows. */
export type TestFindings = Omit<ConnectionTestResult, 'envName' | 'podName' | 'podIp'>;

/** Contacts the endpoint once, over connections of its own: deployed ones are left alone. */
export async function testConnection(
  content: ConnectionContent,
  { environmentName, podName, addresses, clock, signal }: ConnectionTestOptions,
): Promise<TestFindings> {
  const { name: connectionName } = content;
  const place = { connectionId: 'test', connectionName, environmentName, podName };
  let settings: DeliverySettings;
  try {
    settings = await settingsOfContent(content, { place, isEnabled: true });
  } catch (error) {
    // It names a store and what is wrong with it, never what is in it.
    return unfit((error as Error).message);
  }
  const pool = openDeliveryPool(settings.pool, addresses);
  try {
    const deadline = AbortSignal.timeout(contactDeadlineMs(content));
    const contact = { settings, pool, signal: AbortSignal.any([signal, deadline]), nowMs: clock.now() };
    return findingsOf(await contactOnce(contact));
  } finally {
    await pool.destroy();
  }
}

function unfit(detail: string): TestFindings {
  return {
    success: false,
    detail,
    errorClass: 'configuration',
    reason: 'settings-invalid',
    failedPhase: 'prepare',
    phases: {},
    responseTime: 0,
  };
}

function findingsOf({ isSuccess, detail, failure, status, phases, totalMs }: ContactResult): TestFindings {
  return {
    success: isSuccess,
    detail,
    ...(failure && {
      errorClass: failure.errorClass,
      reason: failure.reason,
      failedPhase: failure.phase,
    }),
    ...(status !== undefined && { statusCode: status }),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, ms]) => [phase, tenths(ms)])),
    responseTime: Math.round(totalMs),
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
