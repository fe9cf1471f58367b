import { EngineError, illegalArgument } from './engine-error.ts';
import { patternOf } from './index-names.ts';
import { type Blocks, readCreationSettings } from './index-settings.ts';
import { Mapping } from './mapping.ts';

/** What an index is made with, by a request or by a template. */
export interface IndexDefinition {
  readonly blocks: Blocks;
  readonly mapping: unknown;
}

/** A template for indices whose names match. */
export interface IndexTemplate {
  readonly name: string;
  readonly patterns: readonly string[];
  readonly makesStreams: boolean;
  readonly priority: number;
  readonly definition: IndexDefinition;
  /** As it is told again. */
  readonly body: object;
}

type Members = Readonly<Record<string, unknown>>;

const knownMembers = new Set([
  'index_patterns',
  'data_stream',
  'priority',
  'template',
  'composed_of',
  'version',
  '_meta',
]);

/** Refuses what the embedded index would not do. */
export function readTemplate(name: string, body: unknown): IndexTemplate {
  const members = asObject(body, 'index_template');
  for (const key of Object.keys(members)) {
    if (!knownMembers.has(key))
      throw new EngineError(400, 'x_content_parse_exception', `[index_template] unknown field [${key}]`);
  }
  const { index_patterns: given, data_stream: stream, priority = 0, composed_of: parts = [] } = members;
  const patterns = [given ?? []].flat().map(String);
  if (patterns.length === 0) throw illegalArgument('index template must have index_patterns');
  if (!Array.isArray(parts) || parts.length > 0)
    throw illegalArgument('the embedded log index knows no component templates');
  if (stream !== undefined) asObject(stream, 'data_stream');
  const definition = readDefinition(members.template ?? {});
  return {
    name,
    patterns,
    makesStreams: stream !== undefined,
    priority: Number(priority),
    definition,
    body: { ...members, index_patterns: patterns, composed_of: [] },
  };
}

/** `{settings, mappings}`. */
export function readDefinition(body: unknown): IndexDefinition {
  const { settings, mappings, ...others } = asObject(body, 'index');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw illegalArgument(`the embedded log index does not know [${unknown}] of an index`);
  // Made only to be refused now rather than with the first document.
  new Mapping(mappings);
  return { blocks: readCreationSettings(settings), mapping: mappings ?? {} };
}

/** The template of a new name: of those that match the one with the highest priority. */
export function templateFor(
  name: string,
  templates: Iterable<IndexTemplate>,
  makesStreams?: boolean,
): IndexTemplate | undefined {
  return [...templates]
    .filter(({ patterns }) => patterns.some((pattern) => patternOf(pattern).test(name)))
    .filter((template) => makesStreams === undefined || template.makesStreams === makesStreams)
    .sort((one, other) => other.priority - one.priority)[0];
}

function asObject(value: unknown, name: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw illegalArgument(`[${name}] must be an object`);
}
