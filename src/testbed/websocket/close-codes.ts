/** Why a connection ends (RFC 6455 §7.4.1), as far as this service says so itself. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  invalidPayload: 1007,
  policyViolation: 1008,
  messageTooBig: 1009,
  internalError: 1011,
  tryAgainLater: 1013,
} as const;

/** The peer broke a rule or a limit: the connection fails with this code (RFC 6455 §7.1.7). */
export class WebSocketViolation extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.name = 'WebSocketViolation';
    this.code = code;
  }
}

/** Whether a peer may put this code into a Close frame: those registered for it, and 3000 to 4999. */
export function isSendable(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
}
