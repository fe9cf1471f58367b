import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UnsentRecords, UnsentSource } from './unsent-records.ts';

export interface UnsentEngine {
  /** A database of its own, empty. */
  open(): Promise<UnsentSource>;
}

const wholeWindow = { limit: 1000, maxBytes: 1e9 };
const recordOf = (index: number, content = `{"aci":"a-${index}"}`) => ({
  log_timestamp: '2026-01-01T00:00:00.000Z',
  connector_id: 'c0ffee',
  content,
});

/** What every home of unsent records must do. */
export function describeUnsentRecords(name: string, engine: UnsentEngine): void {
  describe(`unsent records: ${name}`, () => {
    let source: UnsentSource;
    before(async () => {
      source = await engine.open();
    });
    after(() => source[Symbol.asyncDispose]());

    const filled = async (count: number): Promise<UnsentRecords> => {
      const records = source.records('UnsentMessage');
      const old = await records.read(wholeWindow);
      await records.delete(old.map(({ key }) => key));
      await records.append(Array.from({ length: count }, (_, index) => recordOf(index)));
      return records;
    };

    it('may be written to, and says which collections there are', async () => {
      await using fresh = await engine.open();
      assert.deepEqual(await fresh.primary(), { isPrimary: true });
      assert.deepEqual(await fresh.collections(), []);
      await fresh.records('log_UnsentMessage').append([recordOf(0)]);
      assert.deepEqual(await fresh.collections(), ['log_UnsentMessage']);
      await fresh.records('UnsentMessage').append([recordOf(0)]);
      assert.deepEqual(await fresh.collections(), ['UnsentMessage', 'log_UnsentMessage']);
    });

    it('gives back what was put aside, byte for byte and in order', async () => {
      const records = await filled(0);
      const contents = ['{"n":12345678901234567890,  "b":1,\n"a":"ü \\ud800 🏛"}', 'no JSON', '', '\u2028'];
      await records.append(contents.map((content, index) => recordOf(index, content)));
      const found = await records.read(wholeWindow);
      assert.deepEqual(
        found.map(({ content }) => content),
        contents,
      );
      assert.ok(found.every(({ id }) => /^[0-9a-f]{24}$/.test(id)));
      assert.equal(found[0]!.timestamp, '2026-01-01T00:00:00.000Z');
      assert.equal(found[0]!.connectorId, 'c0ffee');
      assert.equal(JSON.parse(found[0]!.exported()).content, contents[0]);
    });

    it('counts, and knows the first and the last', async () => {
      const records = await filled(3);
      assert.equal(await records.count(), 3);
      assert.ok((await records.storageBytes()) >= 0);
      assert.equal((await records.first())!.content, '{"aci":"a-0"}');
      assert.equal((await records.last())!.content, '{"aci":"a-2"}');
      const none = await filled(0);
      assert.equal(await none.count(), 0);
      assert.equal(await none.first(), undefined);
      assert.equal(await none.last(), undefined);
    });

    it('reads windows: behind one, up to another, so many, so many bytes', async () => {
      const records = await filled(10);
      const all = await records.read(wholeWindow);
      const key = (index: number) => all[index]!.key;
      const contents = async (window: object) =>
        (await records.read({ ...wholeWindow, ...window })).map(({ content }) => content);
      const expected = (from: number, to: number) => all.slice(from, to).map(({ content }) => content);
      assert.deepEqual(await contents({ after: key(2) }), expected(3, 10));
      assert.deepEqual(await contents({ after: key(2), through: key(4) }), expected(3, 5));
      assert.deepEqual(await contents({ limit: 4 }), expected(0, 4));
      assert.deepEqual(await contents({ maxBytes: 1 }), expected(0, 1), 'one comes in any case');
      const one = all[0]!.bytes;
      assert.deepEqual(await contents({ maxBytes: 3 * one }), expected(0, 3));
      assert.deepEqual(await contents({ after: key(9) }), []);
      assert.equal(await records.keyAt(7), key(7));
      assert.equal(await records.keyAt(10), undefined);
    });

    it('deletes many at once and says how many there were', async () => {
      const records = await filled(5);
      const [first, second, ...others] = await records.read(wholeWindow);
      assert.equal(await records.delete([first!.key, second!.key]), 2);
      assert.equal(await records.delete([first!.key, others[0]!.key]), 1);
      assert.equal(await records.delete([]), 0);
      assert.equal(await records.count(), 2);
    });

    it('lets one replay at a time have the turn', async () => {
      await using fresh = await engine.open();
      const { turn } = fresh;
      const note = (holder: string, expiresAtMs: number) => ({
        holder,
        expiresAtMs,
        isEndWanted: false,
        report: '{}',
      });
      assert.equal(await turn.read(), undefined);
      assert.equal(await turn.take(note('a', 100), 0), true);
      assert.equal(await turn.take(note('b', 200), 50), false, 'it is still held');
      assert.equal((await turn.read())!.holder, 'a');
      assert.equal(await turn.wantEnd(50), true);
      assert.equal(
        (await turn.keep({ holder: 'a', expiresAtMs: 150, report: '{"n":1}' }))!.isEndWanted,
        true,
      );
      assert.equal(await turn.take(note('b', 300), 150), true, 'it has expired');
      assert.equal(await turn.keep({ holder: 'a', expiresAtMs: 400, report: '{}' }), undefined, 'it is lost');
      assert.equal(await turn.take(note('c', 300), 200, 'b'), true, 'its holder is known to be gone');
      assert.equal((await turn.read())!.isEndWanted, false);
      await turn.keep({ holder: 'c', expiresAtMs: 0, report: '{"done":true}' });
      assert.equal(await turn.wantEnd(250), false, 'nobody has it');
      assert.equal((await turn.read())!.report, '{"done":true}');
    });
  });
}
