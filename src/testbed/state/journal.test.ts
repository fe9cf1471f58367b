import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';
import { type Arrival, Journal } from './journal.ts';

const arrival = (rawHead = 'GET / HTTP/1.1\r\n\r\n'): Arrival => ({
  method: 'GET',
  target: '/',
  httpVersion: '1.1',
  connectionId: 'c',
  requestNo: 1,
  peer: '192.0.2.1:1',
  rawHead,
  bodyFraming: 'none',
  bodyLength: 0,
});

describe('a journal', () => {
  test('keeps the newest entries of an id and counts the dropped', () => {
    const journal = new Journal(systemClock, { maxIds: 10, maxEntriesPerId: 3, maxBytes: 1000 });
    for (let round = 0; round < 5; round++) journal.record('a', arrival());
    const view = journal.read('a');
    assert.deepEqual([view?.count, view?.dropped, view?.entries.map(({ no }) => no)], [5, 2, [3, 4, 5]]);
  });

  test('drops the id idle longest when there are too many', () => {
    const journal = new Journal(systemClock, { maxIds: 2, maxEntriesPerId: 3, maxBytes: 1000 });
    for (const id of ['a', 'b', 'a', 'c']) journal.record(id, arrival());
    assert.equal(journal.read('b'), undefined);
    assert.equal(journal.read('a')?.count, 2);
    assert.equal(journal.list().droppedIds, 1);
  });

  test('holds no more bytes than it may, whoever sends them', () => {
    const journal = new Journal(systemClock, { maxIds: 10, maxEntriesPerId: 10, maxBytes: 100 });
    journal.record('small', arrival('x'.repeat(10)));
    for (let round = 0; round < 5; round++) journal.record('large', arrival('x'.repeat(40)));
    assert.equal(journal.read('small'), undefined);
    assert.equal(journal.read('large')?.entries.length, 2);
    assert.equal(journal.list().bytes, 80);
    journal.record('large', arrival('x'.repeat(101)));
    assert.deepEqual(journal.read('large')?.entries, []);
    assert.equal(journal.list().bytes, 0);
  });

  test('gives its bytes back when it is forgotten', () => {
    const journal = new Journal(systemClock);
    journal.record('a', arrival('x'.repeat(40)));
    assert.equal(journal.forget('a'), true);
    assert.equal(journal.forget('a'), false);
    assert.deepEqual(journal.list(), { droppedIds: 0, bytes: 0, journals: [] });
  });
});

describe('recording', () => {
  test('shows that two requests came on one connection, also one that is refused', async () => {
    await using testbed = await startTestbed();
    const head = 'Host: h\r\nX-Test-Journal: reuse\r\n';
    await rawRequest(
      testbed.port,
      `GET /get HTTP/1.1\r\n${head}\r\nDELETE /get HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    const entries = (await testbed.services.state.journal.read('reuse'))?.entries ?? [];
    assert.deepEqual(
      entries.map(({ method, requestNo }) => [method, requestNo]),
      [
        ['GET', 1],
        ['DELETE', 2],
      ],
    );
    assert.equal(entries[0]?.connectionId, entries[1]?.connectionId);
    assert.equal(entries[0]?.rawHead, `GET /get HTTP/1.1\r\n${head}\r\n`);
  });

  test('requests without an id leave no trace, nor does reading a journal', async () => {
    await using testbed = await startTestbed();
    await rawRequest(testbed.port, 'GET /get HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    await rawRequest(
      testbed.port,
      'GET /journal/a HTTP/1.1\r\nHost: h\r\nX-Test-Journal: a\r\nConnection: close\r\n\r\n',
    );
    assert.deepEqual((await testbed.services.state.journal.list()).journals, []);
  });

  test('in public mode nobody can list the ids of others', async () => {
    await using testbed = await startTestbed({ settings: { isPublic: true } });
    const { status } = await rawRequest(
      testbed.port,
      'GET /journal HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    );
    assert.equal(status, 403);
  });
});
