import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../catalogue/answer.ts';
import { json, text } from '../catalogue/declarations.ts';
import type { Endpoint } from '../catalogue/endpoint.ts';
import type { Documented } from '../catalogue/operations.ts';
import type { RequestView } from '../catalogue/request-view.ts';
import type { Health, HealthReport } from './health.ts';
import type { ModuleMetrics } from './metrics.ts';
import type { VersionInfo } from './version-info.ts';

export interface ModuleParts {
  readonly health: Health;
  readonly versionInfo: () => Promise<VersionInfo>;
  readonly metrics: ModuleMetrics;
}

/** The tag these entries stand under. */
export const moduleGroup = {
  name: 'Module',
  description: 'Health, version and metrics, which every module of the platform answers.',
};

const UpOrDown = Type.Union([Type.Literal('UP'), Type.Literal('DOWN')]);
const healthSchema = Type.Object(
  {
    status: UpOrDown,
    module: Type.String(),
    uptime: Type.Integer({ description: 'Seconds since the module started.' }),
    checks: Type.Record(
      Type.String(),
      Type.Object({ status: UpOrDown, detail: Type.Optional(Type.String()) }),
    ),
  },
  { $id: 'Health' },
);
const versionSchema = Type.Object(
  {
    module: Type.String(),
    version: Type.String(),
    commit: Type.String(),
    buildTime: Type.String(),
    nodeVersion: Type.String(),
  },
  { $id: 'VersionInfo' },
);

const healthEntry: Documented = {
  id: 'module-health',
  group: moduleGroup.name,
  spec: '2 §4.2',
  methods: ['GET'],
  path: '/gateway/management/health',
  summary: 'Whether the module has everything it needs.',
  description: 'With `Accept: text/plain` the answer is `OK` or `DOWN`.',
  access: 'open',
  headers: Type.Object({ accept: Type.Optional(Type.String()) }),
  responses: { 200: json('It has.', healthSchema), 503: json('Something is gone.', healthSchema) },
  examples: [
    { name: 'JSON', expect: { status: 200, json: { status: 'UP', checks: {} } } },
    { name: 'text', headers: ['Accept', 'text/plain'], expect: { status: 200, text: 'OK' } },
  ],
};

const versionEntry: Documented = {
  id: 'module-version',
  group: moduleGroup.name,
  spec: '2 §4.2',
  methods: ['GET'],
  path: '/gateway/management/version',
  summary: 'Which version runs here.',
  access: 'open',
  responses: { 200: json('The version.', versionSchema) },
  examples: [{ name: 'version', expect: { status: 200, json: { version: /^\d{4}\.\d{2}\.\d+$/ } } }],
};

const metricsEntry: Documented = {
  id: 'module-metrics',
  group: moduleGroup.name,
  methods: ['GET'],
  path: '/metrics',
  summary: 'Metrics of the module and of the requests, for Prometheus.',
  description:
    'With `Accept: application/json` those of the very process that answers, as the other ones ask for them.',
  access: 'open',
  headers: Type.Object({ accept: Type.Optional(Type.String()) }),
  responses: { 200: text('Text exposition format 0.0.4.') },
  examples: [{ name: 'metrics', expect: { status: 200, text: /^# HELP / } }],
};

/** The entries as a module's description shows them. */
export const moduleEntries: readonly Documented[] = [healthEntry, versionEntry, metricsEntry];

/** Open to everybody, because probes carry no token; they tell no secret (spec 2 §4.2). */
export function moduleEndpoints({ health, versionInfo, metrics }: ModuleParts): Endpoint<unknown, unknown>[] {
  return [
    { ...healthEntry, handle: async ({ request }) => healthAnswer(request, await health.report()) },
    { ...versionEntry, handle: async () => reply.json(await versionInfo()) },
    {
      ...metricsEntry,
      handle: async ({ request }) => {
        const options = { headers: ['Cache-Control', 'no-store', 'Vary', 'Accept'] };
        return wantsJson(request.headers.get('accept'))
          ? reply.json(await metrics.ofProcess(), options)
          : reply.bytes(await metrics.text(), metrics.registry.contentType, options);
      },
    },
  ];
}

function healthAnswer({ headers }: RequestView, report: HealthReport): PlainAnswer {
  const isUp = report.status === 'UP';
  const options = { status: isUp ? 200 : 503, headers: ['Cache-Control', 'no-store', 'Vary', 'Accept'] };
  return wantsText(headers.get('accept'))
    ? reply.text(isUp ? 'OK' : 'DOWN', options)
    : reply.json(report, options);
}

/** JSON must be asked for by name, and alone: scrapers list all that they can read. */
function wantsJson(accept = ''): boolean {
  return /^\s*application\/json\s*$/i.test(accept);
}

/** Text must be asked for by name; `*` and nothing at all mean JSON. */
function wantsText(accept = ''): boolean {
  return /\btext\/plain\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}
