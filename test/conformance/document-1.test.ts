import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { testbedCatalogue } from '../../src/testbed/catalogue.ts';
import { startTestbed } from '../../src/testbed/testing/start-testbed.ts';
import { type DeclaredParameter, operations } from './document-1.ts';
import { groups, open, statements } from './document-1-statements.ts';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, unknown> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Schema }> }>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
}

/** The document as a client gets it, over the wire. */
async function servedDocument(): Promise<Document> {
  const testbed = await startTestbed();
  try {
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n';
    const { body } = await rawRequest(testbed.port, request);
    return JSON.parse(body.toString());
  } finally {
    await testbed.close();
  }
}

const document = await servedDocument();

test('the description is OpenAPI 3.1.0, version 2026.04.1', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '2026.04.1');
});

test('it has exactly the 36 groups as tags, in order, with their purposes', () => {
  assert.equal(groups.length, 36);
  assert.deepEqual(
    document.tags.map(({ name, description }) => [name, description]),
    groups,
  );
});

test('every group has operations, and no operation stands outside the groups', () => {
  const counts = new Map(groups.map(([name]) => [name, 0]));
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    assert.equal(operation.tags.length, 1);
    const tag = operation.tags[0]!;
    assert.ok(counts.has(tag), tag);
    counts.set(tag, counts.get(tag)! + 1);
  }
  for (const [name, count] of counts) {
    if (open.groups.includes(name))
      assert.equal(count, 0, `${name} has operations now: take it off the open list`);
    else assert.ok(count > 0, `${name} has no operation`);
  }
});

for (const row of operations) {
  for (const path of row.paths) {
    for (const method of row.methods) {
      test(`${row.section} ${method} ${path}`, () => {
        const operation = document.paths[path]?.[method.toLowerCase()];
        assert.ok(operation, 'the operation is in the document');
        for (const parameter of row.parameters ?? []) assertParameter(operation, parameter);
        assertNoOtherRequired(operation, row.parameters ?? []);
        for (const status of row.statuses ?? [200])
          assert.ok(operation.responses[status], `declares ${status}`);
        for (const type of row.body ?? []) assert.ok(operation.requestBody?.content[type], `takes ${type}`);
        if (row.body) assert.ok(operation.requestBody, 'declares a body');
        if (row.answer) assertAnswer(operation, row.answer);
        const entry = testbedCatalogue.find(
          (candidate) => openApiPath(candidate.path) === path && candidate.methods.includes(method),
        );
        assert.ok(entry && entry.examples.length > 0, 'is proven by an example');
        assert.match(
          entry.spec ?? '',
          new RegExp(`^1 ${row.section}`),
          'names its place in the specification',
        );
      });
    }
  }
}

function assertParameter(operation: Operation, declared: DeclaredParameter): void {
  const parameter = operation.parameters?.find(({ name }) => name === declared.name);
  assert.ok(parameter, `has the parameter ${declared.name}`);
  assert.equal(parameter.in, declared.in);
  assert.equal(parameter.required ?? false, declared.isRequired, `${declared.name} is required or not`);
  const { schema } = parameter;
  if (declared.type === 'int32' || declared.type === 'int64') {
    assert.deepEqual([schema.type, schema.format], ['integer', declared.type]);
  } else if (declared.type === 'array') assert.equal(schema.type, 'array');
  else if (declared.type === 'map') assert.equal(schema.type, 'object');
  else assert.equal(schema.type, 'string');
  if (declared.default instanceof RegExp) assert.match(String(schema.default), declared.default);
  else assert.equal(schema.default, declared.default);
}

/** What we add to a listed operation must stay optional. */
function assertNoOtherRequired(operation: Operation, declared: readonly DeclaredParameter[]): void {
  const required = (operation.parameters ?? [])
    .filter((parameter) => parameter.required)
    .map(({ name }) => name);
  assert.deepEqual(
    required.sort(),
    declared
      .filter((parameter) => parameter.isRequired)
      .map(({ name }) => name)
      .sort(),
  );
}

function assertAnswer(operation: Operation, { type, schema }: { type: string; schema?: string }): void {
  const answer = operation.responses[200] ?? operation.responses[201];
  const declared = answer?.content?.[type];
  assert.ok(declared, `answers ${type}`);
  if (schema) {
    const ref = declared.schema?.$ref ?? declared.schema?.items?.$ref;
    assert.equal(ref, `#/components/schemas/${schema}`);
  }
}

function openApiPath(path: string): string {
  return path.replace(/\{(\w+)\*\*\}/g, '{$1}');
}

for (const { section, says, provenBy } of statements) {
  test(`${section} ${says}`, () => {
    assert.ok(provenBy.length > 0);
    for (const proof of provenBy) {
      if ('example' in proof) {
        const entry = testbedCatalogue.find(({ id }) => id === proof.endpoint);
        assert.ok(entry, `there is an endpoint ${proof.endpoint}`);
        assert.ok(
          entry.examples.some(({ name }) => name === proof.example),
          `${proof.endpoint} has the example '${proof.example}': ${entry.examples.map(({ name }) => name).join(' | ')}`,
        );
      } else {
        const source = readFileSync(fileURLToPath(new URL(`../../${proof.file}`, import.meta.url)), 'utf8');
        assert.ok(source.includes(proof.test), `${proof.file} has the test '${proof.test}'`);
      }
    }
  });
}
