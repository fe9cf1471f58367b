import { accept, get, headOf } from './case.ts';

const OPEN = [
  'keep-alive',
  'Keep-Alive',
  'x',
  '',
  ',',
  'closed',
  'not-close',
  'close;q=0',
  'upgrade',
  'TE, keep-alive',
];
const CLOSED = [
  'close',
  'Close',
  'CLOSE',
  'keep-alive, close',
  'close, keep-alive',
  'x,close',
  ',close',
  'close,',
  '\t close \t',
];

const http10 = (...fields: string[]) => headOf('GET / HTTP/1.0', ...fields);

export const connectionCases = [
  accept('HTTP/1.1 stays open by itself', 'RFC 9112 §9.3', get()),
  ...OPEN.map((value) =>
    accept(`Connection: ${value} leaves HTTP/1.1 open`, 'RFC 9112 §9.3', get(`Connection: ${value}`)),
  ),
  ...CLOSED.map((value) =>
    accept(`Connection: ${value} closes`, 'RFC 9112 §9.3', get(`Connection: ${value}`), { staysOpen: false }),
  ),
  accept('close on the second line', 'RFC 9110 §5.3', get('Connection: x', 'Connection: close'), {
    staysOpen: false,
  }),
  accept(
    'close before keep-alive on another line',
    'RFC 9112 §9.3',
    get('Connection: close', 'Connection: keep-alive'),
    {
      staysOpen: false,
    },
  ),
  accept('the field name in any case', 'RFC 9110 §5.1', get('cONNECTION: close'), { staysOpen: false }),
  accept('Proxy-Connection, which is no field of HTTP', 'RFC 9112 §C.2.2', get('Proxy-Connection: close')),
  accept(
    'Keep-Alive, which says nothing to a server',
    'RFC 9112 §C.2.2',
    get('Keep-Alive: timeout=0, max=0'),
  ),
  accept('an upgrade nobody offers', 'RFC 9110 §7.8', get('Connection: Upgrade', 'Upgrade: h2c')),
  accept('close behind a body', 'RFC 9112 §9.6', `${get('Connection: close', 'Content-Length: 2')}ab`, {
    body: 'ab',
    staysOpen: false,
  }),
  accept('HTTP/1.0 closes by itself', 'RFC 9112 §9.3', http10('X: y'), { version: '1.0', staysOpen: false }),
  ...['keep-alive', 'KEEP-ALIVE', 'x, keep-alive', ' keep-alive ,'].map((value) =>
    accept(`Connection: ${value} keeps HTTP/1.0 open`, 'RFC 9112 §C.2.2', http10(`Connection: ${value}`), {
      version: '1.0',
    }),
  ),
  ...['x', '', 'keep-alived', 'keep-alive, close', 'close, keep-alive', 'keep alive'].map((value) =>
    accept(`Connection: ${value} closes HTTP/1.0`, 'RFC 9112 §9.3', http10(`Connection: ${value}`), {
      version: '1.0',
      staysOpen: false,
    }),
  ),
  accept(
    'HTTP/1.0 kept open with a body',
    'RFC 9112 §9.3',
    `${headOf('POST / HTTP/1.0', 'Connection: keep-alive', 'Content-Length: 2')}ab`,
    {
      method: 'POST',
      version: '1.0',
      body: 'ab',
    },
  ),
];
