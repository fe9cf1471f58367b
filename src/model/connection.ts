import { type Static, type TSchema, Type } from 'typebox';
import { MAX_URL_LENGTH } from './connection-url.ts';
import type { SettingsOf } from './settings-category.ts';

/** Spec 2 §2.3. */
export const httpMethods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'] as const;
export type HttpMethod = (typeof httpMethods)[number];

/** Older versions are not offered (spec 2 §2.3). */
export const tlsVersions = ['TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof tlsVersions)[number];

const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
const MEGABYTE = 1_048_576;
const GIGABYTE = 1024 * MEGABYTE;

const count = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description });
const flag = (description: string) => Type.Boolean({ default: false, description });
const text = (description: string) => Type.String({ default: '', maxLength: 1000, description });

/** A member that may be left empty, which has a meaning of its own: null is empty, and so is the empty text of a form. */
function emptiable<Value>(type: 'integer' | 'boolean', fallback: Value | null, options: object) {
  return Type.Unsafe<Value | null | ''>({
    type: [type, 'null', 'string'],
    maxLength: 0,
    default: fallback,
    ...options,
  });
}

const phaseTimeout = (what: string) =>
  emptiable<number>('integer', 2, {
    minimum: 1,
    maximum: DAY_SECONDS,
    description: `seconds ${what}; empty: the value of timeout`,
  });

/** The name of a store, or none. */
const reference = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], default: null, maxLength: 100, description });

export const headerRow = Type.Object(
  {
    name: Type.String({ maxLength: 1000 }),
    value: Type.String({ maxLength: 32_768 }),
  },
  { additionalProperties: false },
);
export type HeaderRow = Static<typeof headerRow>;

/**
 * Every parameter of a webhook connection for one environment: wire name, default, bounds and meaning, here and nowhere
 * else (spec 2 §2.3). Bounds that the specification does not name only keep out what no clock or memory could hold.
 */
export const parameterMembers = {
  httpMethod: Type.Unsafe<HttpMethod>({ type: 'string', enum: httpMethods }),
  fullUrl: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows how a placeholder is written.
    description: 'http or https; may hold placeholders such as `${host}`',
  }),
  headerList: Type.Array(headerRow, {
    default: [],
    description: 'sent with each call; name and value must be filled in every row; as many rows as wanted',
  }),

  timeout: count(2, 1, DAY_SECONDS, 'seconds; what the timeouts below take when they are empty'),
  connectTimeoutSeconds: phaseTimeout('to look up, connect and agree on TLS'),
  responseTimeoutSeconds: phaseTimeout('from the request sent to the head of the answer'),
  connectionRequestTimeoutSeconds: phaseTimeout('to obtain a connection of the pool'),
  socketTimeoutSeconds: phaseTimeout('between two pieces of the answer'),
  writeStallTimeoutSeconds: emptiable<number>('integer', 30, {
    minimum: -DAY_SECONDS,
    maximum: DAY_SECONDS,
    description: 'seconds to send the body; 0 or less: unguarded; empty: 30',
  }),
  connectionPoolMaxConnectionPerHost: count(24, 1, 10_000, 'connections to one host'),
  connectionPoolMaxConnectionTotal: count(
    48,
    1,
    10_000,
    'connections to all hosts; below the number of one host it is raised to that at run time',
  ),

  trustStoreName: reference('whose certificates are trusted; none: the server is not verified'),
  keyStoreName: reference('the client certificate for mutual TLS; none: none is sent'),
  verifyHostname: flag('whether the certificate must be of the host that is called'),
  tlsVersionList: Type.Array(Type.Unsafe<TlsVersion>({ type: 'string', enum: tlsVersions }), {
    default: [...tlsVersions],
    minItems: 1,
    uniqueItems: true,
  }),

  batchEnabled: flag('whether events are sent in batches; otherwise one call for each event'),
  batchMaxEvents: count(100, 1, 1_000_000, 'events of a batch'),
  batchMaxBytes: count(MEGABYTE, 1, GIGABYTE, 'bytes of a batch, before compression'),
  batchMaxDelayMs: count(200, 0, HOUR_MS, 'milliseconds that the first event of a batch waits for others'),
  batchBufferMemoryBytes: count(
    32 * MEGABYTE,
    1,
    16 * GIGABYTE,
    'bytes of events that are not yet delivered',
  ),
  gzipEnabled: flag('whether the body of a batch is compressed'),
  producerThrottleMs: count(100, 0, 2000, 'milliseconds that a producer waits while the buffer is full'),

  maxRetryCount: count(1, 0, 100, 'attempts after the first failure'),
  retryBackoffMs: count(200, 0, HOUR_MS, 'milliseconds before the first retry'),
  maxRetryAfterSeconds: count(5, 0, DAY_SECONDS, 'longest wait that a server may ask for with 429 or 503'),
  retryNonIdempotent: flag('whether POST and PATCH are retried when the server may have acted already'),

  eventCollectorEnabled: flag('whether records are sent as events of an event collector'),
  eventCollectorIndex: text('index in the envelope of an event; empty: not sent'),
  eventCollectorSourcetype: text('sourcetype in the envelope; empty: not sent'),
  eventCollectorSource: text('source in the envelope; empty: not sent'),
  eventCollectorHost: text('host in the envelope; empty: not sent'),
  useAck: flag('whether a batch counts as delivered only when the collector has acknowledged it'),
  ackTimeoutSeconds: count(30, 1, DAY_SECONDS, 'seconds to wait for the acknowledgement'),
  maxAckResend: count(2, 0, 100, 'times that a batch without acknowledgement is sent again'),

  circuitBreakerEnabled: emptiable<boolean>('boolean', null, {
    description: 'empty: the default of the installation',
  }),
  errorThresholdValue: emptiable<number>('integer', null, {
    minimum: 1,
    maximum: 10_000,
    description: 'failures within the window that open the circuit; empty: the default of the installation',
  }),
  sleepWindow: emptiable<number>('integer', null, {
    minimum: 1,
    maximum: 3600,
    description: 'seconds before the single attempt; empty: the default of the installation',
  }),
};

