import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

const WILDCARDS = new Set(['0.0.0.0', '::', '']);

/** Where other pods reach this one: the address it listens on, or the machine's own where it listens on all. */
export function podAddress(
  host: string,
  port: number,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string {
  const reachable = WILDCARDS.has(host) ? machineAddress(interfaces) : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function machineAddress(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string {
  const outside = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal);
  const chosen = outside.find(({ family }) => family === 'IPv4') ?? outside[0];
  return chosen?.address ?? '127.0.0.1';
}
