import { Type } from 'typebox';
import { type Diagnostic, everyModule } from './diagnostic.ts';
import type { DumpedThread } from './thread-watch-protocol.ts';
import { threadKindSchema, threadStateSchema } from './threads.ts';

export const threadDump: Diagnostic = {
  name: 'threaddump',
  key: 'threadDump',
  modules: everyModule,
  summary: 'Stack traces of all threads.',
  description:
    'Every thread that runs JavaScript is interrupted for a moment, so a dump loads the pod: better in hours of low traffic.',
  loadsPod: true,
  content: Type.Array(
    Type.Object({
      threadName: Type.String(),
      threadId: Type.Integer(),
      threadState: threadStateSchema,
      kind: threadKindSchema,
      stackTrace: Type.Array(Type.String(), {
        description:
          'Calls, the innermost first. Lines in brackets tell why there are none: the thread waits for events, runs no JavaScript, or is blocked in native code.',
      }),
    }),
  ),
  collect: ({ threads }) => threads.ask({ ask: 'dump' }),
  combine: (contents: ReadonlyArray<readonly DumpedThread[]>) => contents.flat(),
};
