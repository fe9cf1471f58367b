import { reply, type WireAnswer } from '../../kernel/catalogue/answer.ts';

interface EdgeAnswer {
  readonly tests: string;
  /** The exact bytes of the head, one character per byte. */
  readonly head: string;
  /** What follows the head, except for HEAD. */
  readonly body: string;
}

/**
 * Answers that are legal, or that clients must live with, and that our own writer would never choose.
 * Each closes its connection.
 */
export const edgeAnswers = {
  '204-with-content-length': {
    tests:
      'A 204 that has a Content-Length all the same (RFC 9110 §8.6 forbids it): nobody may wait for a body.',
    head: 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nConnection: close\r\n\r\n',
    body: '',
  },
  'no-reason-phrase': {
    tests: 'A status line that ends after the code and its space (RFC 9112 §4).',
    head: 'HTTP/1.1 200 \r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
    body: 'ok\n',
  },
  'odd-field-lines': {
    tests:
      'Field names in odd casing, values with blanks and tabs around them, and without any blank (RFC 9112 §5.1).',
    head:
      'HTTP/1.1 200 OK\r\ncOnTeNt-TyPe:text/plain\r\nCONTENT-LENGTH: \t 3 \t\r\n' +
      'X-Padded:   inner  blanks stay  \r\nconnection: CLOSE\r\n\r\n',
    body: 'ok\n',
  },
  'odd-chunk-sizes': {
    tests: 'Chunk sizes in capitals and with leading zeros (RFC 9112 §7.1).',
    head: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    body: '0000000A\r\n0123456789\r\nb\r\nabcdefghijk\r\n000\r\n\r\n',
  },
  'http-1.0': {
    tests: 'An HTTP/1.0 answer without a length: the body goes on until the connection closes.',
    head: 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n',
    body: 'This body ends where the connection does.\n',
  },
  'same-length-twice': {
    tests: 'Two Content-Length fields that agree (RFC 9112 §6.3 lets a recipient take them as one).',
    head: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
    body: 'ok\n',
  },
} as const satisfies Record<string, EdgeAnswer>;

export type EdgeAnswerName = keyof typeof edgeAnswers;
export const edgeAnswerNames = Object.keys(edgeAnswers) as EdgeAnswerName[];

export function edgeAnswer(name: EdgeAnswerName, isHead: boolean): WireAnswer {
  const { head, body } = edgeAnswers[name];
  return reply.wire(async (socket) => {
    await socket.write(Buffer.from(isHead ? head : head + body, 'latin1'));
    socket.close();
  });
}
