import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { operationsOf } from '../../../kernel/catalogue/operations.ts';
import { brokenOpenApiRules } from '../../../kernel/catalogue/testing/openapi-rules.ts';
import { managerCatalogue } from '../../catalogue.ts';
import { managerGroups } from '../../groups.ts';
import { startManager } from '../../testing/start-manager.ts';

const manager = await startManager();
after(() => manager.close());
const get = (path: string, headers = {}) => manager.request('GET', path, { token: null, headers });

test('the OpenAPI document is sound and describes every endpoint', async () => {
  const { status, json, headers } = await get('/openapi.json');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(json.openapi, '3.1.0');
  assert.deepEqual(await brokenOpenApiRules(json), []);
  for (const { method, endpoint } of managerCatalogue.flatMap(operationsOf))
    assert.ok(json.paths[endpoint.path]?.[method.toLowerCase()], `${method} ${endpoint.path}`);
});

test('every endpoint stands in a group, says who may call it, and under /apiops never leaves it open but to sign in', () => {
  const groups = new Set<string>(managerGroups.map(({ name }) => name));
  for (const { id, group, path, access } of managerCatalogue) {
    assert.ok(groups.has(group), `${id}: ${group}`);
    assert.ok(access !== undefined, id);
    if (path.startsWith('/apiops/') && access === 'open') assert.equal(path, '/apiops/auth/token');
  }
});

test('the page lists every endpoint, and its scripts and styles are there', async () => {
  const { status, text, headers } = await get('/docs', { host: 'manager.example' });
  assert.equal(status, 200);
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
  for (const { id } of managerCatalogue) assert.ok(text.includes(`id="/${id}"`), id);
  const assets = [...text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path]) => path!);
  assert.ok(
    assets.some((path) => path.endsWith('page.css')) && assets.some((path) => path.endsWith('page.js')),
  );
  for (const path of assets) {
    const asset = await get(`/${path}`);
    assert.equal(asset.status, 200, path);
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
  }
  const row = await get('/assets/endpoints/project-create');
  assert.match(row.text, /<form class="try-it" data-path="\/apiops\/projects\/"/);
});

test('whoever opens the address of the Manager is led to the page', async () => {
  const { status, text } = await get('/');
  assert.equal(status, 200);
  assert.match(text, /<title>Gateway Management API<\/title>/);
});

test('what the client has already is not sent again', async () => {
  const first = await get('/openapi.json');
  const again = await get('/openapi.json', { 'if-none-match': first.headers.get('etag')! });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
});

test('a file that is none of the page is 404', async () => {
  for (const path of ['/assets/latest/..%2Fpage.ts', '/assets/latest/none.js', '/assets/endpoints/none'])
    assert.equal((await get(path)).status, 404, path);
});
