import { startEmbeddedIndex } from '../../log-index/embedded/testing/start-embedded-index.ts';
import { describeIndexCleanup } from './index-cleanup.suite.ts';

describeIndexCleanup('embedded', async () => {
  const index = await startEmbeddedIndex();
  return { url: index.url, stop: async () => await index[Symbol.asyncDispose]() };
});
