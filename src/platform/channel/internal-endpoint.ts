import type { Static, TSchema } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json } from '../../kernel/catalogue/declarations.ts';
import type { Call, Endpoint } from '../../kernel/catalogue/endpoint.ts';
import { type Check, compileCheck } from '../../kernel/catalogue/schema-check.ts';
import { fault } from '../../kernel/faults.ts';
import type { CallVerifier } from './call-signature.ts';

/** Whom a pod takes internal calls from, and as whom. */
export interface InternalGate {
  readonly verifier: CallVerifier;
  readonly environmentId: string;
}

/** Everything that modules ask of each other stands under this path. */
export const INTERNAL_PATH = '/gateway/internal/';

interface InternalEndpoint<Body extends TSchema> {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Below the internal path, such as `revisions/`. */
  readonly path: string;
  readonly summary: string;
  /** Of a POST. */
  readonly body?: Body;
  readonly maxBytes?: number;
  /** Resolves with what is answered as JSON. */
  readonly handle: (body: Static<Body>, call: Call<unknown, unknown, unknown, unknown, unknown>) => unknown;
}

const MOST_BYTES = 64 * 1024;

/** An entry that only modules of this installation can call. */
export function internalEndpoint<Body extends TSchema>(
  { verifier, environmentId }: InternalGate,
  { id, method, path, summary, body: schema, maxBytes = MOST_BYTES, handle }: InternalEndpoint<Body>,
): Endpoint<unknown, unknown> {
  let checking: Promise<Check> | undefined;
  return {
    id,
    group: 'Internal',
    methods: [method],
    path: `${INTERNAL_PATH}${path}`,
    summary,
    // The signature of the call is looked at below; no token and no environment's id opens it.
    access: 'open',
    responses: { 200: json('Done, or why not.') },
    examples: [],
    handle: async (call) => {
      const { request, exchange } = call;
      const { method: sentMethod, target, headers } = request;
      const checkBody = verifier.verify(headers.get('authorization'), {
        method: sentMethod,
        target,
        environmentId,
      });
      const bytes = await exchange.body.bytes(maxBytes);
      checkBody(bytes);
      const value: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
      if (schema) checking ??= compileCheck(schema);
      const broken = (await checking)?.(value);
      if (broken) throw fault('body.invalid', { ...broken });
      return reply.json(await handle(value as Static<Body>, call), {
        headers: ['Cache-Control', 'no-store'],
      });
    },
  };
}
