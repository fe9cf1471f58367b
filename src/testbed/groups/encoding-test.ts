import type { TestbedEndpoint } from '../endpoint.ts';
import { cachingTests } from './encoding-test/caching.ts';
import { contentTests } from './encoding-test/content.ts';
import { faultyTests } from './encoding-test/faulty.ts';
import { framingTests } from './encoding-test/framing.ts';
import { negotiationTests } from './encoding-test/negotiation.ts';
import { parameterTests } from './encoding-test/parameters.ts';
import { streamTests } from './encoding-test/streams.ts';

export const encodingTest: readonly TestbedEndpoint[] = [
  ...contentTests,
  ...negotiationTests,
  ...faultyTests,
  ...cachingTests,
  ...framingTests,
  ...streamTests,
  ...parameterTests,
];
