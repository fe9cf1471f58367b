import type { LogIndexClient } from '../../log-index/client.ts';
import type {
  FieldMapping,
  IndexInfo,
  IndexSettings,
  ResolvedNames,
} from '../../log-index/client-answers.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';
import { exitCodes } from '../operator/exit-codes.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import type { Configuration } from './configuration.ts';
import { ifAllowed } from './if-allowed.ts';

/** What is known of the index before anything is done. */
export interface CheckedIndex {
  /** `OpenSearch 2.19.1`. */
  readonly engine: string;
  /** The data stream it belongs to. */
  readonly stream: { readonly name: string; readonly isNewest: boolean; readonly size: number } | undefined;
  readonly hasWriteBlock: boolean;
  /** Why nothing can be written even without the write block. */
  readonly obstacle: string | undefined;
  /** What the operator should know. */
  readonly warnings: readonly string[];
}

/** Looks and changes nothing. */
export async function checkIndex(
  client: LogIndexClient,
  configuration: Configuration,
): Promise<CheckedIndex> {
  const { index } = configuration;
  const engine = engineName(await ifAllowed(client.info()));
  const stream = await streamOf(client, await resolveIndex(client, index), index);
  const settings = (await client.settings(index)).get(index) ?? {};
  const fields = (await client.mapping(index)).get(index) ?? {};
  const newest = stream?.isNewest
    ? [
        `this is the newest backing index of ${stream.name} and receives writes: counts may differ from expectation`,
      ]
    : [];
  return {
    engine,
    stream,
    hasWriteBlock: settings['index.blocks.write'] === 'true',
    obstacle: obstacleIn(settings),
    warnings: [...newest, ...fieldWarnings(configuration, fields)],
  };
}

function engineName(info: IndexInfo | undefined): string {
  if (!info) return 'an index engine';
  const names: Readonly<Record<string, string>> = {
    opensearch: 'OpenSearch',
    gatehouse: 'embedded log index',
  };
  const { distribution, number } = info.version ?? {};
  return `${distribution === undefined ? 'Elasticsearch' : (names[distribution] ?? distribution)} ${number}`;
}

/** The stream that the index belongs to, if any. Refuses a name that stands for anything but one index (spec 2 §4.6 rule 12). */
async function resolveIndex(client: LogIndexClient, index: string): Promise<string | undefined> {
  const { indices, aliases, data_streams: streams } = await resolvedNames(client, index);
  const stream = streams.find(({ name }) => name === index);
  if (stream) throw streamRefusal(index, stream.backing_indices);
  const alias = aliases.find(({ name }) => name === index);
  if (alias)
    throw configurationFailure(
      `INDEX '${index}' is an alias; name the index itself: ${[alias.indices].flat().join(', ')}`,
    );
  const found = indices.find(({ name }) => name === index);
  if (!found) throw new OperatorFailure(`there is no index '${index}' (INDEX)`);
  return found.data_stream;
}

/** Engines before 7.9 have neither data streams nor this call: there, whatever settings come under another name is an alias. */
async function resolvedNames(client: LogIndexClient, index: string): Promise<ResolvedNames> {
  try {
    return await client.resolve(index);
  } catch (error) {
    if (!(error instanceof LogIndexFailure) || !['refused', 'not-found'].includes(error.kind)) throw error;
  }
  const names = [...(await client.settings(index)).keys()];
  const isItself = names.length === 1 && names[0] === index;
  return {
    indices: isItself ? [{ name: index }] : [],
    aliases: isItself ? [] : [{ name: index, indices: names }],
    data_streams: [],
  };
}

function streamRefusal(index: string, backing: readonly string[]): OperatorFailure {
  const names = [backing].flat();
  const listed = names.map((name, at) =>
    at === names.length - 1 ? `${name} (newest, receives writes)` : name,
  );
  return configurationFailure(
    `INDEX '${index}' is a data stream; name one of its backing indices, one run for each: ${listed.join(', ')}`,
  );
}

function configurationFailure(text: string): OperatorFailure {
  return new OperatorFailure(text, exitCodes.configuration);
}

async function streamOf(
  client: LogIndexClient,
  name: string | undefined,
  index: string,
): Promise<CheckedIndex['stream']> {
  if (name === undefined) return undefined;
  const [stream] = await client.dataStreams(name);
  const backing = stream?.indices ?? [];
  return { name, isNewest: backing.at(-1)?.index_name === index, size: backing.length };
}

/** Blocks other than the write block are somebody's decision, or the engine's own: they are not lifted. */
function obstacleIn(settings: IndexSettings): string | undefined {
  const isSet = (name: string) => settings[`index.blocks.${name}`] === 'true';
  if (isSet('read_only_allow_delete'))
    return 'the index has the flood-stage block (index.blocks.read_only_allow_delete) because its disk is too full: free space first, this tool does not lift it';
  if (isSet('read_only'))
    return 'the index is read-only (index.blocks.read_only): this tool lifts write blocks alone, take that one away first';
  if (isSet('read')) return 'the index cannot be searched (index.blocks.read): take that block away first';
  return undefined;
}

type Fields = Readonly<Record<string, FieldMapping>>;

function fieldWarnings({ operation, scope }: Configuration, fields: Fields): string[] {
  const unknown =
    operation.kind === 'clean' ? operation.fields.filter((name) => fieldAt(fields, name) === undefined) : [];
  const warnings: string[] = [];
  if (unknown.length > 0)
    warnings.push(
      `the mapping has no field ${unknown.join(', ')}: names in FIELDS must equal the source keys exactly (fcrb, tba, fbarb, tcb)`,
    );
  if (scope.proxy) warnings.push(...termWarnings(scope.proxy.field, fields));
  return warnings;
}

/** A term on analysed text compares with single words, and so finds nothing or the wrong documents. */
function termWarnings(path: string, fields: Fields): string[] {
  const field = fieldAt(fields, path);
  if (!field) return [`the mapping has no field ${path}: no document will match PROXY_VALUE`];
  if (field.type !== 'text') return [];
  const advice = field.fields?.keyword ? ' --proxy-keyword compares the whole value.' : '';
  return [`PROXY_FIELD ${path} is analysed text: PROXY_VALUE is compared with single words of it.${advice}`];
}

/** Dots lead into objects, and to the further fields of one. */
function fieldAt(fields: Fields, path: string): FieldMapping | undefined {
  const whole = fields[path];
  if (whole) return whole;
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const parent = fields[path.slice(0, dot)];
  return parent && fieldAt({ ...parent.properties, ...parent.fields }, path.slice(dot + 1));
}
