import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localState } from './shared-state.ts';

class Base {
  inherited(): string {
    return 'inherited';
  }
}

class Store extends Base {
  readonly #items: Array<{ name: string; bytes?: Buffer }> = [];

  add(item: { name: string; bytes?: Buffer }): number {
    return this.#items.push(item);
  }

  first() {
    return this.#items[0];
  }

  async later(): Promise<string> {
    return 'later';
  }

  fails(): never {
    throw new Error('no');
  }
}

describe('state kept in one process', () => {
  test('every method of a keeper is asynchronous', async () => {
    const { store } = localState({ store: new Store() });
    const added = store.add({ name: 'a' });
    assert.ok(added instanceof Promise);
    assert.deepEqual([await added, await store.later(), await store.inherited()], [1, 'later', 'inherited']);
  });

  test('what is given and taken is a copy, and buffers stay buffers', async () => {
    const { store } = localState({ store: new Store() });
    const item = { name: 'a', bytes: Buffer.from('x') };
    await store.add(item);
    item.name = 'changed';
    const taken = await store.first();
    assert.equal(taken?.name, 'a');
    assert.ok(Buffer.isBuffer(taken?.bytes));
    taken.name = 'changed';
    assert.equal((await store.first())?.name, 'a');
  });

  test('an error of a keeper rejects as the same error', async () => {
    const { store } = localState({ store: new Store() });
    await assert.rejects(store.fails(), { message: 'no' });
  });

  test('what could not travel between processes is refused here too', async () => {
    const { store } = localState({ store: new Store() });
    const functions = { name: () => 'a' } as unknown as { name: string };
    await assert.rejects(store.add(functions), /could not be cloned/);
  });

  test('what a method does not return is undefined', async () => {
    const { store } = localState({ store: new Store() });
    assert.equal(await store.first(), undefined);
  });
});
