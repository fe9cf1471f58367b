import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { input } from '../../../model/input.ts';
import {
  type UnsentCollection,
  unsentCollections,
  type WaitingRecord,
} from '../../../store/unsent/unsent-records.ts';
import { correlationIdOf } from '../../../unsent/prepared-record.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';

const mayManage: AccessRule = { category: 'GLOBAL_SETTINGS', action: 'MANAGE', scope: 'global' };
const common = { group: 'Unsent records', spec: '2 §4.7', errors: 'newer', access: mayManage } as const;
const transferPath = '/apiops/unsent/transfer/';
const MOST_SAMPLES = 100;
const SAMPLE_BYTES = 16 * 2 ** 20;

const collectionName = (options: object = {}) =>
  Type.Unsafe<UnsentCollection>({ type: 'string', enum: unsentCollections, ...options });

const recordView = Type.Object(
  {
    id: Type.String(),
    timestamp: Type.Optional(Type.String()),
    connectorId: Type.Optional(Type.String()),
    aci: Type.Optional(Type.String({ description: 'Its correlation identifier.' })),
    bytes: Type.Integer(),
  },
  { $id: 'UnsentRecord', description: 'A record that waits; what it says stays in the database.' },
);

const collectionView = Type.Object(
  {
    collection: collectionName(),
    count: Type.Integer(),
    storageBytes: Type.Integer(),
    first: Type.Optional(recordView),
    last: Type.Optional(recordView),
    sample: Type.Array(recordView),
  },
  { $id: 'UnsentCollection' },
);

const transferView = Type.Object(
  {
    state: Type.Unsafe<string>({
      type: 'string',
      enum: ['IDLE', 'RUNNING', 'FINISHED', 'CANCELLED', 'FAILED', 'INTERRUPTED'],
    }),
    collection: Type.Optional(Type.String()),
    stream: Type.Optional(Type.String()),
    total: Type.Optional(Type.Integer()),
    read: Type.Optional(Type.Integer()),
    delivered: Type.Optional(Type.Integer()),
    duplicates: Type.Optional(Type.Integer({ description: 'Found in the stream already.' })),
    rejected: Type.Optional(Type.Integer({ description: 'Kept, because the index can not take them.' })),
    deleted: Type.Optional(Type.Integer()),
    startedBy: Type.Optional(Type.String()),
    startedAt: Type.Optional(Type.String()),
    message: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  { $id: 'UnsentTransfer' },
);

const transferOrder = input(
  {
    stream: Type.String({ minLength: 1, maxLength: 255, description: 'The data stream they go to.' }),
    collection: Type.Optional(collectionName({ description: 'Where there are both.' })),
    batchSize: Type.Integer({ default: 1000, minimum: 1, maximum: 10_000 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'No more than so many.' })),
  },
  { $id: 'UnsentTransferOrder' },
);

const overview = endpoint({
  ...common,
  id: 'unsent-overview',
  methods: ['GET'],
  path: '/apiops/unsent/',
  summary: 'Counts the unsent records, and shows the first few without what they say.',
  query: Type.Object({
    sample: Type.Optional(Type.Integer({ default: 10, minimum: 0, maximum: MOST_SAMPLES })),
  }),
  responses: {
    200: json('What waits.', Type.Object({ items: Type.Array(collectionView), total: Type.Integer() })),
  },
  examples: [{ name: 'nothing waits', ...signedIn, expect: { status: 200, json: { items: [], total: 0 } } }],
  handle: async ({ query, services }) => {
    const limit = query.sample ?? 10;
    const items = [];
    for (const { name, records } of await services.unsentTransfer.collections()) {
      const [first, last] = [await records.first(), await records.last()];
      const sample = limit === 0 ? [] : await records.read({ limit, maxBytes: SAMPLE_BYTES });
      items.push({
        collection: name,
        count: await records.count(),
        storageBytes: await records.storageBytes(),
        ...(first && { first: viewOf(first) }),
        ...(last && { last: viewOf(last) }),
        sample: sample.map(viewOf),
      });
    }
    return reply.json({ items, total: items.reduce((sum, { count }) => sum + count, 0) });
  },
});

const startTransfer = endpoint({
  ...common,
  id: 'unsent-transfer-start',
  methods: ['POST'],
  path: transferPath,
  summary: 'Transfers unsent records to a data stream, and deletes those that arrived.',
  description:
    'Runs on by itself: ask for its progress. One runs at a time in the whole installation, the command `gatehouse replay-unsent` included. It stops at the first failure of the index without losing a record; started again it puts none there twice.',
  body: jsonBody(transferOrder),
  responses: { 202: json('It runs.', transferView) },
  examples: [
    {
      name: 'nothing waits',
      ...sending({ stream: 'gateway-log-apiproxy-development' }),
      expect: { status: 409, json: { errorKey: 'UNSENT_NONE', message: 'There are no unsent records!' } },
    },
    {
      name: 'no stream',
      ...sending({}),
      expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED' } },
    },
  ],
  handle: async (call) => {
    const { body, services, caller } = call;
    const progress = await services.unsentTransfer.start(body, caller.userName);
    await audit(call, {
      action: 'TRANSFER',
      objectType: 'unsent records',
      objectName: progress.collection ?? '',
      after: { stream: progress.stream, total: progress.total },
    });
    return reply.json(progress, { status: 202 });
  },
});

const transferProgress = endpoint({
  ...common,
  id: 'unsent-transfer-progress',
  methods: ['GET'],
  path: transferPath,
  summary: 'How far the transfer of unsent records is, or how the last one ended.',
  responses: { 200: json('Its progress.', transferView) },
  examples: [{ name: 'none yet', ...signedIn, expect: { status: 200, json: { state: 'IDLE' } } }],
  handle: async ({ services }) => reply.json(await services.unsentTransfer.progress()),
});

const cancelTransfer = endpoint({
  ...common,
  id: 'unsent-transfer-cancel',
  methods: ['DELETE'],
  path: transferPath,
  summary: 'Ends the transfer of unsent records after the batch that is under way.',
  responses: { 202: json('It is ending.', transferView) },
  examples: [
    {
      name: 'none runs',
      ...signedIn,
      expect: { status: 409, json: { errorKey: 'TRANSFER_NOT_RUNNING' } },
    },
  ],
  handle: async ({ services }) => reply.json(await services.unsentTransfer.cancel(), { status: 202 }),
});

export const unsentEndpoints: readonly ManagerEndpoint[] = [
  overview,
  startTransfer,
  transferProgress,
  cancelTransfer,
];

function viewOf(record: WaitingRecord) {
  const { id, timestamp, connectorId, bytes } = record;
  return { id, timestamp, connectorId, aci: correlationIdOf(record), bytes };
}
