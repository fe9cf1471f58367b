/** Everything about the test service that a flag or variable may change. */
export interface TestbedSettings {
  /** Shape of the httpbin-compatible answers: httpbin's own, or go-httpbin's. */
  readonly dialect: 'httpbin' | 'go';
  /** Switches off what should not stand on an open network: raw XSS, bombs, unsafe faults, open redirects. */
  readonly isPublic: boolean;
  /** Allows answers that can desynchronise a shared proxy connection (two final answers, …). */
  readonly allowsUnsafe: boolean;
  /** The control overlay (`X-Test-*` headers and `__*` query parameters). */
  readonly hasOverlay: boolean;
  readonly authUser: string;
  readonly authPassword: string;
  readonly digestRealm: string;
  /** Hosts that redirects may leave to in public mode. */
  readonly allowedRedirectHosts: readonly string[];
  readonly limits: TestbedLimits;
}

export interface TestbedLimits {
  /** Request bodies. */
  readonly maxBodyBytes: number;
  /** Request bodies of the verify endpoints, which stream and keep nothing. */
  readonly maxVerifyBytes: number;
  /** Request bodies after undoing their Content-Encoding. */
  readonly maxDecodedBytes: number;
  /** Any delay or duration a client may ask for. */
  readonly maxDelayMs: number;
  /** Generated response bodies. */
  readonly maxStreamBytes: number;
  /** Decompressed size of a bomb. */
  readonly maxBombBytes: number;
  readonly maxParts: number;
  /** All uploaded files together. */
  readonly maxUploadFolderBytes: number;
  /** What a client may send over one WebSocket or in one gRPC call. */
  readonly maxMessagesBytes: number;
}

const MiB = 1024 * 1024;

export const defaultSettings: TestbedSettings = {
  dialect: 'httpbin',
  isPublic: false,
  allowsUnsafe: false,
  hasOverlay: true,
  authUser: 'user',
  authPassword: 'password',
  digestRealm: 'testbed@localhost',
  allowedRedirectHosts: [],
  limits: {
    maxBodyBytes: 100 * MiB,
    maxVerifyBytes: 2048 * MiB,
    maxDecodedBytes: 64 * MiB,
    maxDelayMs: 300_000,
    maxStreamBytes: 100 * MiB,
    maxBombBytes: 1024 * MiB,
    maxParts: 100,
    maxUploadFolderBytes: 1024 * MiB,
    maxMessagesBytes: 1024 * MiB,
  },
};
