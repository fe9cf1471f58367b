import type { HeaderPairs } from '../http1/header-list.ts';
import { deliveryFaults } from './faults/delivery-faults.ts';
import type { FaultRow } from './faults/fault-row.ts';
import { managementFaults } from './faults/management-faults.ts';
import { podFaults } from './faults/pod-faults.ts';
import { requestFaults } from './faults/request-faults.ts';
import { testbedFaults } from './faults/testbed-faults.ts';

/**
 * Every error the platform answers with: key → status and text. Modules throw `fault(key, values)`;
 * the endpoint's error contract chooses how it is rendered.
 */
export const faultTable = {
  ...requestFaults,
  ...testbedFaults,
  ...managementFaults,
  ...deliveryFaults,
  ...podFaults,

  // Anything unforeseen; details stand only in the log.
  'internal.unexpected': {
    status: 500,
    title: 'Internal Server Error',
    detail: 'An unexpected error occurred; the log names it by {correlationId}.',
  },
} as const satisfies Record<string, FaultRow>;

export type FaultKey = keyof typeof faultTable;
export type FaultValues = Readonly<Record<string, unknown>>;

export class Fault extends Error {
  readonly key: FaultKey;
  readonly status: number;
  readonly title: string;
  /** What filled the text; rendered as extension members where the contract has them. */
  readonly values: FaultValues;
  /** Header fields that belong to this answer, such as Allow or Retry-After. */
  readonly headers: HeaderPairs;

  constructor(key: FaultKey, values: FaultValues, headers: HeaderPairs, options?: ErrorOptions) {
    const row: FaultRow = faultTable[key];
    super(fill(row.detail, values), options);
    this.name = 'Fault';
    this.key = key;
    this.status = row.status;
    this.title = row.title;
    this.values = values;
    this.headers = headers;
  }
}

export function fault(
  key: FaultKey,
  values: FaultValues = {},
  headers: HeaderPairs = [],
  options?: ErrorOptions,
): Fault {
  return new Fault(key, values, headers, options);
}

/** The stable name of an error's reason, such as `PROJECT_NOT_FOUND` of `project.not-found`. */
export function errorKeyOf(key: string): string {
  const rows: Readonly<Record<string, FaultRow>> = faultTable;
  const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
  return row?.errorKey ?? key.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function fill(text: string, values: FaultValues): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
