import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import { startManager } from '../../testing/start-manager.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-03-01T00:00:00Z');

/** What a page shows of its rows. */
const users = ({ json }: { json: { items: { userName: string }[] } }) =>
  json.items.map(({ userName }) => userName);

test('rows are filtered by time, user and result, the newest first, page by page', async () => {
  const clock = new ManualClock(START);
  await using manager = await startManager({ clock });
  const { request, services } = manager;
  for (const [index, userName] of ['ada', 'bob', 'cy', 'ada'].entries()) {
    const result = index % 2 === 0 ? 'SUCCESS' : 'FAILURE';
    await services.journals.message({ level: 'INFO', source: 'test', text: String(index) });
    await services.journals.deployment({
      userName,
      environmentName: 'Test',
      podName: 'worker-1',
      objectType: 'api proxy',
      objectName: 'a',
      result,
    });
    clock.advance(60_000);
  }
  const rows = (query: string) => request('GET', `/apiops/journals/deployment/${query}`);
  assert.deepEqual(users(await rows('')), ['ada', 'cy', 'bob', 'ada']);
  assert.deepEqual(users(await rows('?user=ada&result=SUCCESS')), ['ada']);
  assert.deepEqual(users(await rows('?from=2026-03-01T00:01:00Z&to=2026-03-01T00:03:00Z')), ['cy', 'bob']);
  assert.deepEqual(users(await rows('?from=2026-03-01T03:01:00%2B03:00&result=FAILURE')), ['ada', 'bob']);
  const page = await rows('?size=3&page=1');
  assert.deepEqual(users(page), ['ada']);
  assert.deepEqual([page.json.total, page.json.page, page.json.size], [4, 1, 3]);
  assert.equal(page.json.items[0].time, '2026-03-01T00:00:00.000Z');
  const messages = await request('GET', '/apiops/journals/message/?size=1');
  assert.equal(messages.json.items[0].text, '3');
});

test('bad filters are told in the newer contract', async () => {
  await using manager = await startManager();
  for (const query of ['from=yesterday', 'to=2026-13-01T00:00:00Z', 'result=MAYBE', 'size=0']) {
    const { status, json } = await manager.request('GET', `/apiops/journals/login/?${query}`);
    assert.equal(status, 400, query);
    assert.equal(json.errorKey, 'VALIDATION_FAILED');
    assert.equal(typeof json.correlationId, 'string');
  }
  assert.equal((await manager.request('GET', '/apiops/journals/none/')).status, 404);
});

test('secrets in what was and what became are masked', async () => {
  await using manager = await startManager();
  const after = { user: 'a', password: 'p4ss', nested: [{ clientSecret: 's3cr3t', accessToken: 't0k3n' }] };
  const row = { userName: 'a', action: 'CREATE', objectType: 'x', objectName: 'masked', after };
  await manager.services.journals.audit(row);
  const { json, text } = await manager.request('GET', '/apiops/journals/audit/?user=a');
  assert.deepEqual(json.items[0].after, {
    user: 'a',
    password: '******',
    nested: [{ clientSecret: '******', accessToken: '******' }],
  });
  assert.doesNotMatch(text, /p4ss|s3cr3t|t0k3n/);
});

test('rows go when they are older than the settings say, or too many', async () => {
  const clock = new ManualClock(START);
  await using manager = await startManager({ clock });
  const { journals, settings } = manager.services;
  const say = (text: string) => journals.message({ level: 'INFO', source: 'test', text });
  const texts = async () =>
    (await journals.list('message', {}, { offset: 0, limit: 1000 })).rows.map(({ value }) =>
      'text' in value ? value.text : '',
    );
  await say('old');
  clock.advance(31 * DAY_MS);
  await say('new');
  assert.deepEqual(await texts(), ['new']);
  await settings.put('journals', { ...(await settings.get('journals')), maxRows: 100 });
  for (let index = 0; index < 120; index++) {
    clock.advance(1);
    await say(String(index));
  }
  await journals.prune('message');
  const kept = await texts();
  assert.equal(kept.length, 100);
  assert.deepEqual([kept[0], kept[99]], ['119', '20']);
});

test('a journal that cannot be written is logged and harms nobody', async () => {
  const manager = await startManager();
  await manager.close();
  await manager.services.journals.message({ level: 'INFO', source: 'test', text: 'lost' });
  assert.equal((manager.errors.at(-1) as { event: string }).event, 'journal.not-written');
});
