import { json } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { servedAnswer } from './served-answer.ts';

export const documentationEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    id: 'openapi',
    group: 'Documentation',
    methods: ['GET'],
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 document of this API.',
    access: 'open',
    responses: { 200: json('The document.') },
    examples: [],
    handle: ({ request, services }) =>
      servedAnswer(request, services.descriptions.openApi(), 'application/json'),
  }),
];
