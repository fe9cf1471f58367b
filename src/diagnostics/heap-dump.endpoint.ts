import { Type } from 'typebox';
import type { BodyWriter } from '../http1/exchange.ts';
import { reply } from '../kernel/catalogue/answer.ts';
import { binary, problem } from '../kernel/catalogue/declarations.ts';
import { type Call, type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import type { Log } from '../kernel/log.ts';
import { diagnosticsGroup, notStored, withEnvironmentId } from './diagnostics.endpoints.ts';
import { type HeapDump, type HeapDumpFormat, heapDumpFormats, takeHeapDump } from './heap-dump.ts';
import { fileName, timeStamp } from './profiling.endpoints.ts';

export interface HeapDumpParts {
  readonly module: string;
  readonly podName: () => string;
  /** Where the snapshot is written on its way. */
  readonly folder: string;
  /** Writes down for operators who took a dump; never rejects. */
  readonly journal: (text: string) => Promise<void>;
  readonly log: Log;
}

const mediaType = 'application/octet-stream';
const endpoint = endpointsFor<unknown, unknown>();
const formatQuery = Type.Object({
  format: Type.Unsafe<HeapDumpFormat>({
    type: 'string',
    enum: heapDumpFormats,
    default: 'hprof',
    description:
      '`hprof` for VisualVM, Eclipse MAT and their like, `heapsnapshot` for the developer tools of browsers.',
  }),
});
type FormatCall = Call<unknown, unknown, { format: HeapDumpFormat }, unknown, unknown>;

/** The heap of this pod as a file; never passed on to others (spec 2 §4.3). */
export function heapDumpEndpoint({
  module,
  podName,
  folder,
  journal,
  log,
}: HeapDumpParts): Endpoint<unknown, unknown> {
  const path = '/gateway/diagnostics/heapdump';

  const take = ({ query: { format }, request, exchange }: FormatCall) => {
    const file = fileName(`heapdump-${podName()}-${timeStamp(new Date())}.${format}`);
    const headers = ['Content-Disposition', `attachment; filename="${file}"`, ...notStored];
    const client = request.peerAddress;
    const send = async (out: BodyWriter, dump: HeapDump) => {
      await using _ = dump;
      const begunAtMs = performance.now();
      let bytes = 0;
      for await (const chunk of dump.chunks(exchange.signal)) {
        await out.write(chunk);
        bytes += chunk.length;
      }
      const { pauseMs } = dump;
      const sendMs = Math.round(performance.now() - begunAtMs);
      log.info({ event: 'diagnostics.heap-dump.sent', format, client, bytes, pauseMs, sendMs });
    };
    // Nobody who asks for the head alone wants the pod to stand still.
    if (request.method === 'HEAD') return reply.stream(mediaType, async () => {}, { headers });
    log.info({ event: 'diagnostics.heap-dump.begun', format, client });
    const dump = takeHeapDump(format, { folder });
    void journal(`heap dump (${format}) of ${podName()} taken by ${client}`);
    return reply.stream(mediaType, (out) => send(out, dump), { headers });
  };

  return endpoint({
    id: `${module}-diagnostics-heapdump`,
    group: diagnosticsGroup.name,
    spec: '2 §4.3',
    methods: ['GET'],
    path,
    summary: 'The heap of this pod as a file.',
    description:
      'It stops the pod for seconds, about one for each ten megabytes of heap, and needs ten times the memory of the heap: better in hours of low traffic. Whatever the pod knows stands in the file, secrets too. Only this pod is asked, whatever `internal` says.',
    access: 'environment',
    query: formatQuery,
    responses: {
      200: binary('The file.'),
      429: problem('Another one is being taken.'),
      503: problem('There is not enough memory or space for it.'),
    },
    examples: [
      {
        name: 'for the tools of Java',
        headers: withEnvironmentId,
        expect: {
          status: 200,
          headers: { 'content-disposition': /^attachment; filename="heapdump-.+\.hprof"$/ },
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
    handle: take,
  });
}
