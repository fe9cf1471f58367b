import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { Fault } from '../../kernel/faults.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { attachmentDisposition, safeFileName } from './file-name.ts';

const MiB = 1024 * 1024;

const names = (testbed: StartedTestbed) => readdir(testbed.services.uploadFolder).catch((): string[] => []);
const url = ({ port }: StartedTestbed, path: string) => `http://127.0.0.1:${port}${path}`;

function uploadForm(testbed: StartedTestbed, fileName: string, content: Uint8Array<ArrayBuffer>, query = '') {
  const body = new FormData();
  body.append('id', '1');
  body.append('file', new Blob([content]), fileName);
  return fetch(url(testbed, `/test/multipart${query}`), { method: 'POST', body });
}

const uploadRaw = (testbed: StartedTestbed, fileName: string, body: Uint8Array<ArrayBuffer>) =>
  fetch(url(testbed, `/test/fileUpload?fileName=${fileName}`), { method: 'POST', body });

const download = (testbed: StartedTestbed, path: string, headers: Record<string, string> = {}) =>
  fetch(url(testbed, `/test/downloadFile/${path}`), { headers });

test('names that could leave the folder, or mean something to a system, are refused', () => {
  const refused = [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'a\0b',
    'a\nb',
    '.hidden',
    'a.',
    'a ',
    'CON',
    'nul.txt',
    'com1.log',
    'LPT9',
    'C:x',
    'a:b',
    'a*',
    'x'.repeat(201),
    '\ufffd',
  ];
  for (const name of refused) {
    assert.throws(
      () => safeFileName(name),
      (error) => error instanceof Fault && error.status === 400,
      name,
    );
  }
  for (const name of ['a', 'a.txt', 'console.log', 'şığ ü.bin', '日本.pdf', 'a..b', "it's (1).txt"]) {
    assert.equal(safeFileName(name), name);
  }
});

test('Content-Disposition gives the name in UTF-8 and something ASCII beside it', () => {
  assert.equal(attachmentDisposition('a b.txt'), 'attachment; filename="a b.txt"');
  assert.equal(
    attachmentDisposition("ş'(1).txt"),
    `attachment; filename="_'(1).txt"; filename*=UTF-8''%C5%9F%27%281%29.txt`,
  );
});

test('a large file streams to disk and back, whole, in part and coded', async () => {
  await using testbed = await startTestbed();
  const content = randomBytes(5 * MiB);
  assert.equal((await uploadForm(testbed, 'big.bin', content, '?token=t')).status, 200);
  assert.deepEqual(await names(testbed), ['big.bin']);
  assert.deepEqual(await readFile(join(testbed.services.uploadFolder, 'big.bin')), content);

  const whole = await download(testbed, 'big.bin');
  assert.equal(whole.headers.get('content-length'), String(content.length));
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), content);

  const part = await download(testbed, 'big.bin', { range: 'bytes=1000000-1000009' });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes 1000000-1000009/${content.length}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(1_000_000, 1_000_010));

  const changed = await download(testbed, 'big.bin', { range: 'bytes=0-9', 'if-range': '"other"' });
  assert.equal(changed.status, 200);
  await changed.body?.cancel();
  const outside = await download(testbed, 'big.bin', { range: `bytes=${content.length}-` });
  assert.equal(outside.status, 416);

  const coded = await download(testbed, 'big.bin?encoding=br', { 'accept-encoding': 'identity' });
  assert.equal(coded.headers.get('content-encoding'), 'br');
  assert.deepEqual(Buffer.from(await coded.arrayBuffer()), content);
});

