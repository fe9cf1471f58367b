import { type TSchema, Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule, ResponseDeclaration } from '../../../kernel/catalogue/endpoint.ts';
import { newerFailureSchema } from '../../../kernel/contracts/newer.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { fault } from '../../../kernel/faults.ts';
import {
  type CategoryName,
  categoryNames,
  defaultSettings,
  type SettingsOf,
  settingsCategories,
} from '../../../model/settings-category.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import { plainResult } from '../../resources/plain-result.ts';
import type { ManagerServices } from '../../services.ts';
import type { CategoryValues } from './settings-service.ts';

const group = 'Settings';
const mayView: AccessRule = { category: 'GLOBAL_SETTINGS', action: 'VIEW', scope: 'global' };
const mayManage: AccessRule = { category: 'GLOBAL_SETTINGS', action: 'MANAGE', scope: 'global' };

const settingsList = endpoint({
  id: 'settings-list',
  group,
  methods: ['GET'],
  path: '/apiops/settings/',
  summary: 'Lists the categories of settings with their schemas.',
  access: mayView,
  errors: 'newer',
  responses: { 200: json('The categories.') },
  examples: [
    {
      name: 'the categories',
      ...signedIn,
      expect: { status: 200, json: { total: categoryNames.length } },
    },
  ],
  handle: () => {
    const items = categoryNames.map((category) => ({ category, ...settingsCategories[category] }));
    return reply.json({ items, total: items.length });
  },
});

const unknownCategory = endpoint({
  id: 'settings-unknown-category',
  group,
  methods: ['GET', 'PUT'],
  path: '/apiops/settings/{category}/',
  summary: 'Names the categories to who asks for one that does not exist.',
  access: mayView,
  errors: 'newer',
  params: Type.Object({ category: Type.String() }),
  responses: { 404: json('The categories that there are.', newerFailureSchema) },
  examples: [
    {
      name: 'a category that does not exist',
      path: '/apiops/settings/colours/',
      ...signedIn,
      expect: { status: 404, json: { errorKey: 'RESOURCE_NOT_FOUND', status: 404 } },
    },
  ],
  handle: ({ params }) => {
    throw fault('settings.not-found', { category: params.category, categories: categoryNames.join(', ') });
  },
});

export const settingsEndpoints: readonly ManagerEndpoint[] = [
  settingsList,
  ...categoryNames.flatMap(categoryEndpoints),
  unknownCategory,
];

/** Every category has a path of its own, so that its schema checks what is sent and stands in the document. */
function categoryEndpoints(category: CategoryName): ManagerEndpoint[] {
  const { title, schema } = settingsCategories[category];
  const path = `/apiops/settings/${category}/`;
  const responses = { 200: settingsResponse(schema) };
  return [
    endpoint({
      id: `settings-${category}-get`,
      group,
      methods: ['GET'],
      path,
      summary: `Shows the settings of the category ${title}.`,
      access: mayView,
      errors: 'newer',
      responses,
      examples: [
        {
          name: 'the defaults',
          ...signedIn,
          expect: { status: 200, headers: { etag: '"0"' }, json: { values: defaultSettings(category) } },
        },
      ],
      handle: async ({ services }) => answerOf(category, await services.settings.read(category)),
    }),
    endpoint({
      id: `settings-${category}-put`,
      group,
      methods: ['PUT'],
      path,
      summary: `Changes the settings of the category ${title}. Members that are left out take their defaults.`,
      access: mayManage,
      errors: 'newer',
      body: jsonBody(schema as TSchema),
      responses,
      examples: [
        {
          name: 'the defaults again',
          ...sending({}),
          expect: { status: 200, headers: { etag: '"1"' }, json: { values: defaultSettings(category) } },
        },
        {
          name: 'an unknown member',
          ...sending({ colour: 'red' }),
          expect: {
            status: 400,
            json: { errorKey: 'VALIDATION_FAILED', message: /must not have the member colour/ },
          },
        },
      ],
      handle: async (call) => {
        const values = call.body as SettingsOf<CategoryName>;
        await refuseMissingEnvironment(values, call.services);
        const expected = expectedRevision(call.request);
        const { before, after } = await call.services.settings.put(category, values, expected);
        await audit(call, {
          action: 'UPDATE',
          objectType: 'settings',
          objectName: category,
          before: before.values,
          after: after.values,
        });
        return answerOf(category, after);
      },
    }),
  ];
}

/** A slip of the pen would end the delivery of logs without a word. */
async function refuseMissingEnvironment(values: object, { environments }: ManagerServices): Promise<void> {
  if ('environmentName' in values) await environments.require(String(values.environmentName));
}

function answerOf(category: CategoryName, { revision, values }: CategoryValues) {
  return plainResult({ category, title: settingsCategories[category].title, values }, revision);
}

function settingsResponse(values: TSchema): ResponseDeclaration {
  return json('The settings.', Type.Object({ category: Type.String(), title: Type.String(), values }));
}
