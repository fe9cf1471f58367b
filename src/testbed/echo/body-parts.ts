import { isUtf8 } from 'node:buffer';
import { Fault } from '../../kernel/faults.ts';
import { inOnePiece } from '../content/bounded-body.ts';
import { type Form, type FormLimits, parseForm } from '../content/form.ts';
import type { TestbedCall } from '../endpoint.ts';
import { noFields, type SortedFields, semiFlattened } from './sorted-fields.ts';
import { parseJsonExactly } from './sorted-json.ts';

/** A request body as the echoes of httpbin show it. */
export interface BodyParts {
  readonly bytes: Buffer;
  readonly data: string;
  readonly files: SortedFields;
  readonly form: SortedFields;
  readonly json: unknown;
}

const noBody: BodyParts = {
  bytes: Buffer.alloc(0),
  data: '',
  files: noFields,
  form: noFields,
  json: null,
};

/**
 * Forms are taken apart and leave `data` empty; everything else is `data`, a broken form too, and `json` where it
 * parses, whatever its type.
 */
export async function readBodyParts(call: TestbedCall): Promise<BodyParts> {
  const { body } = call.exchange;
  if (!body.isPresent) return noBody;

  const { limits } = call.services.settings;
  const bytes = await body.bytes(limits.maxBodyBytes);
  const contentType = call.request.headers.first('content-type') ?? '';
  const form = isFormType(contentType) ? await wellFormed(contentType, bytes, limits) : undefined;
  if (form) return { ...noBody, bytes, form: semiFlattened(form.fields), files: filesOf(form) };
  if (!isUtf8(bytes)) return { ...noBody, bytes, data: dataUrl(bytes, 'application/octet-stream') };
  const data = bytes.toString('utf8');
  return { ...noBody, bytes, data, json: jsonOf(data) };
}

/** httpbin takes a broken form without complaint. Then the body is shown as it came, so that nothing of it is lost. */
async function wellFormed(contentType: string, bytes: Buffer, limits: FormLimits): Promise<Form | undefined> {
  try {
    return await parseForm(contentType, inOnePiece(bytes), limits);
  } catch (error) {
    if (error instanceof Fault && error.key === 'form.malformed') return undefined;
    throw error;
  }
}

/** Files by field name; a name used several times keeps all of them. */
export function filesOf({ files }: Form): SortedFields {
  return semiFlattened(
    files.map(({ field, content, contentType }) => [
      field,
      textOrDataUrl(content, contentType || 'application/octet-stream'),
    ]),
  );
}

export function isFormType(contentType: string): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(contentType);
}

function dataUrl(bytes: Buffer, mediaType: string): string {
  return `data:${mediaType};base64,${bytes.toString('base64')}`;
}

function textOrDataUrl(bytes: Buffer, mediaType: string): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : dataUrl(bytes, mediaType);
}

function jsonOf(text: string): unknown {
  if (!BEGINS_LIKE_JSON.test(text)) return null;
  try {
    return parseJsonExactly(text);
  } catch {
    // Not JSON: httpbin says null.
    return null;
  }
}

// Throwing costs more than everything else here, so what cannot be JSON is told by its first character.
const BEGINS_LIKE_JSON = /^[ \t\r\n]*[{["\-0-9tfn]/;
