import { type GrpcCall, type ServiceMethods, serverStream, unary } from '../call.ts';
import { grpcLimits } from '../limits.ts';
import type { Schema } from '../schema.ts';
import { grpcError } from '../status.ts';

interface HealthCheckRequest {
  readonly service: string;
}

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/** Where the health of a gRPC service is kept among the other switches; the empty name is the whole server. */
export const healthSwitchOf = (service: string) => `grpc:${service}`;

/** grpc.health.v1: every service is up until testservice.v1.Echo/SetHealth says otherwise. */
export function healthService({ serviceNames }: Schema): ServiceMethods {
  const known = ['', ...serviceNames];
  const statusOf = async (service: string, { services }: GrpcCall) => {
    if (!known.includes(service)) return SERVICE_UNKNOWN;
    return (await services.state.healthSwitches.isUp(healthSwitchOf(service))) ? SERVING : NOT_SERVING;
  };

  return {
    Check: unary(async ({ service }: HealthCheckRequest, call) => {
      const status = await statusOf(service, call);
      if (status === SERVICE_UNKNOWN) throw grpcError('NOT_FOUND', `there is no service ${service}`);
      return { status };
    }),
    List: unary(async (_request, call) => {
      const entries = known.map(async (service) => [service, { status: await statusOf(service, call) }]);
      return { statuses: Object.fromEntries(await Promise.all(entries)) };
    }),
    Watch: serverStream(async function* ({ service }: HealthCheckRequest, call) {
      let told: number | undefined;
      for (;;) {
        const status = await statusOf(service, call);
        if (status !== told) yield { status };
        told = status;
        if (call.services.stopping.aborted) throw grpcError('UNAVAILABLE', 'the service is stopping');
        await call.services.clock.sleep(grpcLimits.healthPollMs, call.signal);
      }
    }),
  };
}
