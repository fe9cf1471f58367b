import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { managerCatalogue } from '../../src/manager/catalogue.ts';
import { startManager } from '../../src/manager/testing/start-manager.ts';
import { contractsByPath, open, operations, statements } from './document-2.ts';
import { connectionFields } from './document-2-connections.ts';

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Member {
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}
interface ObjectSchema {
  readonly properties: Readonly<Record<string, Member>>;
  readonly required: readonly string[];
}
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, ObjectSchema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The document as a client gets it, over the wire. */
async function servedDocument(): Promise<Document> {
  await using manager = await startManager();
  return (await manager.request('GET', '/openapi.json', { token: null })).json;
}

const document = await servedDocument();

for (const { section, method, path, statuses } of operations) {
  test(`${section} ${method} ${path}`, () => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    assert.ok(operation, 'the operation is in the document');
    for (const status of statuses) assert.ok(operation.responses[status], `declares ${status}`);
  });
}

for (const { label, member, values, ...field } of connectionFields) {
  test(`§2.3 ${label}`, () => {
    const { properties, required } = document.components.schemas.ConnectionInput!;
    const declared = properties[member];
    assert.ok(declared, `${member} is a member`);
    assert.equal(required.includes(member), !('default' in field), 'required, or has a default');
    assert.deepEqual(declared.default, field.default);
    if (field.minimum !== undefined) assert.equal(declared.minimum, field.minimum);
    if (field.maximum !== undefined) assert.equal(declared.maximum, field.maximum);
    if (values) assert.deepEqual(declared.enum, values);
  });
}

for (const { section, says, provenBy } of statements) {
  test(`${section} ${says}`, () => {
    assert.ok(provenBy.length > 0);
    for (const { file, test: name } of provenBy) {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      assert.ok(source.includes(name), `${file} has the test '${name}'`);
    }
  });
}

test('no statement is both proven and open', () => {
  const proven = new Set(statements.map(({ section, says }) => `${section} ${says}`));
  assert.deepEqual(
    open.filter((row) => proven.has(row)),
    [],
  );
});

test('each endpoint under /apiops names the one contract it speaks', () => {
  const longestFirst = Object.keys(contractsByPath).sort((one, other) => other.length - one.length);
  for (const { id, path, errors } of managerCatalogue) {
    if (!path.startsWith('/apiops/')) continue;
    const prefix = longestFirst.find((one) => path.startsWith(one));
    assert.ok(prefix, `${id}: ${path}`);
    assert.equal(errors ?? 'problem', contractsByPath[prefix], id);
  }
});
