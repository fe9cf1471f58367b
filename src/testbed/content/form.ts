import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { parseQuery } from '../../kernel/catalogue/query.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';
import { atMost } from './bounded-body.ts';

/** A submitted form: text fields and files, each in the order they were sent, duplicates kept. */
export interface Form {
  /** What the body was: `none` when its Content-Type names no form. */
  readonly kind: 'multipart' | 'urlencoded' | 'none';
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>;
  readonly files: readonly FormFile[];
}

export interface FilePart {
  readonly field: string;
  /** As the client sent it, directories included: never use it as a path. */
  readonly fileName: string;
  /** Lower-case media type of the part, without parameters. */
  readonly contentType: string;
}

export interface FormFile extends FilePart {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The content; empty when a keeper took it. */
  readonly content: Buffer;
  /** What the keeper returned for this file. */
  readonly keptAs: string | undefined;
}

/** Takes the content of one file while it arrives and says where it went. A throw ends the reading. */
export type FileKeeper = (content: AsyncIterable<Buffer>, part: FilePart) => Promise<string>;

export interface FormOptions {
  /** Without a keeper files are held in memory. */
  readonly keepFile?: FileKeeper;
  /** Undoes what the keeper did when the form turns out broken later on. */
  readonly dropFile?: (keptAs: string) => Promise<void>;
  /** Is told how much of the body is in memory while it arrives; a throw ends the reading. */
  readonly onKept?: (byteCount: number) => void;
}

export interface FormLimits {
  readonly maxBodyBytes: number;
  readonly maxParts: number;
}

/** A pair costs far more memory than the two bytes it takes on the wire, so their number has its own limit. */
const MAX_URLENCODED_PAIRS = 10_000;
const MAX_PART_HEADER_BYTES = 16 * 1024;

/** Reads the request body as a form. A body of any other type is left unread and gives an empty form. */
export function readForm(call: TestbedCall, options: FormOptions = {}): Promise<Form> {
  const contentType = call.request.headers.first('content-type') ?? '';
  const { body } = call.exchange;
  const onKept = (byteCount: number) => body.keeps(byteCount);
  return parseForm(contentType, body, call.services.settings.limits, { ...options, onKept });
}

export async function parseForm(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  limits: FormLimits,
  options: FormOptions = {},
): Promise<Form> {
  switch (mediaType(contentType)) {
    case 'application/x-www-form-urlencoded':
      return { kind: 'urlencoded', fields: await readUrlencoded(body, limits, options), files: [] };
    case 'multipart/form-data':
      return new MultipartReading(contentType, limits, options).read(body);
    default:
      return { kind: 'none', fields: [], files: [] };
  }
}

async function readUrlencoded(
  body: AsyncIterable<Uint8Array>,
  limits: FormLimits,
  { onKept }: FormOptions,
): Promise<Form['fields']> {
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const chunk of atMost(body, limits.maxBodyBytes)) {
    keptBytes += chunk.length;
    onKept?.(keptBytes);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('latin1');
  let pairCount = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) pairCount++;
  if (pairCount > MAX_URLENCODED_PAIRS) {
    throw fault('form.too-many-parts', { kind: 'pairs', maxParts: MAX_URLENCODED_PAIRS });
  }
  return parseQuery(text);
}

/** One pass over a multipart body. Whatever breaks it, nothing that was kept so far stays behind. */
class MultipartReading {
  readonly #fields: Array<readonly [string, string]> = [];
  readonly #files: Array<Promise<FormFile>> = [];
  readonly #openStreams = new Set<Readable>();
  readonly #parser: InstanceType<typeof Busboy>;
  readonly #limits: FormLimits;
  readonly #options: FormOptions;
  /** What arrived and did not go on to a keeper. */
  #keptBytes = 0;

  constructor(contentType: string, limits: FormLimits, options: FormOptions) {
    this.#limits = limits;
    this.#options = options;
    try {
      this.#parser = new Busboy({
        headers: { 'content-type': contentType },
        preservePath: true,
        limits: {
          fieldSize: limits.maxBodyBytes,
          parts: limits.maxParts,
          headerSize: MAX_PART_HEADER_BYTES,
        },
      });
    } catch (error) {
      throw malformed(error);
    }
    this.#parser.on('field', (name, value) => this.#fields.push([nameOf(name), value]));
    this.#parser.on('file', (field, stream, fileName, _transferEncoding, type) =>
      this.#take(stream, { field: nameOf(field), fileName: fileName ?? '', contentType: type }),
    );
    // A keeper may fail when the parser is done already; the form still fails by the keeper's own error.
    this.#parser.on('error', () => {});
    this.#parser.on('partsLimit', () =>
      this.#parser.destroy(fault('form.too-many-parts', { kind: 'parts', maxParts: limits.maxParts })),
    );
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<Form> {
    let bodyError: unknown;
    const counted = this.#counted(body);
    const source = async function* () {
      try {
        yield* counted;
      } catch (error) {
        bodyError = error;
        throw error;
      }
    };
    try {
      await pipeline(source, this.#parser);
      return { kind: 'multipart', fields: this.#fields, files: await Promise.all(this.#files) };
    } catch (error) {
      await this.#dropAll();
      if (bodyError !== undefined) throw bodyError;
      throw error instanceof Fault ? error : malformed(error);
    }
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of atMost(body, this.#limits.maxBodyBytes)) {
      this.#keptBytes += chunk.length;
      this.#options.onKept?.(this.#keptBytes);
      yield chunk;
    }
  }

  /** A file on its way to its keeper. */
  async *#passedOn(stream: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      this.#keptBytes -= chunk.length;
      yield chunk;
    }
  }

  #take(stream: Readable, part: FilePart): void {
    this.#openStreams.add(stream);
    // The parser emits errors on the stream of a broken part; the pipeline reports them.
    stream.on('error', () => {});
    const { keepFile } = this.#options;
    const content: AsyncIterable<Buffer> = keepFile ? this.#passedOn(stream) : stream;
    const file = keepMeasured(content, part, keepFile).finally(() => this.#openStreams.delete(stream));
    // Without this the parser would wait for ever for somebody to read on.
    file.catch((error: Error) => this.#parser.destroy(error));
    this.#files.push(file);
  }

  async #dropAll(): Promise<void> {
    for (const stream of this.#openStreams) stream.destroy(new Error('the form is broken'));
    for (const outcome of await Promise.allSettled(this.#files)) {
      if (outcome.status !== 'fulfilled' || outcome.value.keptAs === undefined) continue;
      await this.#options.dropFile?.(outcome.value.keptAs);
    }
  }
}

/** Gives content to the keeper, or to memory, and measures it on the way. */
export async function keepMeasured(
  content: AsyncIterable<Buffer>,
  part: FilePart,
  keepFile: FileKeeper | undefined,
): Promise<FormFile> {
  const hash = createHash('sha256');
  let size = 0;
  const measured = async function* () {
    for await (const chunk of content) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  let held: Buffer = Buffer.alloc(0);
  let keptAs: string | undefined;
  if (keepFile) keptAs = await keepFile(measured(), part);
  else held = Buffer.concat(await Array.fromAsync(measured()));
  return { ...part, size, sha256: hash.digest('hex'), content: held, keptAs };
}

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** Parts may lack a name; they still are something the client sent. */
function nameOf(name: string | undefined): string {
  return name ?? '';
}

function malformed(cause: unknown): Fault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return fault('form.malformed', { reason }, [], { cause });
}
