type Json = Record<string, unknown>;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/**
 * What a document breaks of the structural rules of OpenAPI 3.1 (§4.8) and, in its schemas, of the JSON Schema
 * 2020-12 metaschema; empty when it is sound.
 */
export async function brokenOpenApiRules(document: Json): Promise<string[]> {
  const operations = operationsOf(document);
  return [
    ...brokenHead(document),
    ...repeated(operations.map(({ operation }) => operation.operationId as string)).map(
      (id) => `operationId ${id} is used twice`,
    ),
    ...repeated(pathShapes(document)).map((shape) => `two paths have the shape ${shape}`),
    ...operations.flatMap((one) => brokenOperation(one, document)),
    ...brokenReferences(document),
    ...(await brokenSchemas(document)),
  ];
}

interface Operation {
  readonly path: string;
  readonly where: string;
  readonly operation: Json;
}

function operationsOf({ paths }: Json): Operation[] {
  return Object.entries(paths as Record<string, Json>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      where: `${method} ${path}`,
      operation: operation as Json,
    })),
  );
}

function brokenHead({ openapi, info, servers, tags }: Json): string[] {
  const { title, version } = info as Json;
  const broken: string[] = [];
  if (openapi !== '3.1.0') broken.push(`openapi is ${openapi}`);
  if (typeof title !== 'string' || typeof version !== 'string') broken.push('info has no title or version');
  if ((servers as Json[]).some(({ url }) => typeof url !== 'string')) broken.push('a server has no url');
  return [
    ...broken,
    ...repeated((tags as Json[]).map(({ name }) => name as string)).map(
      (name) => `tag ${name} is listed twice`,
    ),
  ];
}

function pathShapes({ paths }: Json): string[] {
  // The later of two equal shapes is named by its own spelling.
  const seen = new Map<string, string>();
  return Object.keys(paths as Json).flatMap((path) => {
    const shape = path.replace(/\{[^}]*\}/g, '{}');
    if (seen.has(shape)) return [path, path];
    seen.set(shape, path);
    return [];
  });
}

function brokenOperation({ path, where, operation }: Operation, document: Json): string[] {
  const broken: string[] = [];
  const [method = ''] = where.split(' ');
  const known = new Set((document.tags as Json[]).map(({ name }) => name));
  if (!path.startsWith('/')) broken.push(`${where}: the path has no leading slash`);
  if (!METHODS.has(method)) broken.push(`${where}: ${method} is no method of a path item`);
  for (const tag of operation.tags as string[])
    if (!known.has(tag)) broken.push(`${where}: tag ${tag} is not listed`);
  broken.push(...brokenParameters(path, where, (operation.parameters ?? []) as Json[]));
  const responses = Object.entries(operation.responses as Record<string, Json>);
  if (responses.length === 0) broken.push(`${where}: no response is declared`);
  for (const [status, { description }] of responses) {
    if (!/^[1-5]\d\d$|^default$/.test(status)) broken.push(`${where}: ${status} is no status`);
    if (typeof description !== 'string') broken.push(`${where}: response ${status} has no description`);
  }
  return broken;
}

function brokenParameters(path: string, where: string, parameters: readonly Json[]): string[] {
  const broken = repeated(parameters.map((one) => `${one.in} ${one.name}`)).map(
    (one) => `${where}: ${one} is declared twice`,
  );
  const templated = new Set([...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name));
  const declared = new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name));
  for (const name of templated)
    if (!declared.has(name)) broken.push(`${where}: path parameter ${name} is not declared`);
  for (const one of parameters) {
    if (!['path', 'query', 'header', 'cookie'].includes(one.in as string))
      broken.push(`${where}: ${one.name} is in ${one.in}`);
    if (one.in === 'path' && one.required !== true)
      broken.push(`${where}: path parameter ${one.name} must be required`);
    if (one.in === 'path' && !templated.has(one.name as string))
      broken.push(`${where}: ${one.name} is not in the path`);
    if (typeof one.schema !== 'object') broken.push(`${where}: ${one.name} has no schema`);
  }
  return broken;
}

function brokenReferences(document: Json): string[] {
  return everyValue(document, '$ref').flatMap((reference) => {
    const steps = String(reference).split('/').slice(1);
    const target = steps.reduce<unknown>((value, step) => (value as Json | undefined)?.[step], document);
    return target === undefined ? [`${reference} leads nowhere`] : [];
  });
}

async function brokenSchemas(document: Json): Promise<string[]> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: false });
  const components = Object.values((document.components as { schemas: Json }).schemas);
  const schemas = [...everyValue(document.paths, 'schema'), ...components] as object[];
  return schemas.flatMap((schema) =>
    ajv.validateSchema(schema) ? [] : [`${JSON.stringify(schema)} is no schema: ${ajv.errorsText()}`],
  );
}

/** The values of every member of this name, however deep. */
function everyValue(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => everyValue(item, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name ? [member] : everyValue(member, name),
  );
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
