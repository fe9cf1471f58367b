import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { JOURNAL_ID_PATTERN } from '../../journal.ts';
import { refuseInPublic } from '../../public-mode.ts';

const group = 'Request Inspection';

const journalParams = Type.Object({ id: Type.String({ pattern: JOURNAL_ID_PATTERN }) });
const recorded = {
  path: '/get?x=1',
  headers: ['Host', 'a.example', 'X-Test-Journal', 'example', 'Connection', 'close'],
};

const journals = endpoint({
  id: 'journals',
  group,
  methods: ['GET'],
  path: '/journal',
  summary: 'Lists the journals there are. Not in public mode, where an id is a secret of its client.',
  responses: { 200: json('Ids and counts.'), 403: problem('The service runs in public mode.') },
  examples: [
    {
      name: 'one journal',
      setUp: [recorded, { path: '/ip?__journal=other' }],
      expect: {
        status: 200,
        json: {
          droppedIds: 0,
          journals: [
            { id: 'example', count: 1 },
            { id: 'other', count: 1 },
          ],
        },
      },
    },
    {
      name: 'an id that is none',
      path: '/get',
      headers: ['X-Test-Journal', 'a b'],
      expect: { status: 400, json: { name: 'X-Test-Journal' } },
    },
  ],
  handle: async ({ services }) => {
    refuseInPublic(services.settings, 'The list of journals');
    return reply.json(await services.state.journal.list());
  },
});

const journal = endpoint({
  id: 'journal',
  group,
  methods: ['GET'],
  path: '/journal/{id}',
  summary: 'Tells every request that carried this journal id: when, on which connection, with which head.',
  description:
    'A request is recorded when it carries `X-Test-Journal: <id>` or `?__journal=<id>`. It shows retries, reused ' +
    'connections and requests that were smuggled. Old entries make room for new ones and are counted in `dropped`.',
  params: journalParams,
  responses: { 200: json('The entries, oldest first.'), 404: problem('Nothing is recorded under this id.') },
  examples: [
    {
      name: 'what arrived',
      path: '/journal/example',
      setUp: [
        recorded,
        { method: 'POST', path: '/nowhere', headers: ['X-Test-Journal', 'example'], body: 'abc' },
      ],
      expect: {
        status: 200,
        json: {
          id: 'example',
          count: 2,
          dropped: 0,
          entries: [
            {
              no: 1,
              at: /^\d{4}-\d\d-\d\dT/,
              method: 'GET',
              target: '/get?x=1',
              requestNo: 1,
              rawHead:
                'GET /get?x=1 HTTP/1.1\r\nHost: a.example\r\nX-Test-Journal: example\r\nConnection: close\r\n\r\n',
              bodyLength: 0,
            },
            { no: 2, method: 'POST', target: '/nowhere', bodyFraming: 'length', bodyLength: 3 },
          ],
        },
      },
    },
    { name: 'nothing there', path: '/journal/unheard-of', expect: { status: 404 } },
    { name: 'an id that is none', path: '/journal/a%20b', expect: { status: 400, json: { name: 'id' } } },
  ],
  handle: async ({ params, services }) => {
    const view = await services.state.journal.read(params.id);
    if (!view) throw fault('journal.not-found', { id: params.id });
    const entries = view.entries.map(({ atMs, ...entry }) => ({
      ...entry,
      at: new Date(atMs).toISOString(),
    }));
    return reply.json({ ...view, entries }, { headers: ['Cache-Control', 'no-store'] });
  },
});

const journalDelete = endpoint({
  id: 'journal-delete',
  group,
  methods: ['DELETE'],
  path: '/journal/{id}',
  summary: 'Forgets a journal.',
  params: journalParams,
  responses: { 204: noBody('Forgotten.'), 404: problem('Nothing is recorded under this id.') },
  examples: [
    { name: 'forgotten', path: '/journal/example', setUp: [recorded], expect: { status: 204, length: 0 } },
    { name: 'nothing there', path: '/journal/unheard-of', expect: { status: 404 } },
  ],
  handle: async ({ params, services }) => {
    if (!(await services.state.journal.forget(params.id)))
      throw fault('journal.not-found', { id: params.id });
    return reply.empty(204);
  },
});

/** What arrived under an id of the client's choice. */
export const journalEndpoints: readonly TestbedEndpoint[] = [journals, journal, journalDelete];
