import { type Call, type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import type { TestbedServices } from './services.ts';

export type TestbedEndpoint = Endpoint<TestbedServices>;
export type TestbedCall = Call<TestbedServices>;

/** Declares one endpoint of the test service. */
export const endpoint = endpointsFor<TestbedServices>();
