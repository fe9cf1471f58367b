/** The first bytes of TLS as they stand on the wire (RFC 8446 §5.1, §6). */

const HANDSHAKE_RECORD = 0x16;
const ALERT_RECORD = 0x15;
const FATAL = 2;

export const alertCodes = {
  unexpected_message: 10,
  handshake_failure: 40,
  protocol_version: 70,
} as const;

/** Whether these bytes, at least two, begin a record of a handshake. */
export function isTlsRecord(bytes: Buffer): boolean {
  return bytes[0] === HANDSHAKE_RECORD && bytes[1] === 3;
}

/** A fatal alert, unencrypted, as a server sends it that does not even begin a handshake. */
export function fatalAlert(name: keyof typeof alertCodes, version: 'SSL 3.0' | 'TLS' = 'TLS'): Buffer {
  return Buffer.of(ALERT_RECORD, 3, version === 'TLS' ? 1 : 0, 0, 2, FATAL, alertCodes[name]);
}
