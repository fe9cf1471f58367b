import assert from 'node:assert/strict';
import test from 'node:test';
import { formatEvent } from './event-stream.ts';

test('fields stand in order and an empty line ends the event', () => {
  const event = { comment: 'hi', retryMs: 10, id: 7, event: 'tick', data: 'x' };
  assert.equal(formatEvent(event), ': hi\nretry: 10\nid: 7\nevent: tick\ndata: x\n\n');
});

test('every line of the data is a field of its own', () => {
  assert.equal(formatEvent({ data: 'a\nb\r\nc\rd' }), 'data: a\ndata: b\ndata: c\ndata: d\n\n');
});

test('the line end can be chosen', () => {
  assert.equal(formatEvent({ id: 1, data: 'x' }, 'crlf'), 'id: 1\r\ndata: x\r\n\r\n');
  assert.equal(formatEvent({ id: 1, data: 'x' }, 'cr'), 'id: 1\rdata: x\r\r');
});
