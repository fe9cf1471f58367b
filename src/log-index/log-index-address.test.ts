import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../kernel/options.ts';
import { logIndexAddress } from './log-index-address.ts';

describe('the address of a log index', () => {
  const addresses: Array<[text: string, address: object]> = [
    ['http://127.0.0.1:9200', { url: 'http://127.0.0.1:9200' }],
    ['https://index.example/', { url: 'https://index.example' }],
    ['https://index.example/behind/a/proxy', { url: 'https://index.example/behind/a/proxy' }],
    [
      'https://ada:p%40ss%3Aw@index.example:9243',
      { url: 'https://index.example:9243', user: 'ada', password: 'p@ss:w' },
    ],
  ];
  for (const [text, address] of addresses) {
    it(`is ${JSON.stringify(address)}`, () => assert.deepEqual(logIndexAddress(text), address));
  }

  for (const text of [
    '',
    'index:9200',
    'ftp://ada:secret@index',
    'http://index?x=secret',
    'http://index#secret',
  ]) {
    it(`is not '${text}', which is not repeated`, () => {
      assert.throws(
        () => logIndexAddress(text),
        (error: Error) => error instanceof UsageError && !error.message.includes('secret'),
      );
    });
  }
});
