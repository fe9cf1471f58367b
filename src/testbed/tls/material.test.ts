import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CertificateName } from './certificate-recipes.ts';
import { type MaterialData, makeMaterial } from './material.ts';
import { completeMaterial, readMaterial } from './material-store.ts';
import { placeOf } from './place.ts';
import { testMaterial } from './testing/test-material.ts';

const DAY_MS = 24 * 3600 * 1000;
const place = placeOf({ port: 0, tlsNames: [] });

/** What the tests of this machine keep, which has all keys already. */
async function kept(): Promise<MaterialData> {
  await testMaterial();
  const data = await readMaterial(join(tmpdir(), `gatehouse-test-pki-${process.getuid?.() ?? 0}`));
  return data!;
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'material-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const certificateOf = (data: MaterialData, name: CertificateName) =>
  new X509Certificate(Buffer.from(data.certificates[name].der, 'base64'));

describe('what is kept', () => {
  test('is left alone while it is fresh', async () => {
    const data = await kept();
    assert.equal(await makeMaterial(data, { place, nowMs: Date.now() }), data);
  });

  test('is renewed before it rots: servers after two thirds of their life, keys and root stay', async () => {
    const data = await kept();
    const nowMs = Date.now() + 300 * DAY_MS;
    const renewed = await makeMaterial(data, { place, nowMs });
    assert.deepEqual(renewed.keys, data.keys);
    assert.equal(renewed.certificates.root.der, data.certificates.root.der);
    assert.equal(renewed.certificates.expired.der, data.certificates.expired.der);
    for (const name of ['server', 'client', 'revoked'] as const) {
      assert.notEqual(renewed.certificates[name].der, data.certificates[name].der, name);
      assert.ok(certificateOf(renewed, name).validToDate.getTime() > nowMs + 300 * DAY_MS);
    }
    assert.ok(certificateOf(renewed, 'not-yet-valid').validFromDate.getTime() > nowMs + 300 * DAY_MS);
    assert.notEqual(renewed.stores['keystore.p12'], data.stores['keystore.p12']);
  });

  test('is made anew where its recipe changed, and nowhere else', async () => {
    const data = await kept();
    const elsewhere = placeOf({ port: 0, tlsNames: ['gw.example', '192.0.2.7'] });
    const renewed = await makeMaterial(data, { place: elsewhere, nowMs: Date.now() });
    assert.match(
      certificateOf(renewed, 'server').subjectAltName!,
      /DNS:gw\.example.*IP Address:192\.0\.2\.7/,
    );
    assert.equal(renewed.certificates.root.der, data.certificates.root.der);
    assert.equal(renewed.certificates.client.der, data.certificates.client.der);
  });
});

describe('the folder', () => {
  test('is for its owner only, and holds nothing but the material', async () => {
    await inFolder(async (parent) => {
      const folder = join(parent, 'pki');
      await writeKept(folder, await kept());
      await completeMaterial(folder, { place, nowMs: Date.now() + 300 * DAY_MS });
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      assert.deepEqual(await readdir(folder), ['material.json']);
      assert.equal((await stat(join(folder, 'material.json'))).mode & 0o777, 0o600);
    });
  });

  test('is written once by those who start at the same time, and all get the same', async () => {
    await inFolder(async (folder) => {
      await writeKept(folder, await kept());
      const options = { place, nowMs: Date.now() + 300 * DAY_MS };
      const all = await Promise.all(Array.from({ length: 4 }, () => completeMaterial(folder, options)));
      for (const one of all) assert.deepEqual(one, all[0]);
      assert.deepEqual(await readMaterial(folder), all[0]);
    });
  });

  test('is not blocked by the lock of a process that died', async () => {
    await inFolder(async (folder) => {
      await writeKept(folder, await kept());
      await writeFile(join(folder, 'lock'), '999999999');
      await completeMaterial(folder, { place, nowMs: Date.now() });
      assert.deepEqual(await readdir(folder), ['material.json']);
    });
  });

  test('whose file is damaged or of another format counts as empty', async () => {
    await inFolder(async (folder) => {
      assert.equal(await readMaterial(folder), undefined);
      await writeFile(join(folder, 'material.json'), '{"format":');
      assert.equal(await readMaterial(folder), undefined);
      await writeFile(join(folder, 'material.json'), '{"format":0}');
      assert.equal(await readMaterial(folder), undefined);
    });
  });
});

async function writeKept(folder: string, data: MaterialData): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'material.json'), JSON.stringify(data));
}
