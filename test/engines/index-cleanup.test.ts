import { after, it } from 'node:test';
import { describeIndexCleanup } from '../../src/maintenance/index-cleanup/index-cleanup.suite.ts';
import { describeIndexCleanupProcess } from '../support/index-cleanup-process.suite.ts';
import { startOpenSearch } from './opensearch/opensearch-server.ts';

for (const line of [2, 3] as const) {
  const server = await startOpenSearch(line);
  if ('url' in server) {
    after(() => server.stop());
    const shared = async () => ({ url: server.url, stop: async () => {} });
    describeIndexCleanup(`OpenSearch ${line}`, shared);
    describeIndexCleanupProcess(`OpenSearch ${line}`, shared);
  } else it(`index cleanup: OpenSearch ${line}`, { skip: server.missing });
}
