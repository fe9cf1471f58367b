// The yardstick: bare node:http, tuned by hand (cached header names, hand-split query, flat header array, one write),
// answering the same bytes as the test service does on the four measured paths, for the same reasons: hidden environment
// headers, forwarded addresses, CORS and a request id. It has no router, no checks, no limits and no other endpoint.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const hidden = new Set(
  'Connect-Time Total-Route-Time Via X-Forwarded-For X-Forwarded-Port X-Forwarded-Proto X-Forwarded-Protocol X-Forwarded-Ssl X-Heroku-Dynos-In-Use X-Heroku-Queue-Depth X-Heroku-Queue-Wait-Time X-Real-Ip X-Request-Id X-Request-Start X-Varnish'.split(
    ' ',
  ),
);
const titles = new Map();
const title = (name) => {
  let known = titles.get(name);
  if (known === undefined) {
    known = name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
    titles.set(name, known);
  }
  return known;
};

const headersOf = (request, showsAll) => {
  const { rawHeaders } = request;
  const fields = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = title(rawHeaders[index]);
    if (showsAll || !hidden.has(name)) fields.push([name, rawHeaders[index + 1]]);
  }
  fields.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const sorted = {};
  for (const [name, value] of fields) sorted[name] = name in sorted ? `${sorted[name]},${value}` : value;
  return sorted;
};

const argsOf = (query) => {
  const args = {};
  if (query === undefined) return args;
  for (const [name, value] of new URLSearchParams(query)) {
    if (!(name in args)) args[name] = value;
    else args[name] = [args[name], value].flat();
  }
  return args;
};

const originOf = (request) => {
  const { remoteAddress } = request.socket;
  const address = remoteAddress.startsWith('::ffff:') ? remoteAddress.slice(7) : remoteAddress;
  return request.headers['x-forwarded-for'] ?? address;
};

const urlOf = ({ headers, url }) => {
  const isSsl = headers['x-forwarded-ssl'] === 'on';
  const scheme =
    headers['x-forwarded-proto'] ?? headers['x-forwarded-protocol'] ?? (isSsl ? 'https' : 'http');
  return `${scheme}://${headers.host}${url}`;
};

const prefix = `${Date.now().toString(36)}${process.pid.toString(36)}-`;
let connections = 0;

const fieldsOf = (request, type) => {
  const { socket, headers } = request;
  socket.connectionId ??= prefix + (++connections).toString(36);
  socket.requestNo = (socket.requestNo ?? 0) + 1;
  return [
    'Content-Type',
    type,
    'Access-Control-Allow-Origin',
    headers.origin ?? '*',
    'Access-Control-Allow-Credentials',
    'true',
    'X-Request-Id',
    headers['x-request-id'] ?? `${socket.connectionId}-${socket.requestNo}`,
  ];
};

const answer = (request, response, type, body) => {
  const fields = fieldsOf(request, type);
  fields.push('Content-Length', String(Buffer.byteLength(body)));
  response.writeHead(200, fields);
  response.end(body);
};

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

createServer((request, response) => {
  const { url } = request;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const args = argsOf(queryAt < 0 ? undefined : url.slice(queryAt + 1));
  const showsAll = 'show_env' in args;
  if (path === '/get') {
    const headers = headersOf(request, showsAll);
    const echo = { args, headers, origin: originOf(request), url: urlOf(request) };
    answer(request, response, 'application/json', json(echo));
  } else if (path === '/anything') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const data = Buffer.concat(chunks).toString();
      let parsed = null;
      try {
        parsed = JSON.parse(data);
      } catch {}
      const echo = {
        args,
        data,
        files: {},
        form: {},
        headers: headersOf(request, showsAll),
        json: parsed,
        method: request.method,
        origin: originOf(request),
        url: urlOf(request),
      };
      answer(request, response, 'application/json', json(echo));
    });
  } else if (path.startsWith('/bytes/')) {
    answer(request, response, 'application/octet-stream', randomBytes(10240));
  } else if (path.startsWith('/stream/')) {
    response.writeHead(200, fieldsOf(request, 'application/json'));
    const echo = {
      url: urlOf(request),
      args,
      headers: headersOf(request, showsAll),
      origin: originOf(request),
    };
    const opening = JSON.stringify(echo, null, 1)
      .replace(/(,?)\n */g, (_, comma) => (comma === '' ? '' : ', '))
      .slice(0, -1);
    for (let id = 0; id < 20; id++) response.write(`${opening}, "id": ${id}}\n`);
    response.end();
  } else {
    response.writeHead(404);
    response.end();
  }
}).listen(Number(process.argv[2]), '127.0.0.1');
