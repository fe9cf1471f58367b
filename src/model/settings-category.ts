import { type Static, type TObject, Type } from 'typebox';
import { input } from './input.ts';

/** Settings of the whole installation, by category: schema, bounds and defaults in one place. */
export interface SettingsCategory<Schema extends TObject = TObject> {
  readonly title: string;
  readonly description: string;
  readonly schema: Schema;
}

const count = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description });

const YEAR_SECONDS = 366 * 24 * 60 * 60;
const DAYS = 3650;
const ROWS = 100_000_000;

/** Members that are left out take their defaults; others are refused. */
function category<Schema extends TObject>(
  title: string,
  description: string,
  schema: Schema,
): SettingsCategory<Schema> {
  return { title, description, schema };
}

export const settingsCategories = {
  security: category(
    'Security',
    'Life of access tokens, locking of accounts, guards against guessing and flooding.',
    input({
      tokenLifetimeSeconds: count(
        3600,
        0,
        YEAR_SECONDS,
        'life of a token from the token endpoint; 0 means that it never expires',
      ),
      lockAfterFailedSignIns: count(5, 1, 1000, 'failed sign-ins in a row that lock an account'),
      lockSeconds: count(900, 0, YEAR_SECONDS, 'how long it stays locked; 0 means until it is unlocked'),
      signInsPerMinuteAndAddress: count(6000, 1, 1_000_000, 'attempts to sign in from one address'),
      signInsPerMinuteAndName: count(1200, 1, 1_000_000, 'attempts to sign in under one name'),
      requestsPerMinuteAndAddress: count(
        60_000,
        1,
        100_000_000,
        'requests without a valid token from one address',
      ),
    }),
  ),
  'connector-circuit-breaker': category(
    'Logging & Monitoring, Connector Circuit Breaker',
    'What webhook connections use where their own circuit breaker fields are empty (spec 2 §2.3).',
    input({
      enabled: Type.Boolean({ default: false, description: 'whether connections break the circuit' }),
      errorWindow: count(10, 1, 3600, 'seconds in which failures are counted'),
      errorThresholdValue: count(5, 1, 10_000, 'failures within the window that open the circuit'),
      sleepWindow: count(30, 1, 3600, 'seconds before the single attempt that may close it'),
      halfOpenEnabled: Type.Boolean({ default: true, description: 'whether that single attempt is made' }),
    }),
  ),
  'log-delivery': category(
    'Logging & Monitoring, Log Delivery',
    "Where the Manager's own records go, the token and audit records of the whole installation, and what all collectors have in common.",
    input({
      environmentName: Type.String({
        default: 'Development',
        maxLength: 100,
        description: 'the environment whose log connectors deliver them',
      }),
      collectorChannelHeader: Type.String({
        default: 'X-Splunk-Request-Channel',
        maxLength: 100,
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        description: 'how event collectors call the header field of the channel',
      }),
    }),
  ),
  journals: category(
    'Journals',
    'How long rows are kept, and how many at most in each journal.',
    input({
      loginRetentionDays: count(90, 1, DAYS, 'days of the login journal'),
      auditRetentionDays: count(365, 1, DAYS, 'days of the audit journal'),
      tokenRetentionDays: count(90, 1, DAYS, 'days of the token journal'),
      deploymentRetentionDays: count(90, 1, DAYS, 'days of the deployment journal'),
      messageRetentionDays: count(30, 1, DAYS, 'days of the message journal'),
      maxRows: count(1_000_000, 100, ROWS, 'rows of one journal; the oldest go first'),
    }),
  ),
} as const;

export type CategoryName = keyof typeof settingsCategories;
export type SettingsOf<Name extends CategoryName> = Static<(typeof settingsCategories)[Name]['schema']>;

export const categoryNames = Object.keys(settingsCategories) as CategoryName[];

export function defaultSettings<Name extends CategoryName>(name: Name): SettingsOf<Name> {
  const { properties } = settingsCategories[name].schema;
  return Object.fromEntries(
    Object.entries(properties).map(([member, schema]) => [member, (schema as { default?: unknown }).default]),
  ) as SettingsOf<Name>;
}
