import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { composeFrame, opcodes } from '../websocket/frame.ts';
import { openWebSocket, talk } from '../websocket/testing/frame-client.ts';
import { webSocketFaults } from '../websocket/wire-faults.ts';
import { webSocket } from './websocket.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(() => testbed.close());

interface Session {
  readonly messages: string[];
  readonly code: number;
  readonly reason: string;
  readonly error: Error | undefined;
}

/** What the `ws` client, which is not ours, makes of an endpoint. */
function visit(path: string, say: readonly string[] = [], protocols: string[] = []): Promise<Session> {
  const client = new WebSocket(`ws://127.0.0.1:${testbed.port}${path}`, protocols);
  const messages: string[] = [];
  let error: Error | undefined;
  client.on('open', () => {
    for (const text of say) client.send(text);
  });
  client.on('message', (data, isBinary) => {
    messages.push(isBinary ? `<${String(data)}>` : String(data));
    if (say.length > 0 && messages.length === say.length) client.close(1000);
  });
  client.on('error', (failure) => {
    error = failure;
  });
  return new Promise((resolve) => {
    client.on('close', (code, reason) => resolve({ messages, code, reason: reason.toString(), error }));
  });
}

describe('the ws client understands', { concurrency: 4 }, () => {
  const visits: ReadonlyArray<
    [path: string, say: string[], messages: string[], code: number, reason: string]
  > = [
    ['/ws/echo', ['Hello', 'Gün 😀', ''], ['Hello', 'Gün 😀', ''], 1000, ''],
    ['/websocket/echo', ['Hello'], ['Hello'], 1000, ''],
    ['/ws/delay?delay=5', ['1', '2'], ['1', '2'], 1000, ''],
    ['/ws/fragmented?count=7&pings=true', ['Gün 😀', 'x'], ['Gün 😀', 'x'], 1000, ''],
    ['/ws/message?text=Hi', [], ['Hi'], 1000, ''],
    ['/ws/close/4321?reason=because', [], [], 4321, 'because'],
    ['/ws/slow?delay=1&count=2', [], ['message 1 of 2', 'message 2 of 2'], 1000, ''],
    ['/ws/slow?delay=1&count=3&unit=byte', [], ['<abc>'], 1000, ''],
    ['/ws/binary/30', [], ['<abcdefghijklmnopqrstuvwxyzabcd>'], 1000, ''],
    ['/ws/ping/300', [], ['{"sent":300,"answered":300,"answeredLast":true,"unasked":0}'], 1000, ''],
    ['/websocket/echo?max_fragment_size=1', ['ab'], [], 1009, 'a frame may have 1 bytes'],
  ];
  for (const [path, say, messages, code, reason] of visits) {
    test(path, async () => {
      const session = await visit(path, say);
      assert.deepEqual(session, { messages, code, reason, error: undefined });
    });
  }

  test('/ws/subprotocol, and is told which one was chosen', async () => {
    const { messages } = await visit('/ws/subprotocol', [], ['chat', 'json']);
    assert.equal(JSON.parse(messages[0]!).chosen, 'json');
  });

  test('/ws/headers, and finds its own handshake', async () => {
    const { messages } = await visit('/ws/headers');
    const { path, httpVersion, headers } = JSON.parse(messages[0]!);
    assert.deepEqual([path, httpVersion, headers.upgrade], ['/ws/headers', '1.1', ['websocket']]);
  });
});

describe('the ws client refuses', { concurrency: 4 }, () => {
  // ws hears nothing behind a Close, and takes a length in any form.
  const unnoticed = new Set(['data-after-close', 'long-form-length']);
  for (const name of Object.keys(webSocketFaults).filter((one) => !unnoticed.has(one))) {
    test(`/ws/fault/${name}`, async () => {
      const { messages, code, error } = await visit(`/ws/fault/${name}`);
      assert.deepEqual(messages, []);
      assert.ok(error !== undefined || code === 1006, `closed with ${code}`);
    });
  }

  for (const path of ['/ws/invalid-utf8', '/ws/oversize', '/ws/reset', '/ws/subprotocol?answer=surprise']) {
    test(path, async () => {
      const { messages, code, error } = await visit(path);
      assert.deepEqual(messages, []);
      assert.ok(error !== undefined || code === 1006, `closed with ${code}`);
    });
  }
});

