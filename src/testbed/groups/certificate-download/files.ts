import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { binary, json, problem } from '../../../kernel/catalogue/declarations.ts';
import type { Example, ResponseDeclaration } from '../../../kernel/catalogue/endpoint.ts';
import { fault } from '../../../kernel/faults.ts';
import { rangedAnswer } from '../../content/ranged.ts';
import { zipArchive } from '../../content/zip.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { attachmentDisposition } from '../../files/file-name.ts';
import { protoFileNames, readProtoFile } from '../../grpc/proto-files.ts';
import { type CertificateFile, certificateFiles } from '../../tls/certificate-files.ts';
import { everyScenario } from '../../tls/extra-scenarios.ts';
import { STORE_PASSWORD } from '../../tls/stores.ts';

const group = 'Certificate Download';

/** Anonymous key exchange has no certificates to show. */
const shownScenarios = everyScenario.filter(({ chain }) => chain.length > 0);

const notReady = problem('The certificates are still being made.');
const withheld = problem('The service is public and keeps the keys of its servers to itself.');
const unknown = problem('There is no such file.');

const certificate = /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n/;
/** How the content of each kind of file begins. */
const beginnings: ReadonlyArray<readonly [ending: RegExp, expect: Partial<Example['expect']>]> = [
  [/\.crl\.pem$/, { text: /^-----BEGIN X509 CRL-----\n/ }],
  [/\.pem$/, { text: certificate }],
  [/\.key$/, { text: /^-----BEGIN PRIVATE KEY-----\n/ }],
  [/\.jks$/, { text: /^\ufffd\ufffd\ufffd\ufffd\0\0\0\x02/ }],
  [/./, { text: /^0\ufffd/ }],
];

const passwordHeader = { 'X-Keystore-Password': 'Opens the store and its keys.' };

function responsesOf({ summary, contentType, password, hasServerKey }: CertificateFile) {
  const found = binary(summary, contentType);
  const responses: Record<number, ResponseDeclaration> = {
    200: password ? { ...found, headers: passwordHeader } : found,
    503: notReady,
  };
  if (hasServerKey) responses[403] = withheld;
  return responses;
}

/** One entry a file: each has a type and a password of its own. */
const fileEndpoints = certificateFiles.map((file) =>
  endpoint({
    id: `certs-${file.name}`,
    group,
    methods: ['GET'],
    path: `/certs/${file.name}`,
    aliases: [`/certificates/${file.name}`],
    summary: file.summary,
    ...(file.password && { description: `The password is \`${file.password}\`.` }),
    responses: responsesOf(file),
    examples: [
      {
        name: 'as a download',
        expect: {
          status: 200,
          headers: {
            'content-type': file.contentType,
            'content-disposition': new RegExp(`^attachment; filename="${file.name.replaceAll('.', '\\.')}"`),
            etag: /^"/,
            'accept-ranges': 'bytes',
            ...(file.password && { 'x-keystore-password': file.password }),
          },
          ...beginnings.find(([ending]) => ending.test(file.name))![1],
        },
      },
    ],
    handle: async (call) => fileAnswer(call, file),
  }),
);

