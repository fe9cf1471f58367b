import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { chunkedCases } from '../../src/http1/conformance/chunked.cases.ts';
import { contentLengthCases } from '../../src/http1/conformance/content-length.cases.ts';
import { expectCases } from '../../src/http1/conformance/expect.cases.ts';
import { fieldCases } from '../../src/http1/conformance/fields.cases.ts';
import { hostCases } from '../../src/http1/conformance/host.cases.ts';
import { requestLineCases } from '../../src/http1/conformance/request-line.cases.ts';
import { transferEncodingCases } from '../../src/http1/conformance/transfer-encoding.cases.ts';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { randomOfCase } from '../fuzz/random.ts';
import { generateWire } from '../fuzz/request-generator.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { canSeeUsage, residentBytes } from '../support/process-usage.ts';

const REQUESTS = 10_000;
const WARM_UP = 2_000;
const AT_ONCE = 40;
const SEED = 4711;
const MAX_GROWTH_BYTES = 32 * 1024 * 1024;
/** Little room, so that memory shows what is kept and not what is still to be collected. */
const SMALL_HEAP = '--max-old-space-size=64 --max-semi-space-size=4';

/** Every second one is refused for a known reason, the others are damaged in ways nobody thought of. */
const refusedCases = [
  requestLineCases,
  fieldCases,
  hostCases,
  contentLengthCases,
  transferEncodingCases,
  chunkedCases,
  expectCases,
]
  .flat()
  // The preface of HTTP/2 is malformed to the engine alone: the listener speaks that as well.
  .filter(({ expect, bytes }) => expect.verdict !== 'accepted' && !bytes.startsWith('PRI * HTTP/2.0'));

function malformedRequest(requestNo: number): string {
  if (requestNo % 2 === 0) return refusedCases[(requestNo / 2) % refusedCases.length]!.bytes;
  return generateWire(randomOfCase(SEED, requestNo));
}

describe(`${REQUESTS} malformed requests`, () => {
  let service: GatehouseProcess;
  let port: number;
  const statuses = new Map<string, number>();

  before(async () => {
    service = new GatehouseProcess(['testbed', '--port', '0', '--log-level', 'info'], {
      NODE_OPTIONS: SMALL_HEAP,
    });
    port = await service.ready();
  });
  after(() => service.child.kill('SIGKILL'));

  it('are each answered or dropped, none with a 500, and leave the service and its memory as they were', async (t) => {
    const { pid } = service.child;
    await sendMany(0, WARM_UP);
    const warmBytes = canSeeUsage ? residentBytes(pid!) : 0;
    await sendMany(WARM_UP, REQUESTS);
    if (canSeeUsage) {
      const growthBytes = residentBytes(pid!) - warmBytes;
      t.diagnostic(`resident memory grew by ${growthBytes / 1024} KiB`);
      assert.ok(growthBytes < MAX_GROWTH_BYTES, `grew by ${growthBytes} bytes`);
    }

    t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(statuses))}`);
    const sum = [...statuses.values()].reduce((total, count) => total + count, 0);
    assert.equal(sum, REQUESTS);
    assert.ok((statuses.get('400') ?? 0) > REQUESTS / 3, JSON.stringify([...statuses]));
    for (const status of statuses.keys()) assert.match(status, /^(?:none|[234]\d\d|501|505)$/);

    const { status, body } = await rawRequest(
      port,
      'GET /get?still=here HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body.toString()).args, { still: 'here' });
    assert.equal(service.child.exitCode, null);
  });

  it('leave no line in the log that speaks of an error', () => {
    const lines = service.stderr.split('\n').filter((line) => line !== '');
    const complaints = lines.filter((line) => !line.startsWith('{') || JSON.parse(line).level >= 40);
    assert.deepEqual(complaints, []);
  });

  async function sendMany(from: number, to: number): Promise<void> {
    let next = from;
    const sendInTurn = async () => {
      while (next < to) {
        const status = await send(malformedRequest(next++));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn));
  }

  /** The status of the first final answer, or none when the connection ended without one. */
  function send(wire: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error(`never ended: ${JSON.stringify(wire)}, received ${JSON.stringify(received)}`));
      }, 20_000);
      socket.on('data', (chunk) => {
        if (received.length < 4096) received += chunk.toString('latin1');
      });
      // A server that refuses may reset the connection under what is still being sent.
      socket.on('error', () => {});
      socket.on('end', () => socket.destroy());
      socket.on('close', () => {
        clearTimeout(timer);
        const [, status = 'none'] =
          /^(?:HTTP\/1\.1 1\d\d [\s\S]*?\r\n\r\n)*HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
        resolve(status);
      });
      socket.end(wire, 'latin1');
    });
  }
});
