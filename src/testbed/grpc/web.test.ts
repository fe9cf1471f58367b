import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { framed } from './framing.ts';
import { rawCall, requestFrame } from './testing/raw-call.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

const SERVICE = '/testservice.v1.Echo';
const hello = requestFrame('testservice.v1.EchoRequest', { message: 'hi' });
const okTrailer = framed(Buffer.from('grpc-status: 0\r\n'), 0x80);

function post(path: string, contentType: string, body: Buffer, extraHead = '') {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n${extraHead}Connection: close\r\n\r\n`;
  return rawRequest(testbed.port, Buffer.concat([Buffer.from(head), body]));
}

/** Base64 whose every piece may be padded. */
function fromBase64Pieces(text: string): Buffer {
  return Buffer.concat([...text.matchAll(/[^=]+=*/g)].map(([piece]) => Buffer.from(piece, 'base64')));
}

describe('grpc-web', () => {
  test('over HTTP/1.1 the status is the last frame of the body', async () => {
    const answer = await post(`${SERVICE}/Unary`, 'application/grpc-web+proto', hello);
    assert.equal(answer.status, 200);
    assert.equal(answer.header('content-type'), 'application/grpc-web+proto');
    assert.equal(answer.body.toString('hex'), `00000000060a0268691801${okTrailer.toString('hex')}`);
  });

  test('over HTTP/2 the same bytes come', async () => {
    const reply = await rawCall(testbed.port, `${SERVICE}/Unary`, {
      headers: { 'content-type': 'application/grpc-web' },
      body: hello,
    });
    assert.equal(reply.body.toString('hex'), `00000000060a0268691801${okTrailer.toString('hex')}`);
    assert.deepEqual(reply.trailers, {});
  });

  test('grpc-web-text is base64 both ways, padded wherever its sender made a break', async () => {
    const pieces = [hello.subarray(0, 4), hello.subarray(4)].map((piece) => piece.toString('base64'));
    const answer = await post(`${SERVICE}/Unary`, 'application/grpc-web-text', Buffer.from(pieces.join('')));
    assert.equal(answer.header('content-type'), 'application/grpc-web-text+proto');
    const body = fromBase64Pieces(answer.body.toString('latin1'));
    assert.equal(body.toString('hex'), `00000000060a0268691801${okTrailer.toString('hex')}`);
  });

  test('text that is no base64 ends the call with INTERNAL', async () => {
    for (const text of ['AAA', 'A*==', '====', 'AA=A']) {
      const answer = await post(`${SERVICE}/Unary`, 'application/grpc-web-text', Buffer.from(text));
      assert.match(
        fromBase64Pieces(answer.body.toString('latin1')).toString(),
        /grpc-status: 13\r\ngrpc-message: .*base64/,
      );
    }
  });

  test('a stream of replies comes as frames', async () => {
    const body = requestFrame('testservice.v1.StreamRequest', { message: 'x', count: 3 });
    const answer = await post(`${SERVICE}/ServerStream`, 'application/grpc-web', body);
    const frames = [1, 2, 3].map((number) => `00000000050a0178180${number}`);
    assert.equal(answer.body.toString('hex'), `${frames.join('')}${okTrailer.toString('hex')}`);
  });

  test('a failure is told in the trailer frame', async () => {
    const body = requestFrame('testservice.v1.StatusRequest', { code: 5, message: 'çay' });
    const answer = await post(`${SERVICE}/Status`, 'application/grpc-web', body);
    assert.equal(answer.body.toString('latin1', 5), 'grpc-status: 5\r\ngrpc-message: %C3%A7ay\r\n');
    assert.equal(answer.body[0], 0x80);
  });

  test('a browser may call from any origin and read every field', async () => {
    const body = requestFrame('testservice.v1.MetadataRequest', {
      initial: [{ key: 'x-seen', text: 'yes' }],
    });
    const answer = await post(
      `${SERVICE}/Metadata`,
      'application/grpc-web',
      body,
      'Origin: https://page.example\r\n',
    );
    assert.equal(answer.header('access-control-allow-origin'), 'https://page.example');
    assert.match(answer.header('access-control-expose-headers')!, /x-seen.*grpc-status,grpc-message/);
    assert.equal(answer.header('x-seen'), 'yes');
  });

  test('a preflight allows the call it asks for', async () => {
    const preflight = `OPTIONS ${SERVICE}/Unary HTTP/1.1\r\nHost: a\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type,x-grpc-web,x-mine\r\nConnection: close\r\n\r\n`;
    const answer = await rawRequest(testbed.port, preflight);
    assert.equal(answer.status, 204);
    assert.equal(answer.header('access-control-allow-origin'), 'https://page.example');
    assert.equal(answer.header('access-control-allow-methods'), 'POST');
    assert.equal(answer.header('access-control-allow-headers'), 'content-type,x-grpc-web,x-mine');
  });
});
