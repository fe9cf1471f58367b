import { Type } from 'typebox';
import { json } from '../../../kernel/catalogue/declarations.ts';
import type { ResponseDeclaration } from '../../../kernel/catalogue/endpoint.ts';
import { connectionView } from '../../../model/connection-document.ts';
import { deploymentResult } from '../../../platform/deployment/deployment-result.ts';
import { signedIn } from '../../resources/examples.ts';

/** One connection in the older contract, with what came of a deployment. */
export const connectionResponse: ResponseDeclaration = {
  ...json(
    'The connection.',
    Type.Object({
      status: Type.Literal('SUCCESS'),
      resultMessage: Type.Optional(Type.String()),
      resultList: Type.Array(connectionView),
      resultCount: Type.Literal(1),
      deploymentResult: Type.Optional(deploymentResult),
    }),
  ),
  headers: { ETag: 'Its revision, for If-Match.' },
};

/** What examples begin with. */
export const webhookExample = {
  type: 'webhook',
  description: 'events for the customer system',
  environmentName: 'Development',
  httpMethod: 'POST',
  fullUrl: 'https://crm.example/events',
  headerList: [{ name: 'Authorization', value: 'Bearer s3cret' }],
} as const;

/** What examples get for a name that leads nowhere. */
export const unknownConnection = {
  name: 'an unknown one',
  ...signedIn,
  expect: {
    status: 404,
    json: { errorKey: 'CONNECTION_NOT_FOUND', message: 'Connection (name: crm) was not found!' },
  },
} as const;

/** What examples get where no worker runs. */
export const withoutPods = {
  status: 409,
  json: { errorKey: 'NO_LIVE_POD', message: 'Environment (Development) has no live worker pod!' },
} as const;
