import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { type FileKeeper, type FormLimits, type FormOptions, parseForm } from './form.ts';

const limits: FormLimits = { maxBodyBytes: 10_000, maxParts: 5 };
const multipartType = 'multipart/form-data; boundary=XX';

async function* inPieces(text: string, pieceLength = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
}

function part(disposition: string, content: string, ...headers: string[]): string {
  return `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${content}\r\n`;
}

const multipart = (...parts: string[]) => `${parts.join('')}--XX--\r\n`;

function parse(contentType: string, body: string, options: FormOptions = {}) {
  return parseForm(contentType, inPieces(body), limits, options);
}

const hasKey = (key: string) => (error: unknown) => error instanceof Fault && error.key === key;

test('a urlencoded form keeps order, duplicates and UTF-8 escapes', async () => {
  const form = await parse('application/x-www-form-urlencoded; charset=utf-8', 'b=2&a=%C5%9F+x&b=1&flag');
  assert.equal(form.kind, 'urlencoded');
  assert.deepEqual(form.fields, [
    ['b', '2'],
    ['a', 'ş x'],
    ['b', '1'],
    ['flag', ''],
  ]);
});

test('a multipart form gives fields and files with size and digest', async () => {
  const form = await parse(
    multipartType,
    multipart(
      part('name="note"', 'grüße'),
      part('name="f"; filename="dir/ş.txt"', 'abc', 'Content-Type: text/plain'),
      part('name="g"; filename="empty.bin"', ''),
    ),
  );
  assert.equal(form.kind, 'multipart');
  assert.deepEqual(form.fields, [['note', 'grüße']]);
  assert.deepEqual(
    form.files.map(({ content, ...about }) => ({ ...about, content: content.toString() })),
    [
      {
        field: 'f',
        fileName: 'dir/ş.txt',
        contentType: 'text/plain',
        size: 3,
        sha256: createHash('sha256').update('abc').digest('hex'),
        content: 'abc',
        keptAs: undefined,
      },
      {
        field: 'g',
        fileName: 'empty.bin',
        contentType: 'text/plain',
        size: 0,
        sha256: createHash('sha256').update('').digest('hex'),
        content: '',
        keptAs: undefined,
      },
    ],
  );
});

test('a body of another type is no form and stays unread', async () => {
  const unread = (async function* (): AsyncGenerator<Buffer> {
    yield assert.fail('the body was read');
  })();
  assert.deepEqual(await parseForm('application/json', unread, limits), {
    kind: 'none',
    fields: [],
    files: [],
  });
});

test('broken multipart bodies are refused', async (t) => {
  const cases: Array<[name: string, contentType: string, body: string, key: string]> = [
    ['no boundary', 'multipart/form-data', '', 'form.malformed'],
    ['cut off in a file', multipartType, part('name="f"; filename="a"', 'abc'), 'form.malformed'],
    ['cut off in a field', multipartType, part('name="f"', 'abc'), 'form.malformed'],
    ['no boundary line at all', multipartType, 'hello', 'form.malformed'],
    [
      'too many parts',
      multipartType,
      multipart(...Array.from({ length: 6 }, (_, index) => part(`name="p${index}"`, 'x'))),
      'form.too-many-parts',
    ],
    [
      'too large, in a file',
      multipartType,
      multipart(part('name="f"; filename="a"', 'x'.repeat(20_000))),
      'body.too-large',
    ],
    [
      'too large, in a field',
      multipartType,
      multipart(part('name="f"', 'x'.repeat(20_000))),
      'body.too-large',
    ],
    ['too large, urlencoded', 'application/x-www-form-urlencoded', 'x'.repeat(20_000), 'body.too-large'],
    ['too many pairs', 'application/x-www-form-urlencoded', '&'.repeat(10_000), 'form.too-many-parts'],
  ];
  for (const [name, contentType, body, key] of cases) {
    await t.test(name, () => assert.rejects(parse(contentType, body), hasKey(key)));
  }
});

