import { effectiveParameters } from '../model/connection.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import { clientIdentityOf, trustedCertificatesOf } from '../platform/deployment/tls-material.ts';
import { type ConnectionPlace, type DeliverySettings, deliverySettings } from './delivery-settings.ts';

export interface ContentSettingsOptions {
  readonly place: ConnectionPlace;
  readonly isEnabled: boolean;
}

/** A connection as it was deployed, as the engine wants it. Rejects when its stores cannot be opened. */
export async function settingsOfContent(
  content: ConnectionContent,
  options: ContentSettingsOptions,
): Promise<DeliverySettings> {
  const { parameters, breakerDefaults, variables, trustStore, keyStore, collectorChannelHeader } = content;
  return deliverySettings({
    ...options,
    // What an older release deployed has none.
    channelHeader: collectorChannelHeader ?? undefined,
    parameters: effectiveParameters(parameters, breakerDefaults),
    material: {
      variables,
      trustedCertificates: trustStore ? await trustedCertificatesOf(trustStore) : undefined,
      clientIdentity: keyStore ? await clientIdentityOf(keyStore) : undefined,
    },
  });
}
