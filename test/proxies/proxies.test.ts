import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { brokenExpectations } from '../../src/kernel/catalogue/testing/expectations.ts';
import type { RawExchange } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { checkGroups } from './checks.ts';
import { proxyDocument } from './document.ts';
import { facts } from './facts.ts';
import { proxies, type ReverseProxy } from './proxies.ts';
import type { ProxyCheck } from './proxy-check.ts';
import { installedVersion, ProxyProcess } from './proxy-process.ts';
import { type Column, Results } from './results.ts';
import { runCheck, verdictOf } from './run-check.ts';

const DIRECT = 'direct';
const DEADLINE_MS = 20_000;
const DOCUMENT = new URL('../../docs/proxies.md', import.meta.url);

const mayNotSkip = process.env.GATEHOUSE_TEST_FORBID_SKIP === '1';
const checks = checkGroups.flatMap((group) => group.checks);
const columns: Column[] = [
  { name: DIRECT, version: undefined },
  ...proxies.map((proxy) => ({ name: proxy.name, version: installedVersion(proxy) })),
];

const results = new Results();
const directAnswers = new Map<string, RawExchange>();
let testbed: GatehouseProcess;
let testbedPort: number;

before(async () => {
  testbed = new GatehouseProcess(['testbed', '--port', '0']);
  testbedPort = await testbed.ready();
});
after(() => testbed.stop());

test('every check has a name of its own', () => {
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length);
});

describe('without a proxy the test service answers as it says', () => {
  for (const check of checks) {
    test(titleOf(check), { timeout: DEADLINE_MS }, async () => {
      const seen = await runCheck(check, testbedPort, testbedPort, tokenOf(DIRECT, check));
      directAnswers.set(check.id, seen.answer);
      assert.deepEqual(brokenExpectations(check.direct, seen.answer), []);
      const verdict = verdictOf(check, { ...seen, direct: seen.answer });
      assert.equal(verdict.how, check.directVerdict ?? 'unchanged');
      results.record(DIRECT, check.id, verdict);
    });
  }
});

for (const proxy of proxies) {
  const isInstalled = installedVersion(proxy) !== undefined;
  const skip = isInstalled || mayNotSkip ? false : `${proxy.command} is not installed`;
  describe(`through ${proxy.name} every check has a verdict`, { skip }, () => checkProxy(proxy));
}

function checkProxy(proxy: ReverseProxy): void {
  let running: ProxyProcess;
  before(async () => {
    running = await ProxyProcess.start(proxy, testbedPort);
  });
  after(() => running?.stop());

  for (const check of checks) {
    test(titleOf(check), { timeout: DEADLINE_MS }, async (context) => {
      const direct = directAnswers.get(check.id);
      assert.ok(direct, 'there is nothing to compare with');
      const seen = await runCheck(check, running.port, testbedPort, tokenOf(proxy.command, check));
      const verdict = verdictOf(check, { ...seen, direct });
      results.record(proxy.name, check.id, verdict);
      if (verdict.kind !== 'unchanged') context.diagnostic(`${proxy.name}, ${check.id}: ${verdict.how}`);
    });
  }

  for (const [id, fact] of Object.entries(facts[proxy.command] ?? {})) {
    test(`what is known of it is found: ${id}`, () => {
      assert.match(results.of(proxy.name, id)?.how ?? '', fact);
    });
  }
}

test('the verdicts are written to docs/proxies.md', (context) => {
  const missing = columns.filter(({ name }) => checks.some(({ id }) => !results.of(name, id)));
  if (missing.length === 0) return writeFileSync(DOCUMENT, proxyDocument(columns, results));
  const names = missing.map(({ name }) => name).join(', ');
  assert.ok(!mayNotSkip, `no whole column of verdicts for ${names}`);
  context.skip(`not all verdicts are there (${names}): docs/proxies.md is left as it is`);
});

function titleOf({ id, asks }: ProxyCheck): string {
  return `${id}: ${asks}`;
}

/** What the test service keeps of a check, it keeps under this name. */
function tokenOf(column: string, { id }: ProxyCheck): string {
  return `${column}-${id}`;
}
