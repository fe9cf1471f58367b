import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { html, int32, json, problem, redirect } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { dialectOf } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Dynamic Data';
const maxLinks = 200;
const maxGoLinks = 256;
const count = int32({
  minimum: 0,
  description: `How many links: 1 to ${maxLinks}, others are moved into that range; the go dialect takes 0 to ${maxGoLinks} and refuses others.`,
});

function linkCount(call: TestbedCall & { readonly params: { readonly n: number } }): number {
  const { n } = call.params;
  if (dialectOf(call) !== 'go') return Math.min(Math.max(n, 1), maxLinks);
  if (n <= maxGoLinks) return n;
  throw fault('parameter.invalid', { in: 'path', name: 'n', rule: `must be at most ${maxGoLinks}` });
}

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
    {
      name: 'go-httpbin dialect',
      path: '/links/2/0?dialect=go',
      expect: { status: 200, text: /<body>0 <a href="\/links\/2\/1">1<\/a> <\/body>/ },
    },
    { name: 'no number', path: '/links/x/0', expect: { status: 400, json: { detail: /n must be/ } } },
  ],
  handle: (call) => {
    const total = linkCount(call);
    const quote = dialectOf(call) === 'go' ? '"' : "'";
    const links = Array.from({ length: total }, (_, index) =>
      index === call.params.offset
        ? `${index} `
        : `<a href=${quote}/links/${total}/${index}${quote}>${index}</a> `,
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
    {
      name: 'more than go-httpbin has',
      path: '/links/257?dialect=go',
      expect: { status: 400, json: { detail: /must be at most 256/ } },
    },
  ],
  handle: (call) => {
    if (dialectOf(call) === 'go') linkCount(call);
    return reply.redirect(`/links/${call.params.n}/0`);
  },
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
