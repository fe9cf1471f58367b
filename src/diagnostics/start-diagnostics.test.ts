import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import type { PodReport } from './pod-report.ts';
import { podNamed, startDiagnosedModule } from './testing/start-diagnosed-module.ts';

const sockets = new Set<Socket>();
after(() => {
  for (const socket of sockets) socket.destroy();
});

/** A pod that says exactly these bytes to whoever calls, or whatever else it does with the connection. */
async function oddPod(podName: string, answer: string | ((socket: Socket) => void)) {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => (typeof answer === 'string' ? socket.end(answer) : answer(socket)));
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  return podNamed(podName, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const withBody = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('pods that answer oddly, on the wire', () => {
  const oddities: ReadonlyArray<
    readonly [what: string, answer: Parameters<typeof oddPod>[1], error: RegExp]
  > = [
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n', /^no answer: the answer is no valid HTTP/],
    ['nothing, then a close', (socket) => socket.end(), /^no answer: /],
    ['nothing, then a reset', (socket) => socket.resetAndDestroy(), /^no answer: /],
    ['a web page', withBody('<html></html>'), /something else than JSON/],
    ['half a report', 'HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"podName":', /^no answer: /],
    ['an address elsewhere', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', /status 302/],
    [
      'more than anybody reads',
      withBody(`{"podName":"x","fill":"${'x'.repeat(5 << 20)}"}`),
      /longer than was asked for/,
    ],
    ['the report of another pod', withBody('{"podName":"somebody else"}'), /another pod answers/],
  ];
  for (const [what, answer, error] of oddities) {
    test(`${what} is an error of that pod`, async () => {
      await using pod = await startDiagnosedModule({ others: [await oddPod('x', answer)] });
      const { pods } = (await (await pod.get('jvm')).json()) as { pods: PodReport[] };
      assert.deepEqual(
        pods.map(({ podName }) => podName),
        ['worker-1', 'x'],
      );
      assert.match(pods[1]!.error ?? '', error);
      assert.equal(pods[0]!.error, undefined);
    });
  }

  test('an address where nobody listens is an error of that pod', async () => {
    await using pod = await startDiagnosedModule({ others: [podNamed('x', 'http://127.0.0.1:9')] });
    const { pods } = (await (await pod.get('jvm')).json()) as { pods: PodReport[] };
    assert.match(pods[1]!.error ?? '', /^no answer: the target refused the connection/);
  });

  test('two pods that know each other ask each other once and no further', async () => {
    const others: Parameters<typeof podNamed>[] = [];
    const live = async () => others.map((args) => podNamed(...args));
    await using a = await startDiagnosedModule({ podName: 'a', others: live });
    await using b = await startDiagnosedModule({ podName: 'b', others: live });
    others.push(['a', `http://127.0.0.1:${a.port}`], ['b', `http://127.0.0.1:${b.port}`]);
    for (const asked of [a, b]) {
      const { pods } = (await (await asked.get('all')).json()) as { pods: PodReport[] };
      assert.deepEqual(
        pods.map(({ podName, error }) => [podName, error]),
        [
          ['a', undefined],
          ['b', undefined],
        ],
      );
    }
  });

  test('a client that leaves ends the calls to other pods', async () => {
    const called = Promise.withResolvers<Socket>();
    const silent = await oddPod('x', called.resolve);
    await using pod = await startDiagnosedModule({ others: [silent] });
    const client = pod.rawGet('jvm');
    const call = await called.promise;
    const ended = once(call, 'close');
    client.resetAndDestroy();
    await ended;
  });
});
