import type { Place } from './certificate-recipes.ts';

const DEFAULT_PORT = 10090;

/** What certificates say of a service started with these options. */
export function placeOf(options: { readonly port: number; readonly tlsNames: readonly string[] }): Place {
  // A port chosen by the system changes with every start; certificates should not.
  const port = options.port || DEFAULT_PORT;
  return {
    hostNames: ['localhost', '*.badssl.test', '127.0.0.1', '::1', ...options.tlsNames],
    baseUrl: `http://${options.tlsNames[0] ?? 'localhost'}:${port}`,
  };
}
