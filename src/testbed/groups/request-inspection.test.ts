import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import { test } from 'node:test';
import { startTestbed } from '../testing/start-testbed.ts';

test('over HTTP/2 the raw echo lists the pseudo-header fields too, all in the order they came', async () => {
  await using testbed = await startTestbed();
  const session = http2.connect(`http://127.0.0.1:${testbed.port}`);
  try {
    const stream = session.request([
      ...[':path', '/raw/json', ':method', 'GET', ':scheme', 'http', ':authority', 'a.example'],
      ...['x-b', '1', 'x-a', '2', 'x-b', '3'],
    ]);
    await once(stream, 'response');
    const { fields, httpVersion } = JSON.parse(Buffer.concat(await stream.toArray()).toString());
    assert.equal(httpVersion, '2');
    assert.deepEqual(fields, [
      [':path', '/raw/json'],
      [':method', 'GET'],
      [':scheme', 'http'],
      [':authority', 'a.example'],
      ['x-b', '1'],
      ['x-a', '2'],
      ['x-b', '3'],
    ]);
  } finally {
    session.destroy();
  }
});
