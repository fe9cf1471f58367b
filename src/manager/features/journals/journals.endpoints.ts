import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { type JournalKind, journalKinds, journalSchemas } from '../../../model/journal.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { signedIn } from '../../resources/examples.ts';
import { pageOf, pageParameters } from '../../resources/paging.ts';
import type { JournalFilter } from './journals.ts';

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const query = Type.Object({
  from: time('the earliest time, RFC 3339'),
  to: time('the time before which rows must be, RFC 3339'),
  user: Type.Optional(Type.String({ maxLength: 200, description: 'exactly this user name' })),
  result: Type.Optional(Type.Union([Type.Literal('SUCCESS'), Type.Literal('FAILURE')])),
  ...pageParameters,
});

const purposes: Readonly<Record<JournalKind, string>> = {
  login: 'sign-ins, with the reason of each refusal',
  audit: 'changes: who, what, which object, before and after',
  token: 'access tokens that were issued, regenerated, revoked or deleted',
  deployment: 'what each pod said to each deployment',
  message: 'messages of the platform to its operators',
};

/** Who may look after users sees their sign-ins and tokens; everything else belongs to who looks after the platform. */
const categories: Readonly<Record<JournalKind, string>> = {
  login: 'IDENTITY',
  token: 'IDENTITY',
  audit: 'GLOBAL_SETTINGS',
  deployment: 'GLOBAL_SETTINGS',
  message: 'GLOBAL_SETTINGS',
};

export const journalEndpoints: readonly ManagerEndpoint[] = journalKinds.map((kind) =>
  endpoint({
    id: `journal-${kind}`,
    group: 'Journals',
    spec: '2 §5',
    methods: ['GET'],
    path: `/apiops/journals/${kind}/`,
    summary: `Lists ${purposes[kind]}; the newest first.`,
    access: { category: categories[kind], action: 'VIEW', scope: 'global' },
    errors: 'newer',
    query,
    responses: { 200: json('A page of the journal.', pageSchema(kind)) },
    examples: [
      {
        name: 'of one user',
        path: `/apiops/journals/${kind}/?user=nobody&size=10`,
        ...signedIn,
        expect: { status: 200, json: { items: [], total: 0, page: 0, size: 10 } },
      },
      {
        name: 'a time that is none',
        path: `/apiops/journals/${kind}/?from=yesterday`,
        ...signedIn,
        expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED', correlationId: /^[0-9a-f-]{36}$/ } },
      },
    ],
    handle: async ({ query: asked, services }) => {
      const { page, size } = asked;
      const { rows, total } = await services.journals.list(kind, filterOf(asked), pageOf({ page, size }));
      const items = rows.map(({ id, value: { at, ...row } }) => ({
        id,
        time: new Date(at).toISOString(),
        ...row,
      }));
      return reply.json({ items, total, page, size });
    },
  }),
);

function pageSchema(kind: JournalKind) {
  const row = Type.Object({
    id: Type.String(),
    time: Type.String({ format: 'date-time' }),
    ...journalSchemas[kind].properties,
  });
  return Type.Object({
    items: Type.Array(row),
    total: Type.Integer(),
    page: Type.Integer(),
    size: Type.Integer(),
  });
}

interface AskedFilter {
  readonly from?: string;
  readonly to?: string;
  readonly user?: string;
  readonly result?: string;
}

function filterOf({ from, to, user, result }: AskedFilter): JournalFilter {
  return {
    ...(from !== undefined && { from: timeOf('from', from) }),
    ...(to !== undefined && { to: timeOf('to', to) }),
    ...(user !== undefined && { userName: user }),
    ...(result !== undefined && { result }),
  };
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

function timeOf(name: string, text: string): number {
  const at = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    const rule = 'must be a time such as 2026-01-31T12:00:00Z';
    throw fault('parameter.invalid', { in: 'query', name, rule });
  }
  return at;
}
