import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeLogIndex } from '../../src/log-index/wire.suite.ts';
import { startOpenSearch } from './opensearch/opensearch-server.ts';

for (const line of [2, 3] as const) {
  const server = await startOpenSearch(line);
  if ('url' in server) describeLogIndex(`OpenSearch ${line}`, async () => server);
  else {
    const mayNotSkip = process.env.GATEHOUSE_TEST_FORBID_SKIP === '1' && !server.maySkip;
    it(`log index: OpenSearch ${line}`, { skip: mayNotSkip ? false : server.missing }, () =>
      assert.fail(server.missing),
    );
  }
}
