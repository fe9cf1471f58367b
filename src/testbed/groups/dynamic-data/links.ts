import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { html, int32, json, problem, redirect } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Dynamic Data';
const maxLinks = 200;
const count = int32({
  minimum: 0,
  description: `How many links: 1 to ${maxLinks}, others are moved into that range.`,
});

const linkPage = endpoint({
  id: 'links-page',
  group,
  methods: ['GET'],
  path: '/links/{n}/{offset}',
  summary: 'A page of n links to its sisters; the one at the offset is plain text.',
  params: Type.Object({ n: count, offset: int32({ minimum: 0, description: 'The page that this one is.' }) }),
  responses: { 200: html('The page.'), 400: problem('A parameter is not valid.') },
  examples: [
    {
      name: 'three, the second is this page',
      path: '/links/3/1',
      expect: {
        status: 200,
        text:
          '<html><head><title>Links</title></head><body>' +
          "<a href='/links/3/0'>0</a> 1 <a href='/links/3/2'>2</a> </body></html>",
      },
    },
    { name: 'no less than one', path: '/links/0/0', expect: { status: 200, text: /<body>0 <\/body>/ } },
    { name: 'no more than 200', path: '/links/999/0', expect: { status: 200, text: /\/links\/200\/199/ } },
    { name: 'no number', path: '/links/x/0', expect: { status: 400, json: { detail: /n must be/ } } },
  ],
  handle: ({ params }) => {
    const total = Math.min(Math.max(params.n, 1), maxLinks);
    const links = Array.from({ length: total }, (_, index) =>
      index === params.offset ? `${index} ` : `<a href='/links/${total}/${index}'>${index}</a> `,
    );
    return reply.html(`<html><head><title>Links</title></head><body>${links.join('')}</body></html>`);
  },
});

const linksStart = endpoint({
  id: 'links',
  group,
  methods: ['GET'],
  path: '/links/{n}',
  summary: 'Leads to the first page of n links.',
  params: Type.Object({ n: count }),
  responses: { 302: redirect(), 400: problem('n is not valid.') },
  examples: [
    {
      name: 'the first page',
      path: '/links/5',
      expect: { status: 302, headers: { location: '/links/5/0' } },
    },
    { name: 'no number', path: '/links/x', expect: { status: 400 } },
  ],
  handle: ({ params }) => reply.redirect(`/links/${params.n}/0`),
});

const now = endpoint({
  id: 'now',
  group,
  methods: ['GET'],
  path: '/now',
  summary: 'The time of the service, in the forms that protocols use.',
  responses: { 200: json('The same moment three times.') },
  examples: [
    {
      name: 'now',
      expect: {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        text: /^\{\n {2}"epochMs": \d{13},\n {2}"iso8601": "[\d-]{10}T[\d:.]{12}Z",\n {2}"httpDate": "\w{3}, .+ GMT"\n\}\n$/,
      },
    },
  ],
  handle: ({ services }) => {
    const epochMs = services.clock.now();
    const moment = new Date(epochMs);
    return reply.json(
      { epochMs, iso8601: moment.toISOString(), httpDate: moment.toUTCString() },
      { headers: ['Cache-Control', 'no-store'] },
    );
  },
});

export const links: readonly TestbedEndpoint[] = [linkPage, linksStart, now];
