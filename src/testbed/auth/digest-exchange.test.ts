import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Clock } from '../../kernel/clock.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { NONCE_LIFETIME_MS } from './nonce.ts';

const hashes: Record<string, string> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512': 'sha512',
  'SHA-512-256': 'sha512-256',
};

/** A client of its own, written from RFC 7616 and not from the code under test. */
class DigestClient {
  readonly cookies = new Map<string, string>();
  challenge = '';
  count = 0;
  readonly #origin: string;

  constructor({ port }: StartedTestbed) {
    this.#origin = `http://127.0.0.1:${port}`;
  }

  member(name: string): string {
    return new RegExp(`[ ,]${name}=(?:"([^"]*)"|([^,]*))`).exec(this.challenge)!.slice(1).find(Boolean) ?? '';
  }

  async send(path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(this.#origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(cookie && { cookie }) },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name!, value!);
    }
    const challenge = response.headers.get('www-authenticate');
    if (challenge) {
      this.challenge = challenge;
      this.count = 0;
    }
    return response;
  }

  authorization(path: string, qop: string, options: ProofOptions = {}): string {
    const { body = '', user = 'user', password = 'pass', signedPath = path, hashesUser = false } = options;
    const algorithm = this.member('algorithm');
    const h = (...parts: string[]) =>
      createHash(hashes[algorithm.replace('-sess', '')]!).update(parts.join(':')).digest('hex');
    const [realm, nonce, cnonce] = [this.member('realm'), this.member('nonce'), 'c0ffee'];
    const nc = (options.nc ?? ++this.count).toString(16).padStart(8, '0');
    const method = options.body === undefined ? 'GET' : 'POST';
    const plainKey = h(user, realm, password);
    const key = algorithm.endsWith('-sess') ? h(plainKey, nonce, cnonce) : plainKey;
    const target = qop === 'auth-int' ? h(method, signedPath, h(body)) : h(method, signedPath);
    const response = h(key, nonce, nc, cnonce, qop, target);
    const name = hashesUser ? h(user, realm) : user;
    return `Digest username="${name}", realm="${realm}", nonce="${nonce}", uri="${signedPath}", algorithm=${algorithm}, qop=${qop}, nc=${nc}, cnonce="${cnonce}", response="${response}"${hashesUser ? ', userhash=true' : ''}`;
  }

  async get(path: string, options: ProofOptions & { qop?: string } = {}): Promise<Response> {
    const authorization = this.authorization(path, options.qop ?? 'auth', options);
    return this.send(path, { authorization }, options.body);
  }
}

interface ProofOptions {
  readonly body?: string;
  readonly user?: string;
  readonly password?: string;
  readonly signedPath?: string;
  readonly nc?: number;
  readonly hashesUser?: boolean;
}

const isStale = (response: Response) => /stale=TRUE/.test(response.headers.get('www-authenticate') ?? '');

for (const algorithm of [
  'MD5',
  'MD5-sess',
  'SHA-256',
  'SHA-256-sess',
  'SHA-512',
  'SHA-512-sess',
  'SHA-512-256',
  'SHA-512-256-sess',
]) {
  for (const qop of ['auth', 'auth-int']) {
    test(`${algorithm} with ${qop} lets the right password in and nothing else`, async () => {
      await using testbed = await startTestbed();
      const path = `/digest-auth/${qop}/user/pass/${algorithm}?x=1`;
      const client = new DigestClient(testbed);
      assert.equal((await client.send(path)).status, 401);
      assert.equal(client.member('algorithm'), algorithm);

      const right = await client.get(path, { qop, body: 'content' });
      assert.equal(right.status, 200);
      assert.deepEqual(await right.json(), { authenticated: true, user: 'user' });

      assert.equal((await client.get(path, { qop, password: 'wrong' })).status, 401);
      assert.equal((await client.get(path, { qop, user: 'other' })).status, 401);
      const forged = client.authorization(path, qop, { body: 'content' });
      const changed = await client.send(path, { authorization: forged }, 'other content');
      assert.equal(changed.status, qop === 'auth-int' ? 401 : 200);
    });
  }
}

