import { reply } from '../../../kernel/catalogue/answer.ts';
import { parsingError } from '../engine-error.ts';
import { type IndexCall, indexEndpoint } from '../index-endpoint.ts';
import type { LogIndex } from '../log-index.ts';
import { nextTurn } from '../next-turn.ts';
import { compileQuery } from '../query.ts';
import { readSearch, search, toldHits } from '../search.ts';

/** All shards of indices that are here. */
export function allShards(indices: readonly LogIndex[]): {
  total: number;
  successful: number;
  failed: number;
} {
  return { total: indices.length, successful: indices.length, failed: 0 };
}

const searchedShards = (indices: readonly LogIndex[]) => {
  const { total, successful, failed } = allShards(indices);
  return { total, successful, skipped: 0, failed };
};

const count = indexEndpoint({
  id: 'log-index-count',
  methods: ['GET', 'POST'],
  path: '/{index}/_count',
  aliases: ['/_count'],
  summary: 'How many documents meet a query.',
  takesBody: true,
  handle: async (call) => {
    const { query = { match_all: {} }, ...others } = ((await call.json()) ?? {}) as Record<string, unknown>;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw parsingError(`request does not support [${unknown}]`);
    const indices = searched(call);
    let total = 0;
    for (const index of indices) {
      index.refuseWhenBlocked('read');
      total += await index.file.count(compileQuery(query, index.mapping));
      await nextTurn();
    }
    return { count: total, _shards: searchedShards(indices) };
  },
});

const find = indexEndpoint({
  id: 'log-index-search',
  methods: ['GET', 'POST'],
  path: '/{index}/_search',
  aliases: ['/_search'],
  summary: 'The documents that meet a query.',
  takesBody: true,
  handle: async (call) => {
    const beganAtMs = call.services.clock.now();
    const request = readSearch(await call.json());
    const indices = searched(call);
    const { total, hits } = await search(indices, request);
    const head = JSON.stringify({
      took: call.services.clock.now() - beganAtMs,
      timed_out: false,
      _shards: searchedShards(indices),
    });
    const counted = total ? `"total":${JSON.stringify(total)},` : '';
    return reply.stream('application/json; charset=UTF-8', async (out) => {
      let text = `${head.slice(0, -1)},"hits":{${counted}"max_score":null,"hits":[`;
      let separator = '';
      for await (const hit of toldHits(hits, request)) {
        text += separator + hit;
        separator = ',';
        if (text.length < PIECE_LENGTH) continue;
        await out.write(text);
        text = '';
      }
      await out.write(`${text}]}}`);
    });
  },
});

const PIECE_LENGTH = 65_536;

export const searchEndpoints = [count, find];

function searched({ path, services }: IndexCall): LogIndex[] {
  return services.registry.search(path.index ?? '*');
}