describe('over HTTP/2 (RFC 8441) every endpoint sends the same frames', { concurrency: 8 }, () => {
  const switching = webSocket.flatMap((entry) =>
    entry.examples
      .filter(({ expect }) => expect.wire !== undefined && entry.id !== 'ws-headers')
      .map((example) => ({ entry, example })),
  );
  for (const { entry, example } of switching) {
    test(`${entry.id} / ${example.name}`, async () => {
      const path = example.path ?? entry.path;
      const headers: Record<string, string> = {};
      for (let index = 0; index < example.headers!.length; index += 2) {
        if (/^sec-websocket-(protocol|extensions)$/i.test(example.headers![index]!))
          headers[example.headers![index]!] = example.headers![index + 1]!;
      }
      const options = { headers, waitMs: example.expect.ends === 'open' ? 600 : 5000 };
      const pieces = example.upgraded ? [example.upgraded] : [];
      const [first, second] = await Promise.all([
        talk(testbed.port, path, 'HTTP/1.1', pieces, options),
        talk(testbed.port, path, 'HTTP/2', pieces, options),
      ]);
      assert.equal(second.received.toString('hex'), first.received.toString('hex'));
      assert.equal(second.ended, first.ended);
    });
  }

  test('/ws/headers tells the pseudo-header fields of the handshake', async () => {
    const { received } = await talk(testbed.port, '/ws/headers', 'HTTP/2', [], { waitMs: 300 });
    const object = JSON.parse(received.toString('utf8', 4, received.lastIndexOf('}') + 1));
    assert.equal(object.httpVersion, '2');
    assert.deepEqual(object.headers['sec-websocket-version'], ['13']);
  });

  test('/ws/reset resets the stream', async () => {
    const message = composeFrame(opcodes.text, 'x', { maskKey: Uint8Array.of(1, 2, 3, 4) });
    const { ended } = await talk(testbed.port, '/ws/reset?after=1', 'HTTP/2', [message]);
    assert.equal(ended, 'reset');
  });
});

describe('a service under attack', () => {
  test('goes on serving while hundreds of connections break rules and limits', async () => {
    const attacks = [
      Buffer.alloc(1024 * 1024, 0xff),
      Buffer.concat(Array.from({ length: 20_000 }, () => Uint8Array.of(0x89, 0x80, 0, 0, 0, 0))),
      Buffer.concat(Array.from({ length: 20_000 }, () => Uint8Array.of(0x01, 0x80, 0, 0, 0, 0))),
      Uint8Array.of(0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    ];
    const attackers = Array.from({ length: 200 }, (_, index) =>
      talk(testbed.port, '/ws/echo', 'HTTP/1.1', [attacks[index % attacks.length]!]).catch(() => undefined),
    );
    const answer = await rawRequest(
      testbed.port,
      'GET /get HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    assert.equal(answer.status, 200);
    await Promise.all(attackers);
    assert.deepEqual((await visit('/ws/echo', ['still here'])).messages, ['still here']);
    assert.deepEqual(testbed.errors, []);
  });

  test('tells its WebSockets when it stops', async () => {
    const stopped = await startTestbed();
    const { stream } = await openWebSocket(stopped.port, '/ws/echo', 'HTTP/1.1');
    const first = once(stream.resume(), 'data');
    const closed = stopped.close();
    const [chunk] = (await first) as [Buffer];
    assert.equal(chunk.toString('latin1', 4), 'the service is stopping');
    assert.equal(chunk.readUInt16BE(2), 1001);
    stream.destroy();
    await closed;
  });
});
