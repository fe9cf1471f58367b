import { type Static, Type } from 'typebox';
import { reply } from '../kernel/catalogue/answer.ts';
import { binary, problem } from '../kernel/catalogue/declarations.ts';
import { type Call, type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import type { Log } from '../kernel/log.ts';
import { diagnosticsGroup, notStored, withEnvironmentId } from './diagnostics.endpoints.ts';
import { type HeapDumpFormat, heapDump, heapDumpFormats } from './heap-dump.ts';
import { loadNoticeField } from './load-notice.ts';
import { oneProcess, type ProcessRelay } from './process-relay.ts';
import { fileName, timeStamp } from './profiling.endpoints.ts';

export interface HeapDumpParts {
  readonly module: string;
  readonly podName: () => string;
  readonly relay: ProcessRelay;
  /** Writes down for operators who took a dump; never rejects. */
  readonly journal: (text: string) => Promise<void>;
  readonly log: Log;
}

const mediaType = 'application/octet-stream';
const endpoint = endpointsFor<unknown, unknown>();
const heapQuery = Type.Object({
  format: Type.Unsafe<HeapDumpFormat>({
    type: 'string',
    enum: heapDumpFormats,
    default: 'hprof',
    description:
      '`hprof` for VisualVM, Eclipse MAT and their like, `heapsnapshot` for the developer tools of browsers.',
  }),
  process: oneProcess,
});
type HeapCall = Call<unknown, unknown, Static<typeof heapQuery>, unknown, unknown>;

/** The heap of this pod, or of the chosen one of its processes, as a file; never passed on to others (spec 2 §4.3). */
export function heapDumpEndpoint({
  module,
  podName,
  relay,
  journal,
  log,
}: HeapDumpParts): Endpoint<unknown, unknown> {
  const path = '/gateway/diagnostics/heapdump';

  const take = (call: HeapCall) => {
    const { request, exchange } = call;
    const { format } = call.query;
    const file = fileName(`heapdump-${podName()}-${timeStamp(new Date())}.${format}`);
    const headers = [
      'Content-Disposition',
      `attachment; filename="${file}"`,
      ...notStored,
      ...loadNoticeField,
    ];
    const client = relay.clientOf(call);
    // Nobody who asks for the head alone wants the pod to stand still.
    if (request.method === 'HEAD') return reply.stream(mediaType, async () => {}, { headers });
    const chunks = heapDump(format, exchange.signal);
    log.info({ event: 'diagnostics.heap-dump.begun', format, client });
    void journal(`heap dump (${format}) of ${podName()} taken by ${client}`);
    return reply.stream(
      mediaType,
      async (out) => {
        const begunAtMs = performance.now();
        let bytes = 0;
        for await (const chunk of chunks) {
          await out.write(chunk);
          bytes += chunk.length;
        }
        const durationMs = Math.round(performance.now() - begunAtMs);
        log.info({ event: 'diagnostics.heap-dump.sent', format, client, bytes, durationMs });
      },
      { headers },
    );
  };

  return endpoint({
    id: `${module}-diagnostics-heapdump`,
    group: diagnosticsGroup.name,
    spec: '2 §4.3',
    methods: ['GET'],
    path,
    summary: 'The heap of this pod as a file.',
    description:
      'It stops the pod for seconds, about one for each 25 megabytes of heap, and needs ten times the memory of the heap: better in hours of low traffic. Whatever the pod knows stands in the file, secrets too. Only this pod is asked, whatever `internal` says.',
    access: 'environment',
    query: heapQuery,
    responses: {
      200: binary('The file.'),
      429: problem('Another one is being taken.'),
      503: problem('There is not enough memory for it.'),
    },
    examples: [
      {
        name: 'for the tools of Java',
        headers: withEnvironmentId,
        expect: {
          status: 200,
          headers: {
            'content-disposition': /^attachment; filename="heapdump-.+\.hprof"$/,
            'gatehouse-notice': /load the pod.*low traffic/,
          },
        },
      },
      {
        name: 'unknown format',
        path: `${path}?format=phd`,
        headers: withEnvironmentId,
        shown: false,
        expect: { status: 400 },
      },
      { name: 'no environment id', shown: false, expect: { status: 401 } },
    ],
    handle: async (call) => (await relay.passOn(call.query.process, call)) ?? take(call),
  });
}
