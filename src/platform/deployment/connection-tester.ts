import { type Static, Type } from 'typebox';
import type { ParameterSet } from '../../model/connection.ts';

/** A connection to be tried once, saved or not. Header values are the real ones. */
export interface ConnectionUnderTest {
  readonly name: string;
  /** The project's id, or `global`: where its key store, trust store and variables are looked for. */
  readonly scope: string;
  readonly parameters: ParameterSet;
}

/** What a worker pod found when it contacted the real endpoint (spec 2 §4.5, §7.3). */
export const connectionTestResult = Type.Object(
  {
    envName: Type.String(),
    podName: Type.String({ description: 'The worker pod that made the contact.' }),
    podIp: Type.String(),
    success: Type.Boolean(),
    detail: Type.String(),
    errorClass: Type.Optional(Type.String({ description: 'How the failure is classified.' })),
    reason: Type.Optional(Type.String({ description: 'The stable name of what went wrong.' })),
    failedPhase: Type.Optional(
      Type.String({
        description: 'Where it failed, such as dns, connect, tls, acquire, write, response, status.',
      }),
    ),
    statusCode: Type.Optional(Type.Integer({ description: 'What the endpoint answered, if it did.' })),
    phases: Type.Record(Type.String(), Type.Number(), { description: 'Milliseconds that each phase took.' }),
    responseTime: Type.Integer({ description: 'Milliseconds of the whole contact.' }),
  },
  { $id: 'ConnectionTestResult' },
);
export type ConnectionTestResult = Static<typeof connectionTestResult>;

/** Tries connections on a worker pod of an environment; whether they are enabled does not matter. */
export interface ConnectionTester {
  /**
   * Resolves with what the pod found, good or bad. Rejects with faults `deployment.*` when there is nothing to be found
   * out: an unknown environment, no live pod, a store that is not there.
   */
  test(connection: ConnectionUnderTest, environmentName: string): Promise<ConnectionTestResult>;
}
