/** With every 401: how a client is expected to prove who it is (RFC 9110 §11.6.1). */
export const CHALLENGE: readonly string[] = ['WWW-Authenticate', 'Bearer realm="management API"'];
