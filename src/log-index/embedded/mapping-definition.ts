import { mapperError } from './engine-error.ts';
import { type Field, type Fields, fieldTypes } from './field.ts';

/** What an index is made with. */
export interface MappingDefinition {
  /** All but the fields, as it is told again. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly properties: Fields;
  readonly detectsDates: boolean;
  /** What a text becomes that no field was named for. */
  readonly dynamicString: Field | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const fieldParameters = new Set([
  'type',
  'ignore_above',
  'index',
  'norms',
  'enabled',
  'fields',
  'properties',
]);
const mappingParameters = new Set([
  'date_detection',
  'dynamic_templates',
  'dynamic',
  'properties',
  '_data_stream_timestamp',
]);

/** What the embedded index does not know it refuses: it would find other documents than a real engine. */
export function readMapping(definition: unknown = {}): MappingDefinition {
  const members = asObject(definition, 'mappings');
  for (const name of Object.keys(members)) {
    if (!mappingParameters.has(name)) throw unknownTo(`the mapping parameter [${name}]`);
  }
  const { dynamic, properties = {}, ...rest } = members;
  if (dynamic !== undefined && String(dynamic) !== 'true') throw unknownTo(`[dynamic: ${String(dynamic)}]`);
  return {
    rest,
    properties: readFields(properties),
    detectsDates: rest.date_detection !== false,
    dynamicString: readDynamicTemplates(rest.dynamic_templates),
  };
}

function readFields(properties: unknown): Fields {
  return Object.fromEntries(
    Object.entries(asObject(properties, 'properties')).map(([name, field]) => [name, readField(name, field)]),
  );
}

function readField(name: string, definition: unknown): Field {
  const field = asObject(definition, name);
  for (const parameter of Object.keys(field)) {
    if (!fieldParameters.has(parameter)) throw unknownTo(`the parameter [${parameter}] of field [${name}]`);
  }
  const { type = 'object', properties, fields, ...rest } = field;
  const knownType = fieldTypes.find((known) => known === type);
  if (!knownType) throw mapperError(`No handler for type [${String(type)}] declared on field [${name}]`);
  return {
    type: knownType,
    ...rest,
    ...(fields !== undefined && { fields: readFields(fields) }),
    ...(properties !== undefined && { properties: readFields(properties) }),
  };
}

/** One kind is known: what becomes of texts. */
function readDynamicTemplates(templates: unknown): Field | undefined {
  if (templates === undefined) return undefined;
  if (!Array.isArray(templates)) throw mapperError('dynamic_templates must be a list');
  let found: Field | undefined;
  for (const template of templates) {
    for (const [name, rule] of Object.entries(asObject(template, 'dynamic_templates'))) {
      const { match_mapping_type: type, mapping, ...others } = asObject(rule, name);
      if (type !== 'string' || Object.keys(others).length > 0)
        throw unknownTo(`the dynamic template [${name}]`);
      found ??= readField(name, mapping);
    }
  }
  return found;
}

function asObject(value: unknown, name: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw mapperError(`Expected map for [${name}]`);
}

function unknownTo(thing: string) {
  return mapperError(`the embedded log index does not know ${thing}`);
}
