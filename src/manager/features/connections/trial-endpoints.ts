import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody } from '../../../kernel/catalogue/declarations.ts';
import {
  CONNECTION_BODY_BYTES,
  changedParametersUnderTest,
  connectionTypes,
  parametersUnderTest,
} from '../../../model/connection-document.ts';
import { connectionTestResult } from '../../../platform/deployment/connection-tester.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import { type ConnectionPlace, nameOf, scopeOf } from './connection-calls.ts';
import { unknownConnection, webhookExample, withoutPods } from './connection-declarations.ts';
import { parametersIn } from './connection-parameters.ts';

const { type: _, description: __, ...parametersExample } = webhookExample;

/** The newer contract: what is asked before a connection is saved (spec 2 §4.5). */
export function trialEndpoints(place: ConnectionPlace): ManagerEndpoint[] {
  const { prefix, base, examplePath, whose, access } = place;
  const crm = `${examplePath}crm/`;
  const created = { method: 'POST', path: crm, ...sending(webhookExample) };
  const common = { group: 'Connections', spec: '2 §4.5', errors: 'newer' } as const;
  const inScope = { ...common, params: Type.Object(place.params) } as const;
  const named = { ...common, params: Type.Object({ ...place.params, name: Type.String() }) } as const;
  return [
    endpoint({
      ...inScope,
      id: `${prefix}connection-name-exist`,
      methods: ['GET'],
      path: `${base}name-exist/`,
      summary: `Tells whether a connection ${whose} has this name already.`,
      access: access('VIEW'),
      query: Type.Object({
        name: Type.String({ maxLength: 1000 }),
        type: Type.String({ enum: connectionTypes, default: 'webhook' }),
      }),
      responses: { 200: json('Whether it is taken.', Type.Object({ nameExist: Type.Boolean() })) },
      examples: [
        {
          name: 'a free name',
          path: `${examplePath}name-exist/?name=crm&type=webhook`,
          ...signedIn,
          expect: { status: 200, json: { nameExist: false } },
        },
        {
          name: 'a taken name',
          setUp: [created],
          path: `${examplePath}name-exist/?name=crm&type=webhook`,
          ...signedIn,
          expect: { status: 200, json: { nameExist: true } },
        },
      ],
      handle: async ({ params, query, services }) => {
        const { id } = await scopeOf(params, services);
        const found = await services.connections.find(id, query.name);
        return reply.json({ nameExist: found !== undefined });
      },
    }),
    endpoint({
      ...inScope,
      id: `${prefix}connection-test-unsaved`,
      methods: ['POST'],
      path: `${base}test-connection/`,
      summary:
        'Tries parameters before they are saved: a worker pod of the environment contacts the real endpoint.',
      access: access('MANAGE'),
      body: jsonBody(parametersUnderTest, { maxBytes: CONNECTION_BODY_BYTES }),
      responses: { 200: json('What the pod found, good or bad.', connectionTestResult) },
      examples: [
        {
          name: 'without a worker pod',
          path: `${examplePath}test-connection/`,
          ...sending(parametersExample),
          expect: withoutPods,
        },
        {
          name: 'an address that is none',
          path: `${examplePath}test-connection/`,
          ...sending({ ...parametersExample, fullUrl: 'ftp://crm.example/' }),
          expect: {
            status: 400,
            json: { errorKey: 'VALIDATION_FAILED', message: /^At \/fullUrl: must begin with http/ },
          },
        },
      ],
      handle: async ({ params, body, services }) => {
        const { id: scope } = await scopeOf(params, services);
        const environment = await services.connections.environmentOf(body);
        const given = parametersIn(body);
        const parameters = await services.connections.parametersToTry(scope, environment, given);
        const tried = { name: 'unsaved', scope, parameters };
        return reply.json(await services.connectionTester.test(tried, environment.value.name));
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-test`,
      methods: ['POST'],
      path: `${base}{name}/test-connection/`,
      summary: `Tries a connection ${whose}, enabled or not. Parameters that are sent stand over the saved ones; nothing is saved.`,
      access: access('MANAGE'),
      body: jsonBody(changedParametersUnderTest, { maxBytes: CONNECTION_BODY_BYTES }),
      responses: { 200: json('What the pod found, good or bad.', connectionTestResult) },
      examples: [
        {
          name: 'without a worker pod',
          setUp: [created],
          path: `${crm}test-connection/`,
          ...sending({ environmentName: 'Development' }),
          expect: withoutPods,
        },
        {
          ...unknownConnection,
          path: `${crm}test-connection/`,
          ...sending({ environmentName: 'Development' }),
        },
      ],
      handle: async ({ params, body, services }) => {
        const { id: scope } = await scopeOf(params, services);
        const connection = await services.connections.require(scope, nameOf(params));
        const environment = await services.connections.environmentOf(body);
        const given = parametersIn(body);
        const parameters = await services.connections.parametersToTry(scope, environment, given, connection);
        const tried = { name: connection.value.name, scope, parameters };
        return reply.json(await services.connectionTester.test(tried, environment.value.name));
      },
    }),
  ];
}
