import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import { type Coding, encodeWhole, flushingWriter } from '../content/codings.ts';
import { parseByteRanges, rangedAnswer } from '../content/ranged.ts';
import type { TestbedCall } from '../endpoint.ts';
import { attachmentDisposition, mediaTypeOfName, safeFileName } from './file-name.ts';
import { sampleFile } from './sample-files.ts';

/** Smaller files are answered from memory, with all that validators and ranges can do. */
const MAX_IN_MEMORY_BYTES = 1024 * 1024;

export async function downloadAnswer(
  call: TestbedCall,
  fileName: string,
  coding: Coding,
): Promise<PlainAnswer> {
  const name = safeFileName(fileName);
  const sample = sampleFile(name);
  if (sample) return fromMemory(call, name, sample, coding);

  const path = join(call.services.uploadFolder, name);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw fault('file.not-found', { fileName: name });
  if (found.size <= MAX_IN_MEMORY_BYTES) return fromMemory(call, name, await readFile(path), coding);
  return coding === 'identity'
    ? fromDisk(call, name, path, found.size, found.mtime)
    : coded(name, path, coding);
}

async function fromMemory(
  call: TestbedCall,
  name: string,
  bytes: Buffer,
  coding: Coding,
): Promise<PlainAnswer> {
  const content = await encodeWhole(coding, bytes);
  return rangedAnswer(call, content, {
    contentType: mediaTypeOfName(name),
    headers: headersOf(name, coding),
  });
}

/** A large file, whole or the one range that was asked for; several ranges are answered by the whole (RFC 9110 §14.2). */
function fromDisk(call: TestbedCall, name: string, path: string, size: number, modified: Date): PlainAnswer {
  const { headers, method } = call.request;
  const etag = `"${size.toString(36)}-${modified.getTime().toString(36)}"`;
  const common = ['ETag', etag, 'Accept-Ranges', 'bytes', ...headersOf(name, 'identity')];
  const range = headers.get('range');
  const isSame = (headers.first('if-range') ?? etag) === etag;
  const ranges = range !== undefined && method === 'GET' && isSame ? parseByteRanges(range, size) : undefined;
  if (ranges?.length === 0) return reply.empty(416, ['Content-Range', `bytes */${size}`, ...common]);

  const one = ranges?.length === 1 ? ranges[0] : undefined;
  const { first, last } = one ?? { first: 0, last: size - 1 };
  const lengthFields = ['Content-Length', String(last - first + 1)];
  if (one) lengthFields.push('Content-Range', `bytes ${first}-${last}/${size}`);
  return reply.stream(
    mediaTypeOfName(name),
    async (out) => {
      if (out.isDiscarding) return;
      for await (const chunk of createReadStream(path, { start: first, end: last })) await out.write(chunk);
    },
    { status: one ? 206 : 200, headers: [...lengthFields, ...common] },
  );
}

function coded(name: string, path: string, coding: Coding): PlainAnswer {
  return reply.stream(
    mediaTypeOfName(name),
    async (out) => {
      if (out.isDiscarding) return;
      const writer = flushingWriter(coding, out);
      for await (const chunk of createReadStream(path)) await writer.write(chunk);
      await writer.end();
    },
    { headers: headersOf(name, coding) },
  );
}

function headersOf(name: string, coding: Coding): string[] {
  const headers = ['Content-Disposition', attachmentDisposition(name), 'X-Content-Type-Options', 'nosniff'];
  if (coding !== 'identity') headers.push('Content-Encoding', coding);
  return headers;
}
