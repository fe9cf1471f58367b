import { asUriReference } from '../problem.ts';
import type { BodyDeclaration, Example, ResponseDeclaration } from './endpoint.ts';
import { permissionOf, responsesOf, securityOf, securitySchemes } from './openapi-access.ts';
import {
  type Documented,
  inputsOf,
  type Operation,
  type OperationInput,
  operationsOf,
} from './operations.ts';
import { pathAsDocumented, pathAsSent } from './path-pattern.ts';

type Json = Record<string, unknown>;

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** The tags, in the order they are shown in. */
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly endpoints: readonly Documented[];
  /** Where the service is reached; relative to the document unless given. */
  readonly serverUrl?: string;
}

/** The OpenAPI 3.1.0 document of a catalogue. Schemas that have an `$id` become components under that name. */
export function buildOpenApi({
  title,
  version,
  description,
  tags,
  endpoints,
  serverUrl = '/',
}: OpenApiOptions): Json {
  const schemas = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const operation of endpoints.flatMap(operationsOf)) {
    const path = pathAsDocumented(operation.endpoint.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describeOperation(operation, schemas);
  }
  return defined({
    openapi: '3.1.0',
    info: defined({ title, version, description }),
    servers: [{ url: serverUrl }],
    tags: tags.map(({ name, description: purpose }) => ({ name, description: purpose })),
    paths,
    components: defined({ schemas: schemas.all, securitySchemes: securitySchemesOf(endpoints) }),
  });
}

/** Only those that some entry asks for. */
function securitySchemesOf(endpoints: readonly Documented[]): Json | undefined {
  const used = new Set(endpoints.flatMap((endpoint) => (securityOf(endpoint) ?? []).flatMap(Object.keys)));
  const schemes = Object.entries(securitySchemes).filter(([name]) => used.has(name));
  return schemes.length > 0 ? Object.fromEntries(schemes) : undefined;
}

function describeOperation({ id, method, endpoint }: Operation, schemas: SchemaComponents): Json {
  const { group, summary, description, spec, body } = endpoint;
  const takesBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return defined({
    operationId: id,
    tags: [group],
    summary,
    description,
    parameters: unlessEmpty(inputsOf(endpoint).map((input) => describeInput(input, schemas))),
    requestBody: takesBody ? describeBody(body, schemas) : undefined,
    responses: mapValues(responsesOf(endpoint), (response) => describeResponse(response, schemas)),
    security: securityOf(endpoint),
    'x-permission': permissionOf(endpoint),
    'x-spec': spec,
    'x-examples': unlessEmpty(examplesOf(endpoint, method)),
  });
}

function describeInput({ place, name, schema, isRequired }: OperationInput, schemas: SchemaComponents): Json {
  const { description, ...rest } = schemas.reference(schema);
  return defined({ name, in: place, description, schema: rest, required: isRequired });
}

function describeBody(
  { description, required = false, content }: BodyDeclaration,
  schemas: SchemaComponents,
): Json {
  return defined({ description, required, content: describeContent(content, schemas) });
}

function describeResponse(
  { description, content, headers }: ResponseDeclaration,
  schemas: SchemaComponents,
): Json {
  return defined({
    description,
    headers:
      headers && mapValues(headers, (purpose) => ({ description: purpose, schema: { type: 'string' } })),
    content: content && describeContent(content, schemas),
  });
}

function describeContent(content: BodyDeclaration['content'], schemas: SchemaComponents): Json {
  return mapValues(content, (schema) => ({ schema: schemas.reference(schema) }));
}

/** The requests of this method that a reader may try; examples that only test are left out. */
function examplesOf({ examples, methods, path }: Documented, method: string): Json[] {
  const firstMethod = methods.find((one) => one !== 'ANY') ?? 'GET';
  return examples
    .filter((example) => example.shown !== false && (example.method ?? firstMethod) === method)
    .map((example) => describeExample(example, path));
}

function describeExample({ name, path, headers, body, expect }: Example, entryPath: string): Json {
  return defined({
    name,
    path: asUriReference(path ?? pathAsSent(entryPath)),
    headers: headers && unlessEmpty(headers),
    body: typeof body === 'string' ? body : undefined,
    bodyBase64: body instanceof Uint8Array ? Buffer.from(body).toString('base64') : undefined,
    status: expect.status,
  });
}

/** Collects the named schemas of a document and puts references in their places. */
class SchemaComponents {
  readonly all: Json = {};

  /** The schema as the document shows it. What TypeBox keeps for itself is not enumerable and falls away. */
  reference(schema: object): Json {
    return this.#convert(schema) as Json;
  }

  #convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#convert(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $id: name, ...members } = value as Json;
    if (typeof name !== 'string') return this.#convertMembers(members);
    if (!(name in this.all)) {
      // The name is taken before its members are looked at, so that a schema may speak of itself.
      this.all[name] = {};
      this.all[name] = this.#convertMembers(members);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #convertMembers(members: Json): Json {
    return mapValues(defined(members), (member) => this.#convert(member));
  }
}

/** The same members without those that have no value. */
function defined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
}

function mapValues<Value>(members: Readonly<Record<string, Value>>, change: (value: Value) => unknown): Json {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length > 0 ? list : undefined;
}
