import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { MASK } from '../../../../kernel/mask.ts';
import { certificatePem, privateKeyPem } from '../../../../pki/pem.ts';
import {
  fixtureAuthority,
  fixtureCertificate,
  fixtureKey,
  javaTrustJks,
} from '../../../../pki/testing/key-store-fixtures.ts';
import { jsonFile } from '../../../resources/archives/archive-format.ts';
import { readArchive } from '../../../resources/archives/read-archive.ts';
import { writeArchive } from '../../../resources/archives/write-archive.ts';
import { startManager } from '../../../testing/start-manager.ts';
import { tokenFor } from '../../../testing/token-for.ts';
import { recordingDeployment } from '../testing/recording-deployment.ts';
import { CONNECTION_FILE, connectionArchive } from './connection-archive.ts';

const recording = recordingDeployment();
const source = await startManager({ deployment: recording.deployment });
const target = await startManager({ deployment: recording.deployment });
after(() => Promise.all([source.close(), target.close()]));

const P = '/apiops/projects/Default/connections/';
const base64 = (content: Buffer | string) => Buffer.from(content).toString('base64');
const key = createPrivateKey({ key: fixtureKey, format: 'der', type: 'pkcs8' });
const keyStore = {
  name: 'ours',
  description: 'for partners',
  type: 'PEM',
  content: base64(
    `${privateKeyPem(key)}${certificatePem(fixtureCertificate)}${certificatePem(fixtureAuthority)}`,
  ),
};
const trustStore = { name: 'partners', type: 'JKS', content: base64(javaTrustJks), password: 'changeit' };
const secret = 'never-in-a-file';
const development = {
  environmentName: 'Development',
  description: 'events for the customer system',
  httpMethod: 'POST',
  fullUrl: `https://crm.example/events?token=${secret}`,
  headerList: [
    { name: 'Authorization', value: `Bearer ${secret}` },
    { name: 'X-Origin', value: 'gateway' },
  ],
  trustStoreName: 'partners',
  keyStoreName: 'ours',
  batchEnabled: true,
} as const;
const test2 = {
  environmentName: 'Test',
  httpMethod: 'PUT',
  fullUrl: 'http://test.example/',
  timeout: 9,
} as const;

await source.request('POST', '/apiops/projects/Default/keystores/', { body: keyStore });
await source.request('POST', '/apiops/truststores/', { body: trustStore });
await source.request('POST', `${P}CRM%20events/`, { body: development });
await source.request('PUT', `${P}CRM%20events/`, { body: test2 });

