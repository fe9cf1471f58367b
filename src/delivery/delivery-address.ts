import type { ClientOrigin } from '../http1/client/client-request.ts';
import { PLACEHOLDER, placeholderNames } from '../model/connection-url.ts';

/** Where a call goes. Two events with the same address share the object, so that they can share a batch. */
export interface DeliveryAddress {
  readonly origin: ClientOrigin;
  /** Path and query. */
  readonly target: string;
}

/** Why there is no address to call. */
export interface AddressProblem {
  readonly reason: 'unresolved-placeholder' | 'invalid-address';
  readonly detail: string;
}

export type Variables = Readonly<Record<string, string>>;

/** A host with an optional port; no user-info, no delimiter that a value could have brought in. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::[0-9]{1,5})?$/;

/**
 * Fills the placeholders of an address and takes it apart. A value is encoded for the place where it stands: it can
 * neither add a segment or a parameter nor change the host, which is checked again once it is known.
 */
export function resolveAddress(
  fullUrl: string,
  variables: Variables,
  adaptPath: (path: string) => string = (path) => path,
): DeliveryAddress | AddressProblem {
  const unresolved = placeholderNames(fullUrl).filter((name) => !Object.hasOwn(variables, name));
  if (unresolved.length > 0)
    return { reason: 'unresolved-placeholder', detail: `no value for ${unresolved.join(', ')}` };
  const parts = /^(https?:)\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(fullUrl);
  if (!parts) return invalid('it does not begin with http:// or https://');
  const [, protocol, authority, path, query = ''] = parts as unknown as [
    string,
    string,
    string,
    string,
    string?,
  ];
  const host = authority.replace(PLACEHOLDER, (_, name: string) => variables[name]!);
  if (!AUTHORITY.test(host)) return invalid('the host is not valid');
  const filledPath = path.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(variables[name]!));
  if (hasDotSegment(filledPath) && !hasDotSegment(path)) return invalid('a value leads out of its path');
  const filledQuery = query.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(variables[name]!));
  const url = URL.parse(`${protocol.toLowerCase()}//${host}${filledPath}${filledQuery}`);
  if (!url) return invalid('it is no valid address');
  return {
    origin: {
      protocol: url.protocol as ClientOrigin['protocol'],
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    },
    target: adaptPath(url.pathname) + url.search,
  };
}

export function isAddress(value: DeliveryAddress | AddressProblem): value is DeliveryAddress {
  return 'origin' in value;
}

function invalid(detail: string): AddressProblem {
  return { reason: 'invalid-address', detail };
}

function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** How many addresses are remembered when records choose them. */
const MAX_KNOWN_ADDRESSES = 1000;

/** The addresses of one connection: one for all events unless placeholders are left for the records to fill. */
export class AddressBook {
  readonly #fullUrl: string;
  readonly #variables: Variables;
  readonly #adaptPath: (path: string) => string;
  /** Undefined when it depends on the event. */
  readonly #common: DeliveryAddress | AddressProblem | undefined;
  readonly #names: readonly string[];
  readonly #known = new Map<string, DeliveryAddress>();

  constructor(fullUrl: string, variables: Variables, adaptPath: (path: string) => string) {
    this.#fullUrl = fullUrl;
    this.#variables = variables;
    this.#adaptPath = adaptPath;
    this.#names = placeholderNames(fullUrl).filter((name) => !Object.hasOwn(variables, name));
    this.#common = this.#names.length === 0 ? resolveAddress(fullUrl, variables, adaptPath) : undefined;
  }

  /** Whether all events go to the same place. */
  get isFixed(): boolean {
    return this.#common !== undefined;
  }

  addressFor(context: Variables | undefined): DeliveryAddress | AddressProblem {
    if (this.#common) return this.#common;
    const variables = { ...context, ...this.#variables };
    const key = JSON.stringify(this.#names.map((name) => variables[name]));
    const known = this.#known.get(key);
    if (known) return known;
    const address = resolveAddress(this.#fullUrl, variables, this.#adaptPath);
    if (!isAddress(address)) return address;
    if (this.#known.size >= MAX_KNOWN_ADDRESSES) this.#known.clear();
    this.#known.set(key, address);
    return address;
  }
}