type Given = { readonly [Name in keyof typeof parameterMembers]: Static<(typeof parameterMembers)[Name]> };

/** What somebody sends for one environment; empty text means empty. */
export type ParameterInput = Given;

/** The values of a connection for one environment, as its owners set them; null where a member is left empty. */
export type ParameterSet = { readonly [Name in keyof Given]: Exclude<Given[Name], ''> };

export const parameterNames = Object.keys(parameterMembers) as ReadonlyArray<keyof ParameterSet>;

type MandatoryName = 'httpMethod' | 'fullUrl';

/** What every parameter is that nobody set; method and address have no default. */
export function parameterDefaults(): Omit<ParameterSet, MandatoryName> {
  const members: Readonly<Record<string, TSchema>> = parameterMembers;
  const defaults = Object.entries(members).filter(([, schema]) => 'default' in schema);
  return structuredClone(
    Object.fromEntries(defaults.map(([name, schema]) => [name, (schema as { default: unknown }).default])),
  ) as Omit<ParameterSet, MandatoryName>;
}

const emptiableNames: ReadonlySet<string> = new Set(
  Object.entries(parameterMembers as Readonly<Record<string, { type?: unknown }>>)
    .filter(([, { type }]) => Array.isArray(type))
    .map(([name]) => name),
);

/**
 * The whole set, in the order of the table: what is missing takes its default. A document of an older release lacks the
 * members that came later; their defaults are off, so that it goes on as before (spec 2 §9).
 */
export function completeParameters(
  given: Partial<ParameterInput> & Pick<ParameterInput, MandatoryName>,
): ParameterSet {
  const filled = { ...parameterDefaults(), ...given };
  const set = parameterNames.map((name) => {
    const value = filled[name];
    return [name, value === '' && emptiableNames.has(name) ? null : value];
  });
  return Object.fromEntries(set) as ParameterSet;
}

export type BreakerDefaults = SettingsOf<'connector-circuit-breaker'>;

type PhaseTimeout =
  | 'connectTimeoutSeconds'
  | 'responseTimeoutSeconds'
  | 'connectionRequestTimeoutSeconds'
  | 'socketTimeoutSeconds';
type BreakerMember = 'circuitBreakerEnabled' | 'errorThresholdValue' | 'sleepWindow';

/** What a connection really uses: nothing is empty any more. */
export interface EffectiveParameters
  extends Omit<ParameterSet, PhaseTimeout | 'writeStallTimeoutSeconds' | BreakerMember>,
    Readonly<Record<PhaseTimeout, number>> {
  /** 0 when unguarded. */
  readonly writeStallTimeoutSeconds: number;
  /** Whether the total of the pool was below the number of one host, which deserves a warning (spec 2 §8). */
  readonly isPoolTotalRaised: boolean;
  readonly circuitBreakerEnabled: boolean;
  readonly errorThresholdValue: number;
  readonly sleepWindow: number;
  /** Both exist for the whole installation only. */
  readonly errorWindow: number;
  readonly halfOpenEnabled: boolean;
}

const WRITE_STALL_SECONDS = 30;

/** Spec 2 §2.3: what an empty member means, and which values are corrected at run time. */
export function effectiveParameters(given: ParameterSet, breaker: BreakerDefaults): EffectiveParameters {
  const set = completeParameters(given);
  const { timeout, connectionPoolMaxConnectionPerHost: perHost } = set;
  return {
    ...set,
    connectTimeoutSeconds: set.connectTimeoutSeconds ?? timeout,
    responseTimeoutSeconds: set.responseTimeoutSeconds ?? timeout,
    connectionRequestTimeoutSeconds: set.connectionRequestTimeoutSeconds ?? timeout,
    socketTimeoutSeconds: set.socketTimeoutSeconds ?? timeout,
    // It alone does not fall back to the timeout.
    writeStallTimeoutSeconds: Math.max(0, set.writeStallTimeoutSeconds ?? WRITE_STALL_SECONDS),
    connectionPoolMaxConnectionTotal: Math.max(set.connectionPoolMaxConnectionTotal, perHost),
    isPoolTotalRaised: set.connectionPoolMaxConnectionTotal < perHost,
    circuitBreakerEnabled: set.circuitBreakerEnabled ?? breaker.enabled,
    errorThresholdValue: set.errorThresholdValue ?? breaker.errorThresholdValue,
    sleepWindow: set.sleepWindow ?? breaker.sleepWindow,
    errorWindow: breaker.errorWindow,
    halfOpenEnabled: breaker.halfOpenEnabled,
  };
}
