import type { ExampleRequest } from '../catalogue/endpoint.ts';
import type { Documented } from '../catalogue/operations.ts';
import { pathAsSent } from '../catalogue/path-pattern.ts';
import type { ShownRequest } from './browser/curl-line.js';

/** The request of an example with everything that its entry leaves unsaid. */
export function shownRequest(endpoint: Documented, example: ExampleRequest): ShownRequest {
  const { body, headers } = example;
  return {
    method: example.method ?? usualMethod(endpoint),
    target: example.path ?? pathAsSent(endpoint.path),
    ...(headers && { headers }),
    ...(typeof body === 'string' && { body }),
    ...(body instanceof Uint8Array && shownBytes(body)),
  };
}

export function usualMethod({ methods }: Documented): string {
  return methods.find((method) => method !== 'ANY') ?? 'GET';
}

/** Bytes that are text without control characters can be shown, and typed, as text. */
function shownBytes(bytes: Uint8Array): Pick<ShownRequest, 'body' | 'bodyBase64'> {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  const isText = !/[\x00-\x08\x0e-\x1f]/.test(text) && Buffer.from(text, 'utf8').equals(buffer);
  return isText ? { body: text } : { bodyBase64: buffer.toString('base64') };
}
