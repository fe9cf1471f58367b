import { timeSpanOf } from './date-value.ts';
import { illegalArgument, mapperError, unreadableDocument } from './engine-error.ts';
import { checkValue, type Field, type Fields } from './field.ts';
import { type MappingDefinition, readMapping } from './mapping-definition.ts';

export type SourceDocument = Readonly<Record<string, unknown>>;

/** What the index needs to know of a document beside its text. */
export interface ReadDocument {
  readonly timestampMs: number | null;
  /** The values by which documents are found fast. */
  readonly terms: ReadonlyArray<readonly [fieldNo: number, value: string]>;
}

/** Fields whose values have an index of their own; terms on others read the documents. The order is part of the file format. */
export const quickFields: readonly string[] = ['aci', 'api', 'apn'];

const TIMESTAMP = '@timestamp';
const MOST_FIELDS = 1000;
const METADATA_FIELDS = new Set([
  '_id',
  '_index',
  '_routing',
  '_source',
  '_field_names',
  '_type',
  '_version',
]);
const dynamicText: Field = {
  type: 'text',
  fields: { keyword: { type: 'keyword', ignore_above: 256 } },
};

type MutableFields = Record<string, Field>;

/** The fields of one index: those it was made with, and those that documents brought. */
export class Mapping {
  readonly #definition: MappingDefinition;
  readonly #properties: MutableFields;
  /** What was asked for before: every document asks again. Fields never change once they are there. */
  readonly #byPath = new Map<string, Field>();
  #fieldCount: number;

  /** Refuses what the embedded index would not keep to. */
  constructor(definition: unknown) {
    this.#definition = readMapping(definition);
    this.#properties = structuredClone(this.#definition.properties) as MutableFields;
    this.#fieldCount = countOf(this.#properties);
  }

  /** Grows with documents; whoever keeps the mapping compares it. */
  get fieldCount(): number {
    return this.#fieldCount;
  }

  toJSON(): object {
    const { rest } = this.#definition;
    return this.#fieldCount === 0 ? rest : { ...rest, properties: asTold(this.#properties) };
  }

