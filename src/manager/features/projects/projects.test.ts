import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startManager } from '../../testing/start-manager.ts';
import { tokenFor } from '../../testing/token-for.ts';

const manager = await startManager();
after(() => manager.close());
const { request } = manager;

test('a fresh installation has a default project', async () => {
  const { status, json } = await request('GET', '/apiops/projects/');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['status', 'resultList', 'resultCount']);
  assert.equal(json.status, 'SUCCESS');
  assert.equal(json.resultCount, 1);
  assert.equal(json.resultList[0].name, 'Default');
  assert.match(json.resultList[0].id, /^[0-9a-f]{24}$/);
});

test('a project is made, shown, changed and deleted', async () => {
  const input = { name: 'Zahlung İş 1', description: 'payments', relativePath: '/pay', tags: ['a', 'b'] };
  const created = await request('POST', '/apiops/projects/', { body: input });
  assert.equal(created.status, 200);
  const { id, ...shown } = created.json.resultList[0];
  assert.deepEqual(shown, input);
  assert.equal(created.headers.get('etag'), '"1"');

  const path = `/apiops/projects/${encodeURIComponent(input.name)}`;
  for (const address of [path, `${path}/`]) {
    const got = await request('GET', address);
    assert.deepEqual(got.json, {
      status: 'SUCCESS',
      resultList: [{ id, ...input }],
      resultCount: 1,
    });
  }
  const changed = await request('PUT', path, { body: { description: 'all of them' } });
  assert.deepEqual(changed.json.resultList, [
    { id, name: input.name, description: 'all of them', relativePath: '', tags: [] },
  ]);
  assert.equal(changed.headers.get('etag'), '"2"');

  assert.deepEqual((await request('DELETE', path)).json, { status: 'SUCCESS' });
  assert.equal((await request('GET', path)).json.resultMessage, `Project (${input.name}) is not found!`);
});

test('every change stands in the audit journal with what was and what became', async () => {
  await request('POST', '/apiops/projects/', { body: { name: 'audited', description: 'one' } });
  await request('PUT', '/apiops/projects/audited/', { body: { description: 'two' } });
  await request('DELETE', '/apiops/projects/audited/');
  const { json } = await request('GET', '/apiops/journals/audit/?user=admin');
  const rows = json.items.filter(({ objectName }: { objectName: string }) => objectName === 'audited');
  assert.deepEqual(
    rows.map(({ action, before, after }: Record<string, { description?: string }>) => [
      action,
      before?.description,
      after?.description,
    ]),
    [
      ['DELETE', 'two', undefined],
      ['UPDATE', 'one', 'two'],
      ['CREATE', undefined, 'one'],
    ],
  );
});

const refusals: Array<[name: string, method: string, path: string, body: unknown, message: string | RegExp]> =
  [
    ['no name', 'POST', '/apiops/projects/', {}, 'projectName value can not be empty!'],
    ['an empty name', 'POST', '/apiops/projects/', { name: '' }, 'projectName value can not be empty!'],
    ['a blank name', 'POST', '/apiops/projects/', { name: '  ' }, 'projectName value can not be empty!'],
    [
      'a blank name in the path',
      'GET',
      '/apiops/projects/%20/',
      undefined,
      'projectName value can not be empty!',
    ],
    [
      'a name with a slash',
      'POST',
      '/apiops/projects/',
      { name: 'a/b' },
      /^The name must be 1 to 100 letters/,
    ],
    ['a name with a leading space', 'POST', '/apiops/projects/', { name: ' a' }, /^The name must be/],
    ['a name that is a step in a path', 'POST', '/apiops/projects/', { name: '..' }, /^The name must be/],
    [
      'a name with a control character',
      'POST',
      '/apiops/projects/',
      { name: 'a\u0000b' },
      /^The name must be/,
    ],
    ['a name that is too long', 'POST', '/apiops/projects/', { name: 'a'.repeat(101) }, /^The name must be/],
    [
      'a taken name',
      'POST',
      '/apiops/projects/',
      { name: 'Default' },
      'Project (name: Default) is already exist!',
    ],
    [
      'an unknown member',
      'POST',
      '/apiops/projects/',
      { name: 'a', owner: 'x' },
      /must not have the member owner/,
    ],
    ['a wrong type', 'POST', '/apiops/projects/', { name: 'a', tags: 'x' }, /at \/tags must be array/],
    ['a body that is no JSON', 'POST', '/apiops/projects/', '{"name":', /is not JSON/],
    ['an unknown project', 'GET', '/apiops/projects/none/', undefined, 'Project (none) is not found!'],
    ['another casing', 'GET', '/apiops/projects/default/', undefined, 'Project (default) is not found!'],
    [
      'a new name',
      'PUT',
      '/apiops/projects/Default/',
      { name: 'Other' },
      /can not be changed from Default to Other/,
    ],
    ['a page below 0', 'GET', '/apiops/projects/?page=-1', undefined, /page must be at least 0/],
    ['a page too large', 'GET', '/apiops/projects/?size=1001', undefined, /size must be at most 1000/],
    ['an order by what is no member', 'GET', '/apiops/projects/?sort=x,asc', undefined, /sort must match/],
  ];
