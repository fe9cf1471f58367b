import { type Static, Type } from 'typebox';
import type { MapLimits } from '../contract.ts';
import type { Payload, PayloadKind } from '../engine.ts';

/** Where the Cache takes operations. */
export const GRID_OPERATIONS_PATH = '/gateway/grid/operations';
export const MOST_OPERATIONS = 1000;
/** Of a request; one value of the largest size fits in, written as base64. */
export const MOST_REQUEST_BYTES = 8 * 1024 * 1024;
/** Of the values in an answer, roughly: reads beyond it are put off, and asked for again. */
export const MOST_ANSWERED_BYTES = 8 * 1024 * 1024;

const mapOperations = [
  'get',
  'set',
  'has',
  'delete',
  'increment',
  'compareAndSet',
  'size',
  'clear',
  'keys',
] as const;
const gridOperations = ['ping', 'cluster', 'metrics'] as const;

/** A whole number; its bounds are those of the grid itself. */
const Whole = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const operation = Type.Object(
  {
    op: Type.Unsafe<(typeof mapOperations)[number] | (typeof gridOperations)[number]>({
      type: 'string',
      enum: [...mapOperations, ...gridOperations],
    }),
    map: Type.Optional(
      Type.String({ description: 'One of `maps`; needed by all but ping, cluster, metrics.' }),
    ),
    key: Type.Optional(Type.String()),
    value: Type.Optional(
      Type.String({ description: 'What set and compareAndSet write: JSON as text, bytes as base64.' }),
    ),
    expected: Type.Optional(
      Type.String({ description: 'What compareAndSet must find; absent when there must be no entry.' }),
    ),
    by: Type.Optional(Whole),
    ttlMs: Type.Optional(Whole),
    limit: Type.Optional(Whole),
  },
  { additionalProperties: false },
);

/** Several operations in one request. They begin in their order. */
export const operationBatch = Type.Object(
  {
    maps: Type.Record(
      Type.String(),
      Type.Object(
        {
          kind: Type.Unsafe<PayloadKind>({ type: 'string', enum: ['json', 'bytes'] }),
          maxEntries: Type.Optional(Whole),
          maxBytes: Type.Optional(Whole),
        },
        { additionalProperties: false },
      ),
      { description: 'The maps that the operations are about, by name.' },
    ),
    operations: Type.Array(operation, { minItems: 1, maxItems: MOST_OPERATIONS }),
  },
  { $id: 'GridOperations', additionalProperties: false },
);

/** One for each operation, in their order. */
export const operationResults = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        result: Type.Optional(Type.Unknown()),
        refused: Type.Optional(Type.String({ description: 'Why it can never succeed.' })),
        isPutOff: Type.Optional(
          Type.Literal(true, {
            description: 'A read that would have made the answer too long: to be asked for again.',
          }),
        ),
      }),
    ),
  },
  { $id: 'GridResults' },
);

export type WireOperation = Static<typeof operation>;
export type WireBatch = Static<typeof operationBatch>;
export type WireResult = Static<typeof operationResults>['results'][number];
export type WireMap = MapLimits & { readonly kind: PayloadKind };

export function toWire(payload: Payload): string {
  if (typeof payload === 'string') return payload;
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64');
}

export function fromWire(text: string, kind: PayloadKind): Payload {
  return kind === 'json' ? text : Buffer.from(text, 'base64');
}
