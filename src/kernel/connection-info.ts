import type { Socket } from 'node:net';
import type { ConnectionInfo, ProxyHeader } from '../http1/exchange.ts';

// The time tells processes apart that were given the same number one after the other.
const prefix = `${Date.now().toString(36)}${process.pid.toString(36)}-`;
let count = 0;

/** Describes an accepted socket, with an id that is unique among all listeners and processes. */
export function describeConnection(
  socket: Socket,
  openedAtMs: number,
  proxyHeader: ProxyHeader | undefined,
): ConnectionInfo {
  return {
    id: prefix + (++count).toString(36),
    openedAtMs,
    remoteAddress: plainAddress(socket.remoteAddress),
    remotePort: socket.remotePort ?? 0,
    localAddress: plainAddress(socket.localAddress),
    localPort: socket.localPort ?? 0,
    proxyHeader,
    tls: undefined,
  };
}

/** IPv4 clients of a dual-stack socket are shown as IPv4. */
function plainAddress(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