test('the server proves that it knows the password too, and gives the next nonce', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth-int/user/pass/SHA-256';
  const client = new DigestClient(testbed);
  await client.send(path);
  const response = await client.get(path, { qop: 'auth-int' });
  const info = response.headers.get('authentication-info')!;
  const h = (...parts: string[]) => createHash('sha256').update(parts.join(':')).digest('hex');
  const target = h('', path, h(await response.text()));
  const proof = h(
    h('user', client.member('realm'), 'pass'),
    client.member('nonce'),
    '00000001',
    'c0ffee',
    'auth-int',
    target,
  );
  const [, nextNonce] = /nextnonce="([^"]+)"/.exec(info)!;
  assert.equal(
    info,
    `nextnonce="${nextNonce}", qop=auth-int, rspauth="${proof}", cnonce="c0ffee", nc=00000001`,
  );

  client.challenge = client.challenge.replace(client.member('nonce'), nextNonce!);
  assert.equal((await client.get(path, { qop: 'auth-int', nc: 1 })).status, 200);
});

test('a request that is played again is stale', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass';
  const client = new DigestClient(testbed);
  await client.send(path);
  assert.equal((await client.get(path, { nc: 1 })).status, 200);
  assert.equal((await client.get(path, { nc: 3 })).status, 200);
  assert.equal((await client.get(path, { nc: 2 })).status, 200);
  const again = await client.get(path, { nc: 2 });
  assert.equal(again.status, 401);
  assert.ok(isStale(again));
});

test('an old nonce is stale, a foreign one too, and a wrong password is not', async () => {
  let nowMs = Date.now();
  const clock: Clock = { now: () => nowMs, sleep: async () => {} };
  await using testbed = await startTestbed({ clock });
  const path = '/digest-auth/auth/user/pass';
  const client = new DigestClient(testbed);
  await client.send(path);
  nowMs += NONCE_LIFETIME_MS;
  assert.equal((await client.get(path)).status, 200);
  nowMs += 1;
  assert.ok(isStale(await client.get(path)));

  client.cookies.clear();
  client.challenge = client.challenge.replace(client.member('nonce'), 'of-another-server');
  assert.ok(isStale(await client.get(path)));
  client.cookies.clear();
  const wrong = await client.get(path, { password: 'wrong' });
  assert.equal(wrong.status, 401);
  assert.ok(!isStale(wrong));
});

test('the cookies count a nonce down, as httpbin does', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass/MD5/2';
  const client = new DigestClient(testbed);
  await client.send(path);
  assert.equal(client.cookies.get('stale_after'), '2');
  assert.equal((await client.get(path)).status, 200);
  assert.equal((await client.get(path)).status, 200);
  assert.equal(client.cookies.get('stale_after'), '0');
  const usedUp = await client.get(path);
  assert.ok(isStale(usedUp));
  assert.equal(client.cookies.get('stale_after'), '2');
  assert.equal((await client.get(path)).status, 200);
});

test('a nonce that failed is stale when it comes again', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass';
  const client = new DigestClient(testbed);
  await client.send(path);
  const wrong = client.authorization(path, 'auth', { password: 'wrong' });
  assert.ok(!isStale(await client.send(path, { authorization: wrong })));
  assert.ok(isStale(await client.send(path, { authorization: wrong })));
});

test('a client that must return cookies is let in only when it does', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass?require-cookie=1';
  const client = new DigestClient(testbed);
  await client.send(path);
  assert.equal((await client.get(path)).status, 200);
  client.cookies.clear();
  assert.equal((await client.get(path)).status, 401);
  client.cookies.clear();
  client.cookies.set('other', '1');
  assert.equal((await client.get(path)).status, 403);
});

test('a hashed user name is accepted', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass/SHA-512-256?userhash=1';
  const client = new DigestClient(testbed);
  await client.send(path);
  assert.equal(client.member('userhash'), 'true');
  assert.equal((await client.get(path, { hashesUser: true })).status, 200);
  assert.equal((await client.get(path, { hashesUser: true, user: 'other' })).status, 401);
});

test('an algorithm or protection that was not offered is refused', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth/auth/user/pass/SHA-256';
  const client = new DigestClient(testbed);
  await client.send(path);
  assert.equal((await client.get(path, { qop: 'auth-int' })).status, 401);
  client.challenge = client.challenge.replace('algorithm=SHA-256', 'algorithm=MD5');
  assert.equal((await client.get(path)).status, 401);
});

test('either of two challenges may be answered', async () => {
  await using testbed = await startTestbed();
  const path = '/digest-auth-multi/user/pass';
  for (const algorithm of ['SHA-256', 'MD5']) {
    const client = new DigestClient(testbed);
    await client.send(path);
    client.challenge = client.challenge.replace('algorithm=SHA-256', `algorithm=${algorithm}`);
    assert.equal((await client.get(path)).status, 200, algorithm);
  }
});
