/** Document 2, the management plane, restated as data: its statements, and what proves each of them here. */

export interface Proof {
  readonly file: string;
  /** The name of a test in it, or the part of the name that is the same for a table of tests. */
  readonly test: string;
}

export interface Statement {
  readonly section: string;
  readonly says: string;
  readonly provenBy: readonly Proof[];
}

/** What later parts bring. A row leaves this list when it is proven and never returns. */
export const open: readonly string[] = [
  '§2.3 webhook connection: fields, defaults and bounds',
  '§2.4 gateway endpoint configuration',
  '§2.5 traffic-log document and unsent record',
  '§3 connection states, circuit states',
  '§4.3 diagnostics',
  '§4.5 webhook connection operations',
  '§4.6 traffic-log index cleanup',
  '§4.7 replay of unsent log records',
  '§5.4 diagnostics need the environment identifier',
  '§5.5 authorization of webhook connections',
  '§6 log delivery',
  '§7.1 ApiProxy (name: <name>) is already exist!',
  '§7.3 diagnostics answer 401 on a mismatch; webhook troubleshooting',
  '§8 limits of webhook connections',
  '§9 version segments under a client route; defaults after an upgrade',
];

/** Addresses of §4.1 and §4.2 that the description of a module must hold. */
export const operations: ReadonlyArray<{
  readonly section: string;
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
}> = [
  { section: '§4.1', method: 'POST', path: '/apiops/auth/token/', statuses: [200, 400, 401, 500] },
  { section: '§4.2', method: 'GET', path: '/gateway/management/health', statuses: [200] },
  { section: '§4.2', method: 'GET', path: '/gateway/management/version', statuses: [200] },
];
