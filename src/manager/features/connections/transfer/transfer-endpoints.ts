import { Type } from 'typebox';
import { reply } from '../../../../kernel/catalogue/answer.ts';
import { binary, json, jsonBody } from '../../../../kernel/catalogue/declarations.ts';
import { etagOf } from '../../../../kernel/contracts/revisions.ts';
import { connectionView } from '../../../../model/connection-document.ts';
import { deploymentResult } from '../../../../platform/deployment/deployment-result.ts';
import { endpoint, type ManagerEndpoint } from '../../../endpoint.ts';
import { audit } from '../../../resources/audit.ts';
import { sending, signedIn } from '../../../resources/examples.ts';
import { type ConnectionPlace, nameOf, requirePermission, scopeOf } from '../connection-calls.ts';
import { webhookExample } from '../connection-declarations.ts';
import { auditedViewOf, wholeViewOf } from '../connection-view.ts';
import { switchDeployed } from '../deploy-after-save.ts';
import { exportFileName } from './connection-archive.ts';
import { exportConnection, maskedSecretsOf } from './export-connection.ts';
import {
  carryOut,
  checkImport,
  IMPORT_BODY_BYTES,
  importCheckInput,
  importInput,
  importReport,
  planImport,
} from './import-connection.ts';
import { readExport } from './read-export.ts';

const objectType = 'connection';
const dependency = Type.Object({ type: Type.String(), name: Type.String() });
const imported = json(
  'The connection, and what became of what it needs.',
  Type.Object({
    connection: connectionView,
    createdList: Type.Array(dependency),
    excludedList: Type.Array(dependency),
    missingSecretList: Type.Array(Type.Object({ environmentName: Type.String(), member: Type.String() }), {
      description: 'to be given by a change of the connection before it can be deployed',
    }),
    deploymentResult: Type.Optional(deploymentResult),
  }),
);
const noZip = {
  name: 'what is no ZIP file',
  ...sending({ content: Buffer.from('not a ZIP file').toString('base64') }),
  expect: { status: 422, json: { errorKey: 'ARCHIVE_REFUSED', details: { reason: 'malformed' } } },
} as const;

/** Connections as ZIP files (spec 2 §4.5). */
export function transferEndpoints({
  prefix,
  base,
  examplePath,
  whose,
  params,
  access,
}: ConnectionPlace): ManagerEndpoint[] {
  const common = {
    group: 'Connections',
    spec: '2 §4.5',
    errors: 'newer',
    access: access('EXPORT_IMPORT'),
  } as const;
  const crm = `${examplePath}crm/`;
  return [
    endpoint({
      ...common,
      id: `${prefix}connection-export`,
      methods: ['GET'],
      path: `${base}{name}/export/`,
      summary: `Answers a connection ${whose} as a ZIP file with what it refers to. Secrets and private keys stay here.`,
      params: Type.Object({ ...params, name: Type.String() }),
      responses: {
        200: {
          ...binary('The ZIP file.', 'application/zip'),
          headers: { 'Content-Disposition': 'Its name: <date>-webhook-integration-<Name>-export.zip.' },
        },
      },
      examples: [
        {
          name: 'a connection',
          setUp: [{ method: 'POST', path: crm, ...sending(webhookExample) }],
          path: `${crm}export/`,
          ...signedIn,
          expect: {
            status: 200,
            headers: {
              'content-type': 'application/zip',
              'content-disposition':
                /^attachment; filename="\d{4}-\d\d-\d\d-webhook-integration-crm-export\.zip"/,
            },
            text: /manifest\.json/,
          },
        },
        {
          name: 'an unknown one',
          path: `${crm}export/`,
          ...signedIn,
          expect: { status: 404, json: { errorKey: 'CONNECTION_NOT_FOUND' } },
        },
      ],
      handle: async (call) => {
        const { params: where, services } = call;
        const { id, projectName } = await scopeOf(where, services);
        const connection = await services.connections.require(id, nameOf(where));
        const content = await exportConnection(connection, services);
        const objectName = connection.value.name;
        await audit(call, { action: 'EXPORT', objectType, objectName, projectName });
        const fileName = exportFileName(objectName, services.clock.now());
        return reply.bytes(content, 'application/zip', {
          headers: ['Content-Disposition', attachment(fileName)],
        });
      },
    }),
    endpoint({
      ...common,
      id: `${prefix}connection-import-check`,
      methods: ['POST'],
      path: `${base}import/check/`,
      summary:
        'Looks whether a ZIP file can be imported, and what has to be decided first. Nothing is changed.',
      params: Type.Object(params),
      body: jsonBody(importCheckInput, { maxBytes: IMPORT_BODY_BYTES }),
      responses: { 200: json('What was found.', importReport) },
      examples: [{ ...noZip, path: `${examplePath}import/check/` }],
      handle: async ({ params: where, body, services }) => {
        const { id } = await scopeOf(where, services);
        const read = await readExport(Buffer.from(body.content, 'base64'));
        return reply.json(await checkImport(read, id, body.fileName, services));
      },
    }),
    endpoint({
      ...common,
      id: `${prefix}connection-import`,
      methods: ['POST'],
      path: `${base}import/`,
      summary: `Imports a connection ${whose} from a ZIP file, as was decided. Secrets have to be given anew.`,
      params: Type.Object(params),
      body: jsonBody(importInput, { maxBytes: IMPORT_BODY_BYTES }),
      responses: { 200: imported },
      examples: [{ ...noZip, path: `${examplePath}import/` }],
      handle: async (call) => {
        const { params: where, body, services } = call;
        const scope = await scopeOf(where, services);
        const { projectName } = scope;
        const read = await readExport(Buffer.from(body.content, 'base64'));
        const report = await checkImport(read, scope.id, body.fileName, services);
        const plan = await planImport(read, report, body, scope.id, services);
        if (plan.trustStoreNames.length > 0) requirePermission(call, 'SECRETS', 'MANAGE', projectName);
        const { before, after } = await carryOut(plan, read, scope.id, services);
        const created = plan.trustStoreNames.map((name) => ({ type: 'TrustStore', name }));
        for (const { name } of created)
          await audit(call, { action: 'CREATE', objectType: 'trust store', objectName: name, projectName });
        await audit(call, {
          action: 'IMPORT',
          objectType,
          objectName: after.value.name,
          projectName,
          ...(before && { before: await auditedViewOf(services, before) }),
          after: await auditedViewOf(services, after),
        });
        const isSwitched = before !== undefined && before.value.isEnabled !== after.value.isEnabled;
        const result = isSwitched ? await switchDeployed(call, after, scope) : undefined;
        return reply.json(
          {
            connection: await wholeViewOf(call, after, scope),
            createdList: created,
            excludedList: plan.excluded,
            missingSecretList: maskedSecretsOf(plan.connection),
            ...(result && { deploymentResult: result }),
          },
          { headers: ['ETag', etagOf(after.revision)] },
        );
      },
    }),
  ];
}

/** RFC 6266: readable everywhere, and exact where letters beyond ASCII are understood. */
function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
}
