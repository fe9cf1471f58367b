import { Type } from 'typebox';
import { DEFAULT_MAX_VALUE_BYTES, GridUnavailable } from '../grid/contract.ts';
import type { GridEngine } from '../grid/engine.ts';
import { runOperations, UnfitOperation } from '../grid/remote/run-operations.ts';
import {
  GRID_OPERATIONS_PATH,
  MOST_REQUEST_BYTES,
  operationBatch,
  operationResults,
  type WireBatch,
  type WireResult,
} from '../grid/remote/wire.ts';
import { reply } from '../kernel/catalogue/answer.ts';
import { json } from '../kernel/catalogue/declarations.ts';
import { type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import { fault } from '../kernel/faults.ts';

const endpoint = endpointsFor<unknown, unknown>();

/** What the header says in examples; tests put a real id in its place. */
const authorised = ['Authorization', '<ENVIRONMENT_ID>', 'Content-Type', 'application/json'];

/** The data grid for the other processes of the environment, when no Redis holds it. */
export function gridEndpoints(engine: GridEngine): Endpoint<unknown, unknown>[] {
  return [
    endpoint({
      id: 'grid-operations',
      group: 'Data grid',
      methods: ['POST'],
      path: GRID_OPERATIONS_PATH,
      summary: 'Does several operations on the maps of the data grid.',
      description: 'For the other modules of the environment: one round trip carries many operations.',
      access: 'environment',
      headers: Type.Object({ authorization: Type.String({ description: 'The id of the environment.' }) }),
      body: {
        required: true,
        content: { 'application/json': operationBatch },
        json: operationBatch,
        maxBytes: MOST_REQUEST_BYTES,
      },
      responses: { 200: json('One result for each operation, in their order.', operationResults) },
      examples: [
        {
          name: 'count',
          headers: authorised,
          body: '{"maps":{"limits":{"kind":"json"}},"operations":[{"op":"increment","map":"limits","key":"ada","ttlMs":60000},{"op":"get","map":"limits","key":"ada"}]}',
          expect: { status: 200, json: { results: [{ result: { value: 1 } }, { result: '1' }] } },
        },
        {
          name: 'an operation that is none',
          headers: authorised,
          body: '{"maps":{},"operations":[{"op":"destroy"}]}',
          expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED' } },
        },
        {
          name: 'without the id of the environment',
          headers: ['Content-Type', 'application/json'],
          body: '{"maps":{},"operations":[{"op":"ping"}]}',
          expect: { status: 401 },
        },
      ],
      handle: async ({ body }) => {
        const results = await run(engine, body);
        return reply.bytes(JSON.stringify({ results }), 'application/json', {
          headers: ['Cache-Control', 'no-store'],
        });
      },
    }),
  ];
}

async function run(engine: GridEngine, batch: WireBatch): Promise<WireResult[]> {
  try {
    return await runOperations(engine, batch, DEFAULT_MAX_VALUE_BYTES);
  } catch (error) {
    if (error instanceof UnfitOperation)
      throw fault('body.invalid', { pointer: error.pointer, rule: error.rule }, [], { cause: error });
    if (error instanceof GridUnavailable)
      throw fault('grid.unavailable', {}, ['Retry-After', '1'], { cause: error });
    throw error;
  }
}
