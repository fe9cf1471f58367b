import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock.ts';
import { defaultRetention } from '../retention.ts';
import { startEmbeddedIndexService } from '../service.ts';

export interface StartedIndex extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The data folder it stands in. */
  readonly folder: string;
}

/** An embedded index of its own on a port of its own, gone with everything in it when it is disposed of. */
export async function startEmbeddedIndex(
  options: { folder?: string; clock?: Clock; keepDays?: number; keepBytes?: number } = {},
): Promise<StartedIndex> {
  const { keepDays = defaultRetention.keepDays, keepBytes = defaultRetention.keepBytes, clock } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-log-index-'));
  const service = await startEmbeddedIndexService({
    port: 0,
    data: folder,
    logLevel: 'silent',
    shutdownTimeout: 0,
    logIndexKeepDays: keepDays,
    logIndexKeepBytes: keepBytes,
    ...(clock && { clock }),
  });
  return {
    url: service.url,
    port: Number(new URL(service.url).port),
    folder,
    async [Symbol.asyncDispose]() {
      await service.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
