import { type TProperties, Type } from 'typebox';
import { jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import {
  KEY_STORE_BODY_BYTES,
  keyStoreChange,
  keyStoreInput,
  keyStoreView,
  type StoredKeyStore,
} from '../../../model/key-store.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { envelopeDone, envelopeList, envelopeOne, oneResult } from '../../resources/envelope-responses.ts';
import { refused, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import type { ManagerServices } from '../../services.ts';
import { GLOBAL_SCOPE, type KeyStoreService } from './key-store-service.ts';

interface StoreEndpointsOptions {
  /** Of the entries, such as `key-store`. */
  readonly id: string;
  readonly group: string;
  /** The last part of the path, such as `keystores`. */
  readonly segment: string;
  /** How it is called in sentences, such as `key store`. */
  readonly noun: string;
  readonly serviceOf: (services: ManagerServices) => KeyStoreService;
}

/** The endpoints of key stores or trust stores: those of each project, and those that all projects may use. */
export function storeEndpoints(options: StoreEndpointsOptions): ManagerEndpoint[] {
  const { segment } = options;
  return [
    ...endpointsOf(options, 'project', `/apiops/projects/{project}/${segment}/`, ' of a project'),
    ...endpointsOf(options, 'global', `/apiops/${segment}/`, ' for all projects'),
  ];
}

function endpointsOf(
  { id, group, noun, serviceOf }: StoreEndpointsOptions,
  scope: 'project' | 'global',
  base: string,
  whose: string,
): ManagerEndpoint[] {
  const prefix = scope === 'global' ? `global-${id}` : id;
  const inProject: TProperties = scope === 'project' ? { project: Type.String() } : {};
  const access = (action: string): AccessRule => ({ category: 'SECRETS', action, scope });
  const scopeParams = Type.Object(inProject);
  const nameParams = Type.Object({ ...inProject, name: Type.String() });
  const listed = { group, path: base, errors: 'envelope', params: scopeParams } as const;
  const named = {
    group,
    path: `${base}{name}/`,
    errors: 'envelope',
    params: nameParams,
  } as const;
  const objectType = noun;
  const examplePath = base.replace('{project}', 'Default');
  return [
    endpoint({
      ...listed,
      id: `${prefix}-list`,
      methods: ['GET'],
      summary: `Lists the ${noun}s${whose}; never what is in them.`,
      access: access('VIEW'),
      query: Type.Object(listParameters(['name', 'type'])),
      responses: { 200: envelopeList(keyStoreView) },
      examples: [
        {
          name: 'none yet',
          path: examplePath,
          ...signedIn,
          expect: { status: 200, json: { status: 'SUCCESS', resultList: [], resultCount: 0 } },
        },
      ],
      handle: async ({ params, query, services }) => {
        const { id: scopeId } = await scopeOf(params, services);
        const { documents, total } = await serviceOf(services).page(
          scopeId,
          listQueryOf<StoredKeyStore>(query),
        );
        const now = services.clock.now();
        return success({ resultList: documents.map((one) => viewOf(one, now)), resultCount: total });
      },
    }),
    endpoint({
      ...listed,
      id: `${prefix}-create`,
      methods: ['POST'],
      summary: `Takes in a ${noun}${whose}. It must open with its password and be fit for its purpose.`,
      access: access('MANAGE'),
      body: jsonBody(keyStoreInput, { maxBytes: KEY_STORE_BODY_BYTES }),
      responses: { 200: envelopeOne(keyStoreView) },
      examples: [
        {
          name: 'a file that is none',
          path: examplePath,
          ...sending({ name: 'partner', type: 'JKS', content: 'AAAA', password: 'changeit' }),
          expect: refused(/^The JKS file is malformed/),
        },
      ],
      handle: async (call) => {
        const { params, body, services } = call;
        const { id: scopeId, projectName } = await scopeOf(params, services);
        const created = await serviceOf(services).create(scopeId, body);
        const after = viewOf(created, services.clock.now());
        await audit(call, { action: 'CREATE', objectType, objectName: after.name, projectName, after });
        return oneResult(after, created.revision);
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}-get`,
      methods: ['GET'],
      summary: `Shows what a ${noun}${whose} holds: certificates, never keys.`,
      access: access('VIEW'),
      responses: { 200: envelopeOne(keyStoreView) },
      examples: [
        {
          name: 'an unknown one',
          path: `${examplePath}none/`,
          ...signedIn,
          expect: refused(/was not found!$/),
        },
      ],
      handle: async ({ params, services }) => {
        const { id: scopeId } = await scopeOf(params, services);
        const found = await serviceOf(services).require(scopeId, textOf(params, 'name'));
        return oneResult(viewOf(found, services.clock.now()), found.revision);
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}-update`,
      methods: ['PUT'],
      summary: `Changes a ${noun}${whose}. Without content the stored file stays.`,
      access: access('MANAGE'),
      body: jsonBody(keyStoreChange, { maxBytes: KEY_STORE_BODY_BYTES }),
      responses: { 200: envelopeOne(keyStoreView) },
      examples: [
        {
          name: 'an unknown one',
          path: `${examplePath}none/`,
          ...sending({ description: 'ours' }),
          expect: refused(/was not found!$/),
        },
      ],
      handle: async (call) => {
        const { params, body, request, services } = call;
        const { id: scopeId, projectName } = await scopeOf(params, services);
        const name = textOf(params, 'name');
        const changed = await serviceOf(services).update(scopeId, name, body, expectedRevision(request));
        const now = services.clock.now();
        const [before, after] = [viewOf(changed.before, now), viewOf(changed.after, now)];
        await audit(call, { action: 'UPDATE', objectType, objectName: name, projectName, before, after });
        return oneResult(after, changed.after.revision);
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}-delete`,
      methods: ['DELETE'],
      summary: `Deletes a ${noun}${whose}. Refused while connections use it, unless forced.`,
      access: access('MANAGE'),
      query: Type.Object({
        force: Type.Boolean({ default: false, description: 'whether connections are left without it' }),
      }),
      responses: { 200: envelopeDone },
      examples: [
        {
          name: 'an unknown one',
          path: `${examplePath}none/`,
          ...signedIn,
          expect: refused(/was not found!$/),
        },
      ],
      handle: async (call) => {
        const { params, query, request, services } = call;
        const { id: scopeId, projectName } = await scopeOf(params, services);
        const name = textOf(params, 'name');
        const removed = await serviceOf(services).remove(
          scopeId,
          name,
          expectedRevision(request),
          async (type) =>
            query.force ? '' : (await services.connections.namesUsing(type, scopeId, name)).join(', '),
        );
        const before = viewOf(removed, services.clock.now());
        await audit(call, { action: 'DELETE', objectType, objectName: name, projectName, before });
        return success();
      },
    }),
  ];
}

/** A path without a project means what is there for all of them. */
async function scopeOf(
  params: object,
  { projects }: ManagerServices,
): Promise<{ readonly id: string; readonly projectName?: string }> {
  if (!('project' in params)) return { id: GLOBAL_SCOPE };
  const { id, value } = await projects.require(textOf(params, 'project'));
  return { id, projectName: value.name };
}

function textOf(params: object, name: string): string {
  return (params as Readonly<Record<string, string>>)[name] ?? '';
}

function viewOf({ id, value }: Stored<StoredKeyStore>, now: number) {
  const { name, description, type, entries } = value;
  const expireDate = entries.map(({ notAfter }) => notAfter).sort()[0]!;
  return {
    id,
    name,
    description,
    type,
    expireDate,
    expired: Date.parse(expireDate) < now,
    aliasList: entries,
  };
}
