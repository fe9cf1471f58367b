import { checkKey, positive } from '../checked-map.ts';
import { GridRefusal, MOST_KEYS } from '../contract.ts';
import type { GridEngine, MapEngine, Payload, PayloadKind } from '../engine.ts';
import { checkName } from '../engine-grid.ts';
import {
  fromWire,
  MOST_ANSWERED_BYTES,
  toWire,
  type WireBatch,
  type WireOperation,
  type WireResult,
} from './wire.ts';

interface OpenedMap {
  readonly engine: MapEngine;
  readonly kind: PayloadKind;
}

/** What the caller must change about the batch as a whole; a refusal of one operation stands in its result. */
export class UnfitOperation extends Error {
  readonly pointer: string;
  readonly rule: string;

  constructor(index: number, rule: string) {
    super(`operation ${index} ${rule}`);
    this.name = 'UnfitOperation';
    this.pointer = `/operations/${index}`;
    this.rule = `at ${this.pointer} ${rule}`;
  }
}

/** Does on an engine what a batch asks for. Rejects with what the engine rejects with when it is away. */
export async function runOperations(
  engine: GridEngine,
  { maps, operations }: WireBatch,
  maxValueBytes: number,
): Promise<WireResult[]> {
  for (const [index, operation] of operations.entries()) refuseIncomplete(index, operation, maps);
  const opened = new Map<string, OpenedMap | GridRefusal>();
  for (const [name, { kind, ...limits }] of Object.entries(maps)) {
    opened.set(
      name,
      orRefusal(() => {
        checkName(name);
        for (const limit of Object.values(limits)) positive(limit);
        return { engine: engine.map(name, kind, limits), kind };
      }),
    );
  }
  let answeredBytes = 0;
  return Promise.all(
    operations.map(async (operation): Promise<WireResult> => {
      try {
        const map = opened.get(operation.map ?? '');
        if (map instanceof GridRefusal) throw map;
        const result = map ? await onMap(map, operation, maxValueBytes) : await onGrid(engine, operation);
        const bytes = lengthOf(result);
        const isTooMuch = answeredBytes > 0 && answeredBytes + bytes > MOST_ANSWERED_BYTES;
        // Only what has a length is a read: no change may be made twice.
        if (bytes > 0 && isTooMuch) return { isPutOff: true };
        answeredBytes += bytes;
        return result === undefined ? {} : { result };
      } catch (error) {
        if (error instanceof GridRefusal) return { refused: error.reason };
        throw error;
      }
    }),
  );
}

/** Of what may be long: a value, or a list of keys. */
function lengthOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  if (!Array.isArray(result)) return 0;
  return result.reduce((sum: number, item: unknown) => sum + lengthOf(item), 0);
}

const NEEDS_KEY = new Set(['get', 'set', 'has', 'delete', 'increment', 'compareAndSet']);
const NEEDS_NO_MAP = new Set(['ping', 'cluster', 'metrics']);

function refuseIncomplete(
  index: number,
  { op, map, key, value }: WireOperation,
  maps: WireBatch['maps'],
): void {
  if (NEEDS_NO_MAP.has(op)) {
    if (map !== undefined) throw new UnfitOperation(index, `is ${op}, which is not about a map`);
    return;
  }
  if (map === undefined || !Object.hasOwn(maps, map))
    throw new UnfitOperation(index, 'must name one of the maps');
  if (NEEDS_KEY.has(op) && key === undefined) throw new UnfitOperation(index, 'must name a key');
  if (op === 'set' && value === undefined) throw new UnfitOperation(index, 'must hold a value');
}

async function onMap(
  { engine, kind }: OpenedMap,
  { op, key = '', value, expected, by = 1, ttlMs, limit = 1000 }: WireOperation,
  maxValueBytes: number,
): Promise<unknown> {
  if (NEEDS_KEY.has(op)) checkKey(key);
  if (ttlMs !== undefined) positive(ttlMs);
  const payloadOf = (text: string | undefined): Payload | undefined => {
    const payload = text === undefined ? undefined : fromWire(text, kind);
    if (payload !== undefined && Buffer.byteLength(payload) > maxValueBytes)
      throw new GridRefusal('value-too-large');
    return payload;
  };
  switch (op) {
    case 'get': {
      const payload = await engine.get(key);
      return payload === undefined ? undefined : toWire(payload);
    }
    case 'set':
      return engine.set(key, payloadOf(value)!, ttlMs);
    case 'has':
      return engine.has(key);
    case 'delete':
      return engine.delete(key);
    case 'increment':
      return engine.increment(key, by, ttlMs);
    case 'compareAndSet':
      return engine.compareAndSet(key, payloadOf(expected), payloadOf(value), ttlMs);
    case 'size':
      return engine.size();
    case 'clear':
      return engine.clear();
    case 'keys':
      return engine.keys(Math.min(positive(limit), MOST_KEYS));
  }
}

async function onGrid(engine: GridEngine, { op }: WireOperation): Promise<unknown> {
  if (op === 'cluster') return engine.cluster();
  if (op === 'metrics') return engine.metrics();
  return engine.ping();
}

function orRefusal<Result>(act: () => Result): Result | GridRefusal {
  try {
    return act();
  } catch (error) {
    if (error instanceof GridRefusal) return error;
    throw error;
  }
}
