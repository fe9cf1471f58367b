import { ClientFailure } from '../../http1/client/client-failure.ts';
import type { DeliveryAddress } from '../delivery-address.ts';
import { kindOfReason, type ProblemReporter } from '../delivery-problem.ts';
import type { Sender } from '../sender.ts';
import type { PollResult } from './ack-tracker.ts';
import { readAckAnswer } from './collector-answer.ts';

export interface AckQuestion {
  readonly address: DeliveryAddress;
  readonly ackIds: readonly string[];
  readonly cookie: string;
}

/** Refusals that may pass: asked again, they can be answered. */
const PASSING_REFUSALS = new Set([408, 425, 429]);

/** Asks once which ids are acknowledged. */
export async function pollAcks(
  sender: Pick<Sender, 'sendPoll'>,
  problems: ProblemReporter,
  { address, ackIds, cookie }: AckQuestion,
): Promise<PollResult> {
  const reply = await sender.sendPoll(address, ackIds, cookie);
  if (reply instanceof ClientFailure) {
    if (reply.reason !== 'aborted')
      problems.tell(kindOfReason(reply.reason), `ack-${reply.reason}`, reply.message);
    return { kind: 'failed' };
  }
  const { status, body } = reply;
  const acknowledged = status >= 200 && status < 300 ? readAckAnswer(body) : undefined;
  if (acknowledged) return { kind: 'acknowledged', ackIds: acknowledged };
  problems.tell('answer', `ack-status-${status}`, `a poll for acknowledgements got status ${status}`);
  const isRefused = status >= 400 && status < 500 && !PASSING_REFUSALS.has(status);
  return { kind: isRefused ? 'refused' : 'failed' };
}
