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
  /** Whether it does no harm when the pod is asked twice. */
  readonly isRepeatable: boolean;
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
  async send(pod: Pod, podCall: PodCall): Promise<unknown> {
    const { status, body } = await this.#answer(pod, podCall);
    if (status !== 200) throw new PodCallFailed(refusalText(status), status === 401);
    return parsed(body);
  }

  async #answer(pod: Pod, podCall: PodCall): Promise<OutboundAnswer> {
    try {
      return await this.#call(pod, podCall).catch((error) => {
        // The pod closed a connection that was kept since the last call, in the moment it was used again.
        const isStale = error instanceof ClientFailure && error.reason === 'stale-connection';
        if (!isStale || !podCall.isRepeatable) throw error;
        return this.#call(pod, podCall);
      });
    } catch (cause) {
      const isUntouched = cause instanceof ClientFailure && !cause.isRequestSent;
      const message = `The pod does not answer: ${(cause as Error).message}.`;
      throw new PodCallFailed(message, isUntouched, { cause });
    }
  }

  /** Each call is signed anew: the pod takes a signature once. */
  #call({ address, environmentId = '' }: Pod, podCall: PodCall): Promise<OutboundAnswer> {
    const { method, path, body, deadlineMs } = podCall;
    const target = `${INTERNAL_PATH}${path}`;
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const authorization = this.#options.signer.sign({ method, target, environmentId }, bytes);
    return this.#options.call({
      url: `${address}${target}`,
      method,
      headers: [
        'Authorization',
        authorization,
        ...(body === undefined ? [] : ['Content-Type', 'application/json']),
      ],
      ...(body !== undefined && { body: bytes }),
      deadlineMs,
      maxBodyBytes: MOST_ANSWER_BYTES,
    });
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
