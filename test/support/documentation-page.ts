import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

/** A documentation page in a context of its own, which closes with the test. What goes wrong on it is kept. */
export async function openDocumentation(
  browser: Browser,
  address: string,
  path: string,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext(options);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http')) origins.add(origin);
  });
  await page.goto(`${address}${path}`);
  return { page, complaints, origins, address, [Symbol.asyncDispose]: () => context.close() };
}

export const rowOf = (page: Page, id: string) => page.locator(`[id="/${id}"]`);

export const textOf = async (locator: Locator) => (await locator.textContent()) ?? '';

/** The ids of the endpoints that search leaves on the page. */
export const visibleRows = (page: Page) =>
  page.locator('.endpoint:visible').evaluateAll((rows) => rows.map((row) => row.id.slice(1)));

export async function openRow(page: Page, id: string) {
  await rowOf(page, id).locator('> summary').click();
  await rowOf(page, id).locator('.try-it').waitFor();
  return rowOf(page, id);
}

/** By how many pixels the page is too wide. */
export async function overflowOf(page: Page): Promise<number> {
  const sizes = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]';
  const [content, window] = await page.evaluate<[number, number]>(sizes);
  return Math.max(0, content - window);
}

/** Everything the keyboard reaches: how many there are, and the kinds of those that nobody could read out. */
export async function focusableControls(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const { nodes } = await devTools.send('Accessibility.getFullAXTree');
  const controls = nodes.filter(({ ignored, role, properties }) => {
    const isFocusable = properties?.some(({ name, value }) => name === 'focusable' && value.value === true);
    return !ignored && isFocusable && role?.value !== 'RootWebArea';
  });
  const nameless = controls.filter(({ name }) => !name?.value).map(({ role }) => role?.value);
  return { count: controls.length, nameless };
}
