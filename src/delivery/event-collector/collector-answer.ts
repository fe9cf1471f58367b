/** What the body of a collector's answer says; undefined where it does not say it. */
export interface CollectorAnswer {
  readonly code?: number | undefined;
  /** Covers all events of the request. */
  readonly ackId?: string | undefined;
  /** Position of the first event that was refused. */
  readonly invalidEventNumber?: number | undefined;
}

/** Never throws: a body that is no JSON says nothing. */
export function readCollectorAnswer(body: Buffer): CollectorAnswer {
  const answer = parseObject(body);
  if (!answer) return {};
  return {
    code: wholeNumber(answer.code),
    ackId: wholeNumber(answer.ackId)?.toString(),
    invalidEventNumber: wholeNumber(answer['invalid-event-number']),
  };
}

/** The ids that are acknowledged in the answer to a poll; undefined when it is no such answer. */
export function readAckAnswer(body: Buffer): string[] | undefined {
  const acks = parseObject(body)?.acks;
  if (typeof acks !== 'object' || acks === null) return undefined;
  return Object.entries(acks)
    .filter(([, isAcknowledged]) => isAcknowledged === true)
    .map(([id]) => id);
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