for (const [name, method, path, body, message] of refusals) {
  test(`${name}: 400 in the envelope, and nothing is written`, async () => {
    const before = (await request('GET', '/apiops/projects/?size=1000')).text;
    const answer = await request(method, path, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['status', 'resultMessage']);
    assert.equal(answer.json.status, 'FAILURE');
    if (typeof message === 'string') assert.equal(answer.json.resultMessage, message);
    else assert.match(answer.json.resultMessage, message);
    assert.equal((await request('GET', '/apiops/projects/?size=1000')).text, before);
  });
}

test('other statuses of bad bodies come in the envelope too', async () => {
  const asText = { body: '{}', headers: { 'content-type': 'text/plain' } };
  const unsupported = await request('POST', '/apiops/projects/', asText);
  assert.equal(unsupported.status, 415);
  assert.equal(unsupported.json.status, 'FAILURE');
  const large = { name: 'large', description: 'x'.repeat(1024 * 1024) };
  const tooLarge = await request('POST', '/apiops/projects/', { body: large });
  assert.equal(tooLarge.status, 413);
  assert.equal(tooLarge.json.status, 'FAILURE');
});

test('a stale revision changes and deletes nothing', async () => {
  await request('POST', '/apiops/projects/', { body: { name: 'stale' } });
  const put = (description: string, tag: string) =>
    request('PUT', '/apiops/projects/stale/', { body: { description }, headers: { 'if-match': tag } });
  assert.equal((await put('first', '"1"')).status, 200);
  const second = await put('second', '"1"');
  assert.equal(second.status, 400);
  assert.equal(second.json.resultMessage, 'The resource was changed meanwhile; read it again.');
  const removed = await request('DELETE', '/apiops/projects/stale/', { headers: { 'if-match': '"1"' } });
  assert.equal(removed.status, 400);
  assert.equal((await put('x', 'nonsense')).status, 400);
  const { json } = await request('GET', '/apiops/projects/stale/');
  assert.equal(json.resultList[0].description, 'first');
});

test('of many who make a project of one name at once, one does', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => request('POST', '/apiops/projects/', { body: { name: 'race' } })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 400).length, 19);
});

test('changes without a revision all happen, one after the other', async () => {
  await request('POST', '/apiops/projects/', { body: { name: 'busy' } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      request('PUT', '/apiops/projects/busy/', { body: { description: `${index}` } }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { headers } = await request('GET', '/apiops/projects/busy/');
  assert.equal(headers.get('etag'), '"21"');
});

test('a project that holds something stays', async () => {
  await request('POST', '/apiops/projects/', { body: { name: 'full' } });
  await request('POST', '/apiops/projects/full/environmentVariables/', { body: { name: 'HOST' } });
  const { status, json } = await request('DELETE', '/apiops/projects/full/');
  assert.equal(status, 400);
  assert.equal(
    json.resultMessage,
    'Project (full) can not be deleted because it has 1 environment variables!',
  );
  await request('DELETE', '/apiops/projects/full/environmentVariables/HOST/');
  assert.equal((await request('DELETE', '/apiops/projects/full/')).status, 200);
});

test('lists are paged and sorted', async () => {
  const names = ['p-1', 'p-2', 'p-3'];
  for (const name of names) await request('POST', '/apiops/projects/', { body: { name } });
  const first = await request('GET', '/apiops/projects/?size=2&sort=name,desc');
  const second = await request('GET', '/apiops/projects/?size=2&sort=name,desc&page=1');
  const shown = [...first.json.resultList, ...second.json.resultList].map(
    ({ name }: { name: string }) => name,
  );
  assert.equal(shown.length, 4);
  assert.deepEqual(shown, [...shown].sort().reverse());
  assert.ok(first.json.resultCount >= 4);
});

test('who has a role in some projects sees those alone', async () => {
  for (const name of ['seen', 'unseen']) await request('POST', '/apiops/projects/', { body: { name } });
  const token = await tokenFor(manager.services, 'insider', [{ role: 'viewer', project: 'seen' }]);
  const { json } = await request('GET', '/apiops/projects/', { token });
  assert.deepEqual(
    json.resultList.map(({ name }: { name: string }) => name),
    ['seen'],
  );
  assert.equal(json.resultCount, 1);
  const unseen = await request('GET', '/apiops/projects/unseen/', { token });
  const absent = await request('GET', '/apiops/projects/absent/', { token });
  assert.equal(unseen.json.resultMessage, 'Project (unseen) is not found!');
  assert.equal(unseen.text, absent.text.replace('absent', 'unseen'));
});

test('no answer of the API may be kept, framed or sniffed at', async () => {
  for (const path of ['/apiops/projects/', '/apiops/projects/none/', '/apiops/nothing/']) {
    const { headers } = await request('GET', path);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
});

test('nothing of all this was an unexpected error', () => {
  assert.deepEqual(manager.errors, []);
});
