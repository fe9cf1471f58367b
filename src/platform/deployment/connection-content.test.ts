import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { completeParameters } from '../../model/connection.ts';
import { defaultSettings } from '../../model/settings-category.ts';
import { type ConnectionParts, compileConnection } from './connection-content.ts';

const folder = new URL('./testdata/', import.meta.url);

/** `GATEHOUSE_WRITE_GOLDEN=1` writes what comes out now, to be looked at before it is kept. */
for (const input of globSync('*.in.json', { cwd: folder }).sort()) {
  const name = input.replace('.in.json', '');
  test(`a connection is compiled as in ${name}`, () => {
    const compiled = compileConnection(partsOf(JSON.parse(readFileSync(new URL(input, folder), 'utf8'))));
    const output = new URL(`${name}.out.json`, folder);
    if (process.env.GATEHOUSE_WRITE_GOLDEN) writeFileSync(output, `${JSON.stringify(compiled, null, 2)}\n`);
    assert.deepEqual(compiled, JSON.parse(readFileSync(output, 'utf8')));
  });
}

/** The files name only what matters. */
function partsOf(given: Partial<ConnectionParts>): ConnectionParts {
  return {
    name: 'crm',
    breakerDefaults: defaultSettings('connector-circuit-breaker'),
    variables: {},
    trustStore: undefined,
    keyStore: undefined,
    collectorChannelHeader: 'X-Channel',
    ...given,
    parameters: completeParameters({
      httpMethod: 'POST',
      fullUrl: 'https://crm.example/events',
      ...given.parameters,
    }),
  };
}

for (const [member, type] of [
  ['trustStoreName', 'TrustStore'],
  ['keyStoreName', 'KeyStore'],
] as const) {
  test(`a connection whose ${type} has gone cannot be deployed`, () => {
    const parts = partsOf({});
    assert.throws(
      () => compileConnection({ ...parts, parameters: { ...parts.parameters, [member]: 'partner' } }),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.message, `${type} (name: partner) was not found!`);
        return error.key === 'deployment.reference-missing';
      },
    );
  });
}
