// What an authenticated read costs at the least: node:http, the token out of its header field, one row of SQLite.
//   node bare-sqlite.js PORT FILE TOKEN
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const [port, file, token] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(
  'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS answers (token TEXT PRIMARY KEY, body TEXT)',
);
database
  .prepare('INSERT OR REPLACE INTO answers VALUES (?, ?)')
  .run(
    token,
    JSON.stringify({ status: 'SUCCESS', resultList: [{ id: '0'.repeat(24), name: 'Default' }] }, null, 2),
  );
const find = database.prepare('SELECT body FROM answers WHERE token = ?');

createServer((request, response) => {
  const { authorization = '' } = request.headers;
  const row = authorization.startsWith('Bearer ') ? find.get(authorization.slice(7)) : undefined;
  response.writeHead(row ? 200 : 401, { 'Content-Type': 'application/json' });
  response.end(row?.body ?? '{}');
}).listen(Number(port), '127.0.0.1');
