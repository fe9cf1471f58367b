import { it } from 'node:test';
import { describeLogIndex } from '../../src/log-index/wire.suite.ts';
import { startOpenSearch } from './opensearch/opensearch-server.ts';

for (const line of [2, 3] as const) {
  const server = await startOpenSearch(line);
  if ('url' in server) describeLogIndex(`OpenSearch ${line}`, async () => server);
  else it(`log index: OpenSearch ${line}`, { skip: server.missing });
}
