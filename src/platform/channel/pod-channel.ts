import { ClientFailure } from '../../http1/client/client-failure.ts';
import type { OutboundAnswer, OutboundCall } from '../../kernel/outbound/http-caller.ts';
import type { Pod } from '../../store/pods.ts';
import type { CallSigner } from './call-signature.ts';
import { INTERNAL_PATH } from './internal-endpoint.ts';

/** A pod that gave no usable answer. The message is fit for operators: it holds no content and no secret. */
export class PodCallFailed extends Error {
  /** The pod has done nothing of what it was asked for: another one may be asked. */
  readonly isUntouched: boolean;

  constructor(message: string, isUntouched: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PodCallFailed';
    this.isUntouched = isUntouched;
  }
}

export interface PodCall {
  readonly method: 'GET' | 'POST';
  /** Below the internal path, such as `revisions/`. */
  readonly path: string;
  readonly body?: unknown;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface PodChannelOptions {
  /** Resolves with the answer of whatever status; rejects when there is none. */
  readonly call: (call: OutboundCall) => Promise<OutboundAnswer>;
  readonly signer: CallSigner;
}

const MOST_ANSWER_BYTES = 8 * 1024 * 1024;

/** Calls the internal endpoints of pods. */
export class PodChannel {
  readonly #options: PodChannelOptions;

  constructor(options: PodChannelOptions) {
    this.#options = options;
  }

  /** Resolves with the JSON of the answer; rejects with PodCallFailed. */
  async send(pod: Pod, { method, path, body, deadlineMs, signal }: PodCall): Promise<unknown> {
    const { call, signer } = this.#options;
    const target = `${INTERNAL_PATH}${path}`;
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const { environmentId = '' } = pod;
    let answer: OutboundAnswer;
    try {
      answer = await call({
        url: `${pod.address}${target}`,
        method,
        headers: [
          'Authorization',
          signer.sign({ method, target, environmentId }, bytes),
          ...(body === undefined ? [] : ['Content-Type', 'application/json']),
        ],
        ...(body !== undefined && { body: bytes }),
        deadlineMs,
        maxBodyBytes: MOST_ANSWER_BYTES,
        ...(signal && { signal }),
      });
    } catch (cause) {
      const isUntouched = cause instanceof ClientFailure && !cause.isRequestSent;
      const message = `The pod does not answer: ${(cause as Error).message}.`;
      throw new PodCallFailed(message, isUntouched, { cause });
    }
    const { status } = answer;
    if (status !== 200) throw new PodCallFailed(refusalText(status), status === 401);
    return parsed(answer.body);
  }
}

function refusalText(status: number): string {
  return status === 401
    ? 'The pod refused the call: it has another master key, or its clock is more than 30 s off.'
    : `The pod answered ${status}.`;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new PodCallFailed('The answer of the pod is not JSON.', false, { cause });
  }
}

/** Where a pod is, without its port. */
export function podIpOf({ address }: Pick<Pod, 'address'>): string {
  return new URL(address).hostname.replace(/^\[(.*)\]$/, '$1');
}
