import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Expectation } from '../kernel/catalogue/endpoint.ts';
import { refusalsFor } from '../kernel/catalogue/testing/refusals.ts';
import { runExample } from '../kernel/catalogue/testing/run-example.ts';
import { testbedCatalogue } from './catalogue.ts';
import { testbedGroups } from './groups.ts';
import { startTestbed } from './testing/start-testbed.ts';

/** Members of an expectation that look at more than the status. */
const TELLING: ReadonlyArray<keyof Expectation> = [
  'headers',
  'json',
  'text',
  'hex',
  'sha256',
  'length',
  'decodedText',
  'wire',
  'ends',
  'notBeforeMs',
];

const refusalsOf = refusalsFor(testbedCatalogue);

describe('every endpoint keeps what its catalogue entry promises', { concurrency: 8 }, () => {
  for (const entry of testbedCatalogue) {
    const title = `${entry.group} / ${entry.id}`;

    test(`${title} / stands under a group of the specification`, () => {
      assert.ok(
        testbedGroups.some(({ name }) => name === entry.group),
        `unknown group ${entry.group}`,
      );
    });

    test(`${title} / has an example that looks at more than the status`, () => {
      const isTelling = entry.examples.some(({ expect }) =>
        TELLING.some((member) => expect[member] !== undefined),
      );
      assert.ok(isTelling, 'no example asserts a header, the content or the wire');
    });

    for (const example of [...entry.examples, ...refusalsOf(entry)]) {
      test(`${title} / ${example.name}`, async () => {
        await using testbed = await startTestbed();
        await runExample(testbed.port, entry, example);
        assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
      });
    }
  }
});
