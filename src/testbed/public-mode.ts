import { fault } from '../kernel/faults.ts';
import type { TestbedSettings } from './settings.ts';

type PublicSettings = Pick<TestbedSettings, 'isPublic' | 'allowedRedirectHosts'>;

/** Types that no browser runs scripts of. */
const inertTypes =
  /^\s*(?:text\/plain|text\/csv|application\/json|application\/octet-stream|image\/(?:png|jpeg|gif|webp|avif))\s*(?:;|$)/i;

/** For features that do harm on an open network. */
export function refuseInPublic({ isPublic }: Pick<PublicSettings, 'isPublic'>, feature: string): void {
  if (isPublic) throw fault('feature.disabled', { feature, reason: 'this service is public' });
}

/**
 * For header fields that the client chooses: a link could have chosen them for its victim. None may turn what the
 * service echoes into a page that runs, or lead people elsewhere.
 */
export function refuseRiskyField(settings: PublicSettings, name: string, value: string): void {
  if (!settings.isPublic) return;
  const lowerName = name.toLowerCase();
  if (lowerName === 'location') refuseElsewhere(settings, value);
  if (lowerName === 'refresh') refuseInPublic(settings, 'The Refresh field');
  if (lowerName === 'content-type' && !isInertType(value))
    refuseInPublic(settings, `The type ${value} for any content`);
}

/** An open redirect lends the service's name to whoever wants to lead people astray. */
export function refuseElsewhere(settings: PublicSettings, location: string): void {
  if (!settings.isPublic || staysHere(location)) return;
  const target = URL.parse(location);
  const isAllowed =
    target !== null &&
    /^https?:$/.test(target.protocol) &&
    settings.allowedRedirectHosts.some((host) => host === target.hostname || host === target.host);
  if (!isAllowed) refuseInPublic(settings, 'A redirect to another host');
}

export function isInertType(contentType: string): boolean {
  return inertTypes.test(contentType);
}

/**
 * Asks the parser that browsers use: `//host`, `/\host` and the like are not relative at all, and `http:/host` is so
 * only from a page of that scheme, which a proxy in front may have changed.
 */
function staysHere(location: string): boolean {
  const bases = ['http://testbed.invalid', 'https://testbed.invalid'];
  return bases.every((base) => URL.parse(location, base)?.origin === base);
}