type Manager = typeof source;
async function exported(manager: Manager, name = 'CRM%20events', base = P): Promise<Buffer> {
  const { port, adminToken } = manager;
  const answer = await fetch(`http://127.0.0.1:${port}${base}${name}/export/`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}
const zip = await exported(source);
const files = await readArchive(zip, connectionArchive);
const check = (manager: Manager, content: Buffer, members: object = {}) =>
  manager.request('POST', `${P}import/check/`, { body: { content: base64(content), ...members } });
const bringIn = (manager: Manager, content: Buffer, decisions: object = {}, base = P) =>
  manager.request('POST', `${base}import/`, { body: { content: base64(content), ...decisions } });
/** Lets the target have the key store, which no ZIP file brings. */
const withKeyStore = () => target.request('POST', '/apiops/projects/Default/keystores/', { body: keyStore });
const createPartners = { type: 'TrustStore', name: 'partners', action: 'create' };

describe('an export', () => {
  test('is byte for byte the golden file', () => {
    // Made by hand from the answer of this very request; it changes only together with the format version.
    const golden = readFileSync(new URL('testdata/crm-events-export.zip', import.meta.url));
    assert.ok(zip.equals(golden), 'the export differs from testdata/crm-events-export.zip');
  });

  test('has manifest, connection, metadata and what it depends on', () => {
    assert.deepEqual(
      [...files.keys()],
      [
        'connection.json',
        'dependencies/keystores/ours.json',
        'dependencies/truststores/partners.json',
        'metadata.json',
      ],
    );
    const metadata = JSON.parse(files.get('metadata.json')!.toString());
    assert.deepEqual(metadata, {
      connectionName: 'CRM events',
      connectionType: 'webhook',
      environmentNameList: ['Development', 'Test'],
      dependencyList: [
        { type: 'KeyStore', name: 'ours', included: true },
        { type: 'TrustStore', name: 'partners', included: true },
      ],
      maskedSecretList: [
        { environmentName: 'Development', member: 'fullUrl' },
        { environmentName: 'Development', member: 'Authorization' },
      ],
    });
    const ours = JSON.parse(files.get('dependencies/keystores/ours.json')!.toString());
    assert.deepEqual(ours.keyList[0].certificateList, [
      certificatePem(fixtureCertificate),
      certificatePem(fixtureAuthority),
    ]);
  });

  test('holds no secret, no private key, no password, no id', () => {
    assert.ok(!zip.includes(secret));
    assert.ok(!zip.includes('PRIVATE KEY'));
    assert.ok(!zip.includes('changeit'));
    assert.doesNotMatch(zip.toString('latin1'), /"[0-9a-f]{24}"|environmentId/);
  });

  test('is named by its date and the connection', async () => {
    const { headers } = await source.request('GET', `${P}CRM%20events/export/`);
    const today = new Date(source.services.clock.now()).toISOString().slice(0, 10);
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="${today}-webhook-integration-CRM events-export.zip"; filename*=UTF-8''${today}-webhook-integration-CRM%20events-export.zip`,
    );
    assert.equal(headers.get('content-type'), 'application/zip');
    await source.request('POST', `${P}Gr%C3%BCn/`, { body: test2 });
    const green = await source.request('GET', `${P}Gr%C3%BCn/export/`);
    assert.match(
      green.headers.get('content-disposition') ?? '',
      /filename="[^"]*Gr_n-export\.zip"; filename\*=UTF-8''.*Gr%C3%BCn/,
    );
  });

  test('carries 500 header rows', async () => {
    const headerList = Array.from({ length: 500 }, (_, index) => ({
      name: `X-Row-${index}`,
      value: `${index}`,
    }));
    await source.request('POST', `${P}rows/`, { body: { ...test2, headerList } });
    const { status, json } = await bringIn(target, await exported(source, 'rows'));
    assert.equal(status, 200);
    assert.deepEqual(json.connection.environmentParameterList[0].headerList, headerList);
  });
});

describe('the check before an import', () => {
  test('tells the name, what is missing here and which secrets have to be given', async () => {
    const { status, json } = await check(target, zip);
    assert.equal(status, 200);
    assert.deepEqual(json, {
      connectionName: 'CRM events',
      environmentNameList: ['Development', 'Test'],
      fileNameKnown: false,
      nameExist: false,
      dependencyList: [
        { type: 'Environment', name: 'Development', found: true, canCreate: false },
        { type: 'Environment', name: 'Test', found: true, canCreate: false },
        { type: 'KeyStore', name: 'ours', found: false, canCreate: false },
        { type: 'TrustStore', name: 'partners', found: false, canCreate: true },
      ],
      missingSecretList: [
        { environmentName: 'Development', member: 'fullUrl' },
        { environmentName: 'Development', member: 'Authorization' },
      ],
      ready: false,
    });
  });

  test('finds the namesake, and what is here', async () => {
    const { json } = await check(source, zip);
    assert.equal(json.nameExist, true);
    assert.ok(json.dependencyList.every(({ found }: { found: boolean }) => found));
  });

  for (const [fileName, isKnown] of [
    ['2026-04-01-webhook-integration-CRM events-export.zip', true],
    ['2026-04-01-connection-CRM events-export.zip', true],
    ['renamed (1).zip', false],
  ] as const) {
    test(`takes the file as ${fileName}`, async () => {
      const { status, json } = await check(target, zip, { fileName });
      assert.deepEqual([status, json.fileNameKnown], [200, isKnown]);
    });
  }

  test('changes nothing', async () => {
    assert.equal((await target.request('GET', `${P}CRM%20events/`)).status, 400);
  });
});

describe('an import', () => {
  test('waits for the decision about what is missing', async () => {
    const open = await bringIn(target, zip);
    assert.deepEqual([open.status, open.json.errorKey], [409, 'CONNECTION_IMPORT_DEPENDENCY_MISSING']);
    assert.match(
      open.json.message,
      /^KeyStore \(name: ours\), TrustStore \(name: partners\) can not be found/,
    );
    const dependencyList = [createPartners, { type: 'KeyStore', name: 'ours', action: 'create' }];
    const impossible = await bringIn(target, zip, { dependencyList });
    assert.deepEqual([impossible.status, impossible.json.errorKey], [409, 'CONNECTION_IMPORT_NOT_CREATABLE']);
    assert.equal((await target.request('GET', '/apiops/projects/Default/truststores/partners/')).status, 400);
  });

  test('leaves out what is excluded', async () => {
    const dependencyList = ['KeyStore ours', 'TrustStore partners', 'Environment Test'].map((text) => {
      const [type, name] = text.split(' ');
      return { type, name, action: 'exclude' };
    });
    const { status, json } = await bringIn(target, zip, { newName: 'lean', dependencyList });
    assert.equal(status, 200);
    const [only, ...others] = json.connection.environmentParameterList;
    assert.deepEqual(
      [only.environmentName, only.keyStoreName, only.trustStoreName, others],
      ['Development', null, null, []],
    );
    assert.equal(json.excludedList.length, 3);
    const nothing = await bringIn(target, zip, {
      newName: 'empty',
      dependencyList: [...dependencyList, { type: 'Environment', name: 'Development', action: 'exclude' }],
    });
    assert.deepEqual([nothing.status, nothing.json.errorKey], [409, 'CONNECTION_IMPORT_NOTHING_LEFT']);
  });

  test('creates the trust store, and exports the same again', async () => {
    await withKeyStore();
    const { status, json, text } = await bringIn(target, zip, { dependencyList: [createPartners] });
    assert.equal(status, 200, text);
    assert.deepEqual(json.createdList, [{ type: 'TrustStore', name: 'partners' }]);
    assert.equal(json.missingSecretList.length, 2);
    assert.ok((await exported(target)).equals(zip));
  });

  test('without its secrets is saved, can not be used, and takes them later', async () => {
    const deploy = () => target.request('POST', `${P}CRM%20events/deploy/?environment=Development`);
    const refused = await deploy();
    assert.deepEqual([refused.status, refused.json.errorKey], [409, 'CONNECTION_SECRETS_MISSING']);
    assert.match(refused.json.message, /give fullUrl, Authorization for Environment \(Development\) first!$/);
    const untried = await target.request('POST', `${P}CRM%20events/test-connection/`, {
      body: { environmentName: 'Development' },
    });
    assert.deepEqual([untried.status, untried.json.errorKey], [409, 'CONNECTION_SECRETS_MISSING']);
    const { json } = await target.request('GET', `${P}CRM%20events/`);
    const { environmentId: _, ...shown } = json.resultList[0].environmentParameterList[0];
    const still = await target.request('PUT', `${P}CRM%20events/`, { body: { ...shown, timeout: 3 } });
    assert.equal(still.status, 200, still.text);
    assert.equal((await deploy()).status, 409);
    const body = {
      environmentName: 'Development',
      fullUrl: development.fullUrl,
      headerList: development.headerList,
    };
    assert.equal((await target.request('PUT', `${P}CRM%20events/`, { body })).status, 200);
    assert.equal((await deploy()).status, 200);
  });

  test('takes secrets along, and only for what is masked', async () => {
    const secretList = [
      { environmentName: 'Development', member: 'authorization', value: 'Bearer new' },
      { environmentName: 'Development', member: 'fullUrl', value: 'https://crm.example/?token=new' },
      { environmentName: 'Development', member: 'X-Origin', value: 'smuggled' },
    ];
    const { status, json } = await bringIn(target, zip, { newName: 'whole', secretList });
    assert.equal(status, 200);
    assert.deepEqual(json.missingSecretList, []);
    const project = await target.services.projects.require('Default');
    const environment = await target.services.environments.require('Development');
    const stored = await target.services.connections.require(project.id, 'whole');
    const { fullUrl, headerList } = target.services.connections.parametersFor(stored, environment.id)!;
    assert.equal(fullUrl, 'https://crm.example/?token=new');
    assert.deepEqual(headerList, [
      { name: 'Authorization', value: 'Bearer new' },
      { name: 'X-Origin', value: 'gateway' },
    ]);
  });

  test('under a taken name overwrites, or takes a new name, or is refused', async () => {
    const before = (await target.request('GET', `${P}whole/`)).json.resultList[0];
    const conflict = await bringIn(target, zip, { newName: 'whole' });
    assert.deepEqual([conflict.status, conflict.json.errorKey], [409, 'CONNECTION_IMPORT_NAME_CONFLICT']);
    const { json } = await bringIn(target, zip, { newName: 'whole', overwrite: true });
    assert.equal(json.connection.id, before.id);
    assert.equal(json.missingSecretList.length, 2, 'secrets of the one before are not inherited');
    const reserved = await bringIn(target, zip, { newName: 'import' });
    assert.deepEqual([reserved.status, reserved.json.errorKey], [400, 'VALIDATION_FAILED']);
  });

  test('reaches what all projects use', async () => {
    const { status, json } = await bringIn(
      target,
      zip,
      { dependencyList: [createPartners, { type: 'KeyStore', name: 'ours', action: 'exclude' }] },
      '/apiops/connections/',
    );
    assert.deepEqual([status, json.connection.global], [200, true]);
    assert.equal((await target.request('GET', '/apiops/truststores/partners/')).status, 200);
  });

  test('makes trust stores only for who may manage secrets', async () => {
    await target.services.roles.create({
      name: 'importer',
      description: '',
      permissions: [{ category: 'CONNECTIONS', action: 'EXPORT_IMPORT' }],
    });
    await target.request('POST', '/apiops/projects/', { body: { name: 'Narrow' } });
    const token = await tokenFor(target.services, 'narrow', [{ role: 'importer', project: 'Narrow' }]);
    await target.request('DELETE', '/apiops/truststores/partners/?force=true');
    const exclude = { type: 'KeyStore', name: 'ours', action: 'exclude' };
    const body = { content: base64(zip), dependencyList: [createPartners, exclude] };
    const { status, json } = await target.request('POST', '/apiops/projects/Narrow/connections/import/', {
      token,
      body,
    });
    assert.deepEqual([status, json.errorKey], [403, 'ACCESS_DENIED']);
  });

  test('stands in the audit journal', async () => {
    const { json } = await target.request('GET', '/apiops/journals/audit/?size=200');
    const actions = json.items.map(
      ({ action, objectName }: Record<string, string>) => `${action} ${objectName}`,
    );
    assert.ok(actions.includes('IMPORT CRM events'));
    assert.ok(actions.includes('CREATE partners'));
    assert.ok(actions.includes('EXPORT CRM events'));
  });
});

describe('a file that was tampered with is refused:', () => {
  const connection = JSON.parse(files.get(CONNECTION_FILE)!.toString());
  const rewritten = (change: (copy: typeof connection) => void, more: Array<[string, Buffer]> = []) => {
    const copy = structuredClone(connection);
    change(copy);
    return writeArchive(connectionArchive, new Map([...files, [CONNECTION_FILE, jsonFile(copy)], ...more]));
  };
  const set = (copy: typeof connection) => copy.environmentParameterList[0];
  const tampered: Array<[what: string, make: () => Promise<Buffer>, status: number, message: RegExp]> = [
    [
      'a member that nobody knows',
      () => rewritten((copy) => Object.assign(copy, { owner: 1 })),
      422,
      /must not have the member owner/,
    ],
    [
      'a parameter out of bounds',
      () => rewritten((copy) => Object.assign(set(copy), { timeout: 0 })),
      422,
      /timeout must be >= 1/,
    ],
    [
      'an address that could not be saved',
      () => rewritten((copy) => Object.assign(set(copy), { fullUrl: 'file:///etc/passwd' })),
      400,
      /^At \/environmentParameterList\/0\/fullUrl: must begin with http/,
    ],
    [
      'a header that breaks the line',
      () =>
        rewritten((copy) => Object.assign(set(copy), { headerList: [{ name: 'A', value: 'b\r\nC: d' }] })),
      400,
      /can not carry/,
    ],
    [
      'a name that is none',
      () => rewritten((copy) => Object.assign(copy, { name: '../x' })),
      400,
      /^The name must be/,
    ],
    [
      'another type',
      () => rewritten((copy) => Object.assign(copy, { type: 'kafka' })),
      422,
      /type must be equal to one of/,
    ],
    [
      'no environment',
      () => rewritten((copy) => Object.assign(copy, { environmentParameterList: [] })),
      422,
      /must NOT have fewer than 1 items/,
    ],
    [
      'an environment that is there twice',
      () => rewritten((copy) => copy.environmentParameterList.push(set(copy))),
      422,
      /two sets of parameters/,
    ],
    [
      'a dependency that nothing refers to',
      () =>
        rewritten(() => {}, [
          ['dependencies/truststores/more.json', jsonFile({ name: 'more', certificateList: ['x'] })],
        ]),
      422,
      /does not refer to dependencies\/truststores\/more\.json/,
    ],
    [
      'a dependency under another name',
      () =>
        rewritten(() => {}, [
          ['dependencies/truststores/partners.json', jsonFile({ name: 'more', certificateList: ['x'] })],
        ]),
      422,
      /about another store/,
    ],
    [
      'a private key in a key store',
      () =>
        rewritten(() => {}, [
          ['dependencies/keystores/ours.json', jsonFile({ name: 'ours', keyList: [], privateKey: 'x' })],
        ]),
      422,
      /must not have the member privateKey/,
    ],
    [
      'metadata that is no JSON',
      () => rewritten(() => {}, [['metadata.json', Buffer.from('{')]]),
      422,
      /metadata\.json is no JSON/,
    ],
  ];
  for (const [what, make, status, message] of tampered) {
    test(what, async () => {
      const content = await make();
      for (const answer of [
        await check(target, content),
        await bringIn(target, content, { newName: 'bad' }),
      ]) {
        assert.equal(answer.status, status);
        assert.match(answer.json.message, message);
      }
    });
  }

  test('certificates that are none make no trust store and no connection', async () => {
    const broken = jsonFile({ name: 'partners', certificateList: ['not a certificate'] });
    const content = await rewritten(() => {}, [['dependencies/truststores/partners.json', broken]]);
    await target.request('POST', '/apiops/projects/', { body: { name: 'Third' } });
    const exclude = { type: 'KeyStore', name: 'ours', action: 'exclude' };
    const base = '/apiops/projects/Third/connections/';
    const { status } = await bringIn(target, content, { dependencyList: [createPartners, exclude] }, base);
    assert.equal(status, 422);
    assert.equal((await target.request('GET', `${base}CRM%20events/`)).status, 400);
  });
});

test('an export of an older release that lacks members is taken with their defaults', async () => {
  const connection = JSON.parse(files.get(CONNECTION_FILE)!.toString());
  for (const set of connection.environmentParameterList) {
    delete set.maxAckResend;
    delete set.gzipEnabled;
    set.trustStoreName = null;
    set.keyStoreName = null;
  }
  const older = new Map([
    [CONNECTION_FILE, jsonFile(connection)],
    ['metadata.json', files.get('metadata.json')!],
  ]);
  const { status, json } = await bringIn(target, await writeArchive(connectionArchive, older), {
    newName: 'older',
  });
  assert.equal(status, 200);
  const [set] = json.connection.environmentParameterList;
  assert.deepEqual([set.maxAckResend, set.gzipEnabled, set.headerList[0].value], [2, false, MASK]);
});

test('nothing of all this was unforeseen', () => {
  assert.deepEqual([...source.errors, ...target.errors], []);
});
