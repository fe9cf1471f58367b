import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestView } from '../catalogue/request-view.ts';
import { FakeExchange } from '../testing/fake-exchange.ts';
import { etagOf, expectedRevision, refuseStale } from './revisions.ts';

const asking = (...headers: string[]) => new RequestView(new FakeExchange({ headers }));

test('If-Match names a revision by its ETag', () => {
  assert.equal(expectedRevision(asking('If-Match', etagOf(12))), 12);
});

test('without If-Match, or with *, any revision will do', () => {
  assert.equal(expectedRevision(asking()), undefined);
  assert.equal(expectedRevision(asking('If-Match', '*')), undefined);
});

for (const value of ['12', 'W/"12"', '"a"', '"1", "2"', '""', '"01"']) {
  test(`If-Match ${value} is refused`, () => {
    assert.throws(() => expectedRevision(asking('If-Match', value)), { key: 'revision.invalid' });
  });
}

test('a change upon an older revision is refused', () => {
  assert.throws(() => refuseStale(asking('If-Match', '"1"'), 2), { key: 'revision.stale', status: 412 });
  refuseStale(asking('If-Match', '"2"'), 2);
  refuseStale(asking(), 2);
});
