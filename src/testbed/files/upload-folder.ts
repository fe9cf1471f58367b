import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fault } from '../../kernel/faults.ts';
import type { FileKeeper } from '../content/form.ts';
import type { TestbedServices } from '../services.ts';
import { PART_PREFIX } from '../state/uploads.ts';
import { safeFileName } from './file-name.ts';

/** Room is set aside in steps, so that several processes need not ask for every chunk. */
const STEP_BYTES = 1024 * 1024;

/**
 * The uploads of one request. Content goes to a temporary file first; only `commit` gives it its name, so nobody ever
 * sees half a file, and what is not committed is removed.
 */
export class UploadTransaction implements AsyncDisposable {
  readonly #services: TestbedServices;
  /** Temporary file → bytes set aside for it. */
  readonly #pending = new Map<string, number>();

  constructor(services: TestbedServices) {
    this.#services = services;
  }

  /** Writes content as it comes and returns the temporary file. */
  readonly keep: FileKeeper = async (content, { fileName }) => {
    safeFileName(fileName, 'form');
    const { uploadFolder, random } = this.#services;
    await mkdir(uploadFolder, { recursive: true });
    const path = join(uploadFolder, `${PART_PREFIX}${random.uuid()}`);
    this.#pending.set(path, 0);
    await pipeline(this.#withRoom(path, content), createWriteStream(path, { flags: 'wx' }));
    return path;
  };

  readonly drop = async (path: string): Promise<void> => {
    const reserved = this.#pending.get(path) ?? 0;
    this.#pending.delete(path);
    await rm(path, { force: true });
    await this.#services.state.uploads.release(reserved);
  };

  /** Gives a kept file its name; an older file of that name is replaced at once. */
  async commit(path: string, fileName: string): Promise<void> {
    const { uploadFolder, state } = this.#services;
    const target = join(uploadFolder, safeFileName(fileName, 'form'));
    await state.uploads.store(path, target, this.#pending.get(path)!);
    this.#pending.delete(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of [...this.#pending.keys()]) await this.drop(path);
  }

  async *#withRoom(path: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { state, settings, uploadFolder } = this.#services;
    const { maxUploadFolderBytes } = settings.limits;
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      const reserved = this.#pending.get(path)!;
      if (written > reserved) {
        const more = Math.max(STEP_BYTES, written - reserved);
        if (!(await state.uploads.reserve(uploadFolder, more, maxUploadFolderBytes))) {
          throw fault('upload.folder-full', { maxBytes: maxUploadFolderBytes });
        }
        this.#pending.set(path, reserved + more);
      }
      yield chunk;
    }
  }
}