export const certificateFileEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'certs',
    group,
    methods: ['GET'],
    path: '/certs',
    aliases: ['/certificates'],
    summary: 'Every file of the test authority.',
    responses: { 200: json('Names, types, addresses and passwords.') },
    examples: [
      {
        name: 'the trust store among them',
        expect: {
          status: 200,
          json: { password: 'changeit' },
          text: /"name": "truststore\.jks",\n\s+"url": "\/certs\/truststore\.jks",\n\s+"contentType": "application\/x-java-keystore"/,
        },
      },
    ],
    handle: (call) =>
      reply.json({
        password: STORE_PASSWORD,
        files: servedFiles(call).map(({ name, contentType, summary, password }) => ({
          name,
          url: `/certs/${name}`,
          contentType,
          summary,
          ...(password && { password }),
        })),
        bundle: '/certs/bundle.zip',
        ocsp: '/certs/ocsp',
        scenarios: shownScenarios.map(({ id }) => `/certs/${id}.pem`),
      }),
  }),
  ...fileEndpoints,
  endpoint({
    id: 'certs-bundle',
    group,
    methods: ['GET'],
    path: '/certs/bundle.zip',
    aliases: ['/certificates/bundle.zip'],
    summary: 'Everything in one archive, the .proto files of the gRPC services as well.',
    responses: { 200: binary('The archive.', 'application/zip'), 503: notReady },
    examples: [
      {
        name: 'as a download',
        expect: {
          status: 200,
          headers: {
            'content-type': 'application/zip',
            'content-disposition': /^attachment; filename="bundle\.zip"/,
            'x-keystore-password': 'changeit',
          },
          text: /^PK\x03\x04[\s\S]+ca\.pem[\s\S]+keystore\.jks[\s\S]+scenarios\/expired\.pem[\s\S]+PK\x05\x06/,
        },
      },
    ],
    handle: bundleAnswer,
  }),
  endpoint({
    id: 'certs-scenario',
    group,
    methods: ['GET'],
    path: '/certs/{file}',
    aliases: ['/certificates/{file}'],
    summary: 'The certificates of a TLS scenario: its id and `.pem`.',
    params: Type.Object({ file: Type.String({ description: 'Such as `expired.pem`.' }) }),
    responses: { 200: binary('The chain.', 'application/x-pem-file'), 404: unknown, 503: notReady },
    examples: [
      {
        name: 'of a scenario',
        path: '/certs/wrong-eku.pem',
        expect: {
          status: 200,
          headers: { 'content-type': 'application/x-pem-file' },
          text: certificate,
        },
      },
      {
        name: 'something else',
        path: '/certs/shadow',
        expect: { status: 404, json: { file: 'shadow' } },
      },
    ],
    handle: async (call) => {
      const { file } = call.params;
      const found = shownScenarios.find(({ id }) => `${id}.pem` === file);
      if (!found) throw fault('certificate-file.unknown', { file });
      const material = await call.services.tls.material();
      return download(call, file, 'application/x-pem-file', Buffer.from(material.chainPem(found.chain)));
    },
  }),
];

async function fileAnswer(call: TestbedCall, file: CertificateFile): Promise<PlainAnswer> {
  const { settings, tls, clock } = call.services;
  if (file.hasServerKey && settings.isPublic) {
    throw fault('feature.disabled', { feature: 'The key of the server', reason: 'the service is public' });
  }
  const content = file.content(await tls.material(), clock.now());
  return download(call, file.name, file.contentType, content, file.password);
}

async function bundleAnswer(call: TestbedCall): Promise<PlainAnswer> {
  const { tls, clock } = call.services;
  const material = await tls.material();
  const files = servedFiles(call).map(({ name, content }) => ({
    name,
    content: content(material, clock.now()),
  }));
  const chains = shownScenarios.map(({ id, chain }) => ({
    name: `scenarios/${id}.pem`,
    content: Buffer.from(material.chainPem(chain)),
  }));
  const protos = protoFileNames.map((name) => ({
    name: `proto/${name}`,
    content: Buffer.from(readProtoFile(name)),
  }));
  // Files of the same age have the same archive.
  const archive = zipArchive([...files, ...chains, ...protos], material.x509('server').validFromDate);
  return download(call, 'bundle.zip', 'application/zip', archive, STORE_PASSWORD);
}

function servedFiles({ services: { settings } }: TestbedCall): readonly CertificateFile[] {
  return certificateFiles.filter(({ hasServerKey }) => !(hasServerKey && settings.isPublic));
}

function download(
  call: TestbedCall,
  name: string,
  contentType: string,
  content: Buffer,
  password?: string,
): PlainAnswer {
  const headers = ['Content-Disposition', attachmentDisposition(name)];
  if (password) headers.push('X-Keystore-Password', password);
  return rangedAnswer(call, content, { contentType, headers });
}
