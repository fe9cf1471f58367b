import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { smugglingProbes } from './probes.ts';

async function verdictOf({ port }: StartedTestbed, id: string): Promise<string> {
  const path = `/proxy-test/security/smuggling/result/${id}`;
  const { body } = await rawRequest(port, `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`);
  return JSON.parse(body.toString()).verdict;
}

async function send(testbed: StartedTestbed, name: string): Promise<string> {
  const probe = smugglingProbes.find((one) => one.name === name)!;
  await rawRequest(testbed.port, probe.bytes({ id: name, host: 'test' }), { waitMs: 300 });
  return verdictOf(testbed, name);
}

describe('a strict server', () => {
  // Everything ambiguous is refused; what is well framed arrives with the hidden request inside its body.
  const contained = ['cl-zero', 'cl-get', 'expect-continue'];
  for (const { name } of smugglingProbes) {
    const expected = contained.includes(name) ? 'contained' : name === 'h2c-upgrade' ? 'altered' : 'not-seen';
    test(`is not fooled by ${name}: ${expected}`, async () => {
      await using testbed = await startTestbed();
      assert.equal(await send(testbed, name), expected);
    });
  }
});

describe('a careless server is found out', () => {
  const fooledBy = [
    'cl-te',
    'te-te-unknown',
    'te-space-before-colon',
    'te-obs-fold',
    'te-bare-lf',
    'cl-twice',
    'chunk-bare-lf',
  ];
  for (const name of fooledBy) {
    test(`by ${name}`, async () => {
      await using testbed = await startTestbed({ isLenient: true });
      assert.equal(await send(testbed, name), 'smuggled');
    });
  }
});

test('lengths in the probes are what they claim', () => {
  const canary = { id: 'x', host: 'gateway.test' };
  for (const { name, bytes } of smugglingProbes) {
    const text = bytes(canary);
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    const lengths = [...text.matchAll(/Content-Length: (?:\+|0, )?(\d+)\r\n/g)].map(([, digits]) =>
      Number(digits),
    );
    if (name === 'te-cl') assert.equal(body.slice(0, lengths[0]), `${body.split('\r\n')[0]}\r\n`);
    else if (lengths.length > 0) assert.equal(lengths.at(-1), body.length, name);
  }
});

test('ids and names are told apart', () => {
  assert.equal(new Set(smugglingProbes.map(({ name }) => name)).size, smugglingProbes.length);
});
