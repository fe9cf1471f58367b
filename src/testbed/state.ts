import type { Clock } from '../kernel/clock.ts';
import { Attempts } from './state/attempts.ts';
import { AuthKeys } from './state/auth-keys.ts';
import { CacheScripts } from './state/cache-scripts.ts';
import { Contacts } from './state/contacts.ts';
import { CookieSessions } from './state/cookie-sessions.ts';
import { DigestNonces } from './state/digest-nonces.ts';
import { HealthSwitches } from './state/health-switches.ts';
import { Journal } from './state/journal.ts';
import { Occupancy } from './state/occupancy.ts';
import { RateLimits } from './state/rate-limits.ts';
import { SmugglingCanaries } from './state/smuggling-canaries.ts';
import { SoapNonces } from './state/soap-nonces.ts';
import { Uploads } from './state/uploads.ts';
import { Users } from './state/users.ts';

/** Every keeper of shared state of the test service. All of it is gone after a restart. */
export function createTestbedState(clock: Clock) {
  return {
    authKeys: new AuthKeys(),
    cacheScripts: new CacheScripts(clock),
    journal: new Journal(clock),
    contacts: new Contacts(),
    cookieSessions: new CookieSessions(clock),
    digestNonces: new DigestNonces(clock),
    soapNonces: new SoapNonces(clock),
    uploads: new Uploads(clock),
    users: new Users(),
    attempts: new Attempts(clock),
    healthSwitches: new HealthSwitches(clock),
    occupancy: new Occupancy(clock),
    rateLimits: new RateLimits(clock),
    smugglingCanaries: new SmugglingCanaries(clock),
  };
}
