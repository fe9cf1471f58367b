import { Type } from 'typebox';
import type { ConnectionHost } from '../delivery/connection-host.ts';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import { type InternalGate, internalEndpoint } from '../platform/channel/internal-endpoint.ts';
import { testPlaceOf } from '../platform/deployment/connection-contact.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import type { Deployments } from '../platform/deployment/deployments.ts';

export interface InternalEndpointsOptions {
  readonly gate: InternalGate;
  readonly deployments: Pick<Deployments, 'take'>;
  readonly connections: Pick<ConnectionHost, 'test'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
}

/** The largest of the internal calls: a connection with a large header list, a key store and a trust store, sealed. */
export const MOST_INTERNAL_BYTES = 32 * 1024 * 1024;

/** What the Manager asks of a worker pod, beside how its delivery fares. */
export function internalEndpoints(options: InternalEndpointsOptions): Endpoint<unknown, unknown>[] {
  const { gate, deployments, connections, secretBox } = options;
  return [
    internalEndpoint(gate, {
      id: 'internal-revision',
      method: 'POST',
      path: 'revisions/',
      summary: 'Has the pod take a revision of its environment; answers when it runs, or why it does not.',
      body: Type.Object({ revision: Type.Integer({ minimum: 1 }) }),
      handle: ({ revision }) => deployments.take(revision),
    }),
    internalEndpoint(gate, {
      id: 'internal-test-connection',
      method: 'POST',
      path: 'test-connection/',
      summary: 'Contacts the endpoint of a connection once and tells what came of it.',
      body: Type.Object({ sealed: Type.String() }),
      maxBytes: MOST_INTERNAL_BYTES,
      handle: ({ sealed }, { exchange }) => {
        const content = secretBox.open(sealed, testPlaceOf(gate.environmentId)).toString();
        return connections.test(JSON.parse(content) as ConnectionContent, exchange.signal);
      },
    }),
  ];
}
