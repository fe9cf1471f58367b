import type { ClientTimeouts, ClientTls } from '../http1/client/client-options.ts';
import type { HeaderPairs } from '../http1/header-list.ts';
import type { EffectiveParameters, HttpMethod } from '../model/connection.ts';
import { channelId } from './event-collector/channel-id.ts';
import type { CollectorSettings } from './event-collector/collector-settings.ts';

/** Which connection, where. */
export interface ConnectionPlace {
  readonly connectionId: string;
  readonly connectionName: string;
  readonly environmentName: string;
  readonly podName: string;
}

/** What the parameters only name, looked up. */
export interface ConnectionMaterial {
  /** PEM. Must be given when the parameters name a trust store, and when they name a key store. */
  readonly trustedCertificates?: readonly string[] | undefined;
  readonly clientIdentity?: Pick<ClientTls, 'cert' | 'key' | 'pfx' | 'passphrase'> | undefined;
  /** Of the environment, for placeholders in the address. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface BatchSettings {
  readonly isEnabled: boolean;
  readonly maxEvents: number;
  /** Before compression. */
  readonly maxBytes: number;
  /** From the first event. */
  readonly maxDelayMs: number;
}

export interface BufferSettings {
  readonly maxBytes: number;
  readonly producerThrottleMs: number;
}

export interface RetrySettings {
  readonly maxCount: number;
  readonly backoffMs: number;
  readonly maxRetryAfterMs: number;
  /** Whether a call may be made again although the target may have acted on it. */
  readonly mayRepeat: boolean;
}

export interface BreakerSettings {
  readonly threshold: number;
  readonly windowMs: number;
  readonly sleepMs: number;
  /** False: the circuit closes when the sleep window is over, without a single attempt before. */
  readonly isHalfOpenEnabled: boolean;
}

export interface PoolSettings {
  readonly maxPerHost: number;
  readonly maxTotal: number;
  /** The total was configured below what one host may have. */
  readonly isTotalRaised: boolean;
  readonly timeouts: ClientTimeouts;
  readonly tls: ClientTls;
}

/** Everything a connection needs at run time, in milliseconds and bytes. */
export interface DeliverySettings {
  readonly place: ConnectionPlace;
  readonly isEnabled: boolean;
  readonly method: HttpMethod;
  readonly fullUrl: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly headers: HeaderPairs;
  readonly batch: BatchSettings;
  readonly isGzipEnabled: boolean;
  readonly buffer: BufferSettings;
  readonly retry: RetrySettings;
  readonly collector?: CollectorSettings | undefined;
  readonly breaker?: BreakerSettings | undefined;
  readonly pool: PoolSettings;
}

/** Real collectors read this name; it is a setting because the specification leaves the vendor's word open. */
export const DEFAULT_CHANNEL_HEADER = 'X-Splunk-Request-Channel';

/** RFC 9110 §9.2.2. */
const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

export interface SettingsSource {
  readonly place: ConnectionPlace;
  readonly isEnabled: boolean;
  readonly parameters: EffectiveParameters;
  readonly material: ConnectionMaterial;
  readonly channelHeader?: string | undefined;
}

/** The parameters as the engine wants them. Throws when what they name is not there: better no engine than an open one. */
export function deliverySettings({
  place,
  isEnabled,
  parameters: given,
  material,
  channelHeader,
}: SettingsSource): DeliverySettings {
  return {
    place,
    isEnabled,
    method: given.httpMethod,
    fullUrl: given.fullUrl,
    variables: material.variables,
    headers: given.headerList.flatMap(({ name, value }) => [name, value]),
    batch: {
      isEnabled: given.batchEnabled,
      maxEvents: given.batchMaxEvents,
      maxBytes: given.batchMaxBytes,
      maxDelayMs: given.batchMaxDelayMs,
    },
    // Single records are never compressed.
    isGzipEnabled: given.gzipEnabled && given.batchEnabled,
    buffer: { maxBytes: given.batchBufferMemoryBytes, producerThrottleMs: given.producerThrottleMs },
    retry: {
      maxCount: given.maxRetryCount,
      backoffMs: given.retryBackoffMs,
      maxRetryAfterMs: given.maxRetryAfterSeconds * 1000,
      mayRepeat: given.retryNonIdempotent || IDEMPOTENT_METHODS.has(given.httpMethod),
    },
    collector: collectorSettings(given, place, channelHeader ?? DEFAULT_CHANNEL_HEADER),
    breaker: given.circuitBreakerEnabled
      ? {
          threshold: given.errorThresholdValue,
          windowMs: given.errorWindow * 1000,
          sleepMs: given.sleepWindow * 1000,
          isHalfOpenEnabled: given.halfOpenEnabled,
        }
      : undefined,
    pool: {
      maxPerHost: given.connectionPoolMaxConnectionPerHost,
      maxTotal: given.connectionPoolMaxConnectionTotal,
      isTotalRaised: given.isPoolTotalRaised,
      timeouts: {
        acquireMs: given.connectionRequestTimeoutSeconds * 1000,
        connectMs: given.connectTimeoutSeconds * 1000,
        writeMs: given.writeStallTimeoutSeconds * 1000,
        responseMs: given.responseTimeoutSeconds * 1000,
        idleMs: given.socketTimeoutSeconds * 1000,
      },
      tls: tlsSettings(given, material),
    },
  };
}

function collectorSettings(
  given: EffectiveParameters,
  place: ConnectionPlace,
  channelHeader: string,
): CollectorSettings | undefined {
  if (!given.eventCollectorEnabled) return undefined;
  return {
    metadata: {
      host: given.eventCollectorHost,
      source: given.eventCollectorSource,
      sourcetype: given.eventCollectorSourcetype,
      index: given.eventCollectorIndex,
    },
    channelHeader,
    channel: channelId(place.connectionId, place.environmentName, place.podName),
    ack: given.useAck
      ? { timeoutMs: given.ackTimeoutSeconds * 1000, maxResends: given.maxAckResend }
      : undefined,
  };
}

function tlsSettings(given: EffectiveParameters, material: ConnectionMaterial): ClientTls {
  const { trustedCertificates, clientIdentity } = material;
  // Without certificates the target would not be verified at all, which nobody asked for who chose a trust store.
  if (given.trustStoreName !== null && !trustedCertificates?.length)
    throw new Error(`the trust store '${given.trustStoreName}' holds no certificate`);
  if (given.keyStoreName !== null && !clientIdentity)
    throw new Error(`the key store '${given.keyStoreName}' holds no key`);
  const versions = given.tlsVersionList;
  return {
    ...(given.trustStoreName !== null && { ca: trustedCertificates }),
    ...(given.keyStoreName !== null && clientIdentity),
    verifiesHostname: given.verifyHostname,
    minVersion: versions.includes('TLSv1.2') ? 'TLSv1.2' : 'TLSv1.3',
    maxVersion: versions.includes('TLSv1.3') ? 'TLSv1.3' : 'TLSv1.2',
  };
}