  /** `a.b` is the member b of a, or a further field of a; undefined when there is no such field. */
  fieldAt(path: string): Field | undefined {
    const known = this.#byPath.get(path);
    if (known) return known;
    let fields: Fields | undefined = this.#properties;
    let field: Field | undefined;
    for (const name of path.split('.')) {
      field = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!field) return undefined;
      fields = field.properties ?? field.fields;
    }
    if (field) this.#byPath.set(path, field);
    return field;
  }

  /** Every field by its full name, further fields included, objects left out. */
  *leaves(fields: Fields = this.#properties, prefix = ''): Generator<[path: string, field: Field]> {
    for (const [name, field] of Object.entries(fields)) {
      const path = `${prefix}${name}`;
      if (field.type !== 'object') yield [path, field];
      if (field.fields) yield* this.leaves(field.fields, `${path}.`);
      if (field.properties) yield* this.leaves(field.properties, `${path}.`);
    }
  }

  /** Checks a document against the fields, and takes in the fields it brings. Throws, and changes nothing, when it does not fit. */
  read(document: SourceDocument, id: string, needsTimestamp: boolean): ReadDocument {
    const brought: Array<readonly [path: string, field: Field]> = [];
    this.#checkObject(document, '', id, brought);
    const timestampMs = this.#timestampOf(document, needsTimestamp, brought);
    if (brought.length > 0) this.#add(brought);
    return { timestampMs, terms: this.termsOf(document) };
  }

  #checkObject(object: SourceDocument, prefix: string, id: string, brought: Brought): void {
    for (const name in object) {
      const value = object[name];
      const path = prefix + name;
      if (prefix === '' && name.charCodeAt(0) === 0x5f && METADATA_FIELDS.has(name))
        throw mapperError(`Field [${name}] is a metadata field and cannot be added inside a document.`);
      if (name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..'))
        throw unreadableDocument('illegal_argument_exception', `the field name [${path}] is ambiguous`);
      if (value !== null) this.#checkMember(path, value, id, brought);
    }
  }

  #checkMember(path: string, value: unknown, id: string, brought: Brought): void {
    if (Array.isArray(value)) {
      for (const item of value) if (item !== null) this.#checkMember(path, item, id, brought);
      return;
    }
    const isObject = typeof value === 'object';
    const field = this.fieldAt(path) ?? this.#bring(path, value, brought);
    if (field.enabled === false) return;
    if (field.type !== 'object') {
      checkValue(path, field, value, id);
      return;
    }
    if (!isObject)
      throw mapperError(
        `object mapping for [${path}] tried to parse field [${path}] as object, but found a concrete value`,
      );
    this.#checkObject(value as SourceDocument, `${path}.`, id, brought);
  }

  /** The field that a value seen for the first time becomes. */
  #bring(path: string, value: unknown, brought: Brought): Field {
    const known = brought.find(([other]) => other === path);
    if (known) return known[1];
    const parentPath = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
    const parent = this.fieldAt(parentPath) ?? brought.find(([other]) => other === parentPath)?.[1];
    if (parent && parent.type !== 'object')
      throw mapperError(`[${path}] cannot stand under a field of type [${parent.type}]`);
    const field = this.#dynamicField(value);
    brought.push([path, field]);
    if (this.#fieldCount + brought.length > MOST_FIELDS)
      throw illegalArgument(`Limit of total fields [${MOST_FIELDS}] has been exceeded`);
    return field;
  }

  #dynamicField(value: unknown): Field {
    const { dynamicString, detectsDates } = this.#definition;
    switch (typeof value) {
      case 'object':
        return { type: 'object', properties: {} };
      case 'boolean':
        return { type: 'boolean' };
      case 'number':
        return { type: Number.isInteger(value) ? 'long' : 'float' };
      default:
        if (detectsDates && String(value).includes('-') && timeSpanOf(value)) return { type: 'date' };
        return dynamicString ?? dynamicText;
    }
  }

  #add(brought: Brought): void {
    for (const [path, field] of brought) {
      const names = path.split('.');
      const last = names.pop()!;
      let fields = this.#properties;
      for (const name of names) {
        fields[name] ??= { type: 'object', properties: {} };
        fields = (fields[name] as { properties?: MutableFields }).properties ??= {};
      }
      fields[last] ??= field;
    }
    this.#fieldCount = countOf(this.#properties);
  }

  #timestampOf(document: SourceDocument, isNeeded: boolean, brought: Brought): number | null {
    const field = this.fieldAt(TIMESTAMP) ?? brought.find(([path]) => path === TIMESTAMP)?.[1];
    const values = field?.type === 'date' ? [document[TIMESTAMP] ?? []].flat(10) : [];
    const [value] = values;
    if (values.length === 1 && value !== null) return timeSpanOf(value)!.firstMs;
    if (isNeeded)
      throw unreadableDocument(
        'illegal_argument_exception',
        "documents must contain a single-valued timestamp field '@timestamp' of date type",
      );
    if (values.length > 1)
      throw illegalArgument('the embedded log index keeps a single value of [@timestamp]');
    return null;
  }

  /** The values by which a document is found fast. */
  termsOf(document: SourceDocument): ReadDocument['terms'] {
    const terms: Array<readonly [number, string]> = [];
    for (let fieldNo = 0; fieldNo < quickFields.length; fieldNo++) {
      const name = quickFields[fieldNo]!;
      if (!Object.hasOwn(document, name)) continue;
      const keyword = keywordOf(this.fieldAt(name));
      if (!keyword || keyword.index === false) continue;
      for (const value of new Set([document[name]].flat(10))) {
        const text = String(value);
        if (value !== null && isFindable(text, keyword)) terms.push([fieldNo, text]);
      }
    }
    return terms;
  }
}

type Brought = Array<readonly [path: string, field: Field]>;

/** The keyword that a field is, or has beside it. */
export function keywordOf(field: Field | undefined): Field | undefined {
  if (field?.type === 'text') return field.fields?.keyword;
  return field?.type === 'keyword' ? field : undefined;
}

export function isFindable(text: string, { ignore_above: longest }: Field): boolean {
  return longest === undefined || text.length <= longest;
}

function countOf(fields: Fields): number {
  return Object.values(fields).reduce(
    (sum, { properties = {}, fields: further = {} }) => sum + 1 + countOf(properties) + countOf(further),
    0,
  );
}

/** An object with members is told without its type, as the engine does. */
function asTold(fields: Fields): object {
  const told = Object.entries(fields).map(([name, field]) => {
    if (!field.properties) return [name, field];
    const { type: _, properties, ...rest } = field;
    return [name, { ...rest, properties: asTold(properties) }];
  });
  return Object.fromEntries(told);
}
