import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Log } from '../../../kernel/log.ts';
import { LogIndexClient } from '../../../log-index/client.ts';
import type { LogIndexClientOptions } from '../../../log-index/log-index-caller.ts';
import { LogIndexFailure } from '../../../log-index/log-index-failure.ts';
import { openUnsentSource } from '../../../store/unsent/open-unsent-source.ts';
import type {
  TurnNote,
  UnsentCollection,
  UnsentRecords,
  UnsentSource,
} from '../../../store/unsent/unsent-records.ts';
import { BulkDelivery } from '../../../unsent/bulk-delivery.ts';
import { HeldTurn } from '../../../unsent/held-turn.ts';
import { planReplay } from '../../../unsent/plan-replay.ts';
import { replay } from '../../../unsent/replay.ts';
import type { ReplayCheckpoint } from '../../../unsent/replay-checkpoint.ts';
import { ReplayJournal } from '../../../unsent/replay-journal.ts';
import { finalReport, type ReplayReport, runningReport } from '../../../unsent/replay-report.ts';
import { inspectTarget, ReplayRefused } from '../../../unsent/replay-target.ts';

export interface UnsentTransferOptions {
  /** The platform database; a file in the data folder unless it has an address. */
  readonly databaseUrl?: string | undefined;
  readonly dataFolder: string;
  readonly index: LogIndexClientOptions;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TransferOrder {
  readonly stream: string;
  readonly collection?: UnsentCollection | undefined;
  readonly batchSize: number;
  /** All of them unless given. */
  readonly limit?: number | undefined;
}

/** INTERRUPTED: who had the turn ended without a word; a new transfer goes on where it was. */
export type TransferState = ReplayReport['state'] | 'IDLE' | 'INTERRUPTED';
export type TransferProgress = { readonly state: TransferState } & Partial<Omit<ReplayReport, 'state'>>;

const BATCH_BYTES = 2 ** 20;
const MOST_RECORD_BYTES = 50 * 2 ** 20;

/** "Transfer unsent records": the replay, asked for by an administrator and run by this Manager. */
export class UnsentTransfer {
  readonly #options: UnsentTransferOptions;
  readonly #index: LogIndexClient;
  readonly #stopping = new AbortController();
  #source: Promise<UnsentSource> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: UnsentTransferOptions) {
    this.#options = options;
    this.#index = new LogIndexClient({ ...options.index, clock: options.clock });
  }

  /** The collections that there are, with what waits in them. */
  async collections(): Promise<
    ReadonlyArray<{ readonly name: UnsentCollection; readonly records: UnsentRecords }>
  > {
    const source = await this.#open();
    return (await source.collections()).map((name) => ({ name, records: source.records(name) }));
  }

  /** Resolves once it runs. */
  async start(
    { stream, collection, batchSize, limit }: TransferOrder,
    startedBy: string,
  ): Promise<TransferProgress> {
    const source = await this.#open();
    const [name, records] = await this.#collection(collection);
    const wish = {
      source: source.name,
      collection: name,
      stream,
      batchSize,
      totalBatches: undefined,
      skip: 0,
    };
    const plan = await planReplay(records, { ...wish, testSize: undefined });
    if (!plan) throw fault('unsent.none');
    await this.#checkTarget(stream);
    const { order } = plan.checkpoint;
    const checkpoint = {
      ...plan.checkpoint,
      order: { ...order, limit: Math.min(limit ?? order.limit, order.limit) },
    };
    const start = { startedBy, startedAt: new Date(this.#options.clock.now()).toISOString() };
    const report = runningReport(start, checkpoint.order, checkpoint.counters);
    const turn = await HeldTurn.take({
      turn: source.turn,
      holder: `manager ${hostname()} ${process.pid} ${randomUUID()}`,
      clock: this.#options.clock,
      report,
    });
    if (!(turn instanceof HeldTurn))
      throw fault('unsent.transfer-running', { startedBy: reportOf(turn).startedBy });
    this.#running = this.#run(records, checkpoint, turn, report);
    return report;
  }

  async progress(): Promise<TransferProgress> {
    const note = await (await this.#open()).turn.read();
    if (!note) return { state: 'IDLE' };
    const report = reportOf(note);
    const isOver = note.expiresAtMs <= this.#options.clock.now();
    return report.state === 'RUNNING' && isOver ? { ...report, state: 'INTERRUPTED' } : report;
  }

  /** It ends after the batch that is under way, wherever it runs. */
  async cancel(): Promise<TransferProgress> {
    const { turn } = await this.#open();
    if (!(await turn.wantEnd(this.#options.clock.now()))) throw fault('unsent.transfer-not-running');
    return this.progress();
  }

  /** What runs here ends after its batch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#index[Symbol.asyncDispose]();
    const source = await this.#source?.catch(() => undefined);
    await source?.[Symbol.asyncDispose]();
  }

  async #run(
    records: UnsentRecords,
    checkpoint: ReplayCheckpoint,
    turn: HeldTurn,
    report: ReplayReport,
  ): Promise<void> {
    const { clock, log, dataFolder } = this.#options;
    const { stream } = checkpoint.order;
    const signal = AbortSignal.any([turn.signal, this.#stopping.signal]);
    const folder = join(dataFolder, 'unsent-transfers', report.startedAt.replaceAll(':', '-'));
    const result = await replay({
      records,
      delivery: new BulkDelivery({ index: this.#index, stream, clock, signal }),
      journal: new ReplayJournal(folder),
      checkpoint,
      batchBytes: BATCH_BYTES,
      maxRecordBytes: MOST_RECORD_BYTES,
      signal,
      onProgress: (counters) => turn.tell({ ...report, ...counters }),
    });
    const { end, counters, failure } = result;
    log.info({ event: 'unsent.transfer.ended', end, stream, folder, reason: failure?.message, ...counters });
    try {
      await turn.release(finalReport(report, result));
    } catch (error) {
      // The turn expires by itself, and the transfer is then told to be interrupted.
      log.warn({ event: 'unsent.transfer.not-released', error });
    }
  }

  async #collection(wanted: UnsentCollection | undefined): Promise<[UnsentCollection, UnsentRecords]> {
    const found = await this.collections();
    const fitting = found.filter(({ name }) => wanted === undefined || name === wanted);
    if (fitting.length > 1)
      throw fault('unsent.both-collections', { collections: found.map(({ name }) => name).join(' and ') });
    const [one] = fitting;
    if (!one) throw fault('unsent.none');
    return [one.name, one.records];
  }

  async #checkTarget(stream: string): Promise<void> {
    try {
      await inspectTarget(this.#index, stream);
    } catch (error) {
      if (error instanceof ReplayRefused) throw fault('unsent.target-refused', { reason: error.message });
      if (error instanceof LogIndexFailure) throw fault('unsent.index-failed', { reason: error.message });
      throw error;
    }
  }

  /** Opened with the first question, and again after a failure. */
  #open(): Promise<UnsentSource> {
    const { databaseUrl, dataFolder, clock } = this.#options;
    this.#source ??= openUnsentSource({ url: databaseUrl, dataFolder, clock })
      .then((source) => {
        if (!source) throw new Error('the data folder holds no platform database');
        return source;
      })
      .catch((error: unknown) => {
        this.#source = undefined;
        throw error;
      });
    return this.#source;
  }
}

function reportOf({ report }: TurnNote): ReplayReport {
  return JSON.parse(report) as ReplayReport;
}
