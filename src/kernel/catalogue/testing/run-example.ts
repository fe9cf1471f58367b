import assert from 'node:assert/strict';
import { type RawExchange, rawRequest } from '../../testing/raw-client.ts';
import type { Endpoint, Example } from '../endpoint.ts';
import { exampleBytes } from './example-bytes.ts';
import { brokenExpectations } from './expectations.ts';

type Entry = Pick<Endpoint<never>, 'id' | 'methods' | 'path'>;

/** How long an example that expects the connection to stay open waits for it to be closed. */
const STAYS_OPEN_MS = 700;
const SHOWN_CHARACTERS = 1500;

/** Runs one example over a raw socket and fails with everything that did not hold. */
export async function runExample(port: number, entry: Entry, example: Example): Promise<void> {
  const authority = `127.0.0.1:${port}`;
  for (const request of example.setUp ?? []) await rawRequest(port, exampleBytes(entry, request, authority));
  const { expect } = example;
  const options = expect.ends === 'open' ? { waitMs: (expect.notBeforeMs ?? 0) + STAYS_OPEN_MS } : {};
  const answer = await rawRequest(port, exampleBytes(entry, example, authority), options);
  const broken = brokenExpectations(expect, answer);
  if (broken.length === 0) return;
  assert.fail(`${entry.id}, example "${example.name}":\n  ${broken.join('\n  ')}\n${shownAnswer(answer)}`);
}

function shownAnswer({ wire, ended }: RawExchange): string {
  const shown = wire.toString('latin1', 0, SHOWN_CHARACTERS).replace(/[^\x20-\x7e\r\n]/g, '·');
  return `The answer (${wire.length} bytes, connection ${ended}):\n${shown}`;
}
