import { type Static, type TSchema, Type } from 'typebox';
import { reply } from '../kernel/catalogue/answer.ts';
import { json } from '../kernel/catalogue/declarations.ts';
import { type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import type { Broadcast } from './broadcast.ts';
import type { DiagnosedModule, Diagnostic } from './diagnostic.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { loadNotice } from './load-notice.ts';
import type { ProcessReports } from './process-reports.ts';

/** The tag these entries stand under. */
export const diagnosticsGroup = {
  name: 'Diagnostics',
  description: `What a pod tells about itself, to whoever shows the id of its environment. ${loadNotice}`,
};

/** What the header says in examples; tests put a real id in its place. */
export const ENVIRONMENT_ID = '<ENVIRONMENT_ID>';
export const withEnvironmentId = ['Authorization', ENVIRONMENT_ID];
export const notStored = ['Cache-Control', 'no-store'];

export interface DiagnosticsHandlers {
  readonly module: DiagnosedModule;
  readonly reports: ProcessReports;
  readonly podName: () => string;
  readonly broadcast: Broadcast;
}

const endpoint = endpointsFor<unknown, unknown>();
const podQuery = Type.Object({
  internal: Type.Boolean({
    default: false,
    description: 'Only the addressed pod answers, with its own object; otherwise it asks all others too.',
  }),
  process: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 255,
      description: 'Of a pod of several processes only this one answers, counted from 0.',
    }),
  ),
});

/** One entry for each diagnostic the module has, and `all` of them in one (spec 2 §4.3). */
export function diagnosticsEndpoints(handlers: DiagnosticsHandlers): Endpoint<unknown, unknown>[] {
  const known = diagnosticsOf(handlers.module);
  const all = {
    name: 'all',
    summary: 'Everything but the heap dump.',
    description: 'It holds a thread dump and loads the pod like one: better in hours of low traffic.',
  };
  return [
    ...known.map((diagnostic) => entry(diagnostic, [diagnostic], handlers)),
    entry(all, known, handlers),
  ];
}

type PodQuery = Static<typeof podQuery>;
type Described = Pick<Diagnostic, 'name' | 'summary' | 'description'>;

function entry(
  { name, summary, description }: Described,
  chosen: readonly Diagnostic[],
  { module, reports, podName, broadcast }: DiagnosticsHandlers,
): Endpoint<unknown, unknown> {
  const path = `/gateway/diagnostics/${name}`;
  const keys = chosen.map(({ key }) => key);
  const answerTo = async ({ internal, process }: PodQuery, signal: AbortSignal) => {
    if (process !== undefined) return reports.ofProcess(process, name, chosen, signal);
    const report = reports.ofPod(name, chosen, signal);
    return internal ? report : broadcast({ name, keys }, { podName: podName(), report }, signal);
  };
  return endpoint({
    id: `${module}-diagnostics-${name}`,
    group: diagnosticsGroup.name,
    spec: '2 §4.3',
    methods: ['GET'],
    access: 'environment',
    summary,
    path,
    ...(description && { description }),
    query: podQuery,
    responses: {
      200: json(
        'One report for each pod, or with `internal=true` the one of this pod.',
        answerSchema(chosen),
      ),
    },
    examples: [
      {
        name: 'all pods',
        headers: withEnvironmentId,
        expect: { status: 200, json: { pods: [{}] }, headers: { 'cache-control': 'no-store' } },
      },
      {
        name: 'this pod alone',
        path: `${path}?internal=true`,
        headers: withEnvironmentId,
        expect: { status: 200, json: { podName: /./, envName: /./ } },
      },
      { name: 'no environment id', shown: false, expect: { status: 401 } },
    ],
    handle: async ({ query, exchange: { signal } }) =>
      reply.json(await answerTo(query, signal), { headers: notStored }),
  });
}

function answerSchema(chosen: readonly Diagnostic[]): TSchema {
  const contents = Object.fromEntries(chosen.map(({ key, content }) => [key, Type.Optional(content)]));
  const pod = Type.Object({
    podName: Type.String(),
    podIp: Type.String(),
    envName: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    responseTime: Type.Integer({ description: 'Milliseconds until it had answered.' }),
    error: Type.Optional(Type.String({ description: 'Why something, or everything, is missing.' })),
    ...(chosen.some(({ loadsPod }) => loadsPod) && {
      notice: Type.Optional(Type.String({ description: 'That a dump loads the pod.' })),
    }),
    ...contents,
    processes: Type.Optional(
      Type.Array(
        Type.Object({
          process: Type.Integer(),
          processId: Type.Integer(),
          error: Type.Optional(Type.String()),
          ...contents,
        }),
        { description: 'Of a pod of several processes: each by itself. Beside it they are in one.' },
      ),
    ),
  });
  const error = Type.Optional(Type.String({ description: 'Why there may be pods that are not listed.' }));
  return Type.Union([Type.Object({ pods: Type.Array(pod), error }), pod]);
}
