import type { TestbedEndpoint } from '../endpoint.ts';
import { base64Texts } from './dynamic-data/base64.ts';
import { delays } from './dynamic-data/delays.ts';
import { links } from './dynamic-data/links.ts';
import { randomBytes } from './dynamic-data/random-bytes.ts';
import { ranges } from './dynamic-data/ranges.ts';
import { streams } from './dynamic-data/streams.ts';

export const dynamicData: readonly TestbedEndpoint[] = [
  ...randomBytes,
  ...streams,
  ...delays,
  ...ranges,
  ...base64Texts,
  ...links,
];
