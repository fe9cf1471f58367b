import { describeLogIndex } from '../wire.suite.ts';
import { startEmbeddedIndex } from './testing/start-embedded-index.ts';

describeLogIndex('embedded', async () => {
  const index = await startEmbeddedIndex();
  return { url: index.url, stop: async () => index[Symbol.asyncDispose]() };
});
