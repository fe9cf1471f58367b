import type { CertificateName } from './certificate-recipes.ts';

export type ScenarioCategory = 'certificate' | 'protocol' | 'cipher' | 'client-auth' | 'alpn';
export type TlsVersion = '1.0' | '1.1' | '1.2' | '1.3';

/** One way a TLS server can be: what it shows, what it speaks, and what a client with default settings makes of it. */
export interface TlsScenario {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly category: ScenarioCategory;
  readonly description: string;
  /** Certificates in the order in which they are sent, the server's own first; their recipes have these names. */
  readonly chain: readonly CertificateName[];
  readonly tls: { readonly min: TlsVersion; readonly max: TlsVersion };
  /** OpenSSL cipher list; `default` for what a careful server offers. */
  readonly ciphers: string;
  readonly alpn: readonly string[];
  readonly clientAuth: 'none' | 'optional' | 'required';
  /** Whose clients are welcome. */
  readonly clientCa?: CertificateName;
  /** How the server signs the handshake, as OpenSSL lists it. */
  readonly signatureAlgorithms?: string;
  readonly groups?: 'X25519MLKEM768';
  readonly dhGroup?: 'modp-1024' | 'composite-2048';
  /** What the stapled OCSP answer says; nothing is stapled without it. */
  readonly staple?: 'revoked';
  readonly refusesRenegotiation?: boolean;
  /** What answers at the port when it is no TLS server in order. */
  readonly server?: BrokenServer;
  /** For a client that trusts the test root; `varies` where good clients disagree. */
  readonly expected: 'ok' | 'fail' | 'varies';
  /** What the client says when it refuses; null where it does not. */
  readonly expectedError: ScenarioError;
}

export type BrokenServer =
  | 'plain-http'
  | 'stall'
  | 'reset'
  | 'handshake-failure'
  | 'protocol-version'
  | 'no-close-notify';

interface ScenarioError {
  readonly openssl: string | null;
  readonly curl: string | null;
  readonly node: string | null;
}

/** Scenario n listens at the base port plus n - 1. */
export const TLS_BASE_PORT = 20443;

const noError: ScenarioError = { openssl: null, curl: null, node: null };
const common = {
  chain: ['server', 'intermediate'],
  tls: { min: '1.2', max: '1.3' },
  ciphers: 'default',
  alpn: ['h2', 'http/1.1'],
  clientAuth: 'none',
  expected: 'ok',
  expectedError: noError,
} as const satisfies Partial<TlsScenario>;

type Row = Partial<Omit<TlsScenario, 'number' | 'expectedError'>> &
  Pick<TlsScenario, 'id' | 'name' | 'category' | 'description'> & {
    /** OpenSSL's word, curl's exit code and Node's code; a scenario with them is expected to fail unless it says else. */
    readonly error?: readonly [openssl: string | null, curl: string | null, node: string | null];
  };

export function numbered(rows: readonly Row[], firstNumber: number): readonly TlsScenario[] {
  return rows.map(({ error, ...row }, index) => ({
    number: firstNumber + index,
    ...common,
    ...(error && {
      expected: 'fail' as const,
      expectedError: { openssl: error[0], curl: error[1], node: error[2] },
    }),
    ...row,
  }));
}

export const only = (version: TlsVersion) => ({ min: version, max: version });
