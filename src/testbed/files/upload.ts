import { decodePercent } from '../../kernel/catalogue/query.ts';
import { fault } from '../../kernel/faults.ts';
import { atMost, inOnePiece } from '../content/bounded-body.ts';
import { contentTypeOf } from '../content/charsets.ts';
import { type Form, type FormFile, keepMeasured, readForm } from '../content/form.ts';
import { urlOf } from '../echo/httpbin-echo.ts';
import type { TestbedCall } from '../endpoint.ts';
import { safeFileName } from './file-name.ts';
import { UploadTransaction } from './upload-folder.ts';

/** A file that now stands in the upload folder. */
export interface StoredFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
}

/** Takes the form of a request; its files stream to disk and are stored only when `accept` does not throw. */
export async function storeForm<Result>(
  call: TestbedCall,
  accept: (form: Form) => { readonly files: readonly FormFile[]; readonly result: Result },
): Promise<Result> {
  await using uploads = new UploadTransaction(call.services);
  const form = await readForm(call, { keepFile: uploads.keep, dropFile: uploads.drop });
  const { files, result } = accept(form);
  for (const file of files) await uploads.commit(file.keptAs!, file.fileName);
  return result;
}

/** One file, whichever way it comes: a form, JSON with Base64, or the bare content. */
export async function storeSingleFile(call: TestbedCall): Promise<StoredFile> {
  const { type } = contentTypeOf(call.request.headers.first('content-type'));
  if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded')
    return storeFromForm(call);
  if (type === 'application/json') return storeFromJson(call);
  return storeRaw(call, type ?? 'application/octet-stream');
}

/** Stores texts that came in the query where the specification declares files (spec 1 §4.5). */
export async function storeTexts(call: TestbedCall, texts: readonly string[]): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  for (const [index, text] of texts.entries()) {
    stored.push(await storeBytes(call, `files-${index + 1}.txt`, 'text/plain', Buffer.from(text)));
  }
  return stored;
}

export function downloadUri(call: TestbedCall, fileName: string): string {
  const origin = /^[^:]+:\/\/[^/?#]*/.exec(urlOf(call))?.[0] ?? '';
  return `${origin}/test/downloadFile/${encodeURIComponent(fileName)}`;
}

/** One line that says what arrived. */
export function describeFile({ fileName, size, sha256 }: StoredFile): string {
  return `${fileName} (${size} bytes, sha256 ${sha256})`;
}

function storeFromForm(call: TestbedCall): Promise<StoredFile> {
  return storeForm(call, ({ files }) => {
    const file = files.find(({ field }) => field === 'file') ?? files[0];
    if (!file) throw fault('parameter.missing', { in: 'form', name: 'file' });
    return { files: [file], result: file };
  });
}

async function storeFromJson(call: TestbedCall): Promise<StoredFile> {
  const bytes = await call.exchange.body.bytes(call.services.settings.limits.maxBodyBytes);
  const { file, fileName } = jsonMembers(bytes);
  if (file === undefined) throw fault('parameter.missing', { in: 'body', name: 'file' });
  if (typeof file !== 'string' || !isBase64(file)) {
    throw fault('body.invalid', { pointer: '/file', rule: 'at /file must be a Base64 string' });
  }
  if (fileName !== undefined && typeof fileName !== 'string') {
    throw fault('body.invalid', { pointer: '/fileName', rule: 'at /fileName must be a string' });
  }
  const content = Buffer.from(file, 'base64');
  return storeBytes(call, fileName ?? newName(call), 'application/octet-stream', content);
}

/** The body itself, streamed to disk. Its name stands in Content-Disposition or the query. */
async function storeRaw(call: TestbedCall, contentType: string): Promise<StoredFile> {
  const { request, exchange } = call;
  const fileName =
    request.queryPairs.find(([name]) => name === 'fileName')?.[1] ??
    dispositionName(request.headers.first('content-disposition')) ??
    newName(call);
  if (!exchange.body.isPresent) throw fault('body.required', { rule: 'send the file' });
  return storeStream(call, fileName, contentType, exchange.body);
}

function storeBytes(call: TestbedCall, fileName: string, contentType: string, content: Buffer) {
  return storeStream(call, fileName, contentType, inOnePiece(content));
}

async function storeStream(
  call: TestbedCall,
  fileName: string,
  contentType: string,
  content: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const { maxBodyBytes } = call.services.settings.limits;
  await using uploads = new UploadTransaction(call.services);
  const part = { field: 'file', fileName: safeFileName(fileName, 'query'), contentType };
  const { keptAs, size, sha256 } = await keepMeasured(atMost(content, maxBodyBytes), part, uploads.keep);
  await uploads.commit(keptAs!, part.fileName);
  return { fileName: part.fileName, contentType, size, sha256 };
}

function jsonMembers(bytes: Buffer): { file?: unknown; fileName?: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (cause) {
    throw fault('body.invalid', { pointer: '', rule: `is not JSON: ${(cause as Error).message}` }, [], {
      cause,
    });
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The name in a Content-Disposition field, the extended notation first (RFC 6266 §4.3). */
function dispositionName(header: string | undefined): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header ?? '')?.[1];
  if (extended !== undefined) return decodePercent(extended);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? token;
}

function newName({ services }: TestbedCall): string {
  return `upload-${services.random.uuid()}.bin`;
}
