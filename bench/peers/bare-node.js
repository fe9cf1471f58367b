// The yardstick: bare node:http, tuned by hand (cached header names, hand-split query, flat header array, one write),
// answering the same bytes as the test service does on the four measured paths.
import { createServer } from 'node:http';

const titles = new Map();
const title = (name) => {
  let known = titles.get(name);
  if (known === undefined) {
    known = name.replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
    titles.set(name, known);
  }
  return known;
};

const headersOf = (request) => {
  const sorted = {};
  const names = [];
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2)
    names.push([title(rawHeaders[index].toLowerCase()), rawHeaders[index + 1]]);
  names.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  for (const [name, value] of names) sorted[name] = value;
  return sorted;
};

const originOf = (request) => {
  const address = request.socket.remoteAddress;
  return address.startsWith('::ffff:') ? address.slice(7) : address;
};

const answer = (response, type, body, origin = '*') => {
  response.writeHead(200, [
    'Content-Type',
    type,
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Allow-Credentials',
    'true',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]);
  response.end(body);
};

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const bytes = Buffer.alloc(10240, 'x');

createServer((request, response) => {
  const { url } = request;
  const full = `http://${request.headers.host}${url}`;
  if (url === '/get') {
    answer(
      response,
      'application/json',
      json({ args: {}, headers: headersOf(request), origin: originOf(request), url: full }),
    );
  } else if (url === '/anything') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const data = Buffer.concat(chunks).toString();
      let parsed = null;
      try {
        parsed = JSON.parse(data);
      } catch {}
      answer(
        response,
        'application/json',
        json({
          args: {},
          data,
          files: {},
          form: {},
          headers: headersOf(request),
          json: parsed,
          method: request.method,
          origin: originOf(request),
          url: full,
        }),
      );
    });
  } else if (url.startsWith('/bytes/')) {
    answer(response, 'application/octet-stream', bytes);
  } else if (url.startsWith('/stream/')) {
    response.writeHead(200, [
      'Content-Type',
      'application/json',
      'Access-Control-Allow-Origin',
      '*',
      'Access-Control-Allow-Credentials',
      'true',
    ]);
    for (let id = 0; id < 20; id++) {
      response.write(
        `${JSON.stringify({ url: full, args: {}, headers: headersOf(request), origin: originOf(request), id })}\n`,
      );
    }
    response.end();
  } else {
    response.writeHead(404);
    response.end();
  }
}).listen(Number(process.argv[2]), '127.0.0.1');
