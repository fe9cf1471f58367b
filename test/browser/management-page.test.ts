import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import {
  ADMIN_PASSWORD,
  type StartedManager,
  startManager,
} from '../../src/manager/testing/start-manager.ts';
import { lacksBrowser, launchBrowser } from '../support/browser.ts';
import {
  focusableControls,
  openDocumentation,
  openRow,
  overflowOf,
  rowOf,
  textOf,
  visibleRows,
} from '../support/documentation-page.ts';

describe('the page of the management API', { skip: lacksBrowser, timeout: 120_000 }, () => {
  let manager: StartedManager;
  let browser: Browser;
  before(async () => {
    manager = await startManager();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await manager?.close();
  });

  const openPage = (hash = '', options: BrowserContextOptions = {}) =>
    openDocumentation(browser, `http://127.0.0.1:${manager.port}`, `/docs${hash}`, options);

  /** Sends what the form holds, and waits until all of the answer is there. */
  async function send(row: Locator): Promise<{ status: string; body: string }> {
    await row.locator('.send').click();
    await row.locator('.status-line').waitFor();
    await row.locator('.send:enabled').waitFor();
    return {
      status: await textOf(row.locator('.status-line')),
      body: await textOf(row.locator('.answer pre')),
    };
  }

  test('shows every endpoint of the OpenAPI document, in its group', async () => {
    await using opened = await openPage();
    const { paths } = (await manager.request('GET', '/openapi.json', { token: null })).json;
    const operations = Object.values<object>(paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    const rows = new Set(await visibleRows(opened.page));
    // An endpoint of several methods is one row and several operations, each with its method behind the name.
    const documented = operations.map((id) => (rows.has(id) ? id : id.replace(/-[a-z]+$/, '')));
    assert.deepEqual(rows, new Set(documented));
    const groups = await opened.page.locator('#groups li').allInnerTexts();
    for (const group of ['Tokens', 'Users', 'Roles', 'Projects', 'Key stores', 'Journals'])
      assert.ok(
        groups.some((text) => text.startsWith(group)),
        group,
      );
  });

  test('leads from a password to a token and from a token to the API', async () => {
    await using opened = await openPage();
    const { page } = opened;
    const signIn = await openRow(page, 'auth-token');
    await signIn.locator('[name=headers]').fill('Content-Type: application/x-www-form-urlencoded');
    const form = { grant_type: 'client_credentials', client_id: 'admin', client_secret: ADMIN_PASSWORD };
    await signIn.locator('[name=body]').fill(new URLSearchParams(form).toString());
    const granted = await send(signIn);
    assert.match(granted.status, /200/);
    const { access_token } = JSON.parse(granted.body);

    const projects = await openRow(page, 'project-list');
    await projects.locator('[name=headers]').fill('');
    const refused = await send(projects);
    assert.match(refused.status, /401/);
    assert.match(refused.body, /Empty Key!/);
    await projects.locator('[name=headers]').fill(`Authorization: Bearer ${access_token}`);
    const listed = await send(projects);
    assert.match(listed.status, /200/);
    assert.equal(JSON.parse(listed.body).resultList[0].name, 'Default');

    // The token was given once; a form that is opened now has it, and so has an example that is taken over.
    const environments = await openRow(page, 'environment-list');
    assert.match((await send(environments)).status, /200/);
    await environments.locator('[name=headers]').fill('');
    await environments.locator('[data-request]').first().click();
    assert.equal(
      await environments.locator('[name=headers]').inputValue(),
      `Authorization: Bearer ${access_token}`,
    );
  });

  test('search finds by path and words, and a deep link opens its endpoint', async () => {
    await using opened = await openPage('#/user-lock');
    const { page } = opened;
    await rowOf(page, 'user-lock').locator('.try-it').waitFor();
    assert.match(await textOf(page.locator('#groups [aria-current]')), /^Users/);
    await page.fill('#search', '/apiops/tokens/revoke');
    assert.deepEqual(await visibleRows(page), ['token-revoke']);
    await page.fill('#search', 'no endpoint has this');
    assert.deepEqual(await visibleRows(page), []);
  });

  test('tells of an endpoint what it takes, what comes back and an example with a token', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'user-create');
    assert.match(await textOf(row), /at least 8 characters/);
    assert.match(await textOf(row.locator('.responses')), /201\s*The user\./);
    assert.match(await textOf(row.locator('.example', { hasText: 'a short password' })), /400/);
    const line = await textOf(row.locator('.example pre').first());
    assert.match(line, /^curl -i .*Authorization: Bearer <ACCESS_TOKEN>/s);
  });

  test('complains about nothing and asks no other origin', async () => {
    await using opened = await openPage();
    for (const id of ['auth-token', 'user-create', 'key-store-create', 'journal-login'])
      await openRow(opened.page, id);
    const probe = await openRow(opened.page, 'probe-hello');
    await probe.locator('[name=headers]').fill(`Authorization: Bearer ${manager.adminToken}`);
    await probe.locator('[name="path:name"]').fill('World');
    assert.match((await send(probe)).body, /^Hello World$/);
    assert.deepEqual(opened.complaints, []);
    assert.deepEqual([...opened.origins], [opened.address]);
  });

  test('every control has a name that can be read out', async () => {
    await using opened = await openPage();
    await openRow(opened.page, 'key-store-create');
    const { count, nameless } = await focusableControls(opened.page);
    assert.ok(count > 100, `${count} controls`);
    assert.deepEqual(nameless, []);
  });

  test('fits a width of 375 pixels', async () => {
    await using opened = await openPage('', { viewport: { width: 375, height: 800 } });
    assert.equal(await overflowOf(opened.page), 0);
    await openRow(opened.page, 'user-create');
    assert.equal(await overflowOf(opened.page), 0);
  });
});
