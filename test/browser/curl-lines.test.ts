import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { testbedCatalogue } from '../../src/testbed/catalogue.ts';
import { startTestbed } from '../../src/testbed/testing/start-testbed.ts';
import { findExecutable } from '../support/browser.ts';

const run = promisify(execFile);
const lacksCurl =
  findExecutable(['curl']) === undefined && process.env.GATEHOUSE_TEST_FORBID_SKIP !== '1'
    ? 'curl is not on the PATH'
    : false;

/** The examples of an endpoint as its part of the page shows them: name, status, lines for a shell. */
async function shownExamples(port: number, id: string) {
  const markup = await (await fetch(`http://127.0.0.1:${port}/assets/endpoints/${id}`)).text();
  return [...markup.matchAll(/<article class="example">([\s\S]*?)<\/article>/g)].map(([, article]) => ({
    name: unescaped(/<h4>(.*?)<\/h4>/.exec(article!)![1]!),
    status: /<span class="status"[^>]*>(\d+)</.exec(article!)?.[1],
    lines: unescaped(/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(article!)![1]!),
  }));
}

function unescaped(markup: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return markup.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => entities[name]!);
}

/** The statuses that came, interim ones too. */
async function statusesOf(lines: string): Promise<string[]> {
  // Bodies need not end with a line; the next head shall begin with one.
  const script = lines.replaceAll('curl -', 'curl -s -').replaceAll('\n', '\necho\n');
  const { stdout } = await run('bash', ['-c', `${script}\ntrue`], {
    encoding: 'latin1',
    timeout: 20_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...stdout.matchAll(/^HTTP\/[\d.]+ (\d{3})/gm)].map(([, status]) => status!);
}

describe('the first curl line that the page shows of', {
  skip: lacksCurl,
  concurrency: 4,
  timeout: 120_000,
}, () => {
  // An endpoint without any is broken on the wire on purpose.
  const withStatus = testbedCatalogue.filter(({ examples }) =>
    examples.some(({ shown, expect }) => shown !== false && expect.status !== undefined),
  );
  for (const { id, group } of withStatus) {
    test(`${group} / ${id} gets the status it says`, async () => {
      await using testbed = await startTestbed();
      const example = (await shownExamples(testbed.port, id)).find(({ status }) => status !== undefined)!;
      const statuses = await statusesOf(example.lines);
      assert.ok(statuses.includes(example.status!), `${example.name}: ${statuses} from ${example.lines}`);
    });
  }
});

describe('a curl line brings over', { skip: lacksCurl }, () => {
  async function echoed(id: string, name: string, path: string): Promise<Record<string, unknown>> {
    await using testbed = await startTestbed();
    const example = (await shownExamples(testbed.port, id)).find((one) => one.name === name)!;
    assert.ok(example, `${id} shows ${name}`);
    assert.ok(example.lines.includes(path));
    const { stdout } = await run('bash', ['-c', example.lines.replaceAll('curl -i', 'curl -s')]);
    return JSON.parse(stdout);
  }

  test('quotes and letters of a JSON body', async () => {
    const { data } = await echoed('post', 'JSON, numbers as they were written', '/post');
    assert.equal(data, '{"b": [1.0, 12345678901234567890], "a": "ş"}');
  });

  test('a multipart body with its line ends', async () => {
    const { form, files } = await echoed(
      'post',
      'a multipart form; two files under one name are both kept',
      '/post',
    );
    assert.ok(Object.keys(form as object).length > 0);
    assert.ok(Object.keys(files as object).length > 0);
  });
});
