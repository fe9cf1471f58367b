import type { FaultRow } from './fault-row.ts';

/** What the pods beside the Manager answer. */
export const podFaults = {
  // Pods: diagnostics, and what else the environment's id opens
  'environment.unauthorized': {
    status: 401,
    title: 'Unauthorized',
    detail: "The header Authorization must be the id of this pod's environment, without any word before it.",
    errorKey: 'ENVIRONMENT_ID_MISMATCH',
  },
  'diagnostics.busy': {
    status: 429,
    title: 'Too Many Requests',
    detail: 'One {what} at a time: another is being taken on this pod.',
    errorKey: 'DIAGNOSTIC_IN_PROGRESS',
  },
  'diagnostics.no-memory': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'A heap dump of this pod needs about {needed} MB of memory, but only {free} MB are free.',
    errorKey: 'DIAGNOSTIC_WITHOUT_MEMORY',
  },

  // Data grid
  'grid.unavailable': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The data grid does not answer.',
    errorKey: 'SERVICE_UNAVAILABLE',
  },

  'process.away': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The process of this pod that does this is not there; it is being started anew.',
    errorKey: 'SERVICE_UNAVAILABLE',
  },
} as const satisfies Record<string, FaultRow>;