test('a keeper takes files as they arrive, and what it kept is dropped when the form breaks later', async () => {
  const kept: string[] = [];
  const dropped: string[] = [];
  const options: FormOptions = {
    keepFile: async (content, { fileName }) => {
      let length = 0;
      for await (const chunk of content) length += chunk.length;
      kept.push(`${fileName}:${length}`);
      return fileName;
    },
    dropFile: async (keptAs) => {
      dropped.push(keptAs);
    },
  };
  const whole = multipart(part('name="f"; filename="a"', 'abc'), part('name="g"; filename="b"', 'de'));
  const form = await parse(multipartType, whole, options);
  assert.deepEqual(
    form.files.map((file) => [file.keptAs, file.size, file.content.length]),
    [
      ['a', 3, 0],
      ['b', 2, 0],
    ],
  );
  assert.deepEqual(dropped, []);
  await assert.rejects(parse(multipartType, whole.slice(0, -12), options), hasKey('form.malformed'));
  assert.deepEqual(kept, ['a:3', 'b:2', 'a:3']);
  assert.deepEqual(dropped, ['a']);
});

test('what is in memory while a form arrives is told, and what a keeper took is not', async (t) => {
  const file = part('name="f"; filename="a"', 'x'.repeat(6_000));
  const field = part('name="n"', 'y'.repeat(3_000));
  const keepFile: FileKeeper = async (content) => {
    for await (const _ of content);
    return '';
  };
  const cases: Array<[name: string, contentType: string, body: string, keepFile?: FileKeeper]> = [
    ['urlencoded', 'application/x-www-form-urlencoded', 'x'.repeat(6_000)],
    ['a file that is held', multipartType, multipart(file)],
    ['a field beside a kept file', multipartType, multipart(field, file), keepFile],
    ['a kept file', multipartType, multipart(file), keepFile],
  ];
  const mostKept: Record<string, number> = {};
  for (const [name, contentType, body, keeper] of cases) {
    let most = 0;
    const onKept = (byteCount: number) => {
      most = Math.max(most, byteCount);
    };
    // In small pieces, each of which the keeper has taken before the next one comes.
    const pieces = async function* () {
      for (let at = 0; at < body.length; at += 100) {
        yield Buffer.from(body.slice(at, at + 100), 'latin1');
        await new Promise(setImmediate);
      }
    };
    await parseForm(contentType, pieces(), limits, { onKept, ...(keeper && { keepFile: keeper }) });
    mostKept[name] = Math.floor(most / 1_000);
  }
  assert.deepEqual(mostKept, {
    urlencoded: 6,
    'a file that is held': 6,
    'a field beside a kept file': 3,
    'a kept file': 0,
  });
  await t.test('a throw ends the reading with its error', async () => {
    const refusal = new Error('too much');
    const onKept = () => {
      throw refusal;
    };
    for (const [, contentType, body] of cases)
      await assert.rejects(parse(contentType, body, { onKept }), (error) => error === refusal);
  });
});

test('a keeper that refuses ends the reading with its own error', async () => {
  const refusal = new Fault('body.too-large', { maxBytes: 1 }, []);
  const body = multipart(part('name="f"; filename="a"', 'x'.repeat(5000)), part('name="g"', 'y'));
  const keepFile = async () => {
    throw refusal;
  };
  await assert.rejects(parse(multipartType, body, { keepFile }), (error) => error === refusal);
});

test('a keeper that fails when everything was read fails the form too', async () => {
  const refusal = new Fault('body.too-large', { maxBytes: 1 }, []);
  const body = multipart(part('name="f"; filename="a"', 'x'.repeat(50)));
  for (const delayMs of [0, 20]) {
    const keepFile: FileKeeper = async (content) => {
      for await (const _ of content);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      throw refusal;
    };
    await assert.rejects(parse(multipartType, body, { keepFile }), (error) => error === refusal);
  }
});

test('an error of the connection passes through unchanged', async () => {
  const gone = new Error('the client closed the connection');
  const body = (async function* () {
    yield Buffer.from(part('name="f"; filename="a"', 'abc').slice(0, -4));
    throw gone;
  })();
  await assert.rejects(parseForm(multipartType, body, limits), (error) => error === gone);
});
