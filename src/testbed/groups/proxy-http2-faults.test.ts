import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  errorCodes,
  FrameClient,
  frameTypes,
  type ReceivedFrame,
  requestFields,
} from '../../kernel/http2/testing/frame-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

const BASE = '/proxy-test/connection/h2';

describe('faults that only HTTP/2 has', { concurrency: 4 }, () => {
  let testbed: StartedTestbed;
  before(async () => {
    testbed = await startTestbed();
  });
  after(async () => {
    await testbed.close();
    assert.deepEqual(testbed.errors, []);
  });

  async function asking(path: string, method = 'GET'): Promise<FrameClient> {
    const client = await FrameClient.connect(testbed.port);
    const fields = requestFields([], method).map(
      ([name, value]) => [name, name === ':path' ? BASE + path : value] as const,
    );
    client.request(1, fields, method === 'GET' ? END_STREAM | END_HEADERS : END_HEADERS);
    return client;
  }
  const ofType = (type: keyof typeof frameTypes) => (frame: ReceivedFrame) => frame.type === frameTypes[type];
  const goAwayOf = (frame: ReceivedFrame | undefined) => ({
    last: frame?.payload.readUInt32BE(0),
    code: frame?.payload.readUInt32BE(4),
  });

  test('GOAWAY comes before the answer, which still comes', async () => {
    using client = await asking('/goaway?code=11');
    assert.deepEqual(goAwayOf(await client.find(ofType('GOAWAY'))), { last: 1, code: 11 });
    const body = await client.find(ofType('DATA'));
    assert.match(body?.payload.toString() ?? '', /"code": 11/);
    assert.ok(client.frames.findIndex(ofType('GOAWAY')) < client.frames.findIndex(ofType('HEADERS')));
    await client.find(() => false);
    assert.ok(client.isClosed);
  });

  test('GOAWAY of an unprocessed request excludes its stream and ends the connection', async () => {
    using client = await asking('/goaway?processed=false');
    assert.deepEqual(goAwayOf(await client.find(ofType('GOAWAY'))), { last: 0, code: errorCodes.NO_ERROR });
    await client.find(() => false);
    assert.ok(client.isClosed);
    assert.ok(!client.frames.some(ofType('HEADERS')));
  });

  for (const code of [errorCodes.NO_ERROR, errorCodes.REFUSED_STREAM, 0xfedcba98]) {
    test(`RST_STREAM carries the code ${code}, and the connection stays`, async () => {
      using client = await asking(`/rst-stream?code=${code}`);
      const reset = await client.find(ofType('RST_STREAM'));
      assert.deepEqual([reset?.streamId, reset?.payload.readUInt32BE()], [1, code]);
      client.request(3);
      assert.ok(await client.find(({ type, streamId }) => type === frameTypes.HEADERS && streamId === 3));
    });
  }

  test('RST_STREAM in the middle of the body comes behind half of it', async () => {
    using client = await asking('/rst-stream?at=mid-body');
    const reset = await client.find(ofType('RST_STREAM'));
    assert.equal(reset?.payload.readUInt32BE(), errorCodes.CANCEL);
    assert.equal(client.frames.find(ofType('DATA'))?.payload.toString(), '{"half":');
  });

  test('a stalled request body gets no window until the stall is over', async () => {
    using client = await asking('/stall?at=request-body&ms=1000', 'POST');
    for (let sent = 0; sent < 3; sent++) client.send('DATA', 0, 1, Buffer.alloc(16_384));
    const isWindow = ({ type, streamId }: ReceivedFrame) =>
      type === frameTypes.WINDOW_UPDATE && streamId === 1;
    assert.equal(await client.find(isWindow, { waitMs: 100 }), undefined);
    assert.ok(await client.find(isWindow));
    client.send('DATA', END_STREAM, 1);
    assert.match((await client.find(ofType('DATA')))?.payload.toString() ?? '', /"received": 49152/);
  });

  test('an answer that stalls goes on afterwards', async () => {
    using client = await asking('/stall?ms=1000');
    const text = () =>
      Buffer.concat(client.frames.filter(ofType('DATA')).map(({ payload }) => payload)).toString();
    await client.find(ofType('DATA'));
    assert.equal(text(), '{"stalled":"mid-body",');
    await client.find(({ type, flags }) => type === frameTypes.DATA && (flags & END_STREAM) !== 0);
    assert.equal(text(), '{"stalled":"mid-body","ms":1000}\n');
  });

  test('a flood of SETTINGS is answered for when every one is acknowledged', async () => {
    using client = await asking('/settings-flood?count=50');
    const isSettings = ({ type, flags }: ReceivedFrame) => type === frameTypes.SETTINGS && flags === 0;
    await client.find(() => client.frames.filter(isSettings).length === 51);
    assert.equal(await client.find(ofType('HEADERS'), { waitMs: 50 }), undefined);
    for (let count = 0; count < 51; count++) client.send('SETTINGS', ACK, 0);
    assert.match((await client.find(ofType('DATA')))?.payload.toString() ?? '', /"acknowledged": 50/);
  });
});
