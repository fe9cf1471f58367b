import type { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import { inOnePiece } from '../content/bounded-body.ts';
import { parseForm } from '../content/form.ts';
import type { TestbedCall } from '../endpoint.ts';
import { type BodyParts, filesOf, isFormType } from './body-parts.ts';
import { noFields, semiFlattened } from './sorted-fields.ts';
import { parseJsonExactly } from './sorted-json.ts';

// go-httpbin's default -max-body-size.
const MAX_GO_BODY_BYTES = 1024 * 1024;

/** Fields that name the client, in the order go-httpbin trusts them. */
const CLIENT_ADDRESS_FIELDS = ['fly-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'true-client-ip'];

/**
 * A request body as go-httpbin shows it: `data` is the text of known types and a data URL of all others,
 * `json` only what is declared as JSON, which must then parse.
 */
export async function readGoBodyParts(call: TestbedCall): Promise<BodyParts> {
  const { limits } = call.services.settings;
  const maxBodyBytes = Math.min(MAX_GO_BODY_BYTES, limits.maxBodyBytes);
  const bytes = await call.exchange.body.bytes(maxBodyBytes);
  const parts: BodyParts = { bytes, data: '', files: noFields, form: noFields, json: null };
  if (bytes.length === 0) return parts;

  const contentType = call.request.headers.first('content-type') ?? '';
  const mediaType = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const data = bytes.toString('utf8');
  if (isFormType(contentType)) {
    const form = await parseForm(contentType, inOnePiece(bytes), { ...limits, maxBodyBytes });
    return { ...parts, data, form: semiFlattened(form.fields), files: filesOf(form) };
  }
  if (mediaType === 'application/json') return { ...parts, data, json: declaredJson(data) };
  if (mediaType.startsWith('text/') || mediaType.startsWith('html/')) return { ...parts, data };
  // Go's URL-safe alphabet, with its padding.
  const base64 = bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return { ...parts, data: `data:${contentType || 'application/octet-stream'};base64,${base64}` };
}

export function goClientAddress(headers: HeaderList): string | undefined {
  for (const name of CLIENT_ADDRESS_FIELDS) {
    const address = headers.first(name);
    if (address !== undefined) return address;
  }
  return headers.first('x-forwarded-for')?.split(',', 1)[0]?.trim();
}

function declaredJson(text: string): unknown {
  try {
    return parseJsonExactly(text);
  } catch (cause) {
    throw fault('body.invalid', { rule: 'is declared as JSON but does not parse' }, [], { cause });
  }
}