test('a coded small file is coded once', async () => {
  await using testbed = await startTestbed();
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.write(
    'GET /test/downloadFile/sample.bin?encoding=br HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  const wire = Buffer.concat(await Array.fromAsync(socket));
  const body = wire.subarray(wire.indexOf('\r\n\r\n') + 4);
  assert.equal(brotliDecompressSync(body).length, 4096);
});

test('a refused form leaves nothing behind', async () => {
  await using testbed = await startTestbed();
  const refused = await uploadForm(testbed, 'a.txt', randomBytes(2 * MiB));
  assert.equal(refused.status, 400);
  assert.deepEqual(await names(testbed), []);
});

test('a client that vanishes leaves nothing behind', async () => {
  await using testbed = await startTestbed();
  const socket = net.connect(testbed.port, '127.0.0.1');
  const head = (type: string, path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n`;
  socket.write(head('multipart/form-data; boundary=XX', '/test/multipart?id=1&token=t'));
  socket.write('--XX\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  socket.write(randomBytes(2 * MiB));
  const raw = net.connect(testbed.port, '127.0.0.1');
  raw.write(head('application/octet-stream', '/test/fileUpload?fileName=b.txt'));
  raw.write(randomBytes(2 * MiB));

  await until(async () => (await names(testbed)).length === 2);
  assert.ok((await names(testbed)).every((name) => name.startsWith('.part-')));
  socket.destroy();
  raw.resetAndDestroy();
  await until(async () => (await names(testbed)).length === 0);
});

test('the folder has a limit, and room that is given back can be used again', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxUploadFolderBytes: 4 * MiB } } });
  assert.equal((await uploadRaw(testbed, 'a.bin', randomBytes(3 * MiB))).status, 200);
  assert.equal((await uploadRaw(testbed, 'b.bin', randomBytes(2 * MiB))).status, 507);
  assert.deepEqual(await names(testbed), ['a.bin']);
  assert.equal((await uploadRaw(testbed, 'a.bin', randomBytes(1 * MiB))).status, 200);
  assert.equal((await uploadRaw(testbed, 'b.bin', randomBytes(2 * MiB))).status, 200);
  assert.equal((await uploadRaw(testbed, 'c.bin', randomBytes(2 * MiB))).status, 507);
  assert.deepEqual((await names(testbed)).sort(), ['a.bin', 'b.bin']);
});

test('what an earlier run left in the folder counts, and what it left unfinished goes', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxUploadFolderBytes: 4 * MiB } } });
  const { uploadFolder } = testbed.services;
  await writeFile(join(uploadFolder, 'old.bin'), randomBytes(3 * MiB));
  await writeFile(join(uploadFolder, '.part-old'), randomBytes(3 * MiB));
  await utimes(join(uploadFolder, '.part-old'), 0, 0);
  assert.equal((await uploadRaw(testbed, 'b.bin', randomBytes(2 * MiB))).status, 507);
  assert.equal((await uploadRaw(testbed, 'c.bin', randomBytes(100))).status, 200);
  assert.deepEqual((await names(testbed)).sort(), ['c.bin', 'old.bin']);
});

test('a body that is too large is refused whichever way it comes', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxBodyBytes: 1000 } } });
  const content = randomBytes(2000);
  assert.equal((await uploadForm(testbed, 'a.bin', content, '?token=t')).status, 413);
  assert.equal((await uploadRaw(testbed, 'a.bin', content)).status, 413);
  const json = JSON.stringify({ file: content.toString('base64') });
  const headers = { 'content-type': 'application/json' };
  assert.equal(
    (await fetch(url(testbed, '/test/fileUpload'), { method: 'POST', headers, body: json })).status,
    413,
  );
  assert.deepEqual(await names(testbed), []);
});

test('uploads of the same name at once leave one whole file, counted once', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxUploadFolderBytes: 9 * MiB } } });
  const contents = [1, 2, 3].map(() => randomBytes(2 * MiB));
  await Promise.all(contents.map((content) => uploadRaw(testbed, 'same.bin', content)));
  assert.deepEqual(await names(testbed), ['same.bin']);
  const stored = await readFile(join(testbed.services.uploadFolder, 'same.bin'));
  assert.ok(contents.some((content) => content.equals(stored)));
  assert.equal((await uploadRaw(testbed, 'rest.bin', randomBytes(7 * MiB))).status, 200);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, 'it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
