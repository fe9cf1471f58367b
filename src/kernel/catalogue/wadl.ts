import type { ResponseDeclaration } from './endpoint.ts';
import {
  type Documented,
  inputsOf,
  type Operation,
  type OperationInput,
  operationsOf,
} from './operations.ts';
import type { ParameterSchema } from './parameter-values.ts';
import { pathAsDocumented } from './path-pattern.ts';

interface XmlElement {
  readonly startTag: string;
  readonly content: readonly XmlElement[];
}

/**
 * The catalogue as a WADL description (W3C member submission of 31 August 2009). The answer is quick to ask for again:
 * only the address the service was reached at differs.
 */
export function describeAsWadl(endpoints: readonly Documented[]): (baseUrl: string) => string {
  const byPath = Map.groupBy(endpoints, ({ path }) => pathAsDocumented(path));
  const resources = [...byPath]
    .map(([path, entries]) => written(describeResource(path, entries), '    '))
    .join('');
  return (baseUrl) => `<?xml version="1.0" encoding="UTF-8"?>
<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <resources base="${escaped(baseUrl)}">
${resources}  </resources>
</application>
`;
}

function describeResource(path: string, entries: readonly Documented[]): XmlElement {
  const pathInputs = inputsOf(entries[0]!).filter(({ place }) => place === 'path');
  const methods = entries.flatMap(operationsOf).map(describeMethod);
  return element(`resource path="${escaped(path)}"`, ...pathInputs.map(describeInput), ...methods);
}

function describeMethod({ id, method, endpoint }: Operation): XmlElement {
  const inputs = inputsOf(endpoint).filter(({ place }) => place !== 'path');
  const representations = Object.keys(endpoint.body?.content ?? {}).map(describeRepresentation);
  const request = element('request', ...inputs.map(describeInput), ...representations);
  return element(
    `method name="${method}" id="${escaped(id)}"`,
    element(`doc title="${escaped(endpoint.summary)}"`),
    ...(request.content.length > 0 ? [request] : []),
    ...Object.entries(endpoint.responses).map(([status, one]) => describeResponse(status, one)),
  );
}

function describeResponse(status: string, { content = {} }: ResponseDeclaration): XmlElement {
  return element(`response status="${status}"`, ...Object.keys(content).map(describeRepresentation));
}

function describeRepresentation(mediaType: string): XmlElement {
  return element(`representation mediaType="${escaped(mediaType)}"`);
}

const STYLES = { path: 'template', query: 'query', header: 'header' } as const;

function describeInput({ place, name, schema, isRequired }: OperationInput): XmlElement {
  const isList = schema.type === 'array';
  const type = xsdType(isList ? (schema.items ?? {}) : schema);
  let tag = `param name="${escaped(name)}" style="${STYLES[place]}" type="${type}"`;
  if (isRequired) tag += ' required="true"';
  if (isList) tag += ' repeating="true"';
  if (['string', 'number', 'boolean'].includes(typeof schema.default)) {
    tag += ` default="${escaped(String(schema.default))}"`;
  }
  return element(tag);
}

function xsdType({ type, format }: ParameterSchema): string {
  if (type === 'integer' && format === 'int32') return 'xs:int';
  if (type === 'integer') return format === 'int64' ? 'xs:long' : 'xs:integer';
  if (type === 'number') return 'xs:double';
  return type === 'boolean' ? 'xs:boolean' : 'xs:string';
}

function element(startTag: string, ...content: XmlElement[]): XmlElement {
  return { startTag, content };
}

function written({ startTag, content }: XmlElement, indent: string): string {
  if (content.length === 0) return `${indent}<${startTag}/>\n`;
  const [name] = startTag.split(' ', 1);
  const inner = content.map((child) => written(child, `${indent}  `)).join('');
  return `${indent}<${startTag}>\n${inner}${indent}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text within an attribute. Controls have no place in XML 1.0, not even escaped. */
function escaped(text: string): string {
  return text.replace(/[\x00-\x1f]/g, ' ').replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
