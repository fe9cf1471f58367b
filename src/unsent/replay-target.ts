import type { LogIndexClient } from '../log-index/client.ts';
import { LogIndexFailure } from '../log-index/log-index-failure.ts';
import { trafficLogStreams } from '../log-index/traffic-log-template.ts';

export interface ReplayTarget {
  /** Such as `OpenSearch 2.19.1`. */
  readonly engine: string;
  /** The last one is written to. */
  readonly backingIndices: readonly string[];
}

/** A replay does not begin: it must be ordered differently, or the target is not as it needs to be. */
export class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
  readonly isOrderWrong: boolean;

  constructor(because: 'order' | 'target', message: string) {
    super(message);
    this.isOrderWrong = because === 'order';
  }
}

const blocks = ['write', 'read_only', 'read_only_allow_delete'] as const;

/** Looks whether the stream is one, and takes documents. Nothing is changed. */
export async function inspectTarget(index: LogIndexClient, stream: string): Promise<ReplayTarget> {
  if (!/^[^\s"*\\<|,>/?_+.-][^\s"*\\<|,>/?]*$/.test(stream))
    throw new ReplayRefused('order', `'${stream}' is no name of a data stream`);
  const { version } = await index.info();
  const found = await streamsOf(index, stream);
  if (!found) throw await missing(index, stream);
  const backingIndices = found.indices.map(({ index_name }) => index_name);
  const written = backingIndices.at(-1)!;
  const settings = (await index.settings(written)).get(written) ?? {};
  const block = blocks.find((name) => settings[`index.blocks.${name}`] === 'true');
  if (block === 'read_only_allow_delete')
    throw new ReplayRefused(
      'target',
      `${written} has the block of a full disk (${block}): free space there first`,
    );
  if (block) throw new ReplayRefused('target', `${written} has the block ${block}: lift it first`);
  return { engine: `${version.distribution ?? 'elasticsearch'} ${version.number}`, backingIndices };
}

async function streamsOf(index: LogIndexClient, stream: string) {
  try {
    return (await index.dataStreams(stream)).find(({ name }) => name === stream);
  } catch (error) {
    if (error instanceof LogIndexFailure && error.status === 404) return undefined;
    throw error;
  }
}

async function missing(index: LogIndexClient, stream: string): Promise<ReplayRefused> {
  const { indices, aliases } = await index.resolve(stream);
  const [other] = [...indices, ...aliases].filter(({ name }) => name === stream);
  if (other) return new ReplayRefused('order', `'${stream}' is no data stream, but an index or alias`);
  const names = (await index.dataStreams('*')).map(({ name }) => name);
  const others = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none at all';
  return new ReplayRefused('target', `there is no data stream '${stream}'; ${others}`);
}

export interface Sighting {
  readonly hits: number;
  readonly indices: readonly string[];
}

/** From before the first platform to long after the last record: everything that may be there. */
const wideRange = { gte: '2000-01-01T00:00:00.000Z', lte: '2100-01-01T00:00:00.000Z' };

/** Where a correlation id is found, in all environments and projects (spec 2 §4.7 step 2). */
export async function findCorrelationId(
  index: Pick<LogIndexClient, 'search' | 'mapping'>,
  stream: string,
  aci: string,
): Promise<Sighting> {
  const isAmong = stream.startsWith(trafficLogStreams.slice(0, -1));
  const where = isAmong ? trafficLogStreams : `${trafficLogStreams},${stream}`;
  const { hits, _shards } = await index.search(where, {
    query: {
      bool: {
        filter: [
          { term: { [await termFieldOf(index, stream)]: aci } },
          { range: { '@timestamp': wideRange } },
        ],
      },
    },
    size: 10,
    _source: false,
    track_total_hits: true,
  });
  // Nobody may read "not there" where a shard did not say what it holds.
  if (_shards.failed > 0)
    throw new LogIndexFailure('failed', `${_shards.failed} of ${_shards.total} shards of ${where} failed`);
  const indices = [...new Set(hits.hits.map(({ _index }) => _index))];
  return { hits: hits.total?.value ?? hits.hits.length, indices };
}

/** A term is not found in a field whose text was taken apart. */
async function termFieldOf(index: Pick<LogIndexClient, 'mapping'>, stream: string): Promise<string> {
  const [fields] = [...(await index.mapping(stream)).values()].slice(-1);
  const aci = fields?.aci;
  return aci?.type === 'text' && aci.fields?.keyword ? 'aci.keyword' : 'aci';
}
