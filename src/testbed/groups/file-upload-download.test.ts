import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const parts = {
  id: 'Content-Disposition: form-data; name="id"\r\n\r\n7',
  token: 'Content-Disposition: form-data; name="token"\r\n\r\nt',
  file: 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc',
};

type Part = keyof typeof parts;

function upload(names: readonly Part[], query = ''): string {
  const body = `${names.map((name) => `--B\r\n${parts[name]}\r\n`).join('')}--B--\r\n`;
  return [
    `POST /test/multipart${query} HTTP/1.1`,
    'Host: test',
    'Connection: close',
    'Content-Type: multipart/form-data; boundary=B',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

test('id, token and file are all required', async () => {
  await using testbed = await startTestbed();
  const all: readonly Part[] = ['id', 'token', 'file'];
  for (const missing of all) {
    const { status, body } = await rawRequest(testbed.port, upload(all.filter((name) => name !== missing)));
    assert.equal(status, 400, missing);
    assert.equal(JSON.parse(body.toString()).name, missing);
  }
  assert.equal((await rawRequest(testbed.port, upload(all))).status, 200);
});

test('id and token may stand in the query, the file may not', async () => {
  await using testbed = await startTestbed();
  assert.equal((await rawRequest(testbed.port, upload(['file'], '?id=1&token=t'))).status, 200);
  assert.equal((await rawRequest(testbed.port, upload([], '?id=1&token=t&file=abc'))).status, 400);
});
