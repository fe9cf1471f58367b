import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../open-store.ts';

interface Thing {
  readonly name: string;
  readonly parts: readonly string[];
}

const definition = { name: 'things', unique: [['name']], indexed: [] } as const;

/** Two connections to one file, as two processes have them. */
async function twoConnections() {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kept-'));
  const stores = [await openStore({ dataFolder }), await openStore({ dataFolder })];
  const [here, there] = stores.map((store) => store.collection<Thing>(definition));
  const close = async () => {
    for (const store of stores) await store.close();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { here: here!, there: there!, [Symbol.asyncDispose]: close };
}

test('a document that is read again and again follows every change at once, whoever made it', async () => {
  await using connections = await twoConnections();
  const { here, there } = connections;
  const { id } = await here.insert({ name: 'a', parts: [] });
  const seen = async () => {
    const read = await Promise.all([here.get(id), here.findOne({ name: 'a' }), there.get(id), there.get(id)]);
    return new Set(read.map((found) => found?.value.parts.join()));
  };
  assert.deepEqual(await seen(), new Set(['']));
  for (const [index, writer] of [here, there, here, there].entries()) {
    await writer.change({ id }, { set: { parts: [`part ${index}`] } });
    assert.deepEqual(await seen(), new Set([`part ${index}`]));
  }
  await there.replace(id, 5, { name: 'a', parts: ['replaced'] });
  assert.deepEqual(await seen(), new Set(['replaced']));
  await there.remove(id);
  assert.deepEqual(await seen(), new Set([undefined]));
  await there.insert({ name: 'a', parts: ['again'] }, id);
  assert.deepEqual(await seen(), new Set(['again']));
});

test('values that look alike are not mistaken for one another', async () => {
  await using connections = await twoConnections();
  const numbered = connections.here;
  await numbered.insert({ name: '1', parts: [] });
  assert.equal((await numbered.findOne({ name: '1' }))?.value.name, '1');
  assert.equal(await numbered.findOne({ name: 1 }), undefined);
  assert.equal(await numbered.findOne({ name: '[1]' }), undefined);
});

test('a reader cannot change what another one reads', async () => {
  await using connections = await twoConnections();
  const { here } = connections;
  const { id } = await here.insert({ name: 'a', parts: ['whole'] });
  const { value } = (await here.get(id))!;
  assert.throws(() => (value.parts as string[]).push('more'), TypeError);
  assert.deepEqual((await here.get(id))!.value.parts, ['whole']);
});
