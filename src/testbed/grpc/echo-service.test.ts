import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { compressionAlgorithms, type ServiceError, status } from '@grpc/grpc-js';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { callUnary, collect, grpcClient, type Loose, metadataOf } from './testing/grpc-client.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

/** Runs with a client, and so a connection, of its own. */
function echoTest(name: string, run: (client: Loose) => Promise<void>, options: object = {}): void {
  test(name, async () => {
    const client = grpcClient(testbed.port, 'testservice.v1.Echo', options);
    try {
      await run(client);
    } finally {
      client.close();
    }
  });
}

const failsWith = (code: status, details: RegExp | string) => (error: ServiceError) => {
  assert.equal(error.code, code, error.message);
  if (typeof details === 'string') assert.equal(error.details, details);
  else assert.match(error.details, details);
  return true;
};

describe('testservice.v1.Echo', { concurrency: 4 }, () => {
  echoTest('Unary sends message and payload back', async (client) => {
    const payload = Buffer.from([0, 1, 255]);
    const reply = await callUnary(client, 'Unary', { message: 'şığ', payload });
    assert.deepEqual(reply, { message: 'şığ', payload, number: 1 });
  });

  echoTest('ServerStream sends as many numbered copies as asked for', async (client) => {
    const { messages } = await collect(client.ServerStream({ message: 'x', count: 3 }));
    assert.deepEqual(
      messages.map(({ message, number }) => [message, number]),
      [
        ['x', 1],
        ['x', 2],
        ['x', 3],
      ],
    );
  });

  echoTest('ServerStream refuses more messages than its limit', async (client) => {
    const { error } = await collect(client.ServerStream({ count: 10_001 }));
    failsWith(status.OUT_OF_RANGE, /at most 10000/)(error!);
  });

  echoTest('ServerStream refuses more bytes than the service streams', async (client) => {
    const { error } = await collect(client.ServerStream({ payload: Buffer.alloc(20_000), count: 10_000 }));
    failsWith(status.OUT_OF_RANGE, /together may be at most 104857600 bytes/)(error!);
  });

  echoTest('ClientStream counts messages and bytes and returns the last one', async (client) => {
    const reply = await new Promise<Loose>((resolve, reject) => {
      const call = client.ClientStream((error: unknown, value: Loose) =>
        error ? reject(error) : resolve(value),
      );
      for (const message of ['a', 'b', 'c']) call.write({ message, payload: Buffer.alloc(1000) });
      call.end();
    });
    assert.deepEqual([reply.count, reply.payloadBytes, reply.last.message], [3, 3000, 'c']);
  });

  echoTest('Bidi answers each message before the next one is sent', async (client) => {
    const call = client.Bidi();
    const replies = call[Symbol.asyncIterator]();
    for (let number = 1; number <= 3; number++) {
      call.write({ message: `m${number}` });
      const { value } = await replies.next();
      assert.deepEqual([value.message, value.number], [`m${number}`, number]);
    }
    call.end();
    assert.equal((await replies.next()).done, true);
  });

  for (let code = 1; code <= 16; code++) {
    echoTest(`Status ends with the code ${code} and a message beyond ASCII`, async (client) => {
      const asked = callUnary(client, 'Status', { code, message: 'çok % kötü\n' });
      await assert.rejects(asked, failsWith(code, 'çok % kötü\n'));
    });
  }

  echoTest('Status carries details in grpc-status-details-bin', async (client) => {
    const detail = { type_url: 'type.googleapis.com/x.Y', value: Buffer.from('abc') };
    const error: ServiceError = await callUnary(client, 'Status', {
      code: 9,
      message: 'no',
      details: [detail],
    }).catch((caught) => caught);
    // google.rpc.Status: code 9, message "no", one detail of type URL and value.
    const expected = `080912026e6f1a1e0a17${Buffer.from(detail.type_url).toString('hex')}1203616263`;
    assert.equal((error.metadata.get('grpc-status-details-bin')[0] as Buffer).toString('hex'), expected);
  });

  echoTest('Metadata echoes what came and sends what it is given before and after', async (client) => {
    const sent = metadataOf({ 'x-text': 'one', 'x-bytes-bin': Buffer.from([0, 255]) });
    sent.add('x-text', 'two');
    const request = {
      initial: [
        { key: 'x-first', text: '1' },
        { key: 'x-first-bin', binary: Buffer.from([7]) },
      ],
      trailing: [{ key: 'x-last', text: '2' }],
    };
    const seen = await new Promise<Loose>((resolve, reject) => {
      const got: Loose = {};
      const call = client.Metadata(request, sent, (error: unknown, reply: Loose) => {
        if (error) reject(error);
        got.reply = reply;
      });
      call.on('metadata', (initial: Loose) => Object.assign(got, { initial }));
      call.on('status', ({ metadata }: Loose) => resolve({ ...got, trailing: metadata }));
    });
    assert.deepEqual(seen.initial.get('x-first'), ['1']);
    assert.deepEqual(seen.initial.get('x-first-bin'), [Buffer.from([7])]);
    assert.deepEqual(seen.trailing.get('x-last'), ['2']);
    const entries = seen.reply.metadata.map(({ key, text, binary }: Loose) => [
      key,
      text,
      binary.toString('hex'),
    ]);
    assert.deepEqual(
      entries.filter(([key]: string[]) => key!.startsWith('x-')),
      [
        ['x-text', 'one', ''],
        ['x-text', 'two', ''],
        ['x-bytes-bin', '', '00ff'],
      ],
    );
    assert.equal(seen.reply.te, 'trailers');
    assert.match(seen.reply.userAgent, /grpc-node-js/);
  });

  for (const [key, reason] of [
    ['grpc-status', /belongs to gRPC/],
    ['Upper Case', /no metadata key/],
  ] as const) {
    echoTest(`Metadata refuses to send ${key}`, async (client) => {
      const asked = callUnary(client, 'Metadata', { initial: [{ key, text: 'x' }] });
      await assert.rejects(asked, failsWith(status.INVALID_ARGUMENT, reason));
    });
  }

  echoTest('Deadline tells the timeout and what is left of it', async (client) => {
    const deadline = Date.now() + 5000;
    const reply = await callUnary(client, 'Deadline', { waitMs: 20 }, undefined, { deadline });
    assert.equal(reply.hasDeadline, true);
    assert.match(reply.timeout, /^\d+[mSu]$/);
    assert.ok(reply.timeoutMs > 4000 && reply.timeoutMs <= 5000, `timeout ${reply.timeoutMs}`);
    assert.ok(reply.remainingMs <= reply.timeoutMs - 15, `remaining ${reply.remainingMs}`);
  });

  echoTest('Deadline says so when there is none', async (client) => {
    assert.deepEqual((await callUnary(client, 'Deadline', {})).hasDeadline, false);
  });

  echoTest('Large replies with as many bytes as asked for', async (client) => {
    const reply = await callUnary(client, 'Large', { sizeBytes: 3_000_000 });
    assert.equal(reply.payload.length, 3_000_000);
    assert.equal(reply.payload.toString('latin1', 0, 28), 'abcdefghijklmnopqrstuvwxyzab');
    assert.equal(reply.sha256, createHash('sha256').update(reply.payload).digest('hex'));
  });

  echoTest('Large passes the default limit of clients, so that they can test it', async (client) => {
    const asked = callUnary(client, 'Large', { sizeBytes: 5_000_000 });
    await assert.rejects(asked, failsWith(status.RESOURCE_EXHAUSTED, /larger than max/));
  });

  echoTest('Large refuses more than its limit', async (client) => {
    const asked = callUnary(client, 'Large', { sizeBytes: 64 * 1024 * 1024 + 1 });
    await assert.rejects(asked, failsWith(status.OUT_OF_RANGE, /at most 67108864/));
  });

  echoTest(
    'a message above 4 MiB is refused',
    async (client) => {
      const asked = callUnary(client, 'Unary', { payload: Buffer.alloc(4 * 1024 * 1024) });
      await assert.rejects(asked, failsWith(status.RESOURCE_EXHAUSTED, /larger than 4194304/));
    },
    { 'grpc.max_send_message_length': -1 },
  );

  echoTest('Slow waits before the first message, between messages and before the status', async (client) => {
    const startedAt = performance.now();
    const request = { count: 2, firstDelayMs: 60, intervalMs: 60, statusDelayMs: 60 };
    const times: number[] = [];
    for await (const _message of client.Slow(request)) times.push(performance.now() - startedAt);
    const endedAt = performance.now() - startedAt;
    // Counted from the beginning: a message that was read late would shorten the pause behind it.
    assert.ok(times[0]! >= 55 && times[1]! >= 115 && endedAt >= 175, `${times} ${endedAt}`);
  });

  for (const [name, algorithm] of [
    ['gzip', compressionAlgorithms.gzip],
    ['deflate', compressionAlgorithms.deflate],
    ['identity', compressionAlgorithms.identity],
  ] as const) {
    echoTest(
      `Compressed takes and gives ${name}`,
      async (client) => {
        const payload = Buffer.alloc(10_000, 'a');
        const reply = await callUnary(client, 'Compressed', { replyEncoding: name, payload });
        assert.deepEqual(
          [reply.requestEncoding, reply.wasCompressed, reply.payload.equals(payload)],
          [name, name !== 'identity', true],
        );
        assert.match(reply.acceptedEncodings, /gzip/);
      },
      { 'grpc.default_compression_algorithm': algorithm },
    );
  }

  echoTest('Compressed refuses an encoding it does not write', async (client) => {
    const asked = callUnary(client, 'Compressed', { replyEncoding: 'br' });
    await assert.rejects(asked, failsWith(status.INVALID_ARGUMENT, /identity,deflate,gzip/));
  });

  echoTest('a compressed reply whose encoding is not named is refused by the client', async (client) => {
    const asked = callUnary(client, 'Compressed', { replyEncoding: 'gzip', unannounced: true });
    await assert.rejects(asked, (error: ServiceError) => error.code !== status.OK);
  });

  const abortCases: ReadonlyArray<[kind: string, extra: object, code: status, details: RegExp]> = [
    ['RESET', { http2Error: 8 }, status.CANCELLED, /cancel/i],
    ['RESET', { http2Error: 11 }, status.RESOURCE_EXHAUSTED, /./],
    ['RESET', { http2Error: 7 }, status.UNAVAILABLE, /./],
    ['NO_STATUS', {}, status.INTERNAL, /without gRPC status/],
  ];
  for (const [kind, extra, code, details] of abortCases) {
    echoTest(
      `Abort ${kind} ${JSON.stringify(extra)} comes after the messages it was asked for`,
      async (client) => {
        const { messages, error } = await collect(client.Abort({ kind, messages: 2, ...extra }));
        assert.deepEqual(messages.map(({ number }) => number).slice(0, 2), [1, 2]);
        failsWith(code, details)(error!);
      },
    );
  }

  for (const [httpStatus, code] of [
    [401, status.UNAUTHENTICATED],
    [404, status.UNIMPLEMENTED],
    [503, status.UNAVAILABLE],
  ] as const) {
    echoTest(`Abort HTTP_STATUS ${httpStatus} is read as ${status[code]}`, async (client) => {
      const { messages, error } = await collect(
        client.Abort({ kind: 'HTTP_STATUS', httpStatus, messages: 5 }),
      );
      assert.deepEqual(messages, []);
      failsWith(code, new RegExp(`${httpStatus}`))(error!);
    });
  }

  echoTest('Abort GOAWAY lets the call end and makes the next one open a connection', async (client) => {
    const before = await collect(client.Abort({ kind: 'GOAWAY', messages: 1 }));
    assert.equal(before.error, undefined);
    assert.equal((await callUnary(client, 'Unary', { message: 'again' })).message, 'again');
  });

  echoTest('Abort STALL leaves the client to its own deadline', async (client) => {
    const call = client.Abort({ kind: 'STALL', messages: 1 }, { deadline: Date.now() + 150 });
    const { messages, error } = await collect(call);
    assert.equal(messages.length, 1);
    failsWith(status.DEADLINE_EXCEEDED, /./)(error!);
  });

  echoTest('Abort refuses a kind and a status that do not exist', async (client) => {
    const { error } = await collect(client.Abort({ kind: 99 }));
    failsWith(status.INVALID_ARGUMENT, /no kind 99/)(error!);
    const other = await collect(client.Abort({ kind: 'HTTP_STATUS', httpStatus: 700 }));
    failsWith(status.INVALID_ARGUMENT, /200 to 599/)(other.error!);
  });
});
