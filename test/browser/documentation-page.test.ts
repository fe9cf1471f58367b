import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type StartedTestbed, startTestbed } from '../../src/testbed/testing/start-testbed.ts';
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

describe('the documentation page', { skip: lacksBrowser, timeout: 120_000 }, () => {
  let testbed: StartedTestbed;
  let browser: Browser;
  before(async () => {
    testbed = await startTestbed();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await testbed?.close();
  });

  const openPage = (hash = '', options: BrowserContextOptions = {}) =>
    openDocumentation(browser, `http://127.0.0.1:${testbed.port}`, `/${hash}`, options);

  test('lists every group with its count', async () => {
    await using opened = await openPage();
    const links = await opened.page.locator('#groups li').allInnerTexts();
    const counts = links.map((text) => Number(/(\d+)\s*$/.exec(text)![1]));
    assert.ok(links.length >= 35, `${links.length} groups`);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      await opened.page.locator('.endpoint').count(),
    );
  });

  test('search finds by path, method, id and summary, and hides everything else', async () => {
    await using opened = await openPage();
    const { page } = opened;
    await page.fill('#search', '/digest-auth/');
    assert.deepEqual(
      (await visibleRows(page)).every((id) => id.startsWith('digest-auth')),
      true,
    );
    assert.match(await textOf(page.locator('.found')), /^[1-9] of \d+ endpoints$/);
    assert.equal(await page.locator('.group:visible').count(), 1);
    assert.equal(await page.locator('#groups li:visible').count(), 1);

    await page.fill('#search', 'TRACE methods/echo');
    assert.deepEqual(await visibleRows(page), ['proxy-methods-echo']);
    await page.fill('#search', 'k8s-echo');
    assert.equal((await visibleRows(page)).length, 1);
    await page.fill('#search', 'echoes query, headers, origin');
    assert.ok((await visibleRows(page)).includes('get'));

    await page.fill('#search', 'no endpoint has this');
    assert.deepEqual(await visibleRows(page), []);
    assert.ok(await page.locator('.nothing').isVisible());
    await page.press('#search', 'Escape');
    assert.equal((await visibleRows(page)).length, await page.locator('.endpoint').count());
    assert.ok(await page.locator('.overview').isVisible());
  });

  test('works by keys alone: slash, words, arrows, Enter', async () => {
    await using opened = await openPage();
    const { page } = opened;
    const focused = () => page.evaluate<string>('document.activeElement.parentElement.id');
    await page.keyboard.press('/');
    await page.keyboard.type('uuid');
    assert.equal(await page.inputValue('#search'), 'uuid');
    const rows = await visibleRows(page);
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), `/${rows[0]}`);
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), `/${rows[1]}`);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate('document.activeElement.id'), 'search');

    await page.keyboard.press('Enter');
    await rowOf(page, 'uuid').locator('.try-it').waitFor();
    assert.equal(await focused(), '/uuid');
    await page.keyboard.press('Enter');
    assert.equal(await rowOf(page, 'uuid').getAttribute('open'), null);
  });

  test('an opened endpoint shows parameters, responses and examples with what must come back', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'range');
    assert.match(await textOf(row.locator('.parameters')), /numbytes required\s*path\s*integer \(int32\)/);
    assert.ok((await textOf(row.locator('.responses'))).includes('416'));
    const example = row.locator('.example').first();
    assert.match(await textOf(example.locator('.promises')), /content-range\s*bytes 0-27\/28/);
    assert.equal(new URL(opened.page.url()).hash, '#/range');
  });

  test('a deep link opens its endpoint', async () => {
    await using opened = await openPage('#/range');
    await rowOf(opened.page, 'range').locator('.try-it').waitFor();
    const top = await rowOf(opened.page, 'range').evaluate((row) => row.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `it stands at ${top}`);
    assert.match(await textOf(opened.page.locator('#groups [aria-current]')), /^Dynamic Data/);
  });

  test('a deep link to what search has hidden shows everything again', async () => {
    await using opened = await openPage();
    const { page } = opened;
    await page.fill('#search', 'digest');
    await page.evaluate(`location.hash = '#/range'`);
    await rowOf(page, 'range').locator('.try-it').waitFor();
    assert.equal(await page.inputValue('#search'), '');
  });

  test('trying /get shows the echo', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'get');
    await row.locator('[name=target]').fill('/get?tried=yes');
    await row.locator('[name=headers]').fill('X-Tried: it');
    await row.locator('.send').click();
    await row.locator('.status-line').getByText('200').waitFor();
    const body = row.locator('.answer pre');
    await body.getByText('"tried"').waitFor();
    const echo = JSON.parse(await textOf(body));
    assert.equal(echo.args.tried, 'yes');
    assert.equal(echo.headers['X-Tried'], 'it');
    assert.match(
      await textOf(row.locator('.facts-of-answer')),
      /head after \d+ ms, all after \d+ ms, \d+ bytes/,
    );
    assert.match(await textOf(row.locator('.answer-headers')), /content-type\s*application\/json/);
  });

  test('parameters go into the target, and an example back into the parameters', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'range');
    const target = row.locator('[name=target]');
    await row.locator('[name="path:numbytes"]').fill('5');
    await row.locator('[name="query:chunk_size"]').fill('2');
    assert.equal(await target.inputValue(), '/range/5?chunk_size=2');
    assert.match(await textOf(row.locator('.live')), /'http:\/\/127\.0\.0\.1:\d+\/range\/5\?chunk_size=2'$/);
    await row.locator('.send').click();
    await row.locator('.answer pre').getByText('abcde', { exact: true }).waitFor();

    await row.locator('.example', { hasText: 'A part' }).locator('.use').click();
    assert.equal(await row.locator('[name="path:numbytes"]').inputValue(), '100');
    assert.match(await textOf(row.locator('.live')), /-H 'Range: bytes=25-30'/i);
    await row.locator('.send').click();
    await row.locator('.answer pre').getByText('zabcde', { exact: true }).waitFor();
  });

  test('a body is sent as it stands, also bytes given as base64', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'post');
    const sentData = async () => {
      await row.locator('.send').click();
      await row.locator('.send:enabled').waitFor();
      return JSON.parse(await textOf(row.locator('.answer pre'))).data;
    };
    await row.locator('[name=headers]').fill('Content-Type: text/plain');
    await row.locator('[name=body]').fill(`it's "ş"`);
    assert.equal(await sentData(), `it's "ş"`);
    await row.locator('[name=isBase64]').check();
    await row.locator('[name=body]').fill('AP8=');
    assert.match(await sentData(), /;base64,AP8=$/);
    await row.locator('[name=body]').fill('no base64!');
    await row.locator('.send').click();
    await row.getByText('The body is no base64.').waitFor();
  });

  test('pictures are shown as pictures and other bytes in hex', async () => {
    await using opened = await openPage();
    const picture = await openRow(opened.page, 'image-png');
    await picture.locator('.send').click();
    await picture.locator('.answer img').waitFor();
    const widths = await opened.page.evaluate<number[]>(
      'Promise.all([...document.images].map((image) => image.decode().then(() => image.naturalWidth)))',
    );
    assert.ok(widths.every((width) => width > 0));

    await picture.locator('[name=headers]').fill('Range: bytes=0-7');
    await picture.locator('.send').click();
    await picture.getByText('89 50 4e 47 0d 0a 1a 0a').waitFor();

    const bytes = await openRow(opened.page, 'bytes');
    await bytes.locator('[name=target]').fill('/bytes/20?seed=1');
    await bytes.locator('.send').click();
    await bytes.locator('.answer pre').waitFor();
    assert.match(
      await textOf(bytes.locator('.answer pre')),
      /^000000 {2}[0-9a-f]{2}( [0-9a-f]{2}){15} {2}.{16}\n000010 /,
    );
  });

  test('says plainly when the browser cannot complete an answer', async () => {
    await using opened = await openPage();
    const { page } = opened;
    const reset = await openRow(page, 'connection-reset');
    await reset.locator('.send').click();
    await reset.getByText(/could not complete the response/).waitFor();

    const short = await openRow(page, 'get');
    await short.locator('[name=target]').fill('/get?__fault=close-mid-body');
    await short.locator('.send').click();
    await short.getByText(/could not complete.* It had handed over \d+ bytes of the body/).waitFor();
    await short.locator('.status-line').getByText('200').waitFor();

    const trace = await openRow(page, 'proxy-methods-echo');
    await trace.locator('[name=method]').selectOption('TRACE');
    await trace.locator('.send').click();
    await trace.getByText('Browsers do not send TRACE').waitFor();
  });

  test('says what the browser changes, and stops when asked', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'delay');
    await row.locator('[name=target]').fill('/x/../delay/9');
    await row.locator('[name=headers]').fill('Host: elsewhere.example');
    await row.locator('.send').click();
    await row.locator('.stop').click();
    await row.getByText(/^Stopped after /).waitFor();
    const notes = await textOf(row.locator('.answer'));
    assert.match(notes, /changed the target to \/delay\/9/);
    assert.match(notes, /keeps Host for itself/);
    assert.ok(await row.locator('.send').isEnabled());
  });

  test('shows a slow body while it arrives, and keeps what came when it is stopped', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'timeout-slow-body');
    await row.locator('[name=target]').fill('/proxy-test/timeout/slow-body?chunks=50&chunkDelay=200');
    await row.locator('.send').click();
    await row.locator('.answer pre').getByText('chunk 2').waitFor();
    await row.locator('.stop').click();
    await row.getByText(/^Stopped after .* It had handed over \d+ bytes of the body/).waitFor();
    assert.match(await textOf(row.locator('.answer pre')), /^chunk 1 of 50\nchunk 2 of 50\n/);
  });

  test('the curl line is copied as it is shown', async () => {
    await using opened = await openPage();
    const row = await openRow(opened.page, 'get');
    const example = row.locator('.example').first();
    await example.locator('.copy').click();
    await example.getByText('Copied').waitFor();
    const copied = await opened.page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await textOf(example.locator('pre')));
    assert.match(copied, /^curl -i 'http:/);
  });

  test('is dark where the reader prefers dark', async () => {
    const groundOf = async (colorScheme: 'light' | 'dark') => {
      await using opened = await openPage('', { colorScheme });
      const colour = await opened.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      return Math.max(...colour.match(/\d+/g)!.map(Number));
    };
    assert.equal(await groundOf('light'), 255);
    assert.ok((await groundOf('dark')) < 50);
  });

  test('fits a width of 375 pixels: nothing scrolls sideways, the groups are a drawer', async () => {
    await using opened = await openPage('', { viewport: { width: 375, height: 800 } });
    const { page } = opened;
    assert.equal(await overflowOf(page), 0);
    assert.ok(await page.locator('#groups').isHidden());
    await page.locator('.menu').click();
    await page.locator('#groups a', { hasText: 'Redirects' }).click();
    await page.locator('#groups').waitFor({ state: 'hidden' });
    const row = await openRow(page, 'redirect-to');
    await row.locator('.send').click();
    await row.locator('.status-line').waitFor();
    assert.equal(await overflowOf(page), 0);
  });

  test('the list of TLS scenarios fits a narrow window too, and complains about nothing', async () => {
    await using opened = await openDocumentation(browser, `http://127.0.0.1:${testbed.port}`, '/badssl', {
      viewport: { width: 390, height: 800 },
    });
    assert.equal(await overflowOf(opened.page), 0);
    const first = opened.page.locator('tbody tr').first();
    for (const text of ['valid', 'ok']) assert.ok(await first.getByText(text, { exact: true }).isVisible());
    assert.deepEqual(opened.complaints, []);
  });

  test('complains about nothing and asks no other origin', async () => {
    await using opened = await openPage();
    for (const id of ['get', 'range', 'anything', 'status', 'redirect-to']) await openRow(opened.page, id);
    await rowOf(opened.page, 'anything').locator('.send').click();
    await rowOf(opened.page, 'anything').locator('.status-line').waitFor();
    assert.deepEqual(opened.complaints, []);
    assert.deepEqual([...opened.origins], [opened.address]);
  });

  test('every control has a name that can be read out', async () => {
    await using opened = await openPage();
    await openRow(opened.page, 'digest-auth');
    const { count, nameless } = await focusableControls(opened.page);
    assert.ok(count > 400, `${count} controls`);
    assert.deepEqual(nameless, []);
    const landmarks = await opened.page.locator('body').ariaSnapshot();
    for (const landmark of [
      '- main',
      '- navigation "Groups"',
      '- search',
      '- heading "Gateway Test Service" [level=1]',
    ]) {
      assert.ok(landmarks.includes(landmark), landmark);
    }
  });

  test('without scripts still lists every endpoint with its curl lines', async () => {
    await using opened = await openPage('', { javaScriptEnabled: false });
    const { page } = opened;
    await rowOf(page, 'range').locator('> summary').click();
    const plain = rowOf(page, 'range').locator('.plain pre');
    assert.match(await textOf(plain), /^curl -i 'http:\/\/127\.0\.0\.1:\d+\/range\/28'$/m);
    assert.ok(await page.locator('#search').isHidden());
  });

  test('keeps the browser busy for less than 300 ms', async () => {
    await using opened = await openPage();
    const devTools = await opened.page.context().newCDPSession(opened.page);
    // Time of the thread, so that other work of the machine does not count.
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const taskMs = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics');
      return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };
    let leastMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      await opened.page.reload({ waitUntil: 'load' });
      leastMs = Math.min(leastMs, await taskMs());
    }
    assert.ok(leastMs > 20, `${leastMs} ms is no measurement`);
    assert.ok(leastMs < 300, `${leastMs} ms`);
  });
});
