import type { ClientFailureReason, ClientPhase } from './client-failure.ts';

/** A host stands for an address that must not be called. */
export class AddressRefused extends Error {
  constructor() {
    super('the address must not be called');
    this.name = 'AddressRefused';
  }
}

/** Keys and certificates that the TLS library does not take. */
export class TlsSettingsInvalid extends Error {
  constructor(cause: unknown) {
    super('the settings for TLS cannot be used', { cause });
    this.name = 'TlsSettingsInvalid';
  }
}

export interface SocketFailure {
  readonly reason: ClientFailureReason;
  /** The system's or the TLS library's own code. */
  readonly detail: string | undefined;
}

/** What an error means that comes while a connection is established. */
export function connectFailure(
  error: Error,
  phase: ClientPhase,
  circumstances?: HandshakeCircumstances,
): SocketFailure {
  if (error instanceof AddressRefused) return { reason: 'address-refused', detail: undefined };
  if (error instanceof TlsSettingsInvalid) {
    return { reason: 'tls-settings-invalid', detail: codeOf(error.cause as Error) };
  }
  const detail = codeOf(error);
  if (phase === 'dns') return { reason: isNameUnknown(detail) ? 'dns-not-found' : 'dns-failed', detail };
  if (phase === 'tls') return { reason: tlsReason(detail) ?? handshakeReason(detail, circumstances), detail };
  return { reason: connectReason(error, detail), detail };
}

/** What an error means that comes on an open connection; undefined when it is nothing but a lost connection. */
export function lateTlsFailure(error: Error): SocketFailure | undefined {
  const detail = codeOf(error);
  const reason = tlsReason(detail);
  return reason && { reason, detail };
}

export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isNameUnknown(code: string | undefined): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EAI_NONAME';
}

const connectReasons: Readonly<Record<string, ClientFailureReason>> = {
  ECONNREFUSED: 'connect-refused',
  ECONNRESET: 'connect-reset',
  EPIPE: 'connect-reset',
  ENETUNREACH: 'connect-unreachable',
  EHOSTUNREACH: 'connect-unreachable',
  ENETDOWN: 'connect-unreachable',
  EHOSTDOWN: 'connect-unreachable',
  EADDRNOTAVAIL: 'connect-unreachable',
  ETIMEDOUT: 'connect-timeout',
};

/** Of several addresses that failed, one that answered says more than one that cannot be reached. */
function connectReason(error: Error, code: string | undefined): ClientFailureReason {
  const attempts = error instanceof AggregateError ? (error.errors as Error[]).map(codeOf) : [code];
  const reasons = attempts.map((attempt) => connectReasons[attempt ?? ''] ?? 'connect-failed');
  return reasons.find((reason) => reason === 'connect-refused') ?? reasons[0] ?? 'connect-failed';
}

/** What is wrong with the target's certificate, by the verification's codes. */
const certificateReasons: Readonly<Record<string, ClientFailureReason>> = {
  CERT_HAS_EXPIRED: 'tls-certificate-expired',
  CERT_NOT_YET_VALID: 'tls-certificate-not-yet-valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-issuer-unknown',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-issuer-unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-issuer-unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-issuer-unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-issuer-unknown',
  CERT_UNTRUSTED: 'tls-issuer-unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-hostname-mismatch',
  HOSTNAME_MISMATCH: 'tls-hostname-mismatch',
  CERT_SIGNATURE_FAILURE: 'tls-certificate-invalid',
  CERT_REVOKED: 'tls-certificate-invalid',
  CERT_REJECTED: 'tls-certificate-invalid',
  CERT_CHAIN_TOO_LONG: 'tls-certificate-invalid',
  INVALID_CA: 'tls-certificate-invalid',
  INVALID_PURPOSE: 'tls-certificate-invalid',
  PATH_LENGTH_EXCEEDED: 'tls-certificate-invalid',
};

/** What the target objects to, by the alert it sent (RFC 8446 §6.2). They come at any time in TLS 1.3. */
const alertReasons: Readonly<Record<string, ClientFailureReason>> = {
  CERTIFICATE_REQUIRED: 'tls-client-certificate-required',
  BAD_CERTIFICATE: 'tls-client-certificate-rejected',
  UNSUPPORTED_CERTIFICATE: 'tls-client-certificate-rejected',
  CERTIFICATE_REVOKED: 'tls-client-certificate-rejected',
  CERTIFICATE_EXPIRED: 'tls-client-certificate-rejected',
  CERTIFICATE_UNKNOWN: 'tls-client-certificate-rejected',
  UNKNOWN_CA: 'tls-client-certificate-rejected',
  ACCESS_DENIED: 'tls-client-certificate-rejected',
  DECRYPT_ERROR: 'tls-client-certificate-rejected',
  PROTOCOL_VERSION: 'tls-protocol-version',
};

const handshakeReasons: Readonly<Record<string, ClientFailureReason>> = {
  ECONNRESET: 'tls-handshake-reset',
  EPIPE: 'tls-handshake-reset',
  ERR_SSL_UNEXPECTED_EOF_WHILE_READING: 'tls-handshake-reset',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls-protocol-version',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'tls-protocol-version',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls-not-spoken',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls-not-spoken',
  ERR_SSL_RECORD_LAYER_FAILURE: 'tls-not-spoken',
  ERR_SSL_UNEXPECTED_MESSAGE: 'tls-not-spoken',
  ERR_SSL_HTTP_REQUEST: 'tls-not-spoken',
};

function tlsReason(code = ''): ClientFailureReason | undefined {
  const alert = /_ALERT_([A-Z_]+)$/.exec(code)?.[1];
  return alert === undefined ? certificateReasons[code] : alertReasons[alert];
}

export interface HandshakeCircumstances {
  /** The target has answered the greeting and chosen from what it offered. */
  readonly hasServerChosen: boolean;
  readonly hasClientCertificate: boolean;
}

/**
 * TLS 1.2 has one alert for a certificate that is missing and for algorithms that nobody shares. The former comes
 * only after the algorithms were chosen.
 */
function handshakeReason(
  code: string | undefined,
  circumstances: HandshakeCircumstances | undefined,
): ClientFailureReason {
  if (code?.endsWith('_ALERT_HANDSHAKE_FAILURE') && circumstances?.hasServerChosen) {
    return circumstances.hasClientCertificate
      ? 'tls-client-certificate-rejected'
      : 'tls-client-certificate-required';
  }
  return handshakeReasons[code ?? ''] ?? 'tls-failed';
}
