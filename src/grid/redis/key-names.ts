import type { MapLimits } from '../contract.ts';

/** Everything of one environment begins so; the namespace is the environment's id. */
export function prefixOf(namespace: string): string {
  return `gatehouse:${namespace}:`;
}

export function isLimited({ maxEntries, maxBytes }: MapLimits): boolean {
  return maxEntries !== undefined || maxBytes !== undefined;
}

/**
 * The beginning of the names of a map's entries. The entries of a map without a limit spread over all slots of a cluster.
 * Those of a map with one share the slot of its index, by the hash tag in braces; names of maps have no braces.
 */
export function entryPrefix(prefix: string, map: string, isMapLimited: boolean): string {
  return isMapLimited ? `${prefix}{${map}}:` : `${prefix}${map}:`;
}

export function indexKeys(
  prefix: string,
  map: string,
): readonly [used: string, expiry: string, sizes: string] {
  return [`${prefix}{${map}}#used`, `${prefix}{${map}}#expiry`, `${prefix}{${map}}#sizes`];
}

/** The map that a key of the server belongs to, and whether it is an entry or part of the index. */
export function placeOf(
  prefix: string,
  key: string,
): { readonly map: string; readonly isEntry: boolean } | undefined {
  const [, limited, plain, mark] = /^(?:\{([^}]*)\}|([^:{}]*))([:#])/.exec(key.slice(prefix.length)) ?? [];
  const map = limited ?? plain;
  return map === undefined || map === '' ? undefined : { map, isEntry: mark === ':' };
}
