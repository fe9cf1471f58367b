import { type Static, Type } from 'typebox';
import { reply } from '../kernel/catalogue/answer.ts';
import { binary, json, problem } from '../kernel/catalogue/declarations.ts';
import { type Call, type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import { fault } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { diagnosticsGroup, notStored, withEnvironmentId } from './diagnostics.endpoints.ts';
import type { PodIdentity } from './pod-report.ts';
import { oneProcess, type ProcessRelay } from './process-relay.ts';
import type { StallLog } from './stall-log.ts';
import type { ThreadWatch } from './thread-watch.ts';

export interface ProfilingParts {
  readonly module: string;
  readonly identity: () => PodIdentity;
  readonly threads: Pick<ThreadWatch, 'ask'>;
  readonly stalls: StallLog;
  readonly relay: ProcessRelay;
  readonly log: Log;
}

interface Profile {
  readonly name: string;
  readonly ask: 'cpu-profile' | 'allocations';
  readonly what: string;
  readonly extension: string;
  readonly summary: string;
  readonly description: string;
}

const profiles: readonly Profile[] = [
  {
    name: 'cpuprofile',
    ask: 'cpu-profile',
    what: 'CPU profile',
    extension: 'cpuprofile',
    summary: 'What the main thread spends its time on.',
    description:
      'A `.cpuprofile` for the developer tools of browsers and editors. Sampling slows the pod a little.',
  },
  {
    name: 'allocations',
    ask: 'allocations',
    what: 'allocation profile',
    extension: 'heapprofile',
    summary: 'Which calls allocate memory.',
    description:
      'A `.heapprofile` of sampled allocations, also of those that are garbage by now. Sampling slows the pod a little.',
  },
];

const endpoint = endpointsFor<unknown, unknown>();
const profileQuery = Type.Object({
  seconds: Type.Integer({ minimum: 1, maximum: 60, default: 10, description: 'How long to look.' }),
  process: oneProcess,
});
type ProfileCall = Call<unknown, unknown, Static<typeof profileQuery>, unknown, unknown>;

/** Looks into one pod, or the chosen one of its processes, for some seconds; never passed on to other pods. */
export function profilingEndpoints(parts: ProfilingParts): Endpoint<unknown, unknown>[] {
  return [...profiles.map((profile) => profileEntry(profile, parts)), stallsEntry(parts)];
}

function profileEntry(profile: Profile, parts: ProfilingParts): Endpoint<unknown, unknown> {
  const { module, identity, threads, relay, log } = parts;
  const { name, ask, what, extension, summary, description } = profile;
  const path = `/gateway/diagnostics/${name}`;
  let endsAtMs: number | undefined;

  const take = async (call: ProfileCall) => {
    const { seconds } = call.query;
    if (endsAtMs !== undefined) {
      const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - performance.now()) / 1000));
      throw fault('diagnostics.busy', { what }, ['Retry-After', String(retryAfterSeconds)]);
    }
    endsAtMs = performance.now() + seconds * 1000;
    log.info({ event: 'diagnostics.profile.begun', profile: name, seconds, client: relay.clientOf(call) });
    try {
      const bytes = await threads.ask({ ask, durationMs: seconds * 1000 }, call.exchange.signal);
      const file = `${name}-${identity().podName}-${timeStamp(new Date())}.${extension}`;
      log.info({ event: 'diagnostics.profile.taken', profile: name, bytes: bytes.length });
      return reply.bytes(bytes, 'application/json', {
        headers: ['Content-Disposition', `attachment; filename="${fileName(file)}"`, ...notStored],
      });
    } finally {
      endsAtMs = undefined;
    }
  };
  return endpoint({
    id: `${module}-diagnostics-${name}`,
    group: diagnosticsGroup.name,
    methods: ['GET'],
    path,
    summary,
    description,
    access: 'environment',
    query: profileQuery,
    responses: {
      200: binary('The profile.', 'application/json'),
      429: problem('Another one is being taken.'),
    },
    examples: [
      {
        name: 'for a second',
        path: `${path}?seconds=1`,
        headers: withEnvironmentId,
        expect: { status: 200, headers: { 'content-disposition': new RegExp(`\\.${extension}"$`) } },
      },
      {
        name: 'too long',
        path: `${path}?seconds=61`,
        headers: withEnvironmentId,
        shown: false,
        expect: { status: 400 },
      },
      { name: 'no environment id', path: `${path}?seconds=1`, shown: false, expect: { status: 401 } },
    ],
    handle: async (call) => (await relay.passOn(call.query.process, call)) ?? take(call),
  });
}

function stallsEntry({ module, identity, stalls, relay }: ProfilingParts): Endpoint<unknown, unknown> {
  const tell = () => {
    const { thresholdMs, count } = stalls;
    return reply.json(
      {
        ...identity(),
        processId: process.pid,
        stalls: { thresholdMs, count, latest: stalls.latest() },
      },
      { headers: notStored },
    );
  };
  return endpoint({
    id: `${module}-diagnostics-stalls`,
    group: diagnosticsGroup.name,
    methods: ['GET'],
    path: '/gateway/diagnostics/stalls',
    summary: 'The latest 100 times at which the event loop stood still.',
    description: 'The longer ones with the stack of what held it up.',
    access: 'environment',
    query: Type.Object({ process: oneProcess }),
    responses: { 200: json('The stalls, the newest first.', stallsSchema) },
    examples: [
      {
        name: 'stalls',
        headers: withEnvironmentId,
        expect: { status: 200, json: { stalls: { thresholdMs: 100 } } },
      },
      { name: 'no environment id', shown: false, expect: { status: 401 } },
    ],
    handle: async (call) => (await relay.passOn(call.query.process, call)) ?? tell(),
  });
}

const stallsSchema = Type.Object({
  podName: Type.String(),
  podIp: Type.String(),
  envName: Type.String(),
  version: Type.String(),
  processId: Type.Integer(),
  stalls: Type.Object({
    thresholdMs: Type.Integer(),
    count: Type.Integer({ description: 'Since the pod started.' }),
    latest: Type.Array(
      Type.Object({
        time: Type.String({ format: 'date-time' }),
        durationMs: Type.Integer(),
        stackTrace: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  }),
});

/** `yyyyMMdd-HHmmss`, in UTC. */
export function timeStamp(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

/** A pod may be called anything; a file in a header field may not. */
export function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '_');
}
